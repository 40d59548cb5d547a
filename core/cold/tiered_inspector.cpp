#include "core/cold/tiered_inspector.h"

#include "core/base/text.h"
#include "core/cold/tiered_job_store.h"
#include "core/queue/mailbox.h"
#include "core/queue/topic_view.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>

namespace restante::cold {

namespace {

/// Cursors: "cold" starts the cold jobs, and "cold <due ms> <id>" continues after that one; "hot"
/// starts the store's jobs, where they come second; anything else is a cursor of the store.
constexpr std::string_view kColdCursor = "cold";
constexpr std::string_view kHotCursor = "hot";
constexpr std::uint32_t kRowsPerPage = 1'000;

using ColdPosition = std::optional<std::pair<std::int64_t, std::string>>;

bool isAmongCold(std::string_view cursor)
{
    return cursor == kColdCursor || cursor.starts_with("cold ");
}

ColdPosition positionIn(std::string_view cursor)
{
    const auto first = cursor.find(' ');
    const auto second = first == std::string_view::npos ? first : cursor.find(' ', first + 1);
    if (second == std::string_view::npos) {
        return {};
    }
    return std::pair{leadingNumber<std::int64_t>(cursor.substr(first + 1)),
                     std::string(cursor.substr(second + 1))};
}

std::string cursorAfter(const ColdRow& row)
{
    return fmt::format("{} {} {}", kColdCursor, row.dueMs, row.id);
}

/// A row that cannot be read is shown with its id and due time.
JobView viewOrIdOnly(const ColdRow& row)
{
    auto view = viewOf(row);
    if (view) {
        return std::move(*view);
    }
    JobView bare;
    bare.job.id = row.id;
    bare.due = fromEpochMs(row.dueMs);
    return bare;
}

ColdQuery queryOf(const FilterPlan& plan)
{
    ColdQuery query;
    query.ids = plan.ids.value_or(std::vector<std::string>{});
    query.bizKeys = plan.bizKeys.value_or(std::vector<std::string>{});
    query.channels = plan.channels.value_or(std::vector<Channel>{});
    query.topics = plan.topics.value_or(std::vector<std::string>{});
    return query;
}

bool matchesNothing(const FilterPlan& plan)
{
    const auto isEmpty = [](const auto& list) { return list && list->empty(); };
    return isEmpty(plan.ids) || isEmpty(plan.bizKeys) || isEmpty(plan.channels) ||
           isEmpty(plan.topics);
}

/// Whether the counts by channel and topic answer the filter.
bool isCountedByTopic(const FilterPlan& plan)
{
    return plan.exact && !plan.scans && !plan.ids && !plan.bizKeys;
}

std::uint64_t sumOf(const std::vector<ColdCount>& counts,
                    const std::vector<Channel>& channels,
                    const std::vector<std::string>& topics)
{
    std::uint64_t sum = 0;
    for (const auto& count : counts) {
        if (isWanted(channels, count.channel) && isWanted(topics, count.topic)) {
            sum += count.jobs;
        }
    }
    return sum;
}

TopicCounts& countsIn(std::vector<TopicCounts>& list, Channel channel, const std::string& topic)
{
    const auto found = std::ranges::find_if(list, [&](const TopicCounts& counts) {
        return counts.channel == channel && counts.topic == topic;
    });
    if (found != list.end()) {
        return *found;
    }
    list.push_back({.channel = channel, .topic = topic});
    return list.back();
}

}  // namespace

void TieredInspector::show(std::string id, Done<JobView> done)
{
    hot_.show(id, guard_.guard([this, id, done = std::move(done)](Result<JobView> view) {
        if (view || view.error().code != ErrorCode::NotFound) {
            return done(std::move(view));
        }
        const auto onRow = [this, id, done](const Result<std::optional<ColdRow>>& row) {
            if (!row) {
                return done(tl::unexpected(row.error()));
            }
            if (*row) {
                return showRow(**row, done);
            }
            hot_.show(id, done);  // it may have been moved into Redis since
        };
        cold_.find(id, guard_.guard(onRow));
    }));
}

/// Called when Redis has just said that it has no such job.
void TieredInspector::showRow(const ColdRow& row, Done<JobView> done)
{
    if (row.state == ColdState::Cold) {
        return done(viewOf(row));
    }
    const auto onChecked = [this, row, done = std::move(done)](const Result<bool>& isOutdated) {
        if (!isOutdated) {
            return done(tl::unexpected(isOutdated.error()));
        }
        *isOutdated ? hot_.show(row.id, done) : done(viewOf(row));
    };
    checkRowOutdated(scripts_, row, guard_.guard(onChecked));
}

void TieredInspector::counts(Done<StoreCounts> done)
{
    hot_.counts(guard_.guard([this, done = std::move(done)](const Result<StoreCounts>& hot) {
        if (!hot) {
            return done(hot);
        }
        cold_.counts([hot = *hot, done](const Result<std::vector<ColdCount>>& cold) {
            done(cold.map([&hot](const std::vector<ColdCount>& counts) {
                auto sum = hot;
                for (const auto& count : counts) {
                    sum.states[JobState::Scheduled] += count.jobs;
                    countsIn(sum.topics, count.channel, count.topic).scheduled += count.jobs;
                }
                return sum;
            }));
        });
    }));
}

void TieredInspector::topics(Done<std::vector<TopicView>> done)
{
    using Views = std::vector<TopicView>;
    hot_.topics(guard_.guard([this, done = std::move(done)](const Result<Views>& hot) {
        if (!hot) {
            return done(hot);
        }
        cold_.counts([hot = *hot, done](const Result<std::vector<ColdCount>>& cold) {
            done(cold.map([&hot](const std::vector<ColdCount>& counts) {
                auto views = hot;
                for (const auto& count : counts) {
                    auto view = std::ranges::lower_bound(views, count.topic, {}, &TopicView::topic);
                    if (view == views.end() || view->topic != count.topic) {
                        view = views.insert(view, TopicView{});
                        view->topic = count.topic;
                    }
                    countsIn(view->channels, count.channel, count.topic).scheduled += count.jobs;
                }
                return views;
            }));
        });
    }));
}

void TieredInspector::mailboxes(MailboxQuery query, Done<MailboxPage> done)
{
    hot_.mailboxes(std::move(query), std::move(done));
}

void TieredInspector::mailbox(MailboxRequest request, Done<MailboxContent> done)
{
    hot_.mailbox(std::move(request), std::move(done));
}

// Pages and counts that examine jobs one by one.

/// A scan of cold jobs until `take` has enough, or the budget is used up.
struct TieredInspector::Scan {
    ColdQuery query;
    std::uint64_t budget = 0;
    /// Whether to continue after this row.
    std::function<bool(const ColdRow&)> take;
    /// Empty: no more rows; else the cursor after the last one.
    Done<std::string> done;
    std::uint64_t examined = 0;
};

void TieredInspector::scan(const std::shared_ptr<Scan>& scan)
{
    scan->query.limit = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(scan->budget - scan->examined, 1, kRowsPerPage));
    const auto onRows = [this, scan](const Result<std::vector<ColdRow>>& rows) {
        if (!rows) {
            return scan->done(tl::unexpected(rows.error()));
        }
        for (const auto& row : *rows) {
            ++scan->examined;
            if (!scan->take(row)) {
                return scan->done(cursorAfter(row));
            }
        }
        if (rows->size() < scan->query.limit) {
            return scan->done(std::string());
        }
        if (scan->examined >= scan->budget) {
            return scan->done(cursorAfter(rows->back()));
        }
        scan->query.behind = {rows->back().dueMs, rows->back().id};
        this->scan(scan);
    };
    cold_.page(scan->query, guard_.guard(onRows));
}

