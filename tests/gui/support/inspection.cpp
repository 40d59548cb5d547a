#include "tests/gui/support/inspection.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QComboBox>
#include <QCoreApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QStyleOption>
#include <QTabBar>
#include <QToolButton>
#include <QToolTip>

namespace restante::gui::test {

namespace {

QString describe(const QWidget& widget, const QString& text)
{
    QString path;
    for (const auto* at = &widget; at != nullptr; at = at->parentWidget()) {
        if (!at->objectName().isEmpty()) {
            path = at->objectName() + (path.isEmpty() ? QString() : u'/' + path);
        }
    }
    return QStringLiteral("%1 in %2: \"%3\" wants %4x%5, has %6x%7")
        .arg(QString::fromLatin1(widget.metaObject()->className()), path, text)
        .arg(widget.sizeHint().width())
        .arg(widget.sizeHint().height())
        .arg(widget.width())
        .arg(widget.height());
}

bool onScreen(const QWidget& widget, const QWidget& root)
{
    return widget.isVisibleTo(&root) && widget.width() > 0;
}

QStringList clippedTabs(const QWidget& root)
{
    QStringList clipped;
    for (const auto* bar : root.findChildren<QTabBar*>()) {
        for (int at = 0; at < bar->count() && onScreen(*bar, root); ++at) {
            const auto wanted =
                bar->fontMetrics().size(Qt::TextShowMnemonic, bar->tabText(at)).width();
            // Whole tabs may stand behind the arrows of their bar.
            const auto room = bar->tabRect(at).width();
            if (wanted > room && bar->tabToolTip(at).isEmpty()) {
                clipped.append(describe(*bar, bar->tabText(at)));
            }
        }
    }
    return clipped;
}

/// The whole title comes as a tool tip.
bool isTold(QHeaderView& header, int section)
{
    const QPoint at(header.sectionViewportPosition(section) + header.sectionSize(section) / 2,
                    header.height() / 2);
    QHelpEvent event(QEvent::ToolTip, at, header.viewport()->mapToGlobal(at));
    QCoreApplication::sendEvent(header.viewport(), &event);
    const auto title = header.model()->headerData(section, Qt::Horizontal).toString();
    const bool told = QToolTip::text().contains(title.toHtmlEscaped());
    QToolTip::hideText();
    return told;
}

QStringList clippedTitles(const QWidget& root)
{
    QStringList clipped;
    for (auto* header : root.findChildren<QHeaderView*>()) {
        if (header->orientation() != Qt::Horizontal || !onScreen(*header, root)) {
            continue;
        }
        for (int at = 0; at < header->count(); ++at) {
            const auto title = header->model()->headerData(at, Qt::Horizontal).toString();
            if (!title.isEmpty() && !header->isSectionHidden(at) &&
                header->sectionSize(at) < header->sectionSizeHint(at) && !isTold(*header, at)) {
                clipped.append(describe(*header, title));
            }
        }
    }
    return clipped;
}

QStringList clippedBoxes(const QWidget& root)
{
    QStringList clipped;
    for (const auto* box : root.findChildren<QComboBox*>()) {
        QStyleOptionComboBox option;
        option.initFrom(box);
        const auto room = box->style()->subControlRect(QStyle::CC_ComboBox, &option,
                                                       QStyle::SC_ComboBoxEditField, box);
        const auto wanted = box->fontMetrics().horizontalAdvance(box->currentText());
        if (onScreen(*box, root) && wanted > room.width() && box->toolTip().isEmpty()) {
            clipped.append(describe(*box, box->currentText()));
        }
    }
    return clipped;
}

}  // namespace

QString unfitFor(const QWidget& window, const QSize& screen)
{
    const auto least = window.minimumSizeHint().expandedTo(window.minimumSize());
    const auto most = window.size().expandedTo(least);
    return most.width() <= screen.width() && most.height() <= screen.height()
               ? QString()
               : QStringLiteral("is %1x%2, and at least %3x%4")
                     .arg(window.width())
                     .arg(window.height())
                     .arg(least.width())
                     .arg(least.height());
}

QStringList clippedTexts(const QWidget& root)
{
    auto clipped = clippedTabs(root) + clippedTitles(root) + clippedBoxes(root);
    for (const auto* label : root.findChildren<QLabel*>()) {
        if (label->text().isEmpty() || !onScreen(*label, root)) {
            continue;
        }
        const bool wraps = label->wordWrap();
        const bool fits = wraps ? label->heightForWidth(label->width()) <= label->height()
                                : label->sizeHint().width() <= label->width();
        if (!fits) {
            clipped.append(describe(*label, label->text()));
        }
    }
    for (const auto* button : root.findChildren<QAbstractButton*>()) {
        const auto* tool = qobject_cast<const QToolButton*>(button);
        const bool iconOnly = tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly;
        if (button->text().isEmpty() || iconOnly || !onScreen(*button, root)) {
            continue;
        }
        if (button->sizeHint().width() > button->width()) {
            clipped.append(describe(*button, button->text()));
        }
    }
    return clipped;
}

QStringList unnamedWidgets(const QWidget& root)
{
    QStringList unnamed;
    for (auto* widget : root.findChildren<QWidget*>()) {
        if ((widget->focusPolicy() & Qt::TabFocus) == 0 || !onScreen(*widget, root) ||
            widget->objectName().startsWith(QLatin1String("qt_"))) {
            continue;
        }
        auto* accessible = QAccessible::queryAccessibleInterface(widget);
        const auto name = accessible == nullptr ? QString() : accessible->text(QAccessible::Name);
        if (name.isEmpty()) {
            unnamed.append(describe(*widget, name));
        }
    }
    return unnamed;
}

QStringList markupLabels(const QWidget& root)
{
    QStringList found;
    for (const auto* label : root.findChildren<QLabel*>()) {
        // A tool tip has no plain format: its texts are escaped where they are made.
        const bool isToolTip = label->inherits("QTipLabel");
        if (!isToolTip && label->textFormat() != Qt::PlainText &&
            Qt::mightBeRichText(label->text())) {
            found.append(describe(*label, label->text()));
        }
    }
    return found;
}

QString LongTexts::translate(const char*, const char* source, const char*, int) const
{
    const auto text = QString::fromUtf8(source);
    // Where there are several words the new ones are words, too, and may go to the next line.
    constexpr qsizetype kWord = 9;
    const bool words = text.trimmed().contains(u' ');
    auto longer = text;
    for (auto more = std::max<qsizetype>(1, text.size() * 2 / 5); more > 0; more -= kWord) {
        longer += words && more >= kWord ? u' ' + QString(kWord - 1, QChar(0x00F6))
                                         : QString(more, QChar(0x00F6));
        if (!words) {
            break;
        }
    }
    return longer;
}

}  // namespace restante::gui::test
