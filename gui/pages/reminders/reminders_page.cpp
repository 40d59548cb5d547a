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

/// What the journal knows of an occurrence may come so much later.
constexpr Millis kJournalDelay{5 * 60'000};

/// May come to an end without having told.
bool isFinal(SeriesText::Absent absent, Millis age)
{
    return absent == SeriesText::Absent::Delivered ||
           (absent != SeriesText::Absent::Unknown && age > kJournalDelay);
}

bool isPending(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready || state == JobState::Held;
}

/// What brings the first one: from tomorrow on.
QString firstCommand(TimePoint now)
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
    updateStatus();
}

QBoxLayout* RemindersPage::buildBar()
{
    auto* bar = new QHBoxLayout;
    find_ = makeWidget<QLineEdit>("seriesFilter", this);
    find_->setClearButtonEnabled(true);
    find_->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    find_->addAction(icon(QStringLiteral("edit-find")), QLineEdit::LeadingPosition);
    count_ = plainLabel(this, "seriesCount");
    count_->setForegroundRole(QPalette::PlaceholderText);
    new_ = makeWidget<QPushButton>("newSeries", this);
    new_->setIcon(icon(QStringLiteral("appointment-reminder")));
    bar->addWidget(find_, 1);
    bar->addSpacing(fontMetrics().averageCharWidth() * 2);
    bar->addWidget(count_, 1);
    bar->addWidget(new_);
    return bar;
}

QWidget* RemindersPage::buildBody()
{
    split_ = makeWidget<QSplitter>("seriesParts", Qt::Vertical, this);
    buildTable();
    pane_ = new SeriesPane(context_, split_);
    split_->addWidget(table_);
    split_->addWidget(pane_);
    split_->setStretchFactor(0, 1);
    split_->setStretchFactor(1, 1);
    split_->setSizes({360, 340});
    split_->setChildrenCollapsible(false);
    split_->setHandleWidth(1);
    rememberSplitter(*split_, context_.preferences, QStringLiteral("reminders/parts"));
    return split_;
}

void RemindersPage::buildTable()
{
    sorted_ = new QSortFilterProxyModel(this);
    sorted_->setSourceModel(&model_);
    sorted_->setSortRole(SeriesModel::kSortRole);
    sorted_->setFilterKeyColumn(-1);
    sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    table_ = makeWidget<QTableView>("seriesTable", split_);
    table_->setModel(sorted_);
    applyTableStyle(*table_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->setSortingEnabled(true);
    table_->sortByColumn(SeriesModel::Next, Qt::AscendingOrder);
    resizeColumns(*table_, {24, 42, 34, 12, 28, 14});
    // What has room for more shows more of the text; the others are as wide as what they say.
    table_->horizontalHeader()->setStretchLastSection(false);
    table_->horizontalHeader()->setSectionResizeMode(SeriesModel::Text, QHeaderView::Stretch);
    rememberHeader(*table_->horizontalHeader(), context_.preferences,
                   QStringLiteral("reminders/columns"));
    menu_ = new QMenu(this);
}

void RemindersPage::connectAll()
{
    connect(find_, &QLineEdit::textChanged, this, [this](const QString& text) {
        sorted_->setFilterFixedString(text.trimmed());
        updateStatus();
    });
    connect(new_, &QPushButton::clicked, this, &RemindersPage::newSeriesRequested);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid()) {
                    chosen_ = model_.row(sorted_->mapToSource(current).row()).id();
                    showPane();
                }
            });
    connect(table_, &QTableView::customContextMenuRequested, this, &RemindersPage::showMenu);
    const auto edit = [this] {
        if (const auto* row = chosen(); row != nullptr && row->view.series) {
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
        if (find_->text().trimmed().isEmpty()) {
            emit newSeriesRequested();
        } else {
            find_->clear();
        }
    });
}

void RemindersPage::clear()
{
    loaded_ = false;
    isComplete_ = true;
    absent_.clear();
    chosen_.clear();
    model_.clear();
    pane_->clear();
    sinceLook_.invalidate();
    hasWritten_ = false;
    if (session_ != nullptr) {
        connect(&session_->commands(), &JobCommands::written, this, [this] { hasWritten_ = true; });
    }
}