void TieredInspector::search(JobSearch search, Done<SearchPage> done)
{
    const auto plan = search.filter.plan();
    if (matchesNothing(plan) || !includesState(search, plan, JobState::Scheduled)) {
        return hot_.search(std::move(search), std::move(done));
    }
    const bool descending = search.order == JobSearch::Order::Descending;
    if (isAmongCold(search.cursor) || (descending && search.cursor.empty())) {
        return searchCold(search, {}, std::move(done));
    }
    if (search.cursor == kHotCursor) {
        search.cursor.clear();
    }
    hot_.search(search, guard_.guard([this, search, descending,
                                      done = std::move(done)](Result<SearchPage> page) {
        if (!page || descending || page->hasMore()) {
            return done(std::move(page));
        }
        if (page->jobs.size() >= search.limit || page->examined >= search.budget) {
            page->cursor = kColdCursor;
            return done(std::move(page));
        }
        auto continued = search;
        continued.cursor = kColdCursor;
        searchCold(continued, std::move(*page), done);
    }));
}

/// Appends cold jobs to the page.
void TieredInspector::searchCold(const JobSearch& search, SearchPage page, Done<SearchPage> done)
{
    const auto result = std::make_shared<SearchPage>(std::move(page));
    const auto examinedBefore = result->examined;
    const bool descending = search.order == JobSearch::Order::Descending;
    auto scan = std::make_shared<Scan>();
    scan->query = queryOf(search.filter.plan());
    scan->query.descending = descending;
    scan->query.behind = positionIn(search.cursor);
    scan->budget = search.budget - std::min<std::uint64_t>(examinedBefore, search.budget - 1);
    scan->take = [result, search, now = clock_.now()](const ColdRow& row) {
        auto view = viewOrIdOnly(row);
        if (search.filter.matches(view, now)) {
            cutBody(view.job, search.bodyBytes, result->cut);
            result->jobs.push_back(std::move(view));
        }
        return result->jobs.size() < search.limit;
    };
    scan->done =
        guard_.guard([this, result, search, descending, scan = std::weak_ptr(scan), examinedBefore,
                      done = std::move(done)](const Result<std::string>& cursor) {
            if (!cursor) {
                return done(tl::unexpected(cursor.error()));
            }
            const auto finishedScan = scan.lock();
            result->examined = examinedBefore + (finishedScan ? finishedScan->examined : 0);
            result->cursor = *cursor;
            if (!cursor->empty() || !descending) {
                return done(std::move(*result));
            }
            if (result->jobs.size() >= search.limit || result->examined >= search.budget) {
                result->cursor = kHotCursor;
                return done(std::move(*result));
            }
            auto continued = search;
            continued.cursor.clear();
            continued.limit = search.limit - static_cast<std::uint32_t>(result->jobs.size());
            continued.budget = search.budget - static_cast<std::uint32_t>(result->examined);
            hot_.search(continued, [result, done](Result<SearchPage> hot) {
                if (!hot) {
                    return done(std::move(hot));
                }
                std::ranges::move(hot->jobs, std::back_inserter(result->jobs));
                result->cut.merge(hot->cut);
                result->examined += hot->examined;
                result->cursor = std::move(hot->cursor);
                done(std::move(*result));
            });
        });
    this->scan(scan);
}

