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

namespace restante::gui {

namespace {

constexpr std::uint32_t kPreviewedRuns = 5;
/// Between the last key and the question.
constexpr int kSettledMs = 300;

std::string textOf(const QLineEdit* line)
{
    return line->text().trimmed().toStdString();
}

std::string textOf(const QComboBox* box)
{
    return box->currentText().trimmed().toStdString();
}

const auto kTimeFormat = QStringLiteral("yyyy-MM-dd HH:mm");

/// Of "2026-12-31 09:00:00", without its seconds.
QDateTime parsedTime(const std::string& local)
{
    const auto time =
        QDateTime::fromString(QString::fromStdString(local).left(kTimeFormat.size()), kTimeFormat);
    return QDateTime(time.date(), time.time(), kUtc);
}

/// Of the entries after "As the address says"; pull is none that reminds.
constexpr Channel kChannels[] = {Channel::Sip, Channel::Sms, Channel::Webhook};

}  // namespace

ReminderDialog::ReminderDialog(StoreSession& session,
                               const Preferences& preferences,
                               QWidget* parent)
    : FormDialog("reminderDialog", parent),
      session_(session),
      preferences_(preferences)
{
    token_ = "console-" + QUuid::createUuid().toString(QUuid::Id128).toStdString() + "-";
    column_->addLayout(form_ = makeForm());
    buildForm();
    preview_ = addField<QListWidget>("preview", RowHeight::Lines);
    preview_->setSelectionMode(QAbstractItemView::NoSelection);
    const int rows = static_cast<int>(kPreviewedRuns);
    constexpr int kAir = 6;
    preview_->setFixedHeight((fontMetrics().height() + kAir) * rows);
    addButtons(76);
    tabInOrder({to_, channel_, text_, in_, delay_, at_, event_, time_, offsets_, zone_, every_,
                sender_, key_, expires_, retry_, preview_, buttons_});
    previewTimer_.setSingleShot(true);
    previewTimer_.setInterval(kSettledMs);
    connect(&previewTimer_, &QTimer::timeout, this, &ReminderDialog::askForPreview);
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
    connect(accept_, &QPushButton::clicked, this, &ReminderDialog::send);
    retranslate();
    edited();
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
    every_ = editableIn(
        this, "every",
        {"", "daily", "weekdays", "weekly", "monthly", "yearly", "2h", "FREQ=MONTHLY;BYDAY=-1FR"});
    addLabelledRow(form_, every_);
    sender_ = addField<QLineEdit>("sender");
    key_ = addField<QLineEdit>("bizKey");
    expires_ = addField<QLineEdit>("expires");
    retry_ = addField<QLineEdit>("retry");
}

void ReminderDialog::buildWhen()
{
    when_ = new QWidget(this);
    in_ = makeWidget<QRadioButton>("in", when_);
    at_ = makeWidget<QRadioButton>("at", when_);
    event_ = makeWidget<QRadioButton>("event", when_);
    delay_ = makeWidget<QLineEdit>("delay", QStringLiteral("1h"), when_);
    time_ = wallClockIn(when_, "yyyy-MM-dd HH:mm");
    const auto tomorrow =
        QDateTime::fromMSecsSinceEpoch(toEpochMs(session_.source().now()), zoneOf(preferences_))
            .addDays(1);
    time_->setDateTime(QDateTime(tomorrow.date(), QTime(9, 0), kUtc));
    offsets_ = makeWidget<QLineEdit>("offsets", when_);
    offsetsTitle_ = new QLabel(when_);
    offsetsTitle_->setBuddy(offsets_);
    auto* grid = new QGridLayout(when_);
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
    addLabelledRow(form_, when_, RowHeight::Lines)->setBuddy(in_);
}

reminder::ReminderRequest ReminderDialog::request() const
{
    reminder::ReminderRequest request;
    request.to = textOf(to_);
    if (channel_->currentIndex() > 0) {
        request.channel = kChannels[channel_->currentIndex() - 1];
    }
    request.text = text_->toPlainText().toStdString();
    request.sender = textOf(sender_);
    request.bizKey = textOf(key_);
    request.every = textOf(every_);
    request.timeZone = textOf(zone_);
    request.retry = textOf(retry_);
    request.expires = textOf(expires_);
    if (edited_) {
        request.contentType = edited_->series->job.contentType;
    }
    readTime(request);
    return request;
}

void ReminderDialog::readTime(reminder::ReminderRequest& request) const
{
    const auto time = time_->dateTime().toString(kTimeFormat).toStdString();
    if (edited_ && at_->isChecked() && edited_->series->start.starts_with(time) &&
        request.timeZone == edited_->series->zone) {
        // To the second, and to the hour where the clocks show one twice.
        request.atTime = edited_->series->begin;
        request.at = request.atTime ? std::string{} : edited_->series->start;
    } else if (in_->isChecked()) {
        request.in = textOf(delay_);
    } else if (at_->isChecked()) {
        request.at = time;
    } else {
        request.event = time;
        request.offsets = textOf(offsets_);
    }
}

void ReminderDialog::makeRecurring()
{
    at_->setChecked(true);
    every_->setEditText(QStringLiteral("daily"));
}

void ReminderDialog::edit(const reminder::SeriesView& view)
{
    edited_ = view;
    const auto& series = *view.series;
    const auto show = [](QLineEdit* line, const std::string& text) {
        line->setText(QString::fromStdString(text));
    };
    show(to_, series.job.recipient);
    text_->setPlainText(QString::fromStdString(series.job.body));
    at_->setChecked(true);
    time_->setDateTime(parsedTime(series.start));
    zone_->setEditText(QString::fromStdString(series.zone));
    every_->setEditText(QString::fromStdString(series.rule));
    show(sender_, series.job.sender);
    show(key_, series.job.bizKey);
    show(retry_, series.job.retry.print());
    if (series.expiresAfter) {
        show(expires_, printDuration(*series.expiresAfter));
    } else if (series.ends) {
        show(expires_, printRfc3339(*series.ends));
    }
    // It stays one that comes again.
    for (QWidget* widget : {static_cast<QWidget*>(event_), static_cast<QWidget*>(offsets_),
                            static_cast<QWidget*>(offsetsTitle_)}) {
        widget->hide();
    }
    retranslate();
    edited();
}

void ReminderDialog::edited()
{
    offsets_->setEnabled(event_->isChecked());
    offsetsTitle_->setEnabled(event_->isChecked());
    accept_->setEnabled(false);
    previewTimer_.start();
}

void ReminderDialog::askForPreview()
{
    const bool empty = to_->text().trimmed().isEmpty();
    const auto number = ++latest_;
    session_.commands().preview(
        request(), kPreviewedRuns,
        {this, [this, number, empty](const Result<std::vector<TimePoint>>& times) {
             if (number != latest_ || sending_) {
                 return;
             }
             accept_->setEnabled(times.has_value());
             preview_->clear();
             if (times) {
                 notice_->clearText();
                 return showTimes(*times);
             }
             // Nobody is told off for a form that is still empty.
             if (empty) {
                 return notice_->clearText();
             }
             showError(times.error());
         }});
}

void ReminderDialog::showTimes(const std::vector<TimePoint>& times)
{
    const auto chosen = zoneChosenIn(zone_);
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
    if (edited_) {
        return change();
    }
    auto wish = request();
    // When the answer is lost nobody knows whether it was stored: sent once more as it is, it is
    // the same reminder; with other content it is another one.
    const auto fingerprint =
        fingerprintOf({wish.to, wish.text, wish.sender, wish.bizKey, wish.every, wish.timeZone,
                       wish.retry, wish.expires, wish.in, wish.at, wish.event, wish.offsets,
                       wish.channel ? std::string(name(*wish.channel)) : std::string{}});
    wish.token = token_ + QString::number(fingerprint, 16).toStdString();
    session_.commands().remind(std::move(wish), {this, [this, isSeries = !textOf(every_).empty()](
                                                           const Result<Pushed>& pushed) {
                                                     handleStored(pushed, isSeries);
                                                 }});
}

void ReminderDialog::change()
{
    session_.commands().changeSeries(
        {edited_->job.job.id, edited_->job.job.body, request()},
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
    setWindowTitle(edited_ ? tr("Change Recurring Reminder") : tr("New Reminder"));
    setRowTitle(to_, tr("&To:"));
    to_->setPlaceholderText(tr("sip:bob@example.org, +491701234567 or https://…"));
    setRowTitle(channel_, tr("&Channel:"));
    channel_->setItemText(0, tr("As the address says"));
    for (int at = 0; at < 3; ++at) {
        channel_->setItemText(at + 1, Theme::channelName(kChannels[at]));
    }
    setRowTitle(text_, tr("Te&xt:"));
    setRowTitle(when_, tr("&When:"));
    in_->setText(tr("In"));
    at_->setText(tr("At"));
    event_->setText(tr("Before an event at"));
    nameIt(delay_, tr("From now, such as 2h30m"));
    nameIt(time_, tr("Time"));
    offsetsTitle_->setText(tr("So long &before:"));
    offsets_->setPlaceholderText(QStringLiteral("15d,3d,0s"));
    setRowTitle(zone_, tr("Time &zone:"));
    setRowTitle(every_, tr("&Repeat:"));
    nameIt(every_, tr("Repeat"));
    nameIt(zone_, tr("Time zone"));
    every_->lineEdit()->setPlaceholderText(edited_ ? QString() : tr("Once"));
    every_->setToolTip(tr("daily, weekdays, monday, 2h, or a rule of RFC 5545: FREQ=…"));
    setRowTitle(sender_, tr("&Sender:"));
    setRowTitle(key_, tr("Your &key:"));
    key_->setPlaceholderText(tr("Cancels all of them; made from the id"));
    setRowTitle(expires_, tr("&Expires:"));
    expires_->setPlaceholderText(tr("Never; or so long after each, such as 1d"));
    setRowTitle(retry_, tr("Retr&y after:"));
    retry_->setPlaceholderText(tr("As its channel does"));
    setRowTitle(preview_, tr("Next times:"));
    nameIt(preview_, tr("Next times"));
    accept_->setText(edited_ ? tr("Save Changes") : tr("Store Reminder"));
}

}  // namespace restante::gui
