#include "gui/pages/dialogs/reminder_dialog.h"

#include "gui/base/utc.h"
#include "gui/session/session.h"
#include "gui/theme/tab_order.h"
#include "gui/theme/zone_time.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QDialogButtonBox>
#include <QEvent>
#include <QGridLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QUuid>
#include <QVBoxLayout>

namespace restante::gui {

namespace {

constexpr std::uint32_t kPreviewed = 5;
/// Between the last key and the question.
constexpr int kSettledMs = 300;

QLineEdit* lineIn(QWidget* parent, const char* name)
{
    auto* line = new QLineEdit(parent);
    line->setObjectName(QString::fromLatin1(name));
    return line;
}

QString withoutSpaces(const QString& text)
{
    return text.trimmed();
}

}  // namespace

ReminderDialog::ReminderDialog(Session& session, const Preferences& preferences, QWidget* parent)
    : QDialog(parent),
      session_(session),
      preferences_(preferences)
{
    token_ = "console-" + QUuid::createUuid().toString(QUuid::Id128).toStdString() + "-";
    setObjectName(QStringLiteral("reminderDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    build();
    retranslate();
    edited();
    to_->setFocus();
}

void ReminderDialog::row(QFormLayout* form, QLabel*& title, QWidget* widget)
{
    title = new QLabel(this);
    title->setBuddy(widget);
    form->addRow(title, widget);
}

void ReminderDialog::build()
{
    auto* form = formIn(this);
    buildForm(form);
    preview_ = new QListWidget(this);
    preview_->setObjectName(QStringLiteral("preview"));
    preview_->setSelectionMode(QAbstractItemView::NoSelection);
    const int rows = static_cast<int>(kPreviewed);
    constexpr int kAir = 6;
    preview_->setFixedHeight((fontMetrics().height() + kAir) * rows);
    row(form, previewTitle_, preview_);
    previewTitle_->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    notice_ = new NoticeLine(this);
    notice_->setObjectName(QStringLiteral("notice"));
    buttons_ = buttonsIn(this, DefaultButton::Accept);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(notice_);
    column->addStretch(1);
    column->addWidget(buttons_.box);
    setMinimumWidth(fontMetrics().averageCharWidth() * 76);
    tabInOrder({to_, channel_, text_, in_, delay_, at_, event_, time_, offsets_, zone_, every_,
                sender_, key_, expires_, retry_, preview_, buttons_.box});
    settled_.setSingleShot(true);
    settled_.setInterval(kSettledMs);
    connect(&settled_, &QTimer::timeout, this, &ReminderDialog::askForPreview);
    for (auto* line : {to_, delay_, offsets_, sender_, key_, expires_, retry_}) {
        connect(line, &QLineEdit::textChanged, this, &ReminderDialog::edited);
    }
    connect(text_, &QPlainTextEdit::textChanged, this, &ReminderDialog::edited);
    connect(channel_, &QComboBox::currentIndexChanged, this, &ReminderDialog::edited);
    connect(every_, &QComboBox::editTextChanged, this, &ReminderDialog::edited);
    connect(zone_, &QComboBox::editTextChanged, this, &ReminderDialog::edited);
    connect(time_, &QDateTimeEdit::dateTimeChanged, this, &ReminderDialog::edited);
    for (auto* choice : {in_, at_, event_}) {
        connect(choice, &QRadioButton::toggled, this, &ReminderDialog::edited);
    }
    connect(buttons_.accept, &QPushButton::clicked, this, &ReminderDialog::send);
}

void ReminderDialog::buildForm(QFormLayout* form)
{
    to_ = lineIn(this, "to");
    channel_ = new QComboBox(this);
    channel_->setObjectName(QStringLiteral("channel"));
    for (int at = 0; at < 4; ++at) {
        channel_->addItem(QString());
    }
    text_ = new QPlainTextEdit(this);
    text_->setObjectName(QStringLiteral("text"));
    text_->setTabChangesFocus(true);
    constexpr int kLines = 4;
    text_->setFixedHeight(fontMetrics().lineSpacing() * kLines);
    every_ = new QComboBox(this);
    every_->setObjectName(QStringLiteral("every"));
    every_->setEditable(true);
    every_->setInsertPolicy(QComboBox::NoInsert);
    every_->addItems({QString(), QStringLiteral("daily"), QStringLiteral("weekdays"),
                      QStringLiteral("weekly"), QStringLiteral("monthly"), QStringLiteral("yearly"),
                      QStringLiteral("2h"), QStringLiteral("FREQ=MONTHLY;BYDAY=-1FR")});
    zone_ = zonesIn(this, preferences_);
    sender_ = lineIn(this, "sender");
    key_ = lineIn(this, "bizKey");
    expires_ = lineIn(this, "expires");
    retry_ = lineIn(this, "retry");
    row(form, toTitle_, to_);
    row(form, channelTitle_, channel_);
    row(form, textTitle_, text_);
    auto* when = buildWhen();
    row(form, whenTitle_, when);
    for (auto* title : {textTitle_, whenTitle_}) {
        title->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    }
    whenTitle_->setBuddy(in_);
    row(form, zoneTitle_, zone_);
    row(form, everyTitle_, every_);
    row(form, senderTitle_, sender_);
    row(form, keyTitle_, key_);
    row(form, expiresTitle_, expires_);
    row(form, retryTitle_, retry_);
}

QWidget* ReminderDialog::buildWhen()
{
    auto* when = new QWidget(this);
    in_ = new QRadioButton(when);
    in_->setObjectName(QStringLiteral("in"));
    at_ = new QRadioButton(when);
    at_->setObjectName(QStringLiteral("at"));
    event_ = new QRadioButton(when);
    event_->setObjectName(QStringLiteral("event"));
    delay_ = lineIn(when, "delay");
    delay_->setText(QStringLiteral("1h"));
    time_ = new QDateTimeEdit(when);
    time_->setObjectName(QStringLiteral("time"));
    showUtc(*time_);
    time_->setDisplayFormat(QStringLiteral("yyyy-MM-dd HH:mm"));
    time_->setCalendarPopup(true);
    const auto tomorrow =
        QDateTime::fromMSecsSinceEpoch(toEpochMs(session_.source().now()), zoneOf(preferences_))
            .addDays(1);
    time_->setDateTime(QDateTime(tomorrow.date(), QTime(9, 0), kUtc));
    offsets_ = lineIn(when, "offsets");
    offsetsTitle_ = new QLabel(when);
    offsetsTitle_->setBuddy(offsets_);
    auto* grid = new QGridLayout(when);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(in_, 0, 0);
    grid->addWidget(delay_, 0, 1);
    grid->addWidget(at_, 1, 0);
    grid->addWidget(event_, 2, 0);
    grid->addWidget(time_, 1, 1, 2, 1, Qt::AlignVCenter);
    grid->addWidget(offsetsTitle_, 3, 0);
    grid->addWidget(offsets_, 3, 1);
    grid->setColumnStretch(1, 1);
    in_->setChecked(true);
    connect(delay_, &QLineEdit::textEdited, in_, [this] { in_->setChecked(true); });
    connect(time_, &QDateTimeEdit::dateTimeChanged, at_, [this] {
        if (in_->isChecked()) {
            at_->setChecked(true);
        }
    });
    return when;
}

reminder::ReminderRequest ReminderDialog::request() const
{
    reminder::ReminderRequest request;
    request.to = withoutSpaces(to_->text()).toStdString();
    if (channel_->currentIndex() > 0) {
        // The first is "guessed"; pull is none that reminds.
        constexpr Channel kChannels[] = {Channel::Sip, Channel::Sms, Channel::Webhook};
        request.channel = kChannels[channel_->currentIndex() - 1];
    }
    request.text = text_->toPlainText().toStdString();
    request.sender = withoutSpaces(sender_->text()).toStdString();
    request.bizKey = withoutSpaces(key_->text()).toStdString();
    request.every = withoutSpaces(every_->currentText()).toStdString();
    request.timeZone = withoutSpaces(zone_->currentText()).toStdString();
    request.retry = withoutSpaces(retry_->text()).toStdString();
    request.expires = withoutSpaces(expires_->text()).toStdString();
    const auto time = time_->dateTime().toString(QStringLiteral("yyyy-MM-dd HH:mm")).toStdString();
    if (in_->isChecked()) {
        request.in = withoutSpaces(delay_->text()).toStdString();
    } else if (at_->isChecked()) {
        request.at = time;
    } else {
        request.event = time;
        request.offsets = withoutSpaces(offsets_->text()).toStdString();
    }
    return request;
}

namespace {

/// Equal for requests that ask for the same.
std::size_t fingerprintOf(const reminder::ReminderRequest& request)
{
    std::string all;
    for (const auto& part :
         {request.to, request.text, request.sender, request.bizKey, request.every, request.timeZone,
          request.retry, request.expires, request.in, request.at, request.event, request.offsets,
          request.channel ? std::string(name(*request.channel)) : std::string{}}) {
        all += part;
        all += '\0';
    }
    return std::hash<std::string>{}(all);
}

}  // namespace

void ReminderDialog::edited()
{
    offsets_->setEnabled(event_->isChecked());
    offsetsTitle_->setEnabled(event_->isChecked());
    buttons_.accept->setEnabled(false);
    settled_.start();
}

void ReminderDialog::askForPreview()
{
    const bool empty = to_->text().trimmed().isEmpty();
    const auto number = ++latest_;
    session_.commands().preview(
        request(), kPreviewed,
        {this, [this, number, empty](const Result<std::vector<TimePoint>>& times) {
             if (number != latest_ || sending_) {
                 return;
             }
             buttons_.accept->setEnabled(times.has_value());
             preview_->clear();
             if (times) {
                 notice_->clearText();
                 return showTimes(*times);
             }
             // Nobody is told off for a form that is still empty.
             if (empty) {
                 return notice_->clearText();
             }
             notice_->say(QString::fromStdString(times.error().message), Theme::Meaning::Bad);
         }});
}

void ReminderDialog::showTimes(const std::vector<TimePoint>& times)
{
    const auto chosen = zoneIn(zone_);
    const auto zone = chosen.isValid() ? chosen : zoneOf(preferences_);
    for (const auto at : times) {
        auto* item = new QListWidgetItem(timeIn(zone, at), preview_);
        item->setFlags(Qt::ItemIsEnabled);
    }
}

void ReminderDialog::send()
{
    sending_ = true;
    buttons_.accept->setEnabled(false);
    auto wish = request();
    // When the answer is lost nobody knows whether it was stored: sent once more as it is, it is
    // the same reminder; with other content it is another one.
    wish.token = token_ + QString::number(fingerprintOf(wish), 16).toStdString();
    session_.commands().remind(std::move(wish),
                               {this, [this](const Result<Pushed>& pushed) {
                                    sending_ = false;
                                    if (!pushed) {
                                        buttons_.accept->setEnabled(true);
                                        return notice_->say(
                                            QString::fromStdString(pushed.error().message),
                                            Theme::Meaning::Bad);
                                    }
                                    accept();
                                    if (!pushed->ids.empty()) {
                                        emit stored(QString::fromStdString(pushed->ids.front()));
                                    }
                                }});
}

void ReminderDialog::retranslate()
{
    setWindowTitle(tr("New Reminder"));
    toTitle_->setText(tr("&To:"));
    to_->setPlaceholderText(tr("sip:bob@example.org, +491701234567 or https://…"));
    channelTitle_->setText(tr("&Channel:"));
    channel_->setItemText(0, tr("As the address says"));
    constexpr Channel kChannels[] = {Channel::Sip, Channel::Sms, Channel::Webhook};
    for (int at = 0; at < 3; ++at) {
        channel_->setItemText(at + 1, Theme::channelName(kChannels[at]));
    }
    textTitle_->setText(tr("Te&xt:"));
    whenTitle_->setText(tr("&When:"));
    in_->setText(tr("In"));
    at_->setText(tr("At"));
    event_->setText(tr("Before an event at"));
    nameIt(delay_, tr("From now, such as 2h30m"));
    nameIt(time_, tr("Time"));
    offsetsTitle_->setText(tr("So long &before:"));
    offsets_->setPlaceholderText(QStringLiteral("15d,3d,0s"));
    zoneTitle_->setText(tr("Time &zone:"));
    everyTitle_->setText(tr("&Repeat:"));
    nameIt(every_, tr("Repeat"));
    nameIt(zone_, tr("Time zone"));
    every_->lineEdit()->setPlaceholderText(tr("Once"));
    every_->setToolTip(tr("daily, weekdays, monday, 2h, or a rule of RFC 5545: FREQ=…"));
    senderTitle_->setText(tr("&Sender:"));
    keyTitle_->setText(tr("Your &key:"));
    key_->setPlaceholderText(tr("Cancels all of them; made from the id"));
    expiresTitle_->setText(tr("&Expires:"));
    expires_->setPlaceholderText(tr("Never; or so long after each, such as 1d"));
    retryTitle_->setText(tr("Retr&y after:"));
    retry_->setPlaceholderText(tr("As its channel does"));
    previewTitle_->setText(tr("Next times:"));
    nameIt(preview_, tr("Next times"));
    buttons_.accept->setText(tr("Store Reminder"));
}

void ReminderDialog::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QDialog::changeEvent(event);
}

}  // namespace restante::gui
