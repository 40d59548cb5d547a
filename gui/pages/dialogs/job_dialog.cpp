#include "gui/pages/dialogs/job_dialog.h"

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/job/job.h"
#include "core/queue/topic.h"
#include "gui/operations/verb_texts.h"
#include "gui/session/store_session.h"
#include "gui/theme/time_text.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QFile>
#include <QFontDatabase>
#include <QGridLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QSpinBox>
#include <QTextDocument>
#include <QUuid>

#include <algorithm>

namespace restante::gui {

namespace {

/// Of a body; a longer one may be a single line, and laying that out would block the window.
constexpr std::size_t kMaxEditableBytes = 65'536;
/// The largest body that can be configured, `limits.body`.
constexpr qint64 kMaxBodyBytes = 16LL * 1'024 * 1'024;

/// Whether an edit field gives back these bytes: it has no other line break than the line feed, and
/// no byte order mark.
bool staysInEditField(const std::string& bytes)
{
    QTextDocument document;
    document.setPlainText(QString::fromStdString(bytes));
    return exactText(document).toStdString() == bytes;
}

bool canBeEdited(const std::string& bytes)
{
    return isUtf8(bytes) && bytes.find('\0') == std::string::npos &&
           bytes.find('\r') == std::string::npos && bytes.size() <= kMaxEditableBytes &&
           staysInEditField(bytes);
}

using Headers = std::vector<std::pair<std::string, std::string>>;

std::string trimmed(const QString& text)
{
    return text.trimmed().toStdString();
}

Result<Headers> headersOf(const QString& text)
{
    Headers headers;
    int number = 0;
    for (const auto& line : text.split(u'\n')) {
        ++number;
        if (line.trimmed().isEmpty()) {
            continue;
        }
        const auto colon = line.indexOf(u':');
        if (colon <= 0) {
            return invalidField("headers", "line " + std::to_string(number) +
                                               " is not written as Name: value");
        }
        headers.emplace_back(trimmed(line.left(colon)), trimmed(line.mid(colon + 1)));
    }
    return headers;
}

/// Whether an edit field with the text of these headers gives them back: none has anything that is
/// shown as a line break, or a space at an end.
bool areGivenBack(const Headers& headers, const QString& text)
{
    QTextDocument document;
    document.setPlainText(text);
    const auto read = headersOf(exactText(document));
    return read && *read == headers;
}

/// Parses a duration; an empty text gives the fallback.
Result<Millis> durationOf(const char* field, const QString& text, Millis fallback)
{
    if (text.trimmed().isEmpty()) {
        return fallback;
    }
    auto duration = parseDuration(trimmed(text));
    return duration ? duration : invalidField(field, duration.error().message);
}

Result<void> readTimes(const JobForm& form, TimePoint now, PushOptions& push)
{
    const auto ttr = durationOf("ttr", form.ttr, push.job.ttr);
    const auto delay = durationOf("delay", form.delay, Millis{0});
    const auto expires = durationOf("expires", form.expires, Millis{0});
    for (const auto* one : {&ttr, &delay, &expires}) {
        if (!*one) {
            return tl::unexpected(one->error());
        }
    }
    push.job.ttr = *ttr;
    push.delay = *delay;
    push.at = form.at;
    if (!form.expires.trimmed().isEmpty()) {
        push.job.expires = now + *expires;
    }
    if (!form.retry.trimmed().isEmpty()) {
        auto retry = RetrySchedule::parse(trimmed(form.retry));
        if (!retry) {
            return invalidField("retry", retry.error().message);
        }
        push.job.retry = std::move(*retry);
    }
    return {};
}

}  // namespace

Result<PushOptions> pushOptionsOf(const JobForm& form, TimePoint now)
{
    PushOptions push;
    auto& job = push.job;
    job.id = trimmed(form.id);
    job.topic = trimmed(form.topic);
    job.channel = form.channel;
    job.recipient = trimmed(form.recipient);
    job.sender = trimmed(form.sender);
    job.bizKey = trimmed(form.bizKey);
    job.contentType = trimmed(form.contentType);
    job.body = form.body;
    job.priority = form.priority;
    job.created = now;
    job.findByKey = !job.bizKey.empty();
    auto headers = form.uneditableHeaders.empty() ? headersOf(form.headers)
                                                  : Result<Headers>(form.uneditableHeaders);
    if (!headers) {
        return tl::unexpected(headers.error());
    }
    job.headers = std::move(*headers);
    if (auto times = readTimes(form, now, push); !times) {
        return tl::unexpected(times.error());
    }
    if (auto notReserved = checkNotReserved(job.topic); !notReserved) {
        return tl::unexpected(notReserved.error());
    }
    // The store generates a missing id and checks the configured limits; a larger body is left to
    // it.
    auto checked = job;
    checked.id = job.id.empty() ? "0" : job.id;
    JobLimits limits;
    limits.body = std::max(limits.body, job.body.size());
    if (auto valid = validate(checked, limits); !valid) {
        return tl::unexpected(valid.error());
    }
    return push;
}

JobForm formOf(const JobView& view)
{
    const auto& job = view.job;
    const auto text = [](const std::string& bytes) { return QString::fromStdString(bytes); };
    JobForm form;
    form.topic = text(job.topic);
    form.channel = job.channel;
    form.recipient = text(job.recipient);
    form.sender = text(job.sender);
    form.bizKey = text(job.bizKey);
    form.contentType = text(job.contentType);
    Headers headers;
    for (const auto& [name, value] : job.headers) {
        if (job.channel == Channel::Sip && isSenderHeader(name)) {
            continue;  // the copy is not received by SIP; `sender` has it
        }
        headers.emplace_back(name, value);
        form.headers += text(name) + QStringLiteral(": ") + text(value) + u'\n';
    }
    if (!areGivenBack(headers, form.headers)) {
        form.headers.clear();
        form.uneditableHeaders = std::move(headers);
    }
    form.body = job.body;
    form.priority = job.priority;
    form.ttr = text(formatDuration(job.ttr));
    form.retry = text(job.retry.toString());
    if (job.expires && *job.expires > job.created) {
        form.expires = text(formatDuration(*job.expires - job.created));
    }
    return form;
}

JobDialog::JobDialog(StoreSession& session,
                     const Preferences& preferences,
                     Purpose purpose,
                     const JobForm& form,
                     QWidget* parent)
    : FormDialog("jobDialog", parent),
      session_(session),
      preferences_(preferences),
      purpose_(purpose)
{
    onceKeyPrefix_ =
        "console " + QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString() + " ";
    auto* columns = new QHBoxLayout;
    constexpr int kColumnSpacing = 24;
    columns->setSpacing(kColumnSpacing);
    column_->addLayout(columns);
    buildRecipientColumn(addColumn(columns));
    buildTimeColumn(addColumn(columns));
    buildBody();
    makeButtons(DefaultButton::Accept, 110);
    column_->addWidget(notice_);
    column_->addWidget(buttons_);
    connect(delay_, &QLineEdit::textChanged, this, &JobDialog::updateState);
    for (auto* text : {headers_, body_}) {
        connect(text, &QPlainTextEdit::textChanged, this, &JobDialog::updateState);
    }
    for (auto* choice : {atOnceButton_, inButton_, atButton_}) {
        connect(choice, &QRadioButton::toggled, this, &JobDialog::updateState);
    }
    connect(delay_, &QLineEdit::textEdited, inButton_, [this] { inButton_->setChecked(true); });
    connect(time_, &QDateTimeEdit::dateTimeChanged, atButton_,
            [this] { atButton_->setChecked(true); });
    connect(zone_, &QComboBox::editTextChanged, this, &JobDialog::updateState);
    connect(channel_, &QComboBox::currentIndexChanged, this, &JobDialog::showRecipientHint);
    connect(loadButton_, &QPushButton::clicked, this, &JobDialog::loadBody);
    connect(accept_, &QPushButton::clicked, this, &JobDialog::store);
    fill(form);
    retranslate();
    topic_->setFocus();
}

void JobDialog::addRow(QFormLayout* column, const char* field, QWidget* widget)
{
    titles_[field] = addLabelledRow(column, widget);
    fields_[field] = widget;
}

QLineEdit*
JobDialog::addLine(QFormLayout* column, const char* field, const char* name, QString JobForm::*text)
{
    auto* edit = makeWidget<QLineEdit>(name, column->parentWidget());
    addRow(column, field, edit);
    lines_.push_back({edit, text});
    connect(edit, &QLineEdit::textChanged, this, &JobDialog::updateState);
    return edit;
}

QFormLayout* JobDialog::addColumn(QHBoxLayout* columns)
{
    auto* columnWidget = new QWidget(this);
    auto* column = makeForm();
    column->setContentsMargins(0, 0, 0, 0);
    columnWidget->setLayout(column);
    columns->addWidget(columnWidget, 1);
    return column;
}

void JobDialog::buildRecipientColumn(QFormLayout* column)
{
    topic_ = addLine(column, "topic", "topic", &JobForm::topic);
    channel_ = makeWidget<QComboBox>("channel", column->parentWidget());
    channel_->addItems(QStringList(4));
    addRow(column, "channel", channel_);
    recipient_ = addLine(column, "recipient", "recipient", &JobForm::recipient);
    addLine(column, "sender", "sender", &JobForm::sender);
    bizKey_ = addLine(column, "biz_key", "bizKey", &JobForm::bizKey);
    id_ = addLine(column, "id", "id", &JobForm::id);
    addLine(column, "content_type", "contentType", &JobForm::contentType);
}

void JobDialog::buildTimeColumn(QFormLayout* column)
{
    addRow(column, "delay", newDueField(column->parentWidget()));
    titles_["delay"]->setBuddy(atOnceButton_);
    titles_["delay"]->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    priority_ = makeWidget<QSpinBox>("priority", column->parentWidget());
    priority_->setRange(0, 9);
    addRow(column, "priority", priority_);
    ttr_ = addLine(column, "ttr", "ttr", &JobForm::ttr);
    expires_ = addLine(column, "expires", "expires", &JobForm::expires);
    retry_ = addLine(column, "retry", "retry", &JobForm::retry);
}

QWidget* JobDialog::newDueField(QWidget* parent)
{
    auto* when = new QWidget(parent);
    atOnceButton_ = new QRadioButton(when);
    inButton_ = new QRadioButton(when);
    atButton_ = new QRadioButton(when);
    delay_ = makeWidget<QLineEdit>("delay", when);
    time_ = newDateTimeEdit(when, "yyyy-MM-dd HH:mm:ss");
    showNextHour(*time_, session_.source().now(), zoneOf(preferences_));
    zone_ = newZoneBox(when, preferences_);
    auto* grid = new QGridLayout(when);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(atOnceButton_, 0, 0, 1, 2);
    grid->addWidget(inButton_, 1, 0);
    grid->addWidget(delay_, 1, 1);
    grid->addWidget(atButton_, 2, 0);
    grid->addWidget(time_, 2, 1);
    grid->addWidget(zone_, 3, 1);
    grid->setColumnStretch(1, 1);
    atOnceButton_->setChecked(true);
    return when;
}

QPlainTextEdit* JobDialog::addText(const char* field, int stretch)
{
    auto* text = makeWidget<QPlainTextEdit>(field, this);
    text->setTabChangesFocus(true);
    text->setLineWrapMode(QPlainTextEdit::NoWrap);
    text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    auto* title = new QLabel(this);
    title->setBuddy(text);
    titles_[field] = title;
    fields_[field] = text;
    column_->addWidget(title);
    column_->addWidget(text, stretch);
    return text;
}

void JobDialog::buildBody()
{
    headers_ = addText("headers", 0);
    constexpr int kLines = 4;
    headers_->setFixedHeight(fontMetrics().lineSpacing() * kLines);
    body_ = addText("body", 1);
    sizeLabel_ = makeWidget<QLabel>("size", this);
    loadButton_ = new QPushButton(this);
    loadButton_->setAutoDefault(false);
    auto* bottomRow = new QHBoxLayout;
    bottomRow->addWidget(sizeLabel_, 1);
    bottomRow->addWidget(loadButton_);
    column_->addLayout(bottomRow);
}

void JobDialog::fill(const JobForm& form)
{
    for (const auto& [edit, text] : lines_) {
        edit->setText(form.*text);
    }
    channel_->setCurrentIndex(static_cast<int>(form.channel));
    setHeaders(form);
    priority_->setValue(form.priority);
    setBody(form.body);
}

void JobDialog::setHeaders(const JobForm& form)
{
    uneditableHeaders_ = form.uneditableHeaders;
    const bool isEditable = uneditableHeaders_.empty();
    headers_->setReadOnly(!isEditable);
    headers_->setPlainText(
        isEditable ? form.headers
                   : tr("These headers cannot be edited as text: they are taken as they are."));
}

void JobDialog::setBody(std::string bytes)
{
    isBodyUneditable_ = !canBeEdited(bytes);
    body_->setReadOnly(isBodyUneditable_);
    body_->setPlainText(isBodyUneditable_
                            ? tr("This body is no short text: it is taken as it is, byte "
                                 "for byte.")
                            : QString::fromStdString(bytes));
    uneditableBody_ = isBodyUneditable_ ? std::move(bytes) : std::string{};
    updateState();
}

void JobDialog::loadBody()
{
    auto* dialog = fileDialog({.name = "loadBodyDialog", .title = tr("Load Body")}, this,
                              [this](const QString& path) { loadFrom(path); });
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->open();
}

void JobDialog::loadFrom(const QString& path)
{
    struct Loaded {
        std::string bytes;
        QString problem;
    };
    fileWork_.run<Loaded>(
        this,
        [path]() -> Loaded {
            QFile file(path);
            if (!file.open(QIODevice::ReadOnly)) {
                return {{}, tr("%1 cannot be read.").arg(path)};
            }
            // One byte more than is allowed: the size of a pipe is not known before.
            const auto bytes = file.read(kMaxBodyBytes + 1);
            if (bytes.size() > kMaxBodyBytes) {
                return {{}, tr("%1 is larger than any store takes.").arg(path)};
            }
            return {bytes.toStdString(), {}};
        },
        [this](Loaded loaded) {
            if (!loaded.problem.isEmpty()) {
                return notice_->showMessage(loaded.problem, Theme::Severity::Bad);
            }
            setBody(std::move(loaded.bytes));
        });
}

JobForm JobDialog::form() const
{
    JobForm form;
    for (const auto& [edit, text] : lines_) {
        form.*text = edit->text();
    }
    form.channel = static_cast<Channel>(channel_->currentIndex());
    form.uneditableHeaders = uneditableHeaders_;
    form.headers = uneditableHeaders_.empty() ? exactText(*headers_->document()) : QString();
    form.body = isBodyUneditable_ ? uneditableBody_ : exactText(*body_->document()).toStdString();
    form.priority = priority_->value();
    form.delay = inButton_->isChecked() ? delay_->text() : QString();
    if (atButton_->isChecked() && selectedZone(zone_).isValid()) {
        form.at = timeOf(time_->date(), time_->time(), selectedZone(zone_));
    }
    return form;
}

void JobDialog::updateState()
{
    if (accept_ == nullptr) {
        return;
    }
    const auto bytes = isBodyUneditable_ ? uneditableBody_.size() : form().body.size();
    sizeLabel_->setText(tr("%1 bytes").arg(numberText(bytes)));
    if (atButton_->isChecked() && !selectedZone(zone_).isValid()) {
        accept_->setEnabled(false);
        return notice_->showMessage(
            tr("There is no time zone “%1”; choose one like Europe/Berlin or UTC.")
                .arg(zone_->currentText()),
            Theme::Severity::Bad);
    }
    const auto push = pushOptionsOf(form(), session_.source().now());
    accept_->setEnabled(push && !sending_);
    // No error before a topic has been typed.
    if (push || topic_->text().isEmpty()) {
        return notice_->clearText();
    }
    showProblem(push.error());
}

void JobDialog::showProblem(const Error& error)
{
    auto text = QString::fromStdString(error.message);
    if (const auto title = titles_.find(error.field); title != titles_.end()) {
        const auto detail = error.detail();
        text = QStringLiteral("%1: %2").arg(
            labelText(title->second->text()),
            QString::fromUtf8(detail.data(), static_cast<qsizetype>(detail.size())));
    }
    notice_->showMessage(text, Theme::Severity::Bad);
}

namespace {

/// How long the store recognises a repeated push: longer than a dialog stays open.
constexpr Millis kOnceKeyLifetime = std::chrono::hours{1};

/// `now`: the moment from which its times were reckoned.
std::vector<std::string> fingerprintParts(const PushOptions& push, TimePoint now)
{
    const auto& job = push.job;
    std::vector<std::string> all{job.id,
                                 job.topic,
                                 job.recipient,
                                 job.sender,
                                 job.bizKey,
                                 job.contentType,
                                 job.body,
                                 job.retry.toString(),
                                 std::to_string(static_cast<int>(job.channel)),
                                 std::to_string(job.priority),
                                 std::to_string(job.ttr.count()),
                                 job.expires ? std::to_string((*job.expires - now).count()) : "",
                                 std::to_string(push.delay.count()),
                                 std::to_string(push.at ? toEpochMs(*push.at) : 0)};
    for (const auto& [name, value] : job.headers) {
        all.insert(all.end(), {name, value});
    }
    return all;
}

}  // namespace

void JobDialog::store()
{
    const auto now = session_.source().now();
    auto push = pushOptionsOf(form(), now);
    if (!push) {
        return showProblem(push.error());
    }
    // If the answer is lost it is unknown whether the job was stored: the same content sent again
    // is the same job, other content is another one.
    push->onceKey = onceKeyPrefix_ + std::to_string(fingerprintOf(fingerprintParts(*push, now)));
    push->onceFor = kOnceKeyLifetime;
    sending_ = true;
    accept_->setEnabled(false);
    session_.commands().push(std::move(*push),
                             {this, [this](const Result<Pushed>& pushed) {
                                  sending_ = false;
                                  if (!pushed) {
                                      updateState();
                                      showProblem(pushed.error());
                                      const auto field = fields_.find(pushed.error().field);
                                      if (field != fields_.end()) {
                                          field->second->setFocus();
                                      }
                                      return;
                                  }
                                  accept();
                                  if (!pushed->ids.empty()) {
                                      emit stored(QString::fromStdString(pushed->ids.front()));
                                  }
                              }});
}

void JobDialog::retranslate()
{
    const auto title = [this](const char* field, const QString& text) {
        titles_.at(field)->setText(text);
    };
    setWindowTitle(purpose_ == Purpose::Duplicate ? tr("Duplicate Job") : tr("New Job"));
    title("topic", tr("&Topic:"));
    title("channel", tr("&Channel:"));
    for (const auto channel : {Channel::Pull, Channel::Sip, Channel::Sms, Channel::Webhook}) {
        channel_->setItemText(static_cast<int>(channel), Theme::channelName(channel));
    }
    title("recipient", tr("&Recipient:"));
    title("sender", tr("&Sender:"));
    title("biz_key", tr("Your &key:"));
    title("id", tr("&Id:"));
    title("content_type", tr("Content t&ype:"));
    title("delay", tr("&Due:"));
    title("priority", tr("&Priority:"));
    title("ttr", tr("&Lease:"));
    title("expires", tr("&Expires after:"));
    title("retry", tr("Retry &after:"));
    title("headers", tr("&Headers, one a line:"));
    title("body", tr("&Body:"));
    showRecipientHint();
    bizKey_->setPlaceholderText(tr("Order number, Call-ID …"));
    id_->setPlaceholderText(tr("Made by the store"));
    ttr_->setPlaceholderText(QStringLiteral("60s"));
    expires_->setPlaceholderText(tr("Never"));
    retry_->setPlaceholderText(QStringLiteral("0s,2m,10m,1h"));
    delay_->setPlaceholderText(QStringLiteral("30m"));
    headers_->setPlaceholderText(QStringLiteral("Name: value"));
    atOnceButton_->setText(tr("At once"));
    inButton_->setText(tr("In"));
    atButton_->setText(tr("At"));
    setAccessibleNameOf(delay_, tr("Delay"));
    setAccessibleNameOf(time_, tr("Time"));
    setAccessibleNameOf(zone_, tr("Time zone"));
    loadButton_->setText(tr("Load from &File…"));
    priority_->setToolTip(tr("0 is first, 9 is last"));
    accept_->setText(tr("Store Job"));
    updateState();
}

void JobDialog::showRecipientHint()
{
    const QString recipients[] = {tr("Not needed"), QStringLiteral("sip:bob@example.org"),
                                  QStringLiteral("+491701234567"),
                                  QStringLiteral("https://example.org/hook")};
    recipient_->setPlaceholderText(recipients[std::max(channel_->currentIndex(), 0)]);
}

}  // namespace restante::gui
