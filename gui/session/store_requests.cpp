#include "gui/session/store_requests.h"

#include "core/queue/job_import.h"
#include "core/redis/store/store_activity.h"
#include "core/redis/store/waiting_facts.h"
#include "core/reminder/reminders.h"

#include <QtGlobal>

#include <algorithm>
#include <set>
#include <utility>

namespace restante::gui::requests {

namespace {

/// Pages of the console have 200 rows; larger requests would delay the others.
constexpr std::uint32_t kMaxPageRows = 1'000;
/// More attempts than the standard schedules have.
constexpr std::size_t kMaxForecastAttempts = 10;
/// Jobs examined for one list of related ones: some tens of commands.
constexpr std::uint64_t kMaxRelatedExamined = 50'000;

JobSearch searchOf(const JobsView& view)
{
    JobSearch search;
    search.filter = view.combinedFilter();
    search.states = view.states;
    search.order = view.descending ? JobSearch::Order::Descending : JobSearch::Order::Ascending;
    return search;
}

JobSearch searchOf(ScanRequest request)
{
    auto search = searchOf(request.view);
    search.cursor = std::move(request.cursor);
    search.limit = std::clamp(request.limit, 1U, kMaxPageRows);
    search.budget = std::max(request.budget, 1U);
    search.bodyBytes = request.bodyBytes;
    return search;
}

JobRow rowWithCutBody(const JobView& view, const CutBodies& cut)
{
    const auto wholeSize = cut.find(view.job.id);
    return rowOf(view, wholeSize == cut.end() ? view.job.body.size() : wholeSize->second);
}

std::vector<JobRow> rowsOf(const std::vector<JobView>& views, const CutBodies& cut)
{
    std::vector<JobRow> rows;
    rows.reserve(views.size());
    for (const auto& view : views) {
        rows.push_back(rowWithCutBody(view, cut));
    }
    return rows;
}

/// The rows that a list of searches finds, one search after the other, each once.
struct RelatedSearch : std::enable_shared_from_this<RelatedSearch> {
    /// Weak, as in all pending requests: the store owns what answers, and would keep itself alive.
    std::weak_ptr<OpenStore> store;
    std::vector<JobSearch> searches;
    std::size_t limit = 0;
    bool mustBeComplete = false;
    std::set<std::string> foundIds;
    std::vector<JobRow> rows;
    std::uint64_t examined = 0;
    Done<RelatedJobs> done;

    void searchNext()
    {
        const bool isFull = rows.size() >= limit;
        const bool isCut = isFull || (examined >= kMaxRelatedExamined && !searches.empty());
        if (isCut && mustBeComplete) {
            return done(failure(ErrorCode::Unavailable,
                                QT_TRANSLATE_NOOP("StoreProblem", "there are too many of them")));
        }
        if (isCut || searches.empty()) {
            return done(RelatedJobs{std::move(rows), !isCut});
        }
        const auto openStore = store.lock();
        if (!openStore) {
            return;  // the store is closed, and the request has failed already
        }
        openStore->inspector().search(searches.front(),
                                      [self = shared_from_this()](Result<SearchPage> page) {
                                          self->handlePage(std::move(page));
                                      });
    }