void TieredInspector::count(JobSearch search, Done<JobCount> done)
{
    const auto plan = search.filter.plan();
    if (matchesNothing(plan) || !includesState(search, plan, JobState::Scheduled)) {
        return hot_.count(std::move(search), std::move(done));
    }
    if (isAmongCold(search.cursor)) {
        return countCold(search, {}, std::move(done));
    }
    hot_.count(search, guard_.guard([this, search, done = std::move(done)](Result<JobCount> hot) {
        if (!hot || !hot->cursor.empty()) {
            return done(std::move(hot));
        }
        auto continued = search;
        continued.cursor = kColdCursor;
        countCold(continued, std::move(*hot), done);
    }));
}

void TieredInspector::countCold(const JobSearch& search, JobCount count, Done<JobCount> done)
{
    const auto plan = search.filter.plan();
    const auto result = std::make_shared<JobCount>(std::move(count));
    auto& sum = result->states[JobState::Scheduled];
    if (isCountedByTopic(plan)) {
        return cold_.counts([result, &sum, plan,
                             done = std::move(done)](const Result<std::vector<ColdCount>>& counts) {
            done(counts.map([&](const auto& list) {
                sum += sumOf(list, plan.channels.value_or(std::vector<Channel>{}),
                             plan.topics.value_or(std::vector<std::string>{}));
                return *result;
            }));
        });
    }
    auto scan = std::make_shared<Scan>();
    scan->query = queryOf(plan);
    scan->query.behind = positionIn(search.cursor);
    scan->budget = std::max(search.budget, 1U);
    scan->take = [&sum, result, search, now = clock_.now()](const ColdRow& row) {
        sum += search.filter.matches(viewOrIdOnly(row), now) ? 1 : 0;
        return true;
    };
    scan->done = [result, scan = std::weak_ptr(scan),
                  done = std::move(done)](const Result<std::string>& cursor) {
        done(cursor.map([&](const std::string& next) {
            const auto finishedScan = scan.lock();
            result->examined += finishedScan ? finishedScan->examined : 0;
            result->cursor = next;
            return *result;
        }));
    };
    this->scan(scan);
}

