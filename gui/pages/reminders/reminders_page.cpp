#include "gui/pages/reminders/reminders_page.h"

#include "gui/base/preferences.h"
#include "gui/pages/page_parts.h"
#include "gui/pages/reminders/series_pane.h"
#include "gui/session/store_session.h"
#include "gui/theme/empty_pane.h"
#include "gui/theme/icons.h"
#include "gui/theme/message_bar.h"
#include "gui/theme/saved_layout.h"
#include "gui/theme/table_style.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// Jobs of one series that are looked at when it is cancelled: a mailbox may hold a month of them.
constexpr std::uint32_t kMaxRelated = 10'000;

/// The journal may record an occurrence this much later.
constexpr Millis kJournalDelay{5 * 60'000};

/// Whether later requests of the history cannot change the answer.
bool isFinal(SeriesText::RunOutcome runOutcome, Millis age)
{
    return runOutcome == SeriesText::RunOutcome::Delivered ||
           (runOutcome != SeriesText::RunOutcome::Unknown && age > kJournalDelay);
}

bool isPending(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready || state == JobState::Held;
}

/// A command that creates a reminder, from tomorrow on.
QString exampleCommand(TimePoint now)
{
    const auto tomorrow =
        QDateTime::fromMSecsSinceEpoch(toEpochMs(now)).date().addDays(1).toString(Qt::ISODate);
    return QStringLiteral("restantectl remind sip:bob@example.org --every weekdays --at \"%1 "
                          "09:00\" --text \"Stand-up in five minutes\"")
        .arg(tomorrow);
}

}  // namespace

RemindersPage::RemindersPage(Context context, QWidget* parent)
    : StorePage(context, parent),
      model_(context.preferences)
{
    setObjectName(QStringLiteral("remindersPage"));
    auto* bar = buildBar();
    setupLayout("remindersNotice", bar, buildBody());
    connectAll();
    retranslate();
    updateDisplay();
}

QBoxLayout* RemindersPage::buildBar()
{
    auto* bar = new QHBoxLayout;
    searchField_ = makeWidget<QLineEdit>("seriesFilter", this);
    searchField_->setClearButtonEnabled(true);
    searchField_->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    searchField_->addAction(icon(QStringLiteral("edit-find")), QLineEdit::LeadingPosition);
    countLabel_ = plainLabel(this, "seriesCount");
    countLabel_->setForegroundRole(QPalette::PlaceholderText);
    newButton_ = makeWidget<QPushButton>("newSeries", this);
    newButton_->setIcon(icon(QStringLiteral("appointment-reminder")));
    bar->addWidget(searchField_, 1);
    bar->addSpacing(fontMetrics().averageCharWidth() * 2);
    bar->addWidget(countLabel_, 1);
    bar->addWidget(newButton_);
    return bar;
}

QWidget* RemindersPage::buildBody()
{
    splitter_ = makeWidget<QSplitter>("seriesParts", Qt::Vertical, this);
    buildTable();
    pane_ = new SeriesPane(context_, splitter_);
    splitter_->addWidget(table_);
    splitter_->addWidget(pane_);
    splitter_->setStretchFactor(0, 1);
    splitter_->setStretchFactor(1, 1);
    splitter_->setSizes({360, 340});
    splitter_->setChildrenCollapsible(false);
    splitter_->setHandleWidth(1);
    rememberSplitter(*splitter_, context_.preferences, QStringLiteral("reminders/parts"));
    return splitter_;
}