    void handlePage(Result<SearchPage> page)
    {
        if (!page) {
            return done(tl::unexpected<Error>(page.error()));
        }
        examined += page->examined;
        for (const auto& view : page->jobs) {
            if (rows.size() < limit && foundIds.insert(view.job.id).second) {
                rows.push_back(rowWithCutBody(view, page->cut));
            }
        }
        searches.front().cursor = page->cursor;
        if (!page->hasMore()) {
            searches.erase(searches.begin());
        }
        searchNext();
    }
};

}  // namespace

void page(const Store& store, PageRequest request, Done<JobRows> done)
{
    auto search = searchOf(request.view);
    search.limit = std::clamp(request.limit, 1U, kMaxPageRows);
    auto query = rankQueryOf(search);
    if (!query) {
        return done(failure(ErrorCode::Invalid, "these jobs have no ranks; scan them instead"));
    }
    query->offset = request.offset;
    query->bodyBytes = kPreviewBytes;
    store->inspector().ranked(
        std::move(*query),
        mapped<RankPage>(std::move(done), [epoch = request.epoch](const RankPage& page) {
            return JobRows{epoch, page.offset, page.total, rowsOf(page.jobs, page.cut)};
        }));
}

void scan(const Store& store, ScanRequest request, Done<ScanBatch> done)
{
    const auto epoch = request.epoch;
    store->inspector().search(
        searchOf(std::move(request)),
        mapped<SearchPage>(std::move(done), [epoch](const SearchPage& page) {
            return ScanBatch{epoch, rowsOf(page.jobs, page.cut), page.cursor, page.examined};
        }));
}

void scanWithBodies(const Store& store, ScanRequest request, Done<BatchWithBodies> done)
{
    auto search = searchOf(std::move(request));
    search.bodyBytes = kWholeBody;
    store->inspector().search(std::move(search), std::move(done));
}

void count(const Store& store, CountRequest request, Done<CountBatch> done)
{
    auto search = searchOf(request.view);
    search.cursor = std::move(request.cursor);
    store->inspector().count(
        std::move(search),
        mapped<JobCount>(std::move(done), [epoch = request.epoch](const JobCount& count) {
            return CountBatch{epoch, count.states, count.cursor, count.examined};
        }));
}

void related(const Store& store, RelatedRequest request, Done<RelatedJobs> done)
{
    auto relatedSearch = std::make_shared<RelatedSearch>();
    relatedSearch->store = store;
    relatedSearch->limit = request.limit;
    relatedSearch->mustBeComplete = request.mustBeComplete;
    relatedSearch->done = std::move(done);
    std::vector<const char*> fields{"recipient"};
    if (request.by == RelatedRequest::By::Sender) {
        fields = {"sender"};
    } else if (request.by == RelatedRequest::By::BizKey) {
        // The key leads to its jobs, but not to forwarded messages: their key is their Call-ID.
        fields = {"biz_key"};
        if (!request.mustBeComplete) {
            fields.push_back("callid");
        }
    }
    for (const auto* field : fields) {
        if (auto parsed = JobFilter::parse(filterFor(field, request.value))) {
            JobSearch search;
            search.filter = std::move(*parsed);
            search.order = JobSearch::Order::Descending;
            search.bodyBytes = kPreviewBytes;
            relatedSearch->searches.push_back(std::move(search));
        }
    }
    relatedSearch->searchNext();
}

void reasons(JobInspector& inspector, Done<DeadReasons> done)
{
    JobSearch dead;
    dead.states = {JobState::Dead};
    dead.order = JobSearch::Order::Descending;
    dead.limit = kMaxPageRows;
    inspector.search(std::move(dead),
                     mapped<SearchPage>(std::move(done), [](const SearchPage& page) {
                         DeadReasons reasons;
                         for (const auto& view : page.jobs) {
                             ++reasons.jobs[view.lastError];
                         }
                         reasons.examined = page.jobs.size();
                         return reasons;
                     }));
}

void outlook(const Store& store, JobView view, Done<JobOutlook> done)
{
    redis::askWaitingFacts(
        store->inspector(),
        [store](Done<std::vector<DaemonView>> onResult) { store->daemons(std::move(onResult)); },
        view,
        [weak = std::weak_ptr(store), view, done = std::move(done)](Result<WaitingFacts> facts) {
            const auto openStore = weak.lock();
            if (!openStore) {
                return;  // the store is closed, and the request has failed already
            }
            if (!facts) {
                return done(tl::unexpected<Error>(facts.error()));
            }
            const auto now = openStore->queue().clock().now();
            done(JobOutlook{whyItWaits(view, *facts, now),
                            forecastAttempts(openStore->queue().settings(), view, facts->recipient,
                                             now, kMaxForecastAttempts)});
        });
}

void series(const Store& store, reminder::SeriesQuery query, Done<reminder::SeriesList> done)
{
    reminder::listSeries(store->inspector(), store->queue().clock(),
                         store->queue().settings().shards, query, std::move(done));
}

void sample(const Store& store, JobScope scope, Done<Sample> done)
{
    redis::StoreStatsReader sampler(
        store->inspector(),
        // Weak, because the store owns what it is asked.
        [weak = std::weak_ptr(store)](Done<redis::StoreActivity> onResult) {
            if (const auto openStore = weak.lock()) {
                openStore->storeActivity(std::move(onResult));
            }
        },
        store->queue().clock());
    sampler.sample({std::move(scope.topic), scope.channel}, std::move(done));
}

void push(const Store& store, PushOptions push, Done<Pushed> done)
{
    if (const auto complete = push.job.id.empty() ? Result<void>{} : store->checkComplete();
        !complete) {
        return done(tl::unexpected<Error>(complete.error()));
    }
    store->queue().push(std::move(push), [weak = std::weak_ptr(store),
                                          done = std::move(done)](Result<PushOutcome> outcome) {
        if (!outcome) {
            return done(tl::unexpected<Error>(outcome.error()));
        }
        const auto openStore = weak.lock();
        if (!openStore) {
            return done(failure(
                ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("StoreProblem", "stored, but the connection was closed since")));
        }
        // The store may set another due time than the requested one.
        openStore->inspector().show(
            outcome->id, [done, outcome = *outcome](const Result<JobView>& view) {
                Pushed pushed;
                pushed.ids = {outcome.id};
                pushed.dues = {view ? view->due : TimePoint{}};
                pushed.alreadyThere = outcome.status == PushStatus::AlreadyThere;
                done(std::move(pushed));
            });
    });
}

namespace {

/// Runs `call(reminders, done)`; keeps the reminders until they have answered.
template <class Call>
void withReminders(const Store& store, Done<Pushed> done, Call call)
{
    auto reminders = reminder::Reminders::make(store->queue(), store->inspector(),
                                               reminder::settingsOf(store->config()));
    auto& reminderService = *reminders;
    call(reminderService,
         mapped<reminder::CreatedReminder>(
             std::move(done), [reminders](const reminder::CreatedReminder& created) {
                 Pushed pushed;
                 for (const auto& job : created.jobs) {
                     pushed.ids.push_back(job.id);
                     pushed.dues.push_back(job.due);
                 }
                 pushed.alreadyThere = created.status == PushStatus::AlreadyThere;
                 return pushed;
             }));
}

}  // namespace

void createReminder(const Store& store, reminder::ReminderRequest request, Done<Pushed> done)
{
    withReminders(store, std::move(done), [&](reminder::Reminders& reminders, auto onResult) {
        reminders.create(std::move(request), std::move(onResult));
    });
}

void changeSeries(const Store& store, reminder::SeriesChange change, Done<Pushed> done)
{
    withReminders(store, std::move(done), [&](reminder::Reminders& reminders, auto onResult) {
        reminders.replace(std::move(change), std::move(onResult));
    });
}

void import(
    const Store& store, Exported value, bool replace, std::string actor, Done<PushOutcome> done)
{
    auto& queue = store->queue();
    const auto* view = std::get_if<JobView>(&value);
    if (view != nullptr && !isForStore(*view)) {
        return done(failure(
            ErrorCode::Invalid,
            QT_TRANSLATE_NOOP("StoreProblem", "state: a job that is done is not stored again")));
    }
    const auto valid =
        std::visit([&](const auto& one) { return checkImport(one, queue.settings()); }, value);
    if (!valid) {
        return done(tl::unexpected<Error>(valid.error()));
    }
    const auto mode = replace ? ImportMode::ReplaceExisting : ImportMode::KeepExisting;
    if (auto* once = std::get_if<OnceKey>(&value)) {
        return queue.store().importOnce(std::move(*once), std::move(done));
    }
    if (auto* topic = std::get_if<TopicSetting>(&value)) {
        return importTopic(queue.store(), store->inspector(), std::move(*topic), mode,
                           {{}, std::move(actor), {}}, std::move(done));
    }
    if (const auto complete = store->checkComplete(); !complete) {
        return done(tl::unexpected<Error>(complete.error()));
    }
    auto& job = std::get<JobView>(value);
    const OperatorAction action{job.job.id, std::move(actor), {}};
    importJob(queue.store(), std::move(job), mode, action, std::move(done));
}

}  // namespace restante::gui::requests
