#include "gui/pages/detail/payload_tab.h"

#include "gui/base/file_writer.h"
#include "gui/base/preferences.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/job_watch.h"
#include "gui/pages/detail/payload_text.h"
#include "gui/theme/flow_layout.h"
#include "gui/theme/tab_order.h"
#include "gui/theme/theme.h"

#include <QApplication>
#include <QButtonGroup>
#include <QCheckBox>
#include <QClipboard>
#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QPlainTextEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace restante::gui {

using Direction = PayloadDocument::Direction;

namespace {

const QString kWrapPreference = QStringLiteral("payload/wrap");

constexpr std::array kForms{PayloadForm::Sip, PayloadForm::Json, PayloadForm::Text,
                            PayloadForm::Hex, PayloadForm::Raw};

bool hasSameContent(const Job& a, const Job& b)
{
    return a.id == b.id && a.body == b.body && a.contentType == b.contentType &&
           a.headers == b.headers;
}

/// Replaces characters that a file name cannot have, and avoids names of hidden files.
QString fileNameOf(const std::string& id)
{
    auto name = textOf(id).left(64);
    for (auto& c : name) {
        if (!c.isLetterOrNumber() && c != u'-' && c != u'_' && c != u'.') {
            c = u'_';
        }
    }
    return name.startsWith(u'.') ? u'_' + name : name;
}

}  // namespace

