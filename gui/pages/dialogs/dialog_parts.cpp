#include "gui/pages/dialogs/dialog_parts.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>

namespace restante::gui {

QLabel* headingIn(QWidget* parent, const QString& text)
{
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    auto font = label->font();
    constexpr double kLarger = 1.25;
    font.setPointSizeF(font.pointSizeF() * kLarger);
    font.setBold(true);
    label->setFont(font);
    return label;
}

QLabel* plainIn(QWidget* parent, const QString& text)
{
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

NoticeLine::NoticeLine(QWidget* parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setAutoFillBackground(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    constexpr int kAround = 6;
    setMargin(kAround);
    hide();
}

void NoticeLine::say(const QString& text, Theme::Meaning meaning)
{
    meaning_ = meaning;
    setText(text);
    paintIt();
    setVisible(!text.isEmpty());
    if (qobject_cast<QDialog*>(window()) != nullptr && isVisible()) {
        growToFit(window());
    }
}

void NoticeLine::clearText()
{
    clear();
    hide();
}

void NoticeLine::paintIt()
{
    const auto tint = Theme::tint(meaning_);
    if (palette().color(QPalette::Window) != tint.paper) {
        applyTint(*this, tint);
    }
}

void NoticeLine::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::ApplicationPaletteChange) {
        paintIt();
    }
    QLabel::changeEvent(event);
}

namespace {

/// A box of buttons stands for its first one, and would hold Tab up while that one is hidden or
/// disabled. It says so again whenever it lays its buttons out: when one is added, and from Qt 6.6
/// on when one is shown or hidden.
class TabPasses : public QObject {
public:
    explicit TabPasses(QDialogButtonBox* box) : QObject(box) { box->installEventFilter(this); }
    bool eventFilter(QObject* box, QEvent* event) override
    {
        if (event->type() == QEvent::LayoutRequest) {
            static_cast<QWidget*>(box)->setFocusProxy(nullptr);
        }
        return false;
    }
};

}  // namespace

Buttons buttonsIn(QDialog* dialog, DefaultButton which)
{
    auto* box = new QDialogButtonBox(dialog);
    auto* accept = box->addButton(QString(), QDialogButtonBox::AcceptRole);
    accept->setObjectName(QStringLiteral("acceptButton"));
    auto* cancel = box->addButton(QDialogButtonBox::Cancel);
    cancel->setObjectName(QStringLiteral("cancelButton"));
    QObject::connect(box, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    accept->setAutoDefault(which == DefaultButton::Accept);
    accept->setDefault(which == DefaultButton::Accept);
    cancel->setAutoDefault(which == DefaultButton::Cancel);
    cancel->setDefault(which == DefaultButton::Cancel);
    if (which == DefaultButton::Cancel) {
        cancel->setFocus();
    }
    box->setFocusProxy(nullptr);
    new TabPasses(box);
    return {box, cancel, accept};
}

QString wordsOf(QString label)
{
    // A language without Latin letters has its letters in brackets behind the word, and a colon as
    // wide as its other signs.
    static const QRegularExpression kKey(QStringLiteral("\\(&.\\)"));
    label.remove(kKey).remove(u'&');
    while (label.endsWith(u':') || label.endsWith(QChar(0xFF1A))) {
        label.chop(1);
    }
    return label;
}

void nameIt(QWidget* widget, const QString& name)
{
    widget->setAccessibleName(name);
    if (auto* box = qobject_cast<QComboBox*>(widget);
        box != nullptr && box->lineEdit() != nullptr) {
        box->lineEdit()->setAccessibleName(name);
    }
}

void growToFit(QWidget* dialog)
{
    auto* layout = dialog->layout();
    if (layout == nullptr) {
        return;
    }
    layout->activate();
    const auto wanted = layout->hasHeightForWidth() ? layout->totalHeightForWidth(dialog->width())
                                                    : layout->totalSizeHint().height();
    if (dialog->height() < wanted) {
        dialog->resize(dialog->width(), wanted);
    }
}

QFormLayout* formIn(QWidget* parent)
{
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    static_cast<void>(parent);
    return form;
}

QLineEdit* reasonIn(QWidget* parent)
{
    auto* line = new QLineEdit(parent);
    line->setObjectName(QStringLiteral("reason"));
    // validate(TopicAction) allows 1,024 bytes, and a character has at most 4.
    constexpr int kLongest = 256;
    line->setMaxLength(kLongest);
    line->setPlaceholderText(
        QCoreApplication::translate("Dialog", "Optional; kept in history and audit"));
    return line;
}

}  // namespace restante::gui
