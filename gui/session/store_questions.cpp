#include "gui/session/store_questions.h"

#include "core/redis/store/store_activity.h"

#include <algorithm>
#include <set>
#include <utility>

namespace restante::gui::questions {

namespace {

/// A page of rows is 200; more than this at once would only delay the others.
constexpr std::uint32_t kLargestPage = 1'000;
/// Jobs looked at for one list of related ones: some tens of commands.
constexpr std::uint64_t kRelatedBudget = 50'000;

JobSearch searchOf(const JobsView& view)
{
    JobSearch search;
    search.filter = view.whole();
    search.states = view.states;
    search.order = view.descending ? JobSearch::Order::Descending : JobSearch::Order::Ascending;
    return search;
}

JobSearch searchOf(ScanRequest request)
{
    auto search = searchOf(request.view);
    search.cursor = std::move(request.cursor);
    search.limit = std::clamp(request.limit, 1U, kLargestPage);
    search.budget = std::max(request.budget, 1U);
    return search;
}

std::vector<JobRow> rowsOf(const std::vector<JobView>& views)
{
    std::vector<JobRow> rows;
    rows.reserve(views.size());
    for (const auto& view : views) {
        rows.push_back(rowOf(view));
    }
    return rows;
}

/// The rows that a list of searches finds, one search after the other, each once.
struct RelatedLook : std::enable_shared_from_this<RelatedLook> {
    /// Weak, as in all that is on its way: the store owns what answers, and would keep itself.
    std::weak_ptr<OpenStore> store;
    std::vector<JobSearch> searches;
    std::size_t limit = 0;
    std::set<std::string> seen;
    std::vector<JobRow> rows;
    std::uint64_t examined = 0;
    Done<std::vector<JobRow>> done;

    void go()
    {
        if (searches.empty() || rows.size() >= limit || examined >= kRelatedBudget) {
            return done(std::move(rows));
        }
        const auto open = store.lock();
        if (!open) {
            return;  // it was left, and whoever asked has been told
        }
        open->inspector().search(
            searches.front(),
            [self = shared_from_this()](Result<SearchPage> page) { self->take(std::move(page)); });
    }

    void take(Result<SearchPage> page)
    {
        if (!page) {
            return done(tl::unexpected<Error>(page.error()));
        }
        examined += page->examined;
        for (const auto& view : page->jobs) {
            if (rows.size() < limit && seen.insert(view.job.id).second) {
                rows.push_back(rowOf(view));
            }
        }
        searches.front().cursor = page->cursor;
        if (!page->more()) {
            searches.erase(searches.begin());
        }
        go();
    }
};

void add(RelatedLook& look, const std::string& filter)
{
    if (auto parsed = JobFilter::parse(filter)) {
        JobSearch search;
        search.filter = std::move(*parsed);
        search.order = JobSearch::Order::Descending;
        look.searches.push_back(std::move(search));
    }
}

}  // namespace

void page(const Store& store, PageRequest request, Done<JobRows> done)
{
    auto search = searchOf(request.view);
    search.limit = std::clamp(request.limit, 1U, kLargestPage);
    auto query = rankQueryOf(search);
    if (!query) {
        return done(failure(ErrorCode::Invalid, "these jobs have no ranks; scan them instead"));
    }
    query->offset = request.offset;
    store->inspector().ranked(
        std::move(*query), [epoch = request.epoch, done = std::move(done)](Result<RankPage> page) {
            if (!page) {
                return done(tl::unexpected<Error>(page.error()));
            }
            done(JobRows{epoch, page->offset, page->total, rowsOf(page->jobs)});
        });
}

void scan(const Store& store, ScanRequest request, Done<ScanBatch> done)
{
    const auto epoch = request.epoch;
    store->inspector().search(
        searchOf(std::move(request)), [epoch, done = std::move(done)](Result<SearchPage> page) {
            if (!page) {
                return done(tl::unexpected<Error>(page.error()));
            }
            done(ScanBatch{epoch, rowsOf(page->jobs), std::move(page->cursor), page->examined});
        });
}

void whole(const Store& store, ScanRequest request, Done<WholeBatch> done)
{
    store->inspector().search(
        searchOf(std::move(request)), [done = std::move(done)](Result<SearchPage> page) {
            if (!page) {
                return done(tl::unexpected<Error>(page.error()));
            }
            done(WholeBatch{std::move(page->jobs), std::move(page->cursor), page->examined});
        });
}

void count(const Store& store, CountRequest request, Done<Counted> done)
{
    auto search = searchOf(request.view);
    search.cursor = std::move(request.cursor);
    store->inspector().count(std::move(search), [epoch = request.epoch,
                                                 done = std::move(done)](Result<JobCount> count) {
        if (!count) {
            return done(tl::unexpected<Error>(count.error()));
        }
        done(Counted{epoch, std::move(count->states), std::move(count->cursor), count->examined});
    });
}

void related(const Store& store, RelatedRequest request, Done<std::vector<JobRow>> done)
{
    auto look = std::make_shared<RelatedLook>();
    look->store = store;
    look->limit = request.limit;
    look->done = std::move(done);
    switch (request.by) {
    case RelatedRequest::By::Recipient: add(*look, filterFor("recipient", request.value)); break;
    case RelatedRequest::By::Sender: add(*look, filterFor("sender", request.value)); break;
    case RelatedRequest::By::BizKey:
        // The key leads to its jobs, but not to forwarded messages: their key is their Call-ID.
        add(*look, filterFor("biz_key", request.value));
        add(*look, filterFor("callid", request.value));
        break;
    }
    look->go();
}

void sample(const Store& store, JobShare share, Done<Sample> done)
{
    redis::StoreStatsReader sampler(
        store->inspector(),
        // Weak, because the store owns what it is asked.
        [weak = std::weak_ptr(store)](Done<redis::StoreActivity> told) {
            if (const auto open = weak.lock()) {
                open->pulse(std::move(told));
            }
        },
        store->queue().clock());
    sampler.sample({std::move(share.topic), share.channel},
                   [done = std::move(done)](Result<redis::StoreStats> found) {
                       if (!found) {
                           return done(tl::unexpected<Error>(found.error()));
                       }
                       Sample sample{found->at, std::move(found->counts), std::move(found->moves)};
                       if (const auto& late = found->lateness) {
                           sample.lateness = Lateness{late->p50, late->p95, late->p99, late->most};
                       }
                       done(std::move(sample));
                   });
}

void activity(const Store& store, Done<TopicActivity> done)
{
    store->activity(std::move(done));
}

void past(const Store& store, PastRequest request, Done<Past> done)
{
    store->past(std::move(request), std::move(done));
}

}  // namespace restante::gui::questions