void RemindersPage::cancelRequests()
{
    if (session_ != nullptr) {
        for (auto* requestId : {&asked_, &historyAsked_, &relatedAsked_}) {
            session_->source().cancel(std::exchange(*requestId, 0));
        }
    }
    asked_ = historyAsked_ = relatedAsked_ = 0;
}

void RemindersPage::refresh()
{
    // A slow store is not asked twice at a time.
    if (isReady() && asked_ == 0 && !isResting()) {
        ask();
    }
}

/// Those that are paused are looked for among all that is held: where that takes long the store is
/// left alone for longer.
bool RemindersPage::isResting() const
{
    constexpr int kRests = 20;  // as long as the look took
    constexpr qint64 kLongestMs = 60'000;
    return loaded_ && !hasWritten_ && sinceLook_.isValid() &&
           sinceLook_.elapsed() < std::min(lookTookMs_ * kRests, kLongestMs);
}

void RemindersPage::ask()
{
    sinceLook_.start();
    hasWritten_ = false;
    asked_ = session_->source().series(
        {}, {this, [this](Result<reminder::SeriesList> list) {
                 asked_ = 0;
                 lookTookMs_ = sinceLook_.restart();
                 if (list) {
                     return take(std::move(*list));
                 }
                 const auto why = QString::fromStdString(list.error().message);
                 notice_->showMessage(Theme::Meaning::Bad,
                                      tr("The reminders could not be read: %1").arg(why), why);
                 updateStatus();
             }});
}

void RemindersPage::take(reminder::SeriesList list)
{
    notice_->clear();
    loaded_ = true;
    isComplete_ = list.complete;
    const bool asks = session_->link().journalProblem.isEmpty();
    std::vector<SeriesRow> rows;
    rows.reserve(list.series.size());
    for (auto& view : list.series) {
        SeriesRow row{std::move(view)};
        if (row.view.last && !row.view.last->job && asks) {
            const auto known = absent_.find(row.view.last->id);
            row.absent = known == absent_.end() ? SeriesText::Absent::Asked : known->second;
        }
        rows.push_back(std::move(row));
    }
    // As they come: what the user sorts by is the table's affair.
    std::ranges::sort(rows, {}, &SeriesRow::id);
    const auto place = chosen_;
    model_.setContent(std::move(rows), session_->source().now());
    choose(place);
    updateStatus();
    askHistory();
}

/// What became of occurrences that the store does not have any more, one after the other: that of
/// the chosen one first.
void RemindersPage::askHistory()
{
    if (!isReady() || historyAsked_ != 0) {
        return;
    }
    const SeriesRow* next = nullptr;
    for (const auto& row : model_.rows()) {
        const bool isAsked = row.view.last && row.absent == SeriesText::Absent::Asked;
        if (isAsked && (next == nullptr || row.id() == chosen_)) {
            next = &row;
        }
    }
    if (next == nullptr) {
        return;
    }
    historyAsked_ = session_->source().history(
        next->view.last->id, {this, [this, series = next->id(), last = *next->view.last](
                                        const Result<std::vector<HistoryRow>>& history) {
                                  historyAsked_ = 0;
                                  const auto absent = SeriesText::absentOf(history);
                                  if (isFinal(absent, session_->source().now() - last.at)) {
                                      absent_[last.id] = absent;
                                  }
                                  model_.setAbsent(series, absent);
                                  showPane();
                                  askHistory();
                              }});
}

const SeriesRow* RemindersPage::chosen() const
{
    const auto row = model_.rowOf(chosen_);
    return row < 0 ? nullptr : &model_.row(row);
}

/// The one with that id, or the first of the table.
void RemindersPage::choose(const std::string& id)
{
    const auto row = model_.rowOf(id);
    auto index = row < 0 ? QModelIndex() : sorted_->mapFromSource(model_.index(row, 0));
    if (!index.isValid() && sorted_->rowCount() > 0) {
        index = sorted_->index(0, 0);
    }
    if (index.isValid()) {
        table_->setCurrentIndex(index);
        chosen_ = model_.row(sorted_->mapToSource(index).row()).id();
    }
    showPane();
}

void RemindersPage::showSeries(const std::string& id)
{
    find_->clear();
    chosen_ = id;
    if (model_.rowOf(id) >= 0) {
        choose(id);
    }
    sinceLook_.invalidate();
    refresh();
}

QWidget* RemindersPage::firstFocus()
{
    return isTableShown() ? static_cast<QWidget*>(table_) : find_;
}

