#include "gui/pages/dialogs/job_dialog.h"

#include "core/base/text.h"
#include "gui/base/utc.h"
#include "gui/orders/verb_texts.h"
#include "gui/session/session.h"
#include "gui/theme/zone_time.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFile>
#include <QFileDialog>
#include <QFontDatabase>
#include <QGridLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QUuid>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>

namespace restante::gui {

namespace {

/// A text field with more than this in one line makes a window wait.
constexpr std::size_t kLongestLine = 65'536;
/// The largest body that can be configured, `limits.body`.
constexpr qint64 kLargestBody = 32LL * 1'024 * 1'024;

bool canBeEdited(const std::string& bytes)
{
    return isUtf8(bytes) && bytes.find('\0') == std::string::npos &&
           bytes.find('\r') == std::string::npos && bytes.size() <= kLongestLine;
}

QLineEdit* lineIn(QWidget* parent, const char* name)
{
    auto* line = new QLineEdit(parent);
    line->setObjectName(QString::fromLatin1(name));
    return line;
}

}  // namespace

JobDialog::JobDialog(Session& session,
                     const Preferences& preferences,
                     Purpose purpose,
                     const JobForm& form,
                     QWidget* parent)
    : QDialog(parent),
      session_(session),
      preferences_(preferences),
      purpose_(purpose)
{
    onceKey_ = "console " + QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString() + " ";
    setObjectName(QStringLiteral("jobDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    build();
    fill(form);
    retranslate();
    check();
    topic_->setFocus();
}

void JobDialog::row(QFormLayout* form, const char* field, QWidget* widget)
{
    auto* title = new QLabel(this);
    title->setBuddy(widget);
    titles_[field] = title;
    fields_[field] = widget;
    form->addRow(title, widget);
}

void JobDialog::build()
{
    auto* halves = new QHBoxLayout;
    constexpr int kApart = 24;
    halves->setSpacing(kApart);
    halves->addWidget(buildWho(), 1);
    halves->addWidget(buildWhen(), 1);
    auto* body = buildBody();
    notice_ = new NoticeLine(this);
    notice_->setObjectName(QStringLiteral("notice"));
    buttons_ = buttonsIn(this, DefaultButton::Accept);
    auto* column = new QVBoxLayout(this);
    column->addLayout(halves);
    column->addWidget(body, 1);
    column->addWidget(notice_);
    column->addWidget(buttons_.box);
    setMinimumWidth(fontMetrics().averageCharWidth() * 110);
    for (auto* line : {id_, topic_, recipient_, sender_, bizKey_, contentType_, delay_, ttr_,
                       expires_, retry_}) {
        connect(line, &QLineEdit::textChanged, this, &JobDialog::check);
    }
    for (auto* text : {headers_, body_}) {
        connect(text, &QPlainTextEdit::textChanged, this, &JobDialog::check);
    }
    for (auto* choice : {now_, in_, at_}) {
        connect(choice, &QRadioButton::toggled, this, &JobDialog::check);
    }
    connect(delay_, &QLineEdit::textEdited, in_, [this] { in_->setChecked(true); });
    connect(time_, &QDateTimeEdit::dateTimeChanged, at_, [this] { at_->setChecked(true); });
    connect(zone_, &QComboBox::editTextChanged, this, &JobDialog::check);
    connect(channel_, &QComboBox::currentIndexChanged, this, &JobDialog::retranslate);
    connect(load_, &QPushButton::clicked, this, &JobDialog::loadBody);
    connect(buttons_.accept, &QPushButton::clicked, this, &JobDialog::send);
}

QWidget* JobDialog::buildWho()
{
    auto* part = new QWidget(this);
    topic_ = lineIn(part, "topic");
    channel_ = new QComboBox(part);
    channel_->setObjectName(QStringLiteral("channel"));
    for (int at = 0; at < 4; ++at) {
        channel_->addItem(QString());
    }
    recipient_ = lineIn(part, "recipient");
    sender_ = lineIn(part, "sender");
    bizKey_ = lineIn(part, "bizKey");
    id_ = lineIn(part, "id");
    contentType_ = lineIn(part, "contentType");
    auto* form = formIn(part);
    form->setContentsMargins(0, 0, 0, 0);
    part->setLayout(form);
    row(form, "topic", topic_);
    row(form, "channel", channel_);
    row(form, "recipient", recipient_);
    row(form, "sender", sender_);
    row(form, "biz_key", bizKey_);
    row(form, "id", id_);
    row(form, "content_type", contentType_);
    return part;
}

QWidget* JobDialog::buildWhen()
{
    auto* part = new QWidget(this);
    auto* when = new QWidget(part);
    now_ = new QRadioButton(when);
    in_ = new QRadioButton(when);
    at_ = new QRadioButton(when);
    delay_ = lineIn(when, "delay");
    time_ = new QDateTimeEdit(when);
    time_->setObjectName(QStringLiteral("time"));
    showUtc(*time_);
    time_->setDisplayFormat(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    time_->setCalendarPopup(true);
    const auto later = QDateTime::fromMSecsSinceEpoch(
        toEpochMs(session_.source().now()) + 3'600'000, zoneOf(preferences_));
    time_->setDateTime(QDateTime(later.date(), QTime(later.time().hour(), 0), kUtc));
    zone_ = zonesIn(when, preferences_);
    auto* grid = new QGridLayout(when);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(now_, 0, 0, 1, 2);
    grid->addWidget(in_, 1, 0);
    grid->addWidget(delay_, 1, 1);
    grid->addWidget(at_, 2, 0);
    grid->addWidget(time_, 2, 1);
    grid->addWidget(zone_, 3, 1);
    grid->setColumnStretch(1, 1);
    now_->setChecked(true);
    priority_ = new QSpinBox(part);
    priority_->setObjectName(QStringLiteral("priority"));
    priority_->setRange(0, 9);
    ttr_ = lineIn(part, "ttr");
    expires_ = lineIn(part, "expires");
    retry_ = lineIn(part, "retry");
    auto* form = formIn(part);
    form->setContentsMargins(0, 0, 0, 0);
    part->setLayout(form);
    row(form, "delay", when);
    titles_["delay"]->setBuddy(now_);
    titles_["delay"]->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    row(form, "priority", priority_);
    row(form, "ttr", ttr_);
    row(form, "expires", expires_);
    row(form, "retry", retry_);
    return part;
}

QWidget* JobDialog::buildBody()
{
    auto* part = new QWidget(this);
    headers_ = new QPlainTextEdit(part);
    headers_->setObjectName(QStringLiteral("headers"));
    headers_->setTabChangesFocus(true);
    headers_->setLineWrapMode(QPlainTextEdit::NoWrap);
    constexpr int kLines = 4;
    headers_->setFixedHeight(fontMetrics().lineSpacing() * kLines);
    body_ = new QPlainTextEdit(part);
    body_->setObjectName(QStringLiteral("body"));
    body_->setTabChangesFocus(true);
    body_->setLineWrapMode(QPlainTextEdit::NoWrap);
    auto font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    headers_->setFont(font);
    body_->setFont(font);
    size_ = new QLabel(part);
    size_->setObjectName(QStringLiteral("size"));
    load_ = new QPushButton(part);
    load_->setAutoDefault(false);
    auto* below = new QHBoxLayout;
    below->addWidget(size_, 1);
    below->addWidget(load_);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    const auto titled = [&](const char* field, QWidget* widget, int stretch) {
        auto* title = new QLabel(part);
        title->setBuddy(widget);
        titles_[field] = title;
        fields_[field] = widget;
        column->addWidget(title);
        column->addWidget(widget, stretch);
    };
    titled("headers", headers_, 0);
    titled("body", body_, 1);
    column->addLayout(below);
    return part;
}

void JobDialog::fill(const JobForm& form)
{
    id_->setText(form.id);
    topic_->setText(form.topic);
    channel_->setCurrentIndex(static_cast<int>(form.channel));
    recipient_->setText(form.recipient);
    sender_->setText(form.sender);
    bizKey_->setText(form.bizKey);
    contentType_->setText(form.contentType);
    headers_->setPlainText(form.headers);
    priority_->setValue(form.priority);
    ttr_->setText(form.ttr);
    expires_->setText(form.expires);
    retry_->setText(form.retry);
    setBody(form.body);
}

void JobDialog::setBody(std::string bytes)
{
    keepsBody_ = !canBeEdited(bytes);
    body_->setReadOnly(keepsBody_);
    body_->setPlainText(keepsBody_ ? tr("This body is no short text: it is taken as it is, byte "
                                        "for byte.")
                                   : QString::fromStdString(bytes));
    kept_ = keepsBody_ ? std::move(bytes) : std::string{};
    check();
}

void JobDialog::loadBody()
{
    auto* dialog = new QFileDialog(this, tr("Load Body"));
    dialog->setObjectName(QStringLiteral("loadBodyDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& name) { loadFrom(name); });
    dialog->open();
}

void JobDialog::loadFrom(const QString& name)
{
    struct Loaded {
        std::string bytes;
        QString problem;
    };
    loading_.run<Loaded>(
        this,
        [name]() -> Loaded {
            QFile file(name);
            if (!file.open(QIODevice::ReadOnly)) {
                return {{}, tr("%1 cannot be read.").arg(name)};
            }
            // One more than is allowed: a pipe does not say beforehand how long it is.
            const auto bytes = file.read(kLargestBody + 1);
            if (bytes.size() > kLargestBody) {
                return {{}, tr("%1 is larger than any store takes.").arg(name)};
            }
            return {bytes.toStdString(), {}};
        },
        [this](Loaded loaded) {
            if (!loaded.problem.isEmpty()) {
                return notice_->say(loaded.problem, Theme::Meaning::Bad);
            }
            setBody(std::move(loaded.bytes));
        });
}

JobForm JobDialog::form() const
{
    JobForm form;
    form.id = id_->text();
    form.topic = topic_->text();
    form.channel = static_cast<Channel>(channel_->currentIndex());
    form.recipient = recipient_->text();
    form.sender = sender_->text();
    form.bizKey = bizKey_->text();
    form.contentType = contentType_->text();
    form.headers = headers_->toPlainText();
    form.body = keepsBody_ ? kept_ : body_->toPlainText().toStdString();
    form.priority = priority_->value();
    form.ttr = ttr_->text();
    form.expires = expires_->text();
    form.retry = retry_->text();
    form.delay = in_->isChecked() ? delay_->text() : QString();
    if (at_->isChecked() && zoneIn(zone_).isValid()) {
        form.at = timeOf(time_->date(), time_->time(), zoneIn(zone_));
    }
    return form;
}

void JobDialog::check()
{
    if (buttons_.accept == nullptr) {
        return;
    }
    const auto bytes = keepsBody_ ? kept_.size() : form().body.size();
    size_->setText(tr("%1 bytes").arg(numberText(bytes)));
    if (at_->isChecked() && !zoneIn(zone_).isValid()) {
        buttons_.accept->setEnabled(false);
        return notice_->say(tr("There is no time zone “%1”; choose one like Europe/Berlin or UTC.")
                                .arg(zone_->currentText()),
                            Theme::Meaning::Bad);
    }
    const auto order = orderOf(form(), session_.source().now());
    buttons_.accept->setEnabled(order && !sending_);
    // Nobody is told off for a form that is still empty.
    if (order || topic_->text().isEmpty()) {
        return notice_->clearText();
    }
    complain(order.error().message);
}

void JobDialog::complain(const std::string& message)
{
    auto text = QString::fromStdString(message);
    const auto field = fieldOf(message);
    if (const auto title = titles_.find(field); title != titles_.end()) {
        const auto named = wordsOf(title->second->text());
        text = QStringLiteral("%1: %2").arg(named, text.mid(text.indexOf(u':') + 1).trimmed());
    }
    notice_->say(text, Theme::Meaning::Bad);
}

namespace {

/// How long the store knows a job that was sent twice; nobody looks at a dialog for so long.
constexpr Millis kRemembered = std::chrono::hours{1};

std::size_t fingerprintOf(const PushOrder& order)
{
    const auto& job = order.job;
    std::string all;
    for (const auto& part :
         {job.id, job.topic, job.recipient, job.sender, job.bizKey, job.contentType, job.body,
          job.retry.print(), std::to_string(static_cast<int>(job.channel)),
          std::to_string(job.priority), std::to_string(job.ttr.count()),
          std::to_string(order.delay.count()),
          std::to_string(order.at ? toEpochMs(*order.at) : 0)}) {
        all += part;
        all += '\0';
    }
    for (const auto& [name, value] : job.headers) {
        all.append(name).append(1, '\0').append(value).append(1, '\0');
    }
    return std::hash<std::string>{}(all);
}

}  // namespace

void JobDialog::send()
{
    auto order = orderOf(form(), session_.source().now());
    if (!order) {
        return complain(order.error().message);
    }
    // When the answer is lost nobody knows whether it was stored: sent once more as it is, it is
    // the same job; with other content it is another one.
    order->onceKey = onceKey_ + std::to_string(fingerprintOf(*order));
    order->onceFor = kRemembered;
    sending_ = true;
    buttons_.accept->setEnabled(false);
    session_.commands().push(std::move(*order),
                             {this, [this](const Result<Pushed>& pushed) {
                                  sending_ = false;
                                  if (!pushed) {
                                      check();
                                      complain(pushed.error().message);
                                      const auto field =
                                          fields_.find(fieldOf(pushed.error().message));
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
    const QString recipients[] = {tr("Not needed"), QStringLiteral("sip:bob@example.org"),
                                  QStringLiteral("+491701234567"),
                                  QStringLiteral("https://example.org/hook")};
    recipient_->setPlaceholderText(recipients[std::max(channel_->currentIndex(), 0)]);
    bizKey_->setPlaceholderText(tr("Order number, Call-ID …"));
    id_->setPlaceholderText(tr("Made by the store"));
    ttr_->setPlaceholderText(QStringLiteral("60s"));
    expires_->setPlaceholderText(tr("Never"));
    retry_->setPlaceholderText(QStringLiteral("0s,2m,10m,1h"));
    delay_->setPlaceholderText(QStringLiteral("30m"));
    headers_->setPlaceholderText(QStringLiteral("Name: value"));
    now_->setText(tr("At once"));
    in_->setText(tr("In"));
    at_->setText(tr("At"));
    nameIt(delay_, tr("Delay"));
    nameIt(time_, tr("Time"));
    nameIt(zone_, tr("Time zone"));
    load_->setText(tr("Load from &File…"));
    priority_->setToolTip(tr("0 is first, 9 is last"));
    buttons_.accept->setText(tr("Store Job"));
}

void JobDialog::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        check();
    }
    QDialog::changeEvent(event);
}

}  // namespace restante::gui