/// Pages of the jobs in Redis first, then of the cold jobs.
template <class Query>
void TieredInspector::listHotThenCold(void (JobInspector::*hotMethod)(Query, Done<JobPage>),
                                      Query query,
                                      JobQuery coldQuery,
                                      Done<JobPage> done)
{
    if (isAmongCold(query.cursor)) {
        return listCold(coldQuery, {}, std::move(done));
    }
    const auto limit = query.limit;
    (hot_.*hotMethod)(std::move(query),
                      guard_.guard([this, limit, coldQuery = std::move(coldQuery),
                                    done = std::move(done)](Result<JobPage> page) mutable {
                          if (!page || !page->cursor.empty()) {
                              return done(std::move(page));
                          }
                          if (page->jobs.size() >= limit) {
                              page->cursor = kColdCursor;
                              return done(std::move(page));
                          }
                          coldQuery.cursor = kColdCursor;
                          listCold(coldQuery, std::move(*page), std::move(done));
                      }));
}

void TieredInspector::list(JobQuery query, Done<JobPage> done)
{
    if (query.state && *query.state != JobState::Scheduled) {
        return hot_.list(std::move(query), std::move(done));
    }
    const auto cold = query;
    listHotThenCold(&JobInspector::list, std::move(query), cold, std::move(done));
}

void TieredInspector::listCold(const JobQuery& query, JobPage page, Done<JobPage> done)
{
    const auto result = std::make_shared<JobPage>(std::move(page));
    auto scan = std::make_shared<Scan>();
    if (query.channel) {
        scan->query.channels = {*query.channel};
    }
    if (!query.topic.empty()) {
        scan->query.topics = {query.topic};
    }
    if (!query.bizKey.empty()) {
        scan->query.bizKeys = {query.bizKey};
    }
    scan->query.behind = positionIn(query.cursor);
    constexpr std::uint64_t kBudget = 10'000;
    scan->budget = kBudget;
    scan->take = [result, query](const ColdRow& row) {
        auto view = viewOrIdOnly(row);
        const auto fits = [](const std::string& wanted, const std::string& actual) {
            return wanted.empty() || wanted == actual;
        };
        if (fits(query.recipient, view.job.recipient) && fits(query.sender, view.job.sender)) {
            result->jobs.push_back(std::move(view));
        }
        return result->jobs.size() < query.limit;
    };
    scan->done = [result, done = std::move(done)](const Result<std::string>& cursor) {
        done(cursor.map([&result](const std::string& next) {
            result->cursor = next;
            return *result;
        }));
    };
    this->scan(scan);
}

void TieredInspector::indexed(IndexQuery query, Done<JobPage> done)
{
    if (query.kind != IndexQuery::Kind::BizKey) {
        return hot_.indexed(std::move(query), std::move(done));
    }
    JobQuery cold;
    cold.bizKey = query.value;
    cold.cursor = query.cursor;
    cold.limit = query.limit;
    listHotThenCold(&JobInspector::indexed, std::move(query), std::move(cold), std::move(done));
}

void TieredInspector::countIndexed(IndexQuery::Kind kind,
                                   std::string value,
                                   Done<std::uint64_t> done)
{
    if (kind != IndexQuery::Kind::BizKey) {
        return hot_.countIndexed(kind, std::move(value), std::move(done));
    }
    hot_.countIndexed(
        kind, value,
        guard_.guard([this, value, done = std::move(done)](const Result<std::uint64_t>& hot) {
            if (!hot) {
                return done(hot);
            }
            cold_.countByKey(value, [hot = *hot, done](const Result<std::uint64_t>& cold) {
                done(cold.map([hot](std::uint64_t jobs) { return hot + jobs; }));
            });
        }));
}

// Pages by rank: the cold jobs are one block, after the scheduled ones in ascending order, before
// everything else in descending order.