void RemindersPage::buildTable()
{
    sortedModel_ = new QSortFilterProxyModel(this);
    sortedModel_->setSourceModel(&model_);
    sortedModel_->setSortRole(SeriesModel::kSortRole);
    sortedModel_->setFilterKeyColumn(-1);
    sortedModel_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    table_ = makeWidget<QTableView>("seriesTable", splitter_);
    table_->setModel(sortedModel_);
    applyTableStyle(*table_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->setSortingEnabled(true);
    table_->sortByColumn(SeriesModel::Next, Qt::AscendingOrder);
    resizeColumns(*table_, {24, 42, 34, 12, 28, 14});
    // Spare width goes to the text.
    table_->horizontalHeader()->setStretchLastSection(false);
    table_->horizontalHeader()->setSectionResizeMode(SeriesModel::Text, QHeaderView::Stretch);
    rememberHeader(*table_->horizontalHeader(), context_.preferences,
                   QStringLiteral("reminders/columns"));
    menu_ = new QMenu(this);
}

void RemindersPage::connectAll()
{
    connect(searchField_, &QLineEdit::textChanged, this, [this](const QString& text) {
        sortedModel_->setFilterFixedString(text.trimmed());
        updateDisplay();
    });
    connect(newButton_, &QPushButton::clicked, this, &RemindersPage::newSeriesRequested);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid()) {
                    currentId_ = model_.row(sortedModel_->mapToSource(current).row()).id();
                    if (currentId_ != cancelProblemId_) {
                        clearCancelProblem();
                    }
                    updatePane();
                }
            });
    connect(table_, &QTableView::customContextMenuRequested, this, &RemindersPage::showMenu);
    const auto edit = [this] {
        if (const auto* row = currentRow(); row != nullptr && row->view.series) {
            emit editRequested(row->view);
        }
    };
    connect(table_, &QTableView::activated, this, edit);
    connect(pane_, &SeriesPane::editRequested, this, edit);
    connect(pane_, &SeriesPane::skipRequested, this, &RemindersPage::skipNext);
    connect(pane_, &SeriesPane::pauseRequested, this, &RemindersPage::pause);
    connect(pane_, &SeriesPane::resumeRequested, this, &RemindersPage::resume);
    connect(pane_, &SeriesPane::cancelRequested, this, &RemindersPage::cancelSeries);
    connect(pane_, &SeriesPane::filterRequested, this, &RemindersPage::filterRequested);
    connect(pane_, &SeriesPane::jobRequested, this, &RemindersPage::jobRequested);
    connect(emptyPane_, &EmptyPane::pressed, this, [this] {
        if (searchField_->text().trimmed().isEmpty()) {
            emit newSeriesRequested();
        } else {
            searchField_->clear();
        }
    });
}

void RemindersPage::clear()
{
    loaded_ = false;
    isComplete_ = true;
    knownRunOutcomes_.clear();
    currentId_.clear();
    cancelProblem_.clear();
    model_.clear();
    pane_->clear();
    sinceSeriesRequest_.invalidate();
    wasWrittenSinceRequest_ = false;
    if (session_ != nullptr) {
        connect(&session_->commands(), &JobCommands::written, this,
                [this] { wasWrittenSinceRequest_ = true; });
    }
}

void RemindersPage::cancelRequests()
{
    if (session_ != nullptr) {
        for (auto* requestId : {&seriesRequest_, &historyRequest_, &relatedRequest_}) {
            session_->source().cancel(std::exchange(*requestId, 0));
        }
    }
    seriesRequest_ = historyRequest_ = relatedRequest_ = 0;
}

void RemindersPage::refresh()
{
    // Only one request at a time, as the store may be slow.
    if (isReady() && seriesRequest_ == 0 && !isSeriesRequestTooSoon()) {
        requestSeries();
    }
}

void RemindersPage::refreshNow()
{
    if (seriesRequest_ == 0) {
        sinceSeriesRequest_.invalidate();
    }
    refresh();
}

/// Finding paused series scans all held jobs; the longer that takes, the less often it is done.
bool RemindersPage::isSeriesRequestTooSoon() const
{
    constexpr int kPauseFactor = 20;  // times the duration of the last request
    constexpr qint64 kMaxPauseMs = 60'000;
    return loaded_ && !wasWrittenSinceRequest_ && sinceSeriesRequest_.isValid() &&
           sinceSeriesRequest_.elapsed() <
               std::min(seriesRequestDurationMs_ * kPauseFactor, kMaxPauseMs);
}

void RemindersPage::requestSeries()
{
    sinceSeriesRequest_.start();
    wasWrittenSinceRequest_ = false;
    seriesRequest_ = session_->source().series(
        {}, {this, [this](Result<reminder::SeriesList> list) {
                 seriesRequest_ = 0;
                 seriesRequestDurationMs_ = sinceSeriesRequest_.restart();
                 if (list) {
                     return handleSeries(std::move(*list));
                 }
                 const auto message = QString::fromStdString(list.error().message);
                 cancelProblem_.clear();  // its place is taken
                 notice_->showMessage(Theme::Severity::Bad,
                                      tr("The reminders could not be read: %1").arg(message),
                                      message);
                 updateDisplay();
             }});
}

void RemindersPage::handleSeries(reminder::SeriesList list)
{
    const auto isProblem = [this](const reminder::SeriesView& view) {
        return view.job.job.id == cancelProblemId_;
    };
    if (cancelProblem_.isEmpty()) {
        notice_->clear();
    } else if (std::ranges::none_of(list.series, isProblem)) {
        clearCancelProblem();
    }
    loaded_ = true;
    isComplete_ = list.complete;
    const bool hasJournal = session_->link().journalProblem.isEmpty();
    std::vector<SeriesRow> rows;
    rows.reserve(list.series.size());
    for (auto& view : list.series) {
        SeriesRow row{std::move(view)};
        if (row.view.last && !row.view.last->job && hasJournal) {
            const auto known = knownRunOutcomes_.find(row.view.last->id);
            row.runOutcome =
                known == knownRunOutcomes_.end() ? SeriesText::RunOutcome::Loading : known->second;
        }
        rows.push_back(std::move(row));
    }
    // A stable order for comparison; the table sorts for display.
    std::ranges::sort(rows, {}, &SeriesRow::id);
    const auto previousId = currentId_;
    model_.setContent(std::move(rows), session_->source().now());
    setCurrentSeries(previousId);
    updateDisplay();
    requestHistory();
}

