#include "core/queue/job_search.h"

#include <algorithm>
#include <iterator>

namespace restante {

namespace {

constexpr std::uint32_t kMostPerPage = 1'000;

bool isKeptByTopic(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

}  // namespace

void cutBody(Job& job, std::uint32_t most, CutBodies& cut)
{
    if (job.body.size() > most) {
        cut[job.id] = job.body.size();
        job.body.resize(most);
    }
}

bool includesState(const JobSearch& search, const FilterPlan& plan, JobState state)
{
    return isWanted(search.states, state) &&
           (!plan.states || (!plan.states->empty() && isWanted(*plan.states, state)));
}

std::vector<JobState> statesOf(const RankQuery& query)
{
    std::vector<JobState> states(kJobStates.begin(), kJobStates.end());
    std::erase_if(states, [&](JobState state) { return !isWanted(query.states, state); });
    if (query.order == JobSearch::Order::Descending) {
        std::ranges::reverse(states);
    }
    return states;
}

Result<void> check(const RankQuery& query)
{
    if (query.limit > kMostPerPage) {
        return invalidField("limit", "{} is too many, 0 to {} are allowed", query.limit,
                            kMostPerPage);
    }
    if (query.topics.empty() && query.channels.empty()) {
        return {};
    }
    for (const auto state : statesOf(query)) {
        if (!isKeptByTopic(state)) {
            return invalidField(query.topics.empty() ? "channels" : "topics",
                                "only scheduled and ready jobs are ranked by topic and channel, "
                                "not {} ones; search for them",
                                name(state));
        }
    }
    return {};
}

std::optional<RankQuery> rankQueryOf(const JobSearch& search)
{
    const auto plan = search.filter.plan();
    if (!plan.exact || plan.scans || plan.ids || plan.bizKeys) {
        return std::nullopt;
    }
    RankQuery query;
    query.order = search.order;
    query.limit = std::clamp(search.limit, 1U, kMostPerPage);
    query.bodyBytes = search.bodyBytes;
    query.channels = plan.channels.value_or(std::vector<Channel>{});
    query.topics = plan.topics.value_or(std::vector<std::string>{});
    std::ranges::copy_if(kJobStates, std::back_inserter(query.states),
                         [&](JobState state) { return includesState(search, plan, state); });
    const bool matchesNothing = query.states.empty() || (plan.channels && query.channels.empty()) ||
                                (plan.topics && query.topics.empty());
    return matchesNothing || !check(query) ? std::nullopt : std::optional(std::move(query));
}

}  // namespace restante