struct TieredInspector::RankedRequest {
    RankQuery query;
    Done<RankPage> done;
    RankPage page = {};  ///< of the store, with its counts; then the whole answer
    std::uint64_t coldCount = 0;

    bool descending() const { return query.order == JobSearch::Order::Descending; }
    /// The rank at which the block begins.
    std::uint64_t begin() const
    {
        const auto scheduled = page.states.find(JobState::Scheduled);
        return descending() || scheduled == page.states.end() ? 0 : scheduled->second;
    }
};

void TieredInspector::ranked(RankQuery query, Done<RankPage> done)
{
    const auto valid = check(query);
    if (!valid || !isWanted(query.states, JobState::Scheduled)) {
        return hot_.ranked(std::move(query), std::move(done));
    }
    const auto request =
        std::make_shared<RankedRequest>(RankedRequest{std::move(query), std::move(done)});
    const auto onCounts = [this, request](const Result<std::vector<ColdCount>>& counts) {
        if (!counts) {
            return request->done(tl::unexpected(counts.error()));
        }
        request->coldCount = sumOf(*counts, request->query.channels, request->query.topics);
        if (request->coldCount == 0) {
            return hot_.ranked(request->query, request->done);
        }
        auto countsOnly = request->query;
        countsOnly.offset = 0;
        countsOnly.limit = 0;
        hot_.ranked(countsOnly, guard_.guard([this, request](Result<RankPage> page) {
            if (!page) {
                return request->done(std::move(page));
            }
            request->page = std::move(*page);
            fillRankedPage(request);
        }));
    };
    cold_.counts(guard_.guard(onCounts));
}

void TieredInspector::fillRankedPage(const std::shared_ptr<RankedRequest>& request)
{
    const auto& query = request->query;
    const auto pageBegin = query.offset;
    const auto pageEnd = pageBegin + query.limit;
    const auto blockBegin = request->begin();
    const auto blockEnd = blockBegin + request->coldCount;
    request->page.offset = pageBegin;
    request->page.total += request->coldCount;
    request->page.states[JobState::Scheduled] += request->coldCount;

    // Up to three parts, one after the other: before the block, of it, and after it.
    const auto addHotPart = [this, request](std::uint64_t offset, std::uint64_t limit,
                                            std::function<void()> next) {
        if (limit == 0) {
            return next();
        }
        auto part = request->query;
        part.offset = offset;
        part.limit = static_cast<std::uint32_t>(limit);
        hot_.ranked(part, guard_.guard([request, next](Result<RankPage> page) {
            if (!page) {
                return request->done(std::move(page));
            }
            std::ranges::move(page->jobs, std::back_inserter(request->page.jobs));
            request->page.cut.merge(page->cut);
            next();
        }));
    };
    const auto addRest = [request, addHotPart, pageBegin, pageEnd, blockBegin, blockEnd] {
        const auto from = std::max(pageBegin, blockEnd);
        addHotPart(from - blockEnd + blockBegin, pageEnd > from ? pageEnd - from : 0,
                   [request] { request->done(std::move(request->page)); });
    };
    const auto addBlock = [this, request, addRest, pageBegin, pageEnd, blockBegin, blockEnd] {
        const auto from = std::max(pageBegin, blockBegin);
        const auto to = std::min(pageEnd, blockEnd);
        if (from >= to) {
            return addRest();
        }
        ColdQuery part;
        part.channels = request->query.channels;
        part.topics = request->query.topics;
        part.descending = request->descending();
        part.offset = from - blockBegin;
        part.limit = static_cast<std::uint32_t>(to - from);
        cold_.page(part, guard_.guard([request, addRest](const Result<std::vector<ColdRow>>& rows) {
            if (!rows) {
                return request->done(tl::unexpected(rows.error()));
            }
            for (const auto& row : *rows) {
                auto view = viewOrIdOnly(row);
                cutBody(view.job, request->query.bodyBytes, request->page.cut);
                request->page.jobs.push_back(std::move(view));
            }
            addRest();
        }));
    };
    addHotPart(pageBegin, pageBegin < blockBegin ? std::min(pageEnd, blockBegin) - pageBegin : 0,
               addBlock);
}

}  // namespace restante::cold