/// Requests the histories of occurrences that are no longer in the store, one after the other, that
/// of the current series first.
void RemindersPage::requestHistory()
{
    if (!isReady() || historyRequest_ != 0) {
        return;
    }
    const SeriesRow* next = nullptr;
    for (const auto& row : model_.rows()) {
        const bool needsHistory =
            row.view.last && row.runOutcome == SeriesText::RunOutcome::Loading;
        if (needsHistory && (next == nullptr || row.id() == currentId_)) {
            next = &row;
        }
    }
    if (next == nullptr) {
        return;
    }
    historyRequest_ = session_->source().history(
        next->view.last->id, {this, [this, seriesId = next->id(), last = *next->view.last](
                                        const Result<std::vector<HistoryRow>>& history) {
                                  historyRequest_ = 0;
                                  const auto runOutcome = SeriesText::runOutcomeOf(history);
                                  if (isFinal(runOutcome, session_->source().now() - last.at)) {
                                      knownRunOutcomes_[last.id] = runOutcome;
                                  }
                                  // The series may have had another occurrence meanwhile.
                                  const auto row = model_.rowOf(seriesId);
                                  if (row >= 0 && model_.row(row).view.last &&
                                      model_.row(row).view.last->id == last.id) {
                                      model_.setRunOutcome(seriesId, runOutcome);
                                  }
                                  updatePane();
                                  requestHistory();
                              }});
}

const SeriesRow* RemindersPage::currentRow() const
{
    const auto row = model_.rowOf(currentId_);
    return row < 0 ? nullptr : &model_.row(row);
}

/// Falls back to the first row of the table.
void RemindersPage::setCurrentSeries(const std::string& id)
{
    const auto row = model_.rowOf(id);
    auto index = row < 0 ? QModelIndex() : sortedModel_->mapFromSource(model_.index(row, 0));
    if (!index.isValid() && sortedModel_->rowCount() > 0) {
        index = sortedModel_->index(0, 0);
    }
    if (index.isValid()) {
        table_->setCurrentIndex(index);
        currentId_ = model_.row(sortedModel_->mapToSource(index).row()).id();
    }
    updatePane();
}

void RemindersPage::showSeries(const std::string& id)
{
    searchField_->clear();
    currentId_ = id;
    if (model_.rowOf(id) >= 0) {
        setCurrentSeries(id);
    }
    sinceSeriesRequest_.invalidate();
    refresh();
}

QWidget* RemindersPage::firstFocus()
{
    return isTableShown() ? static_cast<QWidget*>(table_) : searchField_;
}

void RemindersPage::updatePane()
{
    pane_->setRefusal(session_ == nullptr ? tr("There is no connection.")
                                          : session_->commands().refusal());
    const auto* row = currentRow();
    pane_->setVisible(row != nullptr);
    if (row != nullptr) {
        pane_->setContent(*row, session_ != nullptr ? session_->source().now() : TimePoint{});
    } else {
        pane_->clear();
    }
}

BulkRequest RemindersPage::requestFor(BulkAction::Verb verb, const SeriesRow& row) const
{
    BulkRequest request;
    request.verb = verb;
    request.selection.ids = {row.id()};
    request.selection.count = 1;
    return request;
}

void RemindersPage::skipNext()
{
    const auto* row = currentRow();
    if (row == nullptr || row->view.next.size() < 2) {
        return;
    }
    auto request = requestFor(BulkAction::Verb::Reschedule, *row);
    request.due = row->view.next[1];
    // It may have been moved or sent since.
    request.expectedStates = {JobState::Scheduled, JobState::Ready};
    request.expectedDues = {row->view.job.due};
    request.reason = "the next time is skipped";
    emit bulkRequested(request);
}

void RemindersPage::pause()
{
    if (const auto* row = currentRow()) {
        emit bulkRequested(requestFor(BulkAction::Verb::Hold, *row));
    }
}

/// Release would send what was due while it was paused.
void RemindersPage::resume()
{
    const auto* row = currentRow();
    if (row == nullptr || row->view.next.empty()) {
        return;
    }
    auto request = requestFor(BulkAction::Verb::Reschedule, *row);
    request.due = row->view.next.front();
    request.expectedStates = {JobState::Held};
    request.reason = "resumed";
    emit bulkRequested(request);
}

