#include "gui/pages/dialogs/dialog_parts.h"

#include "gui/base/utc.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDateTimeEdit>
#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTableWidget>
#include <QTextDocument>
#include <QTimeZone>

#include <functional>

namespace restante::gui {

namespace {

/// Grows the dialog to the height that its texts need at its width; never shrinks it.
void growToFit(QWidget* dialog)
{
    auto* layout = dialog->layout();
    if (layout == nullptr) {
        return;
    }
    layout->activate();
    const auto neededHeight = layout->hasHeightForWidth()
                                  ? layout->totalHeightForWidth(dialog->width())
                                  : layout->totalSizeHint().height();
    if (dialog->height() < neededHeight) {
        dialog->resize(dialog->width(), neededHeight);
    }
}

/// QDialogButtonBox makes its first button its focus proxy, which stops Tab while that button is
/// hidden or disabled. It does so again with each layout of its buttons: when one is added, and
/// from Qt 6.6 on when one is shown or hidden.
class ButtonBoxFocusFix : public QObject {
public:
    explicit ButtonBoxFocusFix(QDialogButtonBox* box) : QObject(box)
    {
        box->installEventFilter(this);
    }
    bool eventFilter(QObject* box, QEvent* event) override
    {
        if (event->type() == QEvent::LayoutRequest) {
            static_cast<QWidget*>(box)->setFocusProxy(nullptr);
        }
        return false;
    }
};

}  // namespace

QLabel* newHeading(QWidget* parent, const char* name)
{
    auto* label = wrappedLabel(parent, name);
    auto font = label->font();
    constexpr double kHeadingScale = 1.25;
    font.setPointSizeF(font.pointSizeF() * kHeadingScale);
    font.setBold(true);
    label->setFont(font);
    return label;
}

QLabel* newSelectableText(QWidget* parent, const char* name)
{
    auto* label = wrappedLabel(parent, name);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

NoticeLine::NoticeLine(QWidget* parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setAutoFillBackground(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    constexpr int kMargin = 6;
    setMargin(kMargin);
    hide();
}

void NoticeLine::showMessage(const QString& text, Theme::Severity severity)
{
    severity_ = severity;
    setText(text);
    applySeverity();
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

void NoticeLine::applySeverity()
{
    const auto tint = Theme::tint(severity_);
    if (palette().color(QPalette::Window) != tint.background) {
        applyTint(*this, tint);
    }
}

void NoticeLine::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::ApplicationPaletteChange) {
        applySeverity();
    }
    QLabel::changeEvent(event);
}

QString labelText(QString label)
{
    // A language without Latin letters has its mnemonics in brackets behind the word, and a
    // full-width colon.
    static const QRegularExpression kMnemonicInBrackets(QStringLiteral("\\(&.\\)"));
    label.remove(kMnemonicInBrackets).remove(u'&');
    while (label.endsWith(u':') || label.endsWith(QChar(0xFF1A))) {
        label.chop(1);
    }
    return label;
}

void setAccessibleNameOf(QWidget* widget, const QString& name)
{
    widget->setAccessibleName(name);
    if (auto* box = qobject_cast<QComboBox*>(widget);
        box != nullptr && box->lineEdit() != nullptr) {
        box->lineEdit()->setAccessibleName(name);
    }
}

QFormLayout* makeForm()
{
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    return form;
}

QLabel* addLabelledRow(QFormLayout* form, QWidget* field, RowHeight height)
{
    auto* label = plainLabel(field->parentWidget());
    label->setBuddy(field->focusProxy() != nullptr ? field->focusProxy() : field);
    if (height == RowHeight::Lines) {
        label->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    }
    form->addRow(label, field);
    return label;
}

QLabel* labelOf(const QFormLayout* form, QWidget* field)
{
    return qobject_cast<QLabel*>(form->labelForField(field));
}

void showRow(const QFormLayout* form, QWidget* field, bool shown)
{
    field->setVisible(shown);
    if (auto* label = form->labelForField(field)) {
        label->setVisible(shown);
    }
}

QTableWidget* newReadOnlyTable(QWidget* parent, const char* name, int columns)
{
    auto* table = makeWidget<QTableWidget>(name, 0, columns, parent);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    return table;
}

QString exactText(const QTextDocument& document)
{
    auto text = document.toRawText();
    for (const QChar separator : {QChar::LineSeparator, QChar::ParagraphSeparator}) {
        text.replace(separator, QChar(u'\n'));
    }
    return text;
}

QDateTimeEdit* newDateTimeEdit(QWidget* parent, const char* format)
{
    auto* edit = makeWidget<QDateTimeEdit>("time", parent);
    showUtc(*edit);
    edit->setDisplayFormat(QString::fromLatin1(format));
    edit->setCalendarPopup(true);
    return edit;
}

void showNextHour(QDateTimeEdit& edit, TimePoint now, const QTimeZone& zone)
{
    const auto later = QDateTime::fromMSecsSinceEpoch(toEpochMs(now) + 3'600'000, zone);
    edit.setDateTime(QDateTime(later.date(), QTime(later.time().hour(), 0), kUtc));
}

QComboBox*
newEditableBox(QWidget* parent, const char* name, std::initializer_list<const char*> values)
{
    auto* box = makeWidget<QComboBox>(name, parent);
    box->setEditable(true);
    box->setInsertPolicy(QComboBox::NoInsert);
    for (const auto* text : values) {
        box->addItem(QString::fromLatin1(text));
    }
    return box;
}

std::size_t fingerprintOf(const std::vector<std::string>& texts)
{
    std::string joined;
    for (const auto& text : texts) {
        joined += text;
        joined += '\0';
    }
    return std::hash<std::string>{}(joined);
}

FormDialog::FormDialog(const char* name, QWidget* parent)
    : QDialog(parent),
      column_(new QVBoxLayout(this))
{
    setObjectName(QString::fromLatin1(name));
    setAttribute(Qt::WA_DeleteOnClose);
    onLanguageChange(this, [this] { retranslate(); });
}

QLineEdit* FormDialog::addReason()
{
    auto* line = addField<QLineEdit>("reason");
    // validate(TopicAction) allows 1,024 bytes, and a character has at most 4.
    constexpr int kMaxReasonLength = 256;
    line->setMaxLength(kMaxReasonLength);
    line->setPlaceholderText(
        QCoreApplication::translate("Dialog", "Optional; kept in history and audit"));
    return line;
}

void FormDialog::makeButtons(DefaultButton defaultButton, int minCharacters)
{
    notice_ = makeWidget<NoticeLine>("notice", this);
    buttons_ = new QDialogButtonBox(this);
    accept_ = buttons_->addButton(QString(), QDialogButtonBox::AcceptRole);
    accept_->setObjectName(QStringLiteral("acceptButton"));
    auto* cancel = buttons_->addButton(QDialogButtonBox::Cancel);
    cancel->setObjectName(QStringLiteral("cancelButton"));
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    for (auto* button : {accept_, cancel}) {
        button->setAutoDefault(button ==
                               (defaultButton == DefaultButton::Accept ? accept_ : cancel));
        button->setDefault(button->autoDefault());
    }
    if (defaultButton == DefaultButton::Cancel) {
        cancel->setFocus();
    }
    buttons_->setFocusProxy(nullptr);
    new ButtonBoxFocusFix(buttons_);
    setMinimumWidth(fontMetrics().averageCharWidth() * minCharacters);
}

void FormDialog::addButtons(int minCharacters)
{
    makeButtons(DefaultButton::Accept, minCharacters);
    column_->addWidget(notice_);
    column_->addStretch(1);
    column_->addWidget(buttons_);
}

void FormDialog::showError(const Error& error)
{
    notice_->showMessage(QString::fromStdString(error.message), Theme::Severity::Bad);
}

}  // namespace restante::gui
