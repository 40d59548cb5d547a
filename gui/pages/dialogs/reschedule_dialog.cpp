#include "gui/pages/dialogs/reschedule_dialog.h"

#include "core/base/duration.h"
#include "gui/base/utc.h"
#include "gui/operations/verb_texts.h"
#include "gui/session/store_session.h"
#include "gui/theme/tab_order.h"
#include "gui/theme/table_style.h"
#include "gui/theme/time_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTimeEdit>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QRadioButton>
#include <QTableWidget>

#include <algorithm>

namespace restante::gui {

namespace {

constexpr std::uint32_t kPreviewedJobs = 5;

/// How many attempts count so far, and of how many.
QString triesText(std::uint32_t tries, std::uint32_t allowed)
{
    const auto text = QLocale().toString(tries);
    return allowed == 0 ? text : QStringLiteral("%1/%2").arg(text, QLocale().toString(allowed));
}

tl::expected<Millis, QString> durationIn(const QComboBox* box)
{
    return parseDuration(box->currentText().trimmed().toStdString())
        .map_error([](const Error& error) { return QString::fromStdString(error.message); });
}

}  // namespace

RescheduleDialog::RescheduleDialog(StoreSession& session,
                                   const Preferences& preferences,
                                   Selection selection,
                                   QWidget* parent)
    : FormDialog("rescheduleDialog", parent),
      session_(session),
      preferences_(preferences),
      selection_(std::move(selection))
{
    column_->addWidget(heading_ = headingIn(this));
    column_->addWidget(scope_ = plainIn(this, "scope"));
    column_->addWidget(buildWhen());
    column_->addLayout(form_ = makeForm());
    buildAttempts();
    reason_ = addReason();
    buildPreview();
    addButtons(104);
    connect(accept_, &QPushButton::clicked, this, &RescheduleDialog::send);
    retranslate();
    askForPreview();
}

void RescheduleDialog::buildAttempts()
{
    attempts_ = new QWidget(this);
    keep_ = makeWidget<QRadioButton>("keepAttempts", attempts_);
    keep_->setChecked(true);
    reset_ = makeWidget<QRadioButton>("resetAttempts", attempts_);
    auto* line = new QHBoxLayout(attempts_);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(keep_);
    line->addWidget(reset_);
    line->addStretch(1);
    addLabelledRow(form_, attempts_)->setBuddy(keep_);
    connect(reset_, &QRadioButton::toggled, this, &RescheduleDialog::refresh);
}

void RescheduleDialog::buildPreview()
{
    previewTitle_ = new QLabel(this);
    preview_ = tableIn(this, "preview", 5);
    preview_->setSelectionMode(QAbstractItemView::NoSelection);
    preview_->setWordWrap(false);
    preview_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    // Few rows, so their columns may fit their text; what is left is the id's.
    for (int column = 1; column < preview_->columnCount(); ++column) {
        preview_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    }
    fitTitles(*preview_->horizontalHeader());
    const auto rowHeight = preview_->verticalHeader()->defaultSectionSize();
    preview_->setFixedHeight(rowHeight * static_cast<int>(kPreviewedJobs + 1) + 4);
    previewTitle_->setBuddy(preview_);
    column_->addWidget(previewTitle_);
    column_->addWidget(preview_);
}

QWidget* RescheduleDialog::buildWhen()
{
    auto* when = new QWidget(this);
    at_ = makeWidget<QRadioButton>("at", when);
    in_ = makeWidget<QRadioButton>("in", when);
    time_ = wallClockIn(when, "yyyy-MM-dd HH:mm:ss");
    zone_ = newZoneBox(when, preferences_);
    wait_ = editableIn(when, "wait", {"1h", "5m", "15m", "2h", "8h", "1d", "7d"});
    spreads_ = makeWidget<QCheckBox>("spreads", when);
    spread_ = editableIn(when, "spread", {"30m", "5m", "2h", "1d"});
    auto* grid = new QGridLayout(when);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(at_, 0, 0);
    grid->addWidget(time_, 0, 1);
    grid->addWidget(zone_, 0, 2);
    grid->addWidget(in_, 1, 0);
    grid->addWidget(wait_, 1, 1);
    grid->addWidget(spreads_, 2, 0);
    grid->addWidget(spread_, 2, 1);
    tabInOrder({at_, time_, zone_, in_, wait_, spreads_, spread_});
    grid->setColumnStretch(2, 1);
    spreads_->setVisible(selection_.count != 1);
    spread_->setVisible(selection_.count != 1);
    showNextHour(*time_, session_.source().now(), zoneOf(preferences_));
    in_->setChecked(true);
    // Who touches one of the two means it.
    connect(time_, &QDateTimeEdit::dateTimeChanged, at_, [this] { at_->setChecked(true); });
    connect(wait_, &QComboBox::editTextChanged, in_, [this] { in_->setChecked(true); });
    connect(spread_, &QComboBox::editTextChanged, spreads_, [this] { spreads_->setChecked(true); });
    connect(time_, &QDateTimeEdit::dateTimeChanged, this, &RescheduleDialog::refresh);
    for (auto* box : {zone_, wait_, spread_}) {
        connect(box, &QComboBox::editTextChanged, this, &RescheduleDialog::refresh);
    }
    connect(at_, &QRadioButton::toggled, this, &RescheduleDialog::refresh);
    connect(spreads_, &QCheckBox::toggled, this, &RescheduleDialog::refresh);
    return when;
}

void RescheduleDialog::askForPreview()
{
    auto& source = session_.source();
    if (selection_.all) {
        const auto takeRows = [this](auto answer) {
            if (answer) {
                take(std::move(answer->rows));
            }
        };
        if (selection_.view.ranked()) {
            source.page({.view = selection_.view, .limit = kPreviewedJobs}, {this, takeRows});
        } else {
            source.scan({.view = selection_.view, .limit = kPreviewedJobs}, {this, takeRows});
        }
        return;
    }
    // As the store has them now: what the table shows may be older.
    for (std::size_t at = 0; at < std::min<std::size_t>(kPreviewedJobs, selection_.ids.size());
         ++at) {
        source.show(selection_.ids[at], {this, [this](Result<JobView> view) {
                                             if (view) {
                                                 auto rows = rows_;
                                                 rows.push_back(rowOf(*view));
                                                 take(std::move(rows));
                                             }
                                         }});
    }
}

void RescheduleDialog::take(std::vector<JobRow> rows)
{
    std::erase_if(rows, [this](const JobRow& row) {
        return selection_.all && selection_.except.count(row.id) != 0;
    });
    rows_ = std::move(rows);
    const auto now = session_.source().now();
    // One job alone: its own time is where to start from.
    if (!previewed_ && selection_.count == 1 && rows_.size() == 1 && rows_.front().due > now &&
        rows_.front().due < now + Millis{std::chrono::hours{24 * 3'660}}) {
        const auto due = QDateTime::fromMSecsSinceEpoch(toEpochMs(rows_.front().due), zone());
        time_->setDateTime(QDateTime(due.date(), due.time(), kUtc));
        at_->setChecked(true);
    }
    previewed_ = true;
    refresh();
}

QTimeZone RescheduleDialog::zone() const
{
    const auto chosen = zoneChosenIn(zone_);
    return chosen.isValid() ? chosen : zoneOf(preferences_);
}

tl::expected<TimePoint, QString> RescheduleDialog::due() const
{
    if (at_->isChecked()) {
        const auto chosen = zoneChosenIn(zone_);
        if (!chosen.isValid()) {
            return tl::unexpected(
                tr("There is no time zone “%1”; choose one like Europe/Berlin or UTC.")
                    .arg(zone_->currentText()));
        }
        return timeOf(time_->date(), time_->time(), chosen);
    }
    return durationIn(wait_).map([this](Millis wait) { return session_.source().now() + wait; });
}

tl::expected<Millis, QString> RescheduleDialog::spread() const
{
    return spreads_->isChecked() ? durationIn(spread_) : Millis{0};
}

void RescheduleDialog::refresh()
{
    const auto when = due();
    const auto over = spread();
    accept_->setEnabled(when && over);
    if (!when || !over) {
        return notice_->say(when ? over.error() : when.error(), Theme::Meaning::Bad);
    }
    if (*when <= session_.source().now() && at_->isChecked()) {
        notice_->say(tr("That time has passed: they will run at once."), Theme::Meaning::Warning);
    } else {
        notice_->clearText();
    }
    showPreview(*when, *over);
}

void RescheduleDialog::showPreview(TimePoint due, Millis over)
{
    const auto where = zone();
    preview_->setRowCount(static_cast<int>(rows_.size()));
    for (std::size_t at = 0; at < rows_.size(); ++at) {
        // All that match have no order before the store finds them.
        const auto fresh = over.count() > 0 && selection_.all
                               ? tr("%1 to %2").arg(timeIn(where, due), timeIn(where, due + over))
                               : timeIn(where, due + shareOf(rows_[at].id, over));
        const auto& row = rows_[at];
        const auto tries = reset_->isChecked() ? 0 : row.attempt;
        const QString texts[] = {QString::fromStdString(row.id), timeIn(where, row.due), fresh,
                                 triesText(row.attempt, row.attempts),
                                 triesText(tries, row.attempts)};
        for (int column = 0; column < preview_->columnCount(); ++column) {
            preview_->setItem(static_cast<int>(at), column, new QTableWidgetItem(texts[column]));
        }
    }
}

Millis RescheduleDialog::spreadOffset(std::size_t place, Millis over) const
{
    const auto count = static_cast<std::int64_t>(selection_.ids.size());
    return count == 0 ? Millis{0}
                      : Millis{over.count() / count * static_cast<std::int64_t>(place) +
                               over.count() % count * static_cast<std::int64_t>(place) / count};
}

Millis RescheduleDialog::shareOf(const std::string& id, Millis over) const
{
    // What is previewed is among the first.
    const auto& ids = selection_.ids;
    const auto end = ids.begin() + std::min<std::ptrdiff_t>(kPreviewedJobs, std::ssize(ids));
    const auto found = std::find(ids.begin(), end, id);
    return found == end ? Millis{0}
                        : spreadOffset(static_cast<std::size_t>(found - ids.begin()), over);
}

void RescheduleDialog::send()
{
    const auto when = due();
    const auto over = spread();
    if (!when || !over) {
        return refresh();
    }
    BulkRequest request;
    request.verb = BulkAction::Verb::Reschedule;
    request.selection = selection_;
    request.due = *when;
    request.spread = *over;
    if (over->count() > 0) {
        // Each its own time, so that what was shown is what the store has then.
        for (std::size_t place = 0; place < selection_.ids.size(); ++place) {
            request.dues.push_back(*when + spreadOffset(place, *over));
        }
    }
    request.attempts =
        reset_->isChecked() ? BulkAction::Attempts::Reset : BulkAction::Attempts::Keep;
    request.reason = reason_->text().trimmed().toStdString();
    accept();
    emit rescheduleRequested(request);
}

void RescheduleDialog::retranslate()
{
    setWindowTitle(tr("Reschedule"));
    heading_->setText(questionText(BulkAction::Verb::Reschedule, selection_.count)
                          .remove(u'?')
                          .remove(QChar(0xff1f)));
    scope_->setText(scopeText(selection_));
    at_->setText(tr("&At"));
    in_->setText(tr("&In"));
    nameIt(time_, tr("Time"));
    nameIt(zone_, tr("Time zone"));
    nameIt(wait_, tr("From now, such as 2h30m"));
    wait_->setToolTip(tr("So long from now: 90s, 15m, 2h30m, 7d"));
    spreads_->setText(tr("S&pread over"));
    nameIt(spread_, tr("Spread over, such as 30m"));
    spread_->setToolTip(tr("Evenly over so long, so that they do not all run at once"));
    setRowTitle(attempts_, tr("Attempts:"));
    keep_->setText(tr("&Keep attempts"));
    keep_->setToolTip(tr("What the retry schedule has used up stays used up"));
    reset_->setText(tr("R&eset attempts"));
    reset_->setToolTip(tr("The retry schedule begins anew, as if they had never been tried. The "
                          "numbers of their attempts go on."));
    setRowTitle(reason_, tr("&Reason:"));
    nameIt(preview_, tr("What that means for the first of them"));
    previewTitle_->setText(selection_.count == 1 ? tr("What that means:")
                                                 : tr("What that means for the first of them:"));
    preview_->setHorizontalHeaderLabels(
        {tr("Job"), tr("Due so far"), tr("Due then"), tr("Tries so far"), tr("Tries then")});
    accept_->setText(buttonText(BulkAction::Verb::Reschedule, selection_.count));
    refresh();
}

}  // namespace restante::gui
