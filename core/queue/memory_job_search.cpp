// Searching in MemoryJobStore: it looks at every job of the states asked for, in the order that
// job_search.h promises.

#include "core/queue/memory_job_store.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante {

namespace {

bool names(const std::vector<JobState>& states, JobState state)
{
    return states.empty() || std::find(states.begin(), states.end(), state) != states.end();
}

/// What a cursor names: the order of the pages.
std::string placeOf(const JobView& view)
{
    return fmt::format("{}:{:020}:{}", static_cast<int>(view.state), toEpochMs(view.due),
                       view.job.id);
}

/// Asked for, and not ruled out by the filter: what a search has to look at.
bool concerns(const JobSearch& search, const FilterPlan& plan, JobState state)
{
    return names(search.states, state) &&
           (!plan.states || (!plan.states->empty() && names(*plan.states, state)));
}

bool isIn(const Job& job, IndexQuery::Kind kind, const std::string& value)
{
    return kind == IndexQuery::Kind::BizKey ? job.findByKey && job.bizKey == value
                                            : job.findBySender && job.sender == value;
}

}  // namespace

std::vector<std::pair<std::string, JobView>> MemoryJobStore::ordered(const JobSearch& search) const
{
    std::vector<std::pair<std::string, JobView>> views;
    const auto plan = search.filter.plan();
    for (const auto& [id, entry] : jobs_) {
        auto view = viewOf(entry);
        if (concerns(search, plan, view.state)) {
            auto place = placeOf(view);
            views.emplace_back(std::move(place), std::move(view));
        }
    }
    const bool descending = search.order == JobSearch::Order::Descending;
    std::sort(views.begin(), views.end(), [descending](const auto& a, const auto& b) {
        return descending ? b.first < a.first : a.first < b.first;
    });
    const auto seen = [&](const auto& view) {
        return !search.cursor.empty() &&
               (descending ? view.first >= search.cursor : view.first <= search.cursor);
    };
    views.erase(views.begin(), std::find_if_not(views.begin(), views.end(), seen));
    return views;
}

void MemoryJobStore::search(JobSearch search, Done<SearchPage> done)
{
    SearchPage page;
    const auto now = clock_.now();
    std::string last;
    for (auto& [place, view] : ordered(search)) {
        if (page.jobs.size() >= search.limit || page.examined >= search.budget) {
            page.cursor = last;
            break;
        }
        last = place;
        ++page.examined;
        if (search.filter.matches(view, now)) {
            page.jobs.push_back(std::move(view));
        }
    }
    answer<SearchPage>(std::move(done), std::move(page));
}

void MemoryJobStore::ranked(RankQuery query, Done<RankPage> done)
{
    if (auto sound = check(query); !sound) {
        return answer<RankPage>(std::move(done), tl::unexpected(std::move(sound.error())));
    }
    const auto wants = [](const auto& wanted, const auto& is) {
        return wanted.empty() || std::find(wanted.begin(), wanted.end(), is) != wanted.end();
    };
    RankPage page;
    page.offset = query.offset;
    const auto states = statesOf(query);
    for (const auto state : states) {
        page.states[state] = 0;
    }
    for (auto& [place, view] : ordered({.states = states, .order = query.order})) {
        if (!wants(query.channels, view.job.channel) || !wants(query.topics, view.job.topic)) {
            continue;
        }
        ++page.states[view.state];
        if (page.total++ >= query.offset && page.jobs.size() < query.limit) {
            page.jobs.push_back(std::move(view));
        }
    }
    answer<RankPage>(std::move(done), std::move(page));
}

void MemoryJobStore::count(JobSearch search, Done<JobCount> done)
{
    JobCount count;
    const auto plan = search.filter.plan();
    for (const auto state : kJobStates) {
        if (concerns(search, plan, state)) {
            count.states[state] = 0;
        }
    }
    const auto now = clock_.now();
    std::string last;
    for (const auto& [place, view] : ordered(search)) {
        if (count.examined >= search.budget) {
            count.cursor = last;
            break;
        }
        last = place;
        ++count.examined;
        if (search.filter.matches(view, now)) {
            ++count.states[view.state];
        }
    }
    answer<JobCount>(std::move(done), std::move(count));
}

void MemoryJobStore::indexed(IndexQuery query, Done<JobPage> done)
{
    JobPage page;
    for (const auto& [id, entry] : jobs_) {
        if (id <= query.cursor || !isIn(entry.job, query.kind, query.value)) {
            continue;
        }
        if (page.jobs.size() == query.limit) {
            page.cursor = page.jobs.back().job.id;
            break;
        }
        page.jobs.push_back(viewOf(entry));
    }
    answer<JobPage>(std::move(done), std::move(page));
}

void MemoryJobStore::countIndexed(IndexQuery::Kind kind,
                                  std::string value,
                                  Done<std::uint64_t> done)
{
    const auto count = std::count_if(jobs_.begin(), jobs_.end(), [&](const auto& slot) {
        return isIn(slot.second.job, kind, value);
    });
    answer<std::uint64_t>(std::move(done), static_cast<std::uint64_t>(count));
}

}  // namespace restante
