// The JobInspector side of MemoryJobStore. A search examines every job of the wanted states, in the
// order that job_search.h defines.

#include "core/queue/memory_job_store.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace restante {

namespace {

bool matchesQuery(const JobQuery& query, const JobView& view)
{
    const auto& job = view.job;
    const auto matchesIfGiven = [](const std::string& wanted, const std::string& actual) {
        return wanted.empty() || wanted == actual;
    };
    return (!query.state || *query.state == view.state) &&
           (!query.channel || *query.channel == job.channel) &&
           matchesIfGiven(query.topic, job.topic) &&
           matchesIfGiven(query.recipient, job.recipient) &&
           matchesIfGiven(query.sender, job.sender) && matchesIfGiven(query.bizKey, job.bizKey);
}

/// The cursor behind this job; cursors sort as the pages do.
std::string cursorOf(const JobView& view)
{
    return fmt::format("{}:{:020}:{}", static_cast<int>(view.state), toEpochMs(view.due),
                       view.job.id);
}

bool isInIndex(const Job& job, IndexQuery::Kind kind, const std::string& value)
{
    return kind == IndexQuery::Kind::BizKey ? job.findByKey && job.bizKey == value
                                            : job.findBySender && job.sender == value;
}

}  // namespace

void MemoryJobStore::show(std::string id, Done<JobView> done)
{
    const auto node = jobs_.find(id);
    if (node == jobs_.end()) {
        answer(std::move(done),
               failure(ErrorCode::NotFound, "show {}: there is none of this id", id));
        return;
    }
    answer(std::move(done), viewOf(node->second));
}

void MemoryJobStore::list(JobQuery query, Done<JobPage> done)
{
    std::map<std::string, JobView> viewsByCursor;
    for (const auto& [id, entry] : jobs_) {
        auto view = viewOf(entry);
        if (matchesQuery(query, view)) {
            viewsByCursor.emplace(cursorOf(view), std::move(view));
        }
    }
    JobPage page;
    for (auto next = viewsByCursor.upper_bound(query.cursor); next != viewsByCursor.end(); ++next) {
        if (page.jobs.size() == query.limit) {
            page.cursor = cursorOf(page.jobs.back());
            break;
        }
        page.jobs.push_back(std::move(next->second));
    }
    answer(std::move(done), std::move(page));
}

void MemoryJobStore::counts(Done<StoreCounts> done)
{
    StoreCounts counts;
    for (const auto& [id, entry] : jobs_) {
        ++counts.states[stateOf(entry)];
    }
    counts.topics = topicCounts();
    counts.mailboxes = mailboxes_.size();
    answer(std::move(done), std::move(counts));
}

std::vector<TopicCounts> MemoryJobStore::topicCounts() const
{
    std::map<std::pair<Channel, std::string>, TopicCounts> topics;
    for (const auto& [id, entry] : jobs_) {
        if (entry.position.state == JobState::Scheduled) {
            auto& topic = topics[{entry.job.channel, entry.job.topic}];
            topic.channel = entry.job.channel;
            topic.topic = entry.job.topic;
            ++(stateOf(entry) == JobState::Ready ? topic.ready : topic.scheduled);
        }
    }
    std::vector<TopicCounts> counts;
    for (auto& [name, topic] : topics) {
        counts.push_back(std::move(topic));
    }
    return counts;
}

std::vector<std::pair<std::string, JobView>>
MemoryJobStore::jobsBehindCursor(const JobSearch& search) const
{
    std::vector<std::pair<std::string, JobView>> views;
    const auto plan = search.filter.plan();
    for (const auto& [id, entry] : jobs_) {
        auto view = viewOf(entry);
        if (includesState(search, plan, view.state)) {
            auto cursor = cursorOf(view);
            views.emplace_back(std::move(cursor), std::move(view));
        }
    }
    const bool descending = search.order == JobSearch::Order::Descending;
    std::ranges::sort(views, [descending](const auto& a, const auto& b) {
        return descending ? b.first < a.first : a.first < b.first;
    });
    const auto isUpToCursor = [&](const auto& view) {
        return !search.cursor.empty() &&
               (descending ? view.first >= search.cursor : view.first <= search.cursor);
    };
    views.erase(views.begin(), std::ranges::find_if_not(views, isUpToCursor));
    return views;
}

/// Calls `take` for each match, up to `most` of them. Sets `examined` and the cursor of `page`.
template <class Page, class Take>
void MemoryJobStore::forEachMatch(const JobSearch& search,
                                  Page& page,
                                  std::size_t most,
                                  Take take) const
{
    const auto now = clock_.now();
    std::size_t taken = 0;
    std::string lastCursor;
    for (auto& [cursor, view] : jobsBehindCursor(search)) {
        if (taken >= most || page.examined >= search.budget) {
            page.cursor = lastCursor;
            break;
        }
        lastCursor = cursor;
        ++page.examined;
        if (search.filter.matches(view, now)) {
            ++taken;
            take(std::move(view));
        }
    }
}

