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
#include <QRadioButton>
#include <QTableWidget>

#include <algorithm>

namespace restante::gui {

namespace {

constexpr std::uint32_t kPreviewedJobs = 5;

/// The duration typed in the box, or what is wrong with it.
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
    column_->addWidget(heading_ = newHeading(this));
    column_->addWidget(scope_ = newSelectableText(this, "scope"));
    column_->addWidget(buildWhen());
    column_->addLayout(form_ = makeForm());
    buildAttempts();
    reason_ = addReason();
    buildPreview();
    addButtons(104);
    connect(accept_, &QPushButton::clicked, this, &RescheduleDialog::send);
    retranslate();
    requestPreview();
}

void RescheduleDialog::buildAttempts()
{
    attempts_ = new QWidget(this);
    keepAttemptsButton_ = makeWidget<QRadioButton>("keepAttempts", attempts_);
    keepAttemptsButton_->setChecked(true);
    resetAttemptsButton_ = makeWidget<QRadioButton>("resetAttempts", attempts_);
    auto* row = new QHBoxLayout(attempts_);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(keepAttemptsButton_);
    row->addWidget(resetAttemptsButton_);
    row->addStretch(1);
    addLabelledRow(form_, attempts_)->setBuddy(keepAttemptsButton_);
    connect(resetAttemptsButton_, &QRadioButton::toggled, this, &RescheduleDialog::updateState);
}

void RescheduleDialog::buildPreview()
{
    previewTitle_ = new QLabel(this);
    preview_ = newReadOnlyTable(this, "preview", 5);
    preview_->setSelectionMode(QAbstractItemView::NoSelection);
    preview_->setWordWrap(false);
    preview_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    // There are few rows, so fitting the columns to their text is cheap; the id gets the rest.
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
    atButton_ = makeWidget<QRadioButton>("at", when);
    inButton_ = makeWidget<QRadioButton>("in", when);
    time_ = newDateTimeEdit(when, "yyyy-MM-dd HH:mm:ss");
    zone_ = newZoneBox(when, preferences_);
    delay_ = newEditableBox(when, "wait", {"1h", "5m", "15m", "2h", "8h", "1d", "7d"});
    spreadBox_ = makeWidget<QCheckBox>("spreads", when);
    spreadDuration_ = newEditableBox(when, "spread", {"30m", "5m", "2h", "1d"});
    auto* grid = new QGridLayout(when);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(atButton_, 0, 0);
    grid->addWidget(time_, 0, 1);
    grid->addWidget(zone_, 0, 2);
    grid->addWidget(inButton_, 1, 0);
    grid->addWidget(delay_, 1, 1);
    grid->addWidget(spreadBox_, 2, 0);
    grid->addWidget(spreadDuration_, 2, 1);
    tabInOrder({atButton_, time_, zone_, inButton_, delay_, spreadBox_, spreadDuration_});
    grid->setColumnStretch(2, 1);
    spreadBox_->setVisible(selection_.count != 1);
    spreadDuration_->setVisible(selection_.count != 1);
    showNextHour(*time_, session_.source().now(), zoneOf(preferences_));
    inButton_->setChecked(true);
    // Editing a value selects its option.
    connect(time_, &QDateTimeEdit::dateTimeChanged, atButton_,
            [this] { atButton_->setChecked(true); });
    connect(delay_, &QComboBox::editTextChanged, inButton_,
            [this] { inButton_->setChecked(true); });
    connect(spreadDuration_, &QComboBox::editTextChanged, spreadBox_,
            [this] { spreadBox_->setChecked(true); });
    const auto rememberChoice = [this] { isDueChosen_ = true; };
    connect(time_, &QDateTimeEdit::dateTimeChanged, this, rememberChoice);
    connect(delay_, &QComboBox::editTextChanged, this, rememberChoice);
    for (auto* button : {atButton_, inButton_}) {
        connect(button, &QRadioButton::clicked, this, rememberChoice);
        connect(button, &QRadioButton::toggled, this, rememberChoice);
    }
    connect(time_, &QDateTimeEdit::dateTimeChanged, this, &RescheduleDialog::updateState);
    for (auto* box : {zone_, delay_, spreadDuration_}) {
        connect(box, &QComboBox::editTextChanged, this, &RescheduleDialog::updateState);
    }
    connect(atButton_, &QRadioButton::toggled, this, &RescheduleDialog::updateState);
    connect(spreadBox_, &QCheckBox::toggled, this, &RescheduleDialog::updateState);
    return when;
}

void RescheduleDialog::requestPreview()
{
    auto& source = session_.source();
    if (selection_.all) {
        const auto handleAnswer = [this](auto answer) {
            if (answer) {
                handleRows(std::move(answer->rows));
            }
        };
        if (selection_.view.ranked()) {
            source.page({.view = selection_.view, .limit = kPreviewedJobs}, {this, handleAnswer});
        } else {
            source.scan({.view = selection_.view, .limit = kPreviewedJobs}, {this, handleAnswer});
        }
        return;
    }
    // Read from the store: the rows of the table may be older.
    for (std::size_t at = 0; at < std::min<std::size_t>(kPreviewedJobs, selection_.ids.size());
         ++at) {
        source.show(selection_.ids[at], {this, [this](Result<JobView> view) {
                                             if (view) {
                                                 auto rows = rows_;
                                                 rows.push_back(rowOf(*view));
                                                 handleRows(std::move(rows));
                                             }
                                         }});
    }
}

void RescheduleDialog::handleRows(std::vector<JobRow> rows)
{
    std::erase_if(rows, [this](const JobRow& row) {
        return selection_.all && selection_.except.count(row.id) != 0;
    });
    rows_ = std::move(rows);
    const auto now = session_.source().now();
    // For a single job the dialog starts with its current due time, unless the answer comes late.
    if (!hasReceivedRows_ && !isDueChosen_ && selection_.count == 1 && rows_.size() == 1 &&
        rows_.front().due > now &&
        rows_.front().due < now + Millis{std::chrono::hours{24 * 3'660}}) {
        const auto due = QDateTime::fromMSecsSinceEpoch(toEpochMs(rows_.front().due), zone());
        time_->setDateTime(QDateTime(due.date(), due.time(), kUtc));
        atButton_->setChecked(true);
    }
    hasReceivedRows_ = true;
    updateState();
}

QTimeZone RescheduleDialog::zone() const
{
    const auto chosen = selectedZone(zone_);
    return chosen.isValid() ? chosen : zoneOf(preferences_);
}

tl::expected<TimePoint, QString> RescheduleDialog::due() const
{
    if (atButton_->isChecked()) {
        const auto chosen = selectedZone(zone_);
        if (!chosen.isValid()) {
            return tl::unexpected(
                tr("There is no time zone “%1”; choose one like Europe/Berlin or UTC.")
                    .arg(zone_->currentText()));
        }
        return timeOf(time_->date(), time_->time(), chosen);
    }
    return durationIn(delay_).map([this](Millis wait) { return session_.source().now() + wait; });
}

tl::expected<Millis, QString> RescheduleDialog::spread() const
{
    return spreadBox_->isChecked() ? durationIn(spreadDuration_) : Millis{0};
}

void RescheduleDialog::updateState()
{
    const auto when = due();
    const auto spreadOver = spread();
    accept_->setEnabled(when && spreadOver);
    if (!when || !spreadOver) {
        return notice_->showMessage(when ? spreadOver.error() : when.error(), Theme::Severity::Bad);
    }
    if (*when <= session_.source().now() && atButton_->isChecked()) {
        notice_->showMessage(tr("That time has passed: they will run at once."),
                             Theme::Severity::Warning);
    } else {
        notice_->clearText();
    }
    showPreview(*when, *spreadOver);
}

void RescheduleDialog::showPreview(TimePoint due, Millis spreadOver)
{
    const auto shownZone = zone();
    preview_->setRowCount(static_cast<int>(rows_.size()));
    for (std::size_t at = 0; at < rows_.size(); ++at) {
        // With "all that match" the order is unknown until the store finds them.
        const auto newDue =
            spreadOver.count() > 0 && selection_.all
                ? tr("%1 to %2").arg(timeIn(shownZone, due), timeIn(shownZone, due + spreadOver))
                : timeIn(shownZone, due + offsetOf(rows_[at].id, spreadOver));
        const auto& row = rows_[at];
        const auto newAttempts = resetAttemptsButton_->isChecked() ? 0 : row.countedAttempts;
        const QString texts[] = {QString::fromStdString(row.id), timeIn(shownZone, row.due), newDue,
                                 attemptsText(row.countedAttempts, row.maxAttempts),
                                 attemptsText(newAttempts, row.maxAttempts)};
        for (int column = 0; column < preview_->columnCount(); ++column) {
            preview_->setItem(static_cast<int>(at), column, new QTableWidgetItem(texts[column]));
        }
    }
}

Millis RescheduleDialog::spreadOffset(std::size_t index, Millis spreadOver) const
{
    const auto count = static_cast<std::int64_t>(selection_.ids.size());
    return count == 0
               ? Millis{0}
               : Millis{spreadOver.count() / count * static_cast<std::int64_t>(index) +
                        spreadOver.count() % count * static_cast<std::int64_t>(index) / count};
}

Millis RescheduleDialog::offsetOf(const std::string& id, Millis spreadOver) const
{
    // The previewed jobs are among the first ones.
    const auto& ids = selection_.ids;
    const auto end = ids.begin() + std::min<std::ptrdiff_t>(kPreviewedJobs, std::ssize(ids));
    const auto found = std::find(ids.begin(), end, id);
    return found == end ? Millis{0}
                        : spreadOffset(static_cast<std::size_t>(found - ids.begin()), spreadOver);
}

void RescheduleDialog::send()
{
    const auto when = due();
    const auto spreadOver = spread();
    if (!when || !spreadOver) {
        return updateState();
    }
    BulkRequest request;
    request.verb = BulkAction::Verb::Reschedule;
    request.selection = selection_;
    request.due = *when;
    request.spread = *spreadOver;
    if (spreadOver->count() > 0) {
        // One due time for each job, so that the store gets what the preview has shown.
        for (std::size_t index = 0; index < selection_.ids.size(); ++index) {
            request.dues.push_back(*when + spreadOffset(index, *spreadOver));
        }
    }
    request.attempts = resetAttemptsButton_->isChecked() ? BulkAction::Attempts::Reset
                                                         : BulkAction::Attempts::Keep;
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
    atButton_->setText(tr("&At"));
    inButton_->setText(tr("&In"));
    setAccessibleNameOf(time_, tr("Time"));
    setAccessibleNameOf(zone_, tr("Time zone"));
    setAccessibleNameOf(delay_, tr("From now, such as 2h30m"));
    delay_->setToolTip(tr("So long from now: 90s, 15m, 2h30m, 7d"));
    spreadBox_->setText(tr("S&pread over"));
    setAccessibleNameOf(spreadDuration_, tr("Spread over, such as 30m"));
    spreadDuration_->setToolTip(tr("Evenly over so long, so that they do not all run at once"));
    setRowTitle(attempts_, tr("Attempts:"));
    keepAttemptsButton_->setText(tr("&Keep attempts"));
    keepAttemptsButton_->setToolTip(tr("What the retry schedule has used up stays used up"));
    resetAttemptsButton_->setText(tr("R&eset attempts"));
    resetAttemptsButton_->setToolTip(
        tr("The retry schedule begins anew, as if they had never been tried. The "
           "numbers of their attempts go on."));
    setRowTitle(reason_, tr("&Reason:"));
    setAccessibleNameOf(preview_, tr("What that means for the first of them"));
    previewTitle_->setText(selection_.count == 1 ? tr("What that means:")
                                                 : tr("What that means for the first of them:"));
    preview_->setHorizontalHeaderLabels(
        {tr("Job"), tr("Due so far"), tr("Due then"), tr("Tries so far"), tr("Tries then")});
    accept_->setText(buttonText(BulkAction::Verb::Reschedule, selection_.count));
    updateState();
}

}  // namespace restante::gui