void RemindersPage::cancelSeries()
{
    const auto* row = currentRow();
    if (row == nullptr || !isReady()) {
        return;
    }
    session_->source().cancel(relatedRequest_);
    clearCancelProblem();
    RelatedRequest query;
    query.by = RelatedRequest::By::BizKey;
    query.value = row->view.job.job.bizKey;
    query.limit = kMaxRelated;
    query.mustBeComplete = true;
    relatedRequest_ = session_->source().related(
        std::move(query), {this, [this, request = requestFor(BulkAction::Verb::Trash, *row)](
                                     const Result<RelatedJobs>& related) {
                               relatedRequest_ = 0;
                               if (!related) {
                                   return showCancelError(request.selection.ids.front(),
                                                          related.error());
                               }
                               auto withOccurrences = request;
                               auto& ids = withOccurrences.selection.ids;
                               const auto prefix = ids.front() + '.';
                               for (const auto& jobRow : related->rows) {
                                   if (jobRow.id.starts_with(prefix) && isPending(jobRow.state)) {
                                       ids.push_back(jobRow.id);
                                   }
                               }
                               withOccurrences.selection.count = ids.size();
                               emit bulkRequested(withOccurrences);
                           }});
}

/// What of it waits would be sent although it is cancelled, so nothing is done.
void RemindersPage::showCancelError(const std::string& id, const Error& error)
{
    cancelProblemId_ = id;
    cancelProblem_ =
        tr("The reminder was not cancelled, because what it has sent could not be read: %1")
            .arg(QString::fromStdString(error.message));
    notice_->showMessage(Theme::Severity::Warning, cancelProblem_);
}

void RemindersPage::clearCancelProblem()
{
    if (!std::exchange(cancelProblem_, {}).isEmpty()) {
        notice_->clear();
    }
}

void RemindersPage::showMenu(const QPoint& position)
{
    const auto index = table_->indexAt(position);
    if (!index.isValid()) {
        return;
    }
    menu_->clear();
    for (auto* button : pane_->findChildren<QPushButton*>()) {
        auto* action =
            menu_->addAction(button->icon(), button->text(), button, [button] { button->click(); });
        action->setEnabled(button->isEnabled());
    }
    menu_->popup(table_->viewport()->mapToGlobal(position));
}

QString RemindersPage::countText() const
{
    if (!loaded_ || session_ == nullptr) {
        return {};
    }
    const auto total = tr("%Ln recurring reminder(s)", "", model_.rowCount());
    const auto paused = static_cast<int>(std::ranges::count_if(
        model_.rows(), [](const SeriesRow& row) { return row.view.isPaused(); }));
    const auto withPaused =
        paused == 0 ? total : tr("%1, %2").arg(total, tr("%Ln paused", "", paused));
    const auto counted = isComplete_ ? withPaused : tr("at least %1").arg(withPaused);
    // Without a connection the count is the last known one.
    return isReady() ? counted : tr("%1 when the store was last read").arg(counted);
}

void RemindersPage::updateDisplay()
{
    showTable(sortedModel_->rowCount() != 0);
    if (!isTableShown()) {
        updateEmptyPane();
    }
    updatePane();
    newButton_->setEnabled(session_ != nullptr && session_->commands().refusal().isEmpty());
    countLabel_->setText(countText());
    emit statusTextChanged(countText());
}

void RemindersPage::updateEmptyPane()
{
    if (session_ == nullptr) {
        emptyPane_->setContent({QStringLiteral("network-server"), tr("Not connected"),
                                tr("Open a connection to see its reminders.")});
    } else if (!loaded_) {
        const auto& link = session_->link();
        emptyPane_->setContent(
            {QStringLiteral("network-server"), tr("Loading reminders…"),
             link.phase == LinkState::Phase::Connecting ? link.step : link.problem});
    } else if (model_.rowCount() != 0) {
        emptyPane_->setContent({QStringLiteral("edit-find"),
                                tr("No reminder is found"),
                                tr("None has “%1” in its recipient, its rule or its text.")
                                    .arg(searchField_->text().trimmed()),
                                {tr("Show All Reminders")}});
    } else {
        emptyPane_->setContent(
            {QStringLiteral("view-reminders"),
             tr("Nothing is sent again and again"),
             tr("Here stands every recurring reminder: to whom, how often, what it says, its next "
                "times and what became of the last one. The first row comes with:\n\n%1")
                 .arg(exampleCommand(session_->source().now())),
             {tr("New Recurring Reminder…")}});
    }
}

void RemindersPage::reformat()
{
    model_.retranslate();
    pane_->reformat();
}

void RemindersPage::retranslate()
{
    searchField_->setPlaceholderText(tr("Find a reminder"));
    searchField_->setAccessibleName(tr("Find a reminder"));
    newButton_->setText(tr("New Recurring Reminder…"));
    newButton_->setToolTip(tr("Send somebody a text again and again"));
    table_->setAccessibleName(tr("Recurring reminders"));
    pane_->retranslate();
    model_.retranslate();
    updateDisplay();
}

}  // namespace restante::gui