void RemindersPage::showPane()
{
    pane_->setRefusal(session_ == nullptr ? tr("There is no connection.")
                                          : session_->commands().refusal());
    const auto* row = chosen();
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
    const auto* row = chosen();
    if (row == nullptr || row->view.next.size() < 2) {
        return;
    }
    auto request = requestFor(BulkAction::Verb::Reschedule, *row);
    request.due = row->view.next[1];
    // Somebody may have moved it since, or it has been sent.
    request.expectedStates = {JobState::Scheduled, JobState::Ready};
    request.expectedDues = {row->view.job.due};
    request.reason = "the next time is skipped";
    emit bulkRequested(request);
}

void RemindersPage::pause()
{
    if (const auto* row = chosen()) {
        emit bulkRequested(requestFor(BulkAction::Verb::Hold, *row));
    }
}

/// Not by release: that would send what was due while it was paused.
void RemindersPage::resume()
{
    const auto* row = chosen();
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
    const auto* row = chosen();
    if (row == nullptr || !isReady()) {
        return;
    }
    session_->source().cancel(relatedAsked_);
    RelatedRequest related;
    related.by = RelatedRequest::By::BizKey;
    related.value = row->view.job.job.bizKey;
    relatedAsked_ = session_->source().related(
        std::move(related), {this, [this, request = requestFor(BulkAction::Verb::Trash, *row)](
                                       const Result<std::vector<JobRow>>& rows) {
                                 relatedAsked_ = 0;
                                 auto whole = request;
                                 auto& ids = whole.selection.ids;
                                 const auto prefix = ids.front() + '.';
                                 for (const auto& one : rows ? *rows : std::vector<JobRow>{}) {
                                     if (one.id.starts_with(prefix) && isPending(one.state)) {
                                         ids.push_back(one.id);
                                     }
                                 }
                                 whole.selection.count = ids.size();
                                 emit bulkRequested(whole);
                             }});
}

void RemindersPage::showMenu(const QPoint& at)
{
    const auto index = table_->indexAt(at);
    if (!index.isValid()) {
        return;
    }
    menu_->clear();
    for (auto* button : pane_->findChildren<QPushButton*>()) {
        auto* action =
            menu_->addAction(button->icon(), button->text(), button, [button] { button->click(); });
        action->setEnabled(button->isEnabled());
    }
    menu_->popup(table_->viewport()->mapToGlobal(at));
}

QString RemindersPage::countText() const
{
    if (!loaded_ || session_ == nullptr) {
        return {};
    }
    const auto all = tr("%Ln recurring reminder(s)", "", model_.rowCount());
    const auto paused = static_cast<int>(std::ranges::count_if(
        model_.rows(), [](const SeriesRow& row) { return row.view.isPaused(); }));
    const auto both = paused == 0 ? all : tr("%1, %2").arg(all, tr("%Ln paused", "", paused));
    const auto counted = isComplete_ ? both : tr("at least %1").arg(both);
    // With the store away it is what there was.
    return isReady() ? counted : tr("%1 when the store was last read").arg(counted);
}

void RemindersPage::updateStatus()
{
    showTable(sorted_->rowCount() != 0);
    if (!isTableShown()) {
        showEmptyPane();
    }
    showPane();
    new_->setEnabled(session_ != nullptr && session_->commands().refusal().isEmpty());
    count_->setText(countText());
    emit statusTextChanged(countText());
}

void RemindersPage::showEmptyPane()
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
                                    .arg(find_->text().trimmed()),
                                {tr("Show All Reminders")}});
    } else {
        emptyPane_->setContent(
            {QStringLiteral("view-reminders"),
             tr("Nothing is sent again and again"),
             tr("Here stands every recurring reminder: to whom, how often, what it says, its next "
                "times and what became of the last one. The first row comes with:\n\n%1")
                 .arg(firstCommand(session_->source().now())),
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
    find_->setPlaceholderText(tr("Find a reminder"));
    find_->setAccessibleName(tr("Find a reminder"));
    new_->setText(tr("New Recurring Reminder…"));
    new_->setToolTip(tr("Send somebody a text again and again"));
    table_->setAccessibleName(tr("Recurring reminders"));
    pane_->retranslate();
    model_.retranslate();
    updateStatus();
}

}  // namespace restante::gui