void MemoryJobStore::search(JobSearch search, Done<SearchPage> done)
{
    SearchPage page;
    forEachMatch(search, page, search.limit, [&](JobView view) {
        cutBody(view.job, search.bodyBytes, page.cut);
        page.jobs.push_back(std::move(view));
    });
    answer(std::move(done), std::move(page));
}

void MemoryJobStore::ranked(RankQuery query, Done<RankPage> done)
{
    if (auto valid = check(query); !valid) {
        return answer(std::move(done), tl::unexpected(std::move(valid.error())));
    }
    RankPage page;
    page.offset = query.offset;
    const auto states = statesOf(query);
    for (const auto state : states) {
        page.states[state] = 0;
    }
    for (auto& [cursor, view] : jobsBehindCursor({.states = states, .order = query.order})) {
        if (!isWanted(query.channels, view.job.channel) ||
            !isWanted(query.topics, view.job.topic)) {
            continue;
        }
        ++page.states[view.state];
        if (page.total++ >= query.offset && page.jobs.size() < query.limit) {
            cutBody(view.job, query.bodyBytes, page.cut);
            page.jobs.push_back(std::move(view));
        }
    }
    answer(std::move(done), std::move(page));
}

void MemoryJobStore::count(JobSearch search, Done<JobCount> done)
{
    JobCount count;
    const auto plan = search.filter.plan();
    for (const auto state : kJobStates) {
        if (includesState(search, plan, state)) {
            count.states[state] = 0;
        }
    }
    forEachMatch(search, count, std::numeric_limits<std::size_t>::max(),
                 [&](const JobView& view) { ++count.states[view.state]; });
    answer(std::move(done), std::move(count));
}

void MemoryJobStore::indexed(IndexQuery query, Done<JobPage> done)
{
    JobPage page;
    for (const auto& [id, entry] : jobs_) {
        if (id <= query.cursor || !isInIndex(entry.job, query.kind, query.value)) {
            continue;
        }
        if (page.jobs.size() == query.limit) {
            page.cursor = page.jobs.back().job.id;
            break;
        }
        page.jobs.push_back(viewOf(entry));
    }
    answer(std::move(done), std::move(page));
}

void MemoryJobStore::countIndexed(IndexQuery::Kind kind,
                                  std::string value,
                                  Done<std::uint64_t> done)
{
    const auto count = std::ranges::count_if(
        jobs_, [&](const auto& node) { return isInIndex(node.second.job, kind, value); });
    answer(std::move(done), static_cast<std::uint64_t>(count));
}

MailboxView MemoryJobStore::viewOfMailbox(const std::string& recipient) const
{
    MailboxView view{.recipient = recipient};
    const auto box = mailboxes_.find(recipient);
    if (box == mailboxes_.end() || box->second.ids.empty()) {
        return view;
    }
    const auto& ids = box->second.ids;
    view.waiting = ids.size();
    view.oldest = jobs_.at(ids.begin()->second).job.created;
    view.newest = jobs_.at(ids.rbegin()->second).job.created;
    view.expires = jobs_.at(ids.begin()->second).expiry();
    if (box->second.nextAttempt != TimePoint::max()) {
        view.next = box->second.nextAttempt;
    }
    return view;
}

void MemoryJobStore::mailboxes(MailboxQuery query, Done<MailboxPage> done)
{
    const auto cursorRank = MailboxRank::parse(query.cursor);
    if (!query.cursor.empty() && !cursorRank) {
        return answer(std::move(done), invalidField("cursor", kBadMailboxCursor));
    }
    MailboxPage page;
    std::set<MailboxRank> ranks;
    for (const auto& [recipient, box] : mailboxes_) {
        if (box.ids.empty() || !matchesName(recipient, query.name)) {
            continue;
        }
        ++page.total;
        page.messages += box.ids.size();
        ranks.insert({box.ids.size(), recipient});
    }
    for (auto rank = cursorRank ? ranks.upper_bound(*cursorRank) : ranks.begin();
         rank != ranks.end(); ++rank) {
        if (page.mailboxes.size() == query.limit) {
            page.cursor = std::prev(rank)->toString();
            break;
        }
        page.mailboxes.push_back(viewOfMailbox(rank->recipient));
    }
    answer(std::move(done), std::move(page));
}

void MemoryJobStore::mailbox(MailboxRequest request, Done<MailboxContent> done)
{
    MailboxContent content{viewOfMailbox(request.recipient), {}};
    const auto box = mailboxes_.find(request.recipient);
    if (box != mailboxes_.end()) {
        const auto& ids = box->second.ids;
        const auto shown = std::min<std::size_t>(request.limit, ids.size());
        for (auto id = std::prev(ids.end(), static_cast<std::ptrdiff_t>(shown)); id != ids.end();
             ++id) {
            content.messages.push_back(viewOf(jobs_.at(id->second)));
        }
    }
    answer(std::move(done), std::move(content));
}

}  // namespace restante
