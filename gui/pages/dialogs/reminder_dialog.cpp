#include "gui/pages/dialogs/reminder_dialog.h"

#include "core/base/duration.h"
#include "core/base/timestamp.h"
#include "gui/base/utc.h"
#include "gui/session/store_session.h"
#include "gui/theme/tab_order.h"
#include "gui/theme/time_text.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QGridLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QUuid>

#include <utility>

namespace restante::gui {

namespace {

constexpr std::uint32_t kPreviewedRuns = 5;
/// Time without typing before the preview is requested.
constexpr int kTypingPauseMs = 300;

std::string textOf(const QLineEdit* line)
{
    return line->text().trimmed().toStdString();
}

std::string textOf(const QComboBox* box)
{
    return box->currentText().trimmed().toStdString();
}

const auto kTimeFormat = QStringLiteral("yyyy-MM-dd HH:mm");

/// Parses "2026-12-31 09:00:00", ignoring the seconds.
QDateTime parsedTime(const std::string& local)
{
    const auto time =
        QDateTime::fromString(QString::fromStdString(local).left(kTimeFormat.size()), kTimeFormat);
    return QDateTime(time.date(), time.time(), kUtc);
}

/// The entries after "As the address says"; reminders do not use pull.
constexpr Channel kChannels[] = {Channel::Sip, Channel::Sms, Channel::Webhook};

}  // namespace

ReminderDialog::ReminderDialog(StoreSession& session,
                               const Preferences& preferences,
                               QWidget* parent)
    : FormDialog("reminderDialog", parent),
      session_(session),
      preferences_(preferences)
{
    tokenPrefix_ = "console-" + QUuid::createUuid().toString(QUuid::Id128).toStdString() + "-";
    column_->addLayout(form_ = makeForm());
    buildForm();
    preview_ = addField<QListWidget>("preview", RowHeight::Lines);
    preview_->setSelectionMode(QAbstractItemView::NoSelection);
    const int rows = static_cast<int>(kPreviewedRuns);
    constexpr int kRowPadding = 6;
    preview_->setFixedHeight((fontMetrics().height() + kRowPadding) * rows);
    addButtons(76);
    tabInOrder({to_, channel_, text_, inButton_, delay_, atButton_, eventButton_, time_, offsets_,
                zone_, every_, sender_, bizKey_, expires_, retry_, preview_, buttons_});
    previewTimer_.setSingleShot(true);
    previewTimer_.setInterval(kTypingPauseMs);
    connect(&previewTimer_, &QTimer::timeout, this, &ReminderDialog::requestPreview);
    for (auto* line : {to_, delay_, offsets_, sender_, bizKey_, expires_, retry_}) {
        connect(line, &QLineEdit::textChanged, this, &ReminderDialog::updateState);
    }
    connect(text_, &QPlainTextEdit::textChanged, this, &ReminderDialog::updateState);
    connect(channel_, &QComboBox::currentIndexChanged, this, &ReminderDialog::updateState);
    connect(every_, &QComboBox::editTextChanged, this, &ReminderDialog::updateState);
    connect(zone_, &QComboBox::editTextChanged, this, &ReminderDialog::updateState);
    connect(time_, &QDateTimeEdit::dateTimeChanged, this, &ReminderDialog::updateState);
    for (auto* choice : {inButton_, atButton_, eventButton_}) {
        connect(choice, &QRadioButton::toggled, this, &ReminderDialog::updateState);
    }
    connect(accept_, &QPushButton::clicked, this, &ReminderDialog::send);
    wasReady_ = isReady();
    connect(&session_.backend(), &Backend::linkChanged, this, &ReminderDialog::handleLinkChange);
    retranslate();
    updateState();
    to_->setFocus();
}

void ReminderDialog::buildForm()
{
    to_ = addField<QLineEdit>("to");
    channel_ = addField<QComboBox>("channel");
    channel_->addItems(QStringList(4));
    text_ = addField<QPlainTextEdit>("text", RowHeight::Lines);
    text_->setTabChangesFocus(true);
    constexpr int kLines = 4;
    text_->setFixedHeight(fontMetrics().lineSpacing() * kLines);
    buildWhen();
    addLabelledRow(form_, zone_ = newZoneBox(this, preferences_));
    every_ = newEditableBox(
        this, "every",
        {"", "daily", "weekdays", "weekly", "monthly", "yearly", "2h", "FREQ=MONTHLY;BYDAY=-1FR"});
    addLabelledRow(form_, every_);
    sender_ = addField<QLineEdit>("sender");
    bizKey_ = addField<QLineEdit>("bizKey");
    expires_ = addField<QLineEdit>("expires");
    retry_ = addField<QLineEdit>("retry");
}

void ReminderDialog::buildWhen()
{
    when_ = new QWidget(this);
    inButton_ = makeWidget<QRadioButton>("in", when_);
    atButton_ = makeWidget<QRadioButton>("at", when_);
    eventButton_ = makeWidget<QRadioButton>("event", when_);
    delay_ = makeWidget<QLineEdit>("delay", QStringLiteral("1h"), when_);
    time_ = newDateTimeEdit(when_, "yyyy-MM-dd HH:mm");
    const auto tomorrow =
        QDateTime::fromMSecsSinceEpoch(toEpochMs(session_.source().now()), zoneOf(preferences_))
            .addDays(1);
    time_->setDateTime(QDateTime(tomorrow.date(), QTime(9, 0), kUtc));
    offsets_ = makeWidget<QLineEdit>("offsets", when_);
    offsetsTitle_ = new QLabel(when_);
    offsetsTitle_->setBuddy(offsets_);
    auto* grid = new QGridLayout(when_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(inButton_, 0, 0);
    grid->addWidget(delay_, 0, 1);
    grid->addWidget(atButton_, 1, 0);
    grid->addWidget(eventButton_, 2, 0);
    grid->addWidget(time_, 1, 1, 2, 1, Qt::AlignVCenter);
    grid->addWidget(offsetsTitle_, 3, 0);
    grid->addWidget(offsets_, 3, 1);
    grid->setColumnStretch(1, 1);
    inButton_->setChecked(true);
    connect(delay_, &QLineEdit::textEdited, inButton_, [this] { inButton_->setChecked(true); });
    connect(time_, &QDateTimeEdit::dateTimeChanged, atButton_, [this] {
        if (inButton_->isChecked()) {
            atButton_->setChecked(true);
        }
    });
    addLabelledRow(form_, when_, RowHeight::Lines)->setBuddy(inButton_);
}

reminder::ReminderRequest ReminderDialog::request() const
{
    reminder::ReminderRequest request;
    request.to = textOf(to_);
    if (channel_->currentIndex() > 0) {
        request.channel = kChannels[channel_->currentIndex() - 1];
    }
    request.text = exactText(*text_->document()).toStdString();
    request.sender = textOf(sender_);
    request.bizKey = textOf(bizKey_);
    request.every = textOf(every_);
    request.timeZone = textOf(zone_);
    request.retry = textOf(retry_);
    request.expires = textOf(expires_);
    if (editedSeries_) {
        request.contentType = editedSeries_->series->job.contentType;
    }
    readTime(request);
    return request;
}

void ReminderDialog::readTime(reminder::ReminderRequest& request) const
{
    const auto time = time_->dateTime().toString(kTimeFormat).toStdString();
    if (editedSeries_ && atButton_->isChecked() && editedSeries_->series->start.starts_with(time) &&
        request.timeZone == editedSeries_->series->zone) {
        // Keeps the seconds, and which of two equal local times it was when a clock was set back.
        request.atTime = editedSeries_->series->startInstant;
        request.at = request.atTime ? std::string{} : editedSeries_->series->start;
    } else if (inButton_->isChecked()) {
        request.in = textOf(delay_);
    } else if (atButton_->isChecked()) {
        request.at = time;
    } else {
        request.event = time;
        request.offsets = textOf(offsets_);
    }
}

void ReminderDialog::makeRecurring()
{
    atButton_->setChecked(true);
    every_->setEditText(QStringLiteral("daily"));
}

void ReminderDialog::edit(const reminder::SeriesView& view)
{
    editedSeries_ = view;
    const auto& series = *view.series;
    const auto show = [](QLineEdit* line, const std::string& text) {
        line->setText(QString::fromStdString(text));
    };
    show(to_, series.job.recipient);
    text_->setPlainText(QString::fromStdString(series.job.body));
    atButton_->setChecked(true);
    time_->setDateTime(parsedTime(series.start));
    zone_->setEditText(QString::fromStdString(series.zone));
    every_->setEditText(QString::fromStdString(series.rule));
    show(sender_, series.job.sender);
    show(bizKey_, series.job.bizKey);
    show(retry_, series.job.retry.toString());
    if (series.expiresAfter) {
        show(expires_, formatDuration(*series.expiresAfter));
    } else if (series.ends) {
        show(expires_, formatRfc3339(*series.ends));
    }
    // A recurring reminder stays recurring.
    for (QWidget* widget : {static_cast<QWidget*>(eventButton_), static_cast<QWidget*>(offsets_),
                            static_cast<QWidget*>(offsetsTitle_)}) {
        widget->hide();
    }
    retranslate();
    updateState();
}

void ReminderDialog::updateState()
{
    offsets_->setEnabled(eventButton_->isChecked());
    offsetsTitle_->setEnabled(eventButton_->isChecked());
    accept_->setEnabled(false);
    previewTimer_.start();
}

bool ReminderDialog::isReady() const
{
    return session_.link().phase == LinkState::Phase::Ready;
}

/// A preview that found no connection has switched the button off; each ping calls this, too.
void ReminderDialog::handleLinkChange()
{
    const bool wasReady = std::exchange(wasReady_, isReady());
    if (wasReady_ && !wasReady && !sending_) {
        updateState();
    }
}

void ReminderDialog::requestPreview()
{
    const bool lacksRecipient = to_->text().trimmed().isEmpty();
    const auto number = ++previewCount_;
    session_.commands().preview(
        request(), kPreviewedRuns,
        {this, [this, number, lacksRecipient](const Result<std::vector<TimePoint>>& times) {
             if (number != previewCount_ || sending_) {
                 return;
             }
             accept_->setEnabled(times.has_value());
             preview_->clear();
             if (times) {
                 notice_->clearText();
                 return showTimes(*times);
             }
             // No error before a recipient has been typed.
             if (lacksRecipient) {
                 return notice_->clearText();
             }
             showError(times.error());
         }});
}

void ReminderDialog::showTimes(const std::vector<TimePoint>& times)
{
    const auto chosen = selectedZone(zone_);
    const auto zone = chosen.isValid() ? chosen : zoneOf(preferences_);
    for (const auto at : times) {
        auto* item = new QListWidgetItem(timeIn(zone, at), preview_);
        item->setFlags(Qt::ItemIsEnabled);
    }
}

void ReminderDialog::send()
{
    sending_ = true;
    accept_->setEnabled(false);
    if (editedSeries_) {
        return changeSeries();
    }
    auto reminder = request();
    // If the answer is lost it is unknown whether the reminder was stored: the same content sent
    // again is the same reminder, other content is another one.
    const auto fingerprint =
        fingerprintOf({reminder.to, reminder.text, reminder.sender, reminder.bizKey, reminder.every,
                       reminder.timeZone, reminder.retry, reminder.expires, reminder.in,
                       reminder.at, reminder.event, reminder.offsets,
                       reminder.channel ? std::string(name(*reminder.channel)) : std::string{}});
    reminder.token = tokenPrefix_ + QString::number(fingerprint, 16).toStdString();
    session_.commands().createReminder(
        std::move(reminder),
        {this, [this, isSeries = !textOf(every_).empty()](const Result<Pushed>& pushed) {
             handleStored(pushed, isSeries);
         }});
}

void ReminderDialog::changeSeries()
{
    session_.commands().changeSeries(
        {editedSeries_->job.job.id, editedSeries_->job.job.body, request()},
        {this, [this](const Result<Pushed>& pushed) { handleStored(pushed, true); }});
}

void ReminderDialog::handleStored(const Result<Pushed>& pushed, bool isSeries)
{
    sending_ = false;
    if (!pushed) {
        accept_->setEnabled(true);
        return showError(pushed.error());
    }
    accept();
    if (!pushed->ids.empty()) {
        const auto id = QString::fromStdString(pushed->ids.front());
        isSeries ? emit seriesStored(id) : emit stored(id);
    }
}

void ReminderDialog::retranslate()
{
    setWindowTitle(editedSeries_ ? tr("Change Recurring Reminder") : tr("New Reminder"));
    setRowTitle(to_, tr("&To:"));
    to_->setPlaceholderText(tr("sip:bob@example.org, +491701234567 or https://…"));
    setRowTitle(channel_, tr("&Channel:"));
    channel_->setItemText(0, tr("As the address says"));
    for (int at = 0; at < 3; ++at) {
        channel_->setItemText(at + 1, Theme::channelName(kChannels[at]));
    }
    setRowTitle(text_, tr("Te&xt:"));
    setRowTitle(when_, tr("&When:"));
    inButton_->setText(tr("In"));
    atButton_->setText(tr("At"));
    eventButton_->setText(tr("Before an event at"));
    setAccessibleNameOf(delay_, tr("From now, such as 2h30m"));
    setAccessibleNameOf(time_, tr("Time"));
    offsetsTitle_->setText(tr("So long &before:"));
    offsets_->setPlaceholderText(QStringLiteral("15d,3d,0s"));
    setRowTitle(zone_, tr("Time &zone:"));
    setRowTitle(every_, tr("&Repeat:"));
    setAccessibleNameOf(every_, tr("Repeat"));
    setAccessibleNameOf(zone_, tr("Time zone"));
    every_->lineEdit()->setPlaceholderText(editedSeries_ ? QString() : tr("Once"));
    every_->setToolTip(tr("daily, weekdays, monday, 2h, or a rule of RFC 5545: FREQ=…"));
    setRowTitle(sender_, tr("&Sender:"));
    setRowTitle(bizKey_, tr("Your &key:"));
    bizKey_->setPlaceholderText(tr("Cancels all of them; made from the id"));
    setRowTitle(expires_, tr("&Expires:"));
    expires_->setPlaceholderText(tr("Never; or so long after each, such as 1d"));
    setRowTitle(retry_, tr("Retr&y after:"));
    retry_->setPlaceholderText(tr("As its channel does"));
    setRowTitle(preview_, tr("Next times:"));
    setAccessibleNameOf(preview_, tr("Next times"));
    accept_->setText(editedSeries_ ? tr("Save Changes") : tr("Store Reminder"));
}

}  // namespace restante::gui
