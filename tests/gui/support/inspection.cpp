#include "tests/gui/support/inspection.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QLabel>
#include <QToolButton>

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

}  // namespace

QStringList clippedTexts(const QWidget& root)
{
    QStringList clipped;
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
        if (label->textFormat() != Qt::PlainText && Qt::mightBeRichText(label->text())) {
            found.append(describe(*label, label->text()));
        }
    }
    return found;
}

QString LongTexts::translate(const char*, const char* source, const char*, int) const
{
    const auto text = QString::fromUtf8(source);
    const auto more = std::max<qsizetype>(1, text.size() * 2 / 5);
    return text + QString(more, QChar(0x00F6));
}

}  // namespace restante::gui::test