FindBar::FindBar(QWidget* parent)
    : QWidget(parent),
      field_(makeWidget<QLineEdit>("payloadFind", this)),
      previous_(barButton(this, "go-up")),
      next_(barButton(this, "go-down")),
      close_(barButton(this)),
      matchCase_(new QCheckBox(this)),
      resultLabel_(plainLabel(this, "payloadFindResult"))
{
    field_->setMaxLength(1'024);
    field_->setClearButtonEnabled(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 2, 6, 2);
    row->addWidget(field_, 2);
    row->addWidget(previous_);
    row->addWidget(next_);
    row->addWidget(matchCase_);
    row->addWidget(resultLabel_, 1);
    row->addWidget(close_);
    connect(previous_, &QToolButton::clicked, this,
            [this] { emit findRequested(Direction::Backward); });
    connect(next_, &QToolButton::clicked, this, [this] { emit findRequested(Direction::Forward); });
    connect(close_, &QToolButton::clicked, this, &FindBar::closeRequested);
    connect(field_, &QLineEdit::textChanged, this, [this] { showResult({}); });
    retranslate();
}

void FindBar::activate()
{
    show();
    field_->setFocus(Qt::ShortcutFocusReason);
    field_->selectAll();
}

PayloadDocument::Search FindBar::enteredSearch(Direction direction) const
{
    return {field_->text(), direction,
            matchCase_->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive};
}

bool FindBar::event(QEvent* event)
{
    // Esc closes this bar even where it is a shortcut of the window.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void FindBar::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Escape: emit closeRequested(); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        emit findRequested((event->modifiers() & Qt::ShiftModifier) != 0 ? Direction::Backward
                                                                         : Direction::Forward);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void FindBar::retranslate()
{
    field_->setPlaceholderText(tr("Find in the payload; bytes as 0x0d0a"));
    field_->setAccessibleName(tr("Find in the payload"));
    previous_->setToolTip(tr("The place before (Shift+F3)"));
    previous_->setAccessibleName(tr("The place before"));
    next_->setToolTip(tr("The next place (F3)"));
    next_->setAccessibleName(tr("The next place"));
    close_->setText(QStringLiteral("✕"));
    close_->setToolTip(tr("Close (Esc)"));
    close_->setAccessibleName(tr("Close"));
    matchCase_->setText(tr("&Match case"));
}

PayloadTab::PayloadTab(Context context, JobWatch& watch, QWidget* parent)
    : DetailTab(context, watch, parent),
      noticesLabel_(wrappedLabel(this, "payloadNotices")),
      chunkRow_(new QWidget(this)),
      text_(makeWidget<QPlainTextEdit>("payloadText", this)),
      findBar_(new FindBar(this))
{
    firstFocus_ = text_;
    auto* column = tightVBoxLayout(this);
    auto* bar = new FlowLayout;
    bar->setContentsMargins(6, 4, 6, 4);
    buildBar(bar);
    column->addLayout(bar);
    noticesLabel_->setMargin(4);
    noticesLabel_->setAutoFillBackground(true);
    column->addWidget(noticesLabel_);
    auto* row = new QHBoxLayout(chunkRow_);
    row->setContentsMargins(6, 2, 6, 2);
    previousChunk_ = barButton(chunkRow_, "go-previous");
    nextChunk_ = barButton(chunkRow_, "go-next");
    chunkLabel_ = plainLabel(chunkRow_, "payloadChunk");
    row->addWidget(previousChunk_);
    row->addWidget(chunkLabel_);
    row->addWidget(nextChunk_);
    row->addStretch(1);
    connect(previousChunk_, &QToolButton::clicked, this, [this] { showChunk(chunk_ - 1); });
    connect(nextChunk_, &QToolButton::clicked, this, [this] { showChunk(chunk_ + 1); });
    column->addWidget(chunkRow_);
    text_->setReadOnly(true);
    text_->setUndoRedoEnabled(false);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    text_->setFrameShape(QFrame::NoFrame);
    column->addWidget(text_, 1);
    column->addWidget(findBar_);
    findBar_->hide();
    QList<QWidget*> order;
    for (const auto form : kForms) {
        order.append(formButtons_[form]);
    }
    order << wrapCheckBox_ << findButton_ << copyButton_ << saveButton_ << chunkRow_ << text_
          << findBar_;
    tabInOrder(order);
    connect(findBar_, &FindBar::findRequested, this, &PayloadTab::findNext);
    connect(findBar_, &FindBar::closeRequested, this, [this] {
        findBar_->hide();
        text_->setFocus();
    });
    retranslate();
    showNotices();
}

void PayloadTab::buildBar(FlowLayout* bar)
{
    formGroup_ = new QButtonGroup(this);
    for (const auto form : kForms) {
        auto* button = barButton(this);
        button->setCheckable(true);
        formGroup_->addButton(button, static_cast<int>(form));
        formButtons_[form] = button;
        bar->addWidget(button);
    }
    connect(formGroup_, &QButtonGroup::idClicked, this,
            [this](int id) { showForm(static_cast<PayloadForm>(id)); });
    wrapCheckBox_ = new QCheckBox(this);
    wrapCheckBox_->setChecked(context_.preferences.value(kWrapPreference, true).toBool());
    connect(wrapCheckBox_, &QCheckBox::toggled, this, [this](bool on) {
        context_.preferences.setValue(kWrapPreference, on);
        text_->setLineWrapMode(on ? QPlainTextEdit::WidgetWidth : QPlainTextEdit::NoWrap);
    });
    text_->setLineWrapMode(wrapCheckBox_->isChecked() ? QPlainTextEdit::WidgetWidth
                                                      : QPlainTextEdit::NoWrap);
    text_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    infoLabel_ = plainLabel(this, "payloadFacts");
    findButton_ = barButton(this, "edit-find", Qt::ToolButtonTextBesideIcon);
    copyButton_ = barButton(this, "edit-copy", Qt::ToolButtonTextBesideIcon);
    saveButton_ = barButton(this, "document-save-as", Qt::ToolButtonTextBesideIcon, "savePayload");
    bar->addWidget(wrapCheckBox_);
    bar->addWidget(infoLabel_);
    bar->alignRestRight();
    for (auto* button : {findButton_, copyButton_, saveButton_}) {
        bar->addWidget(button);
    }
    connect(findButton_, &QToolButton::clicked, this, &PayloadTab::openFindBar);
    connect(copyButton_, &QToolButton::clicked, this, &PayloadTab::copy);
    connect(saveButton_, &QToolButton::clicked, this, &PayloadTab::askWhereToSave);
}

void PayloadTab::retranslate()
{
    const std::map<PayloadForm, std::pair<QString, QString>> words{
        {PayloadForm::Sip, {tr("SIP"), tr("The SIP MESSAGE, as far as the store knows it")}},
        {PayloadForm::Json, {tr("JSON"), tr("Indented; no value is changed")}},
        {PayloadForm::Text, {tr("Text"), tr("In its charset")}},
        {PayloadForm::Hex, {tr("Hex"), tr("Every byte")}},
        {PayloadForm::Raw, {tr("Raw"), tr("Bytes that are not printable ASCII as \\xNN")}},
    };
    for (const auto& [form, button] : formButtons_) {
        button->setText(words.at(form).first);
        button->setToolTip(words.at(form).second);
        button->setAccessibleName(tr("Payload as %1").arg(words.at(form).first));
    }
    wrapCheckBox_->setText(tr("&Wrap"));
    findButton_->setText(tr("Find…"));
    copyButton_->setText(tr("Copy"));
    saveButton_->setText(tr("Save…"));
    previousChunk_->setAccessibleName(tr("Previous part"));
    previousChunk_->setToolTip(tr("Previous part"));
    nextChunk_->setAccessibleName(tr("Next part"));
    nextChunk_->setToolTip(tr("Next part"));
    text_->setAccessibleName(tr("Payload"));
    text_->setPlaceholderText(tr("The body is empty."));
    noticesLabel_->setAccessibleName(tr("What is shown differently from what it is"));
    findBar_->retranslate();
    if (job_) {
        rebuildDocument();
    }
}

void PayloadTab::reset()
{
    job_.reset();
    document_ = {};
    text_->clear();
    infoLabel_->clear();
    findBar_->showResult({});
}

void PayloadTab::refresh()
{
    const auto& view = watch_.view();
    if (!view) {
        reset();
        showNotices();
        return;
    }
    const bool sameChunkSize = builtChunkSize_ == PayloadLimits::of(context_.preferences).chunkSize;
    if (job_ && sameChunkSize && hasSameContent(*job_, view->job)) {
        return;
    }
    const bool isOtherJob = !job_ || job_->id != view->job.id;
    job_ = view->job;
    traits_ = traitsOf(*job_);
    form_ = isOtherJob ? traits_.bestForm : form_;
    rebuildDocument();
}

void PayloadTab::showForm(PayloadForm form)
{
    if (job_ && form != form_) {
        form_ = form;
        rebuildDocument();
    }
}

void PayloadTab::rebuildDocument()
{
    const bool isSipJob = job_->channel == Channel::Sip;
    formButtons_[PayloadForm::Sip]->setEnabled(isSipJob);
    formGroup_->button(static_cast<int>(form_))->setChecked(true);
    const auto limits = PayloadLimits::of(context_.preferences);
    builtChunkSize_ = limits.chunkSize;
    document_ = PayloadDocument(*job_, form_, limits);
    infoLabel_->setText(tr("%1 · %2").arg(sizeText(job_->body.size()), traits_.encoding));
    chunk_ = 0;
    showChunk(0);
    showNotices();
}

void PayloadTab::showChunk(int chunk)
{
    chunk_ = std::clamp(chunk, 0, document_.chunkCount() - 1);
    text_->setPlainText(document_.chunk(chunk_));
    chunkRow_->setVisible(document_.chunkCount() > 1);
    chunkLabel_->setText(
        tr("Part %1 of %2")
            .arg(QLocale().toString(chunk_ + 1), QLocale().toString(document_.chunkCount())));
    previousChunk_->setEnabled(chunk_ > 0);
    nextChunk_->setEnabled(chunk_ + 1 < document_.chunkCount());
}

void PayloadTab::showNotices()
{
    auto notices = document_.notices();
    if (document_.chunkCount() > 1) {
        notices.prepend(tr("This body is long and comes in parts. Save it to have all of it."));
    }
    noticesLabel_->setVisible(job_ && !notices.isEmpty());
    chunkRow_->setVisible(job_ && document_.chunkCount() > 1);
    noticesLabel_->setText(notices.join(u' '));
    applyTint(*noticesLabel_, Theme::tint(Theme::Severity::Notice));
}

void PayloadTab::findNext(PayloadDocument::Direction direction)
{
    const auto search = findBar_->enteredSearch(direction);
    if (search.text.isEmpty()) {
        openFindBar();
        return;
    }
    const auto cursor = text_->textCursor();
    const auto hit =
        document_.find(search, {chunk_, cursor.selectionStart(), cursor.selectionEnd()});
    if (!hit) {
        findBar_->show();
        findBar_->showResult(tr("Not found"));
        return;
    }
    findBar_->showResult({});
    if (hit->chunk != chunk_) {
        showChunk(hit->chunk);
    }
    auto hitCursor = text_->textCursor();
    hitCursor.setPosition(static_cast<int>(hit->begin));
    hitCursor.setPosition(static_cast<int>(hit->end), QTextCursor::KeepAnchor);
    text_->setTextCursor(hitCursor);
    text_->centerCursor();
}

void PayloadTab::copy()
{
    if (job_) {
        QApplication::clipboard()->setText(document_.fullText());
    }
}

void PayloadTab::askWhereToSave()
{
    if (!job_) {
        return;
    }
    const auto body = tr("Body as it is (*)");
    const bool savesMessage = form_ == PayloadForm::Sip;
    auto* dialog = fileDialog(
        {.name = "savePayloadDialog",
         .title = tr("Save Payload"),
         .filter = savesMessage ? tr("SIP message (*.sip)") + QStringLiteral(";;") + body : body,
         .acceptMode = QFileDialog::AcceptSave},
        this, [this](const QString& path) { saveTo(path); });
    dialog->selectFile(fileNameOf(job_->id) +
                       (savesMessage ? QStringLiteral(".sip") : QStringLiteral(".body")));
    dialog->open();
}

void PayloadTab::saveTo(const QString& path)
{
    if (!job_) {
        return;
    }
    auto content = QByteArray::fromStdString(job_->body);
    if (job_->channel == Channel::Sip && path.endsWith(QStringLiteral(".sip"))) {
        content.prepend(sipHead(*job_).replace(u'\n', QStringLiteral("\r\n")).toUtf8());
    }
    writeFile(path, content.toStdString(), this, [this, path](const QString& problem) {
        findBar_->showResult({});
        infoLabel_->setText(problem.isEmpty() ? tr("Saved as %1").arg(path) : problem);
    });
}

void PayloadTab::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange && findBar_ != nullptr) {
        showNotices();
    }
    QWidget::changeEvent(event);
}

}  // namespace restante::gui
