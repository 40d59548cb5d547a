#include "core/redis/store/redis_job_inspector.h"

#include "core/job/job_id.h"
#include "core/redis/store/job_scan.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <utility>

namespace restante::redis {

namespace {

/// Entries a command reads: with bodies of the largest size a few megabytes.
constexpr std::uint32_t kStep = 100;
constexpr std::uint32_t kMostPerPage = 1'000;
/// Below one step a search could not go on.
constexpr std::uint32_t kLeastBudget = kStep;

std::function<bool(const JobView&)> fitting(const JobQuery& query)
{
    return [query](const JobView& view) {
        const auto& job = view.job;
        const auto fits = [](const std::string& wanted, const std::string& is) {
            return wanted.empty() || wanted == is;
        };
        return fits(query.topic, job.topic) && (!query.channel || *query.channel == job.channel) &&
               fits(query.recipient, job.recipient) && fits(query.sender, job.sender) &&
               fits(query.bizKey, job.bizKey);
    };
}

/// The states that are asked for and that the filter allows, in the order of the search.
std::vector<JobState> statesOf(const JobSearch& search, const FilterPlan& plan)
{
    std::vector<JobState> states;
    for (const auto state : kJobStates) {
        const bool wanted =
            search.states.empty() || std::ranges::find(search.states, state) != search.states.end();
        if (wanted && allows(plan.states, state)) {
            states.push_back(state);
        }
    }
    if (search.order == JobSearch::Order::Descending) {
        std::reverse(states.begin(), states.end());
    }
    return states;
}

bool isCountable(const FilterPlan& plan)
{
    return plan.exact && !plan.scans && !plan.ids && !plan.bizKeys;
}

/// What the cardinalities of the sets say.
JobCount
countOf(const StoreCounts& counts, const std::vector<JobState>& states, const FilterPlan& plan)
{
    JobCount count;
    for (const auto state : states) {
        count.states[state] = plan.topics || plan.channels ? 0 : counts.states.at(state);
    }
    const bool byTopic = plan.topics || plan.channels;
    for (const auto& topic : counts.topics) {
        if (byTopic && allows(plan.topics, topic.topic) && allows(plan.channels, topic.channel)) {
            const auto add = [&](JobState state, std::uint64_t number) {
                if (const auto sum = count.states.find(state); sum != count.states.end()) {
                    sum->second += number;
                }
            };
            add(JobState::Scheduled, topic.scheduled);
            add(JobState::Ready, topic.ready);
        }
    }
    return count;
}

Done<ScannedJobs> pageTo(Done<JobPage> done)
{
    return mapped<ScannedJobs>(std::move(done), [](ScannedJobs&& found) {
        return JobPage{std::move(found.jobs), std::move(found.cursor)};
    });
}

}  // namespace

RedisJobInspector::RedisJobInspector(EventLoop& loop,
                                     Connection& connection,
                                     const Clock& clock,
                                     Settings settings)
    : loop_(loop),
      connection_(connection),
      clock_(clock),
      settings_(std::move(settings)),
      shards_(
          shardQueues(loop, connection, clock, settings_.prefix, settings_.shards, settings_.gate))
{
}

void RedisJobInspector::show(std::string id, Done<JobView> done)
{
    const auto shards = static_cast<std::uint32_t>(shards_.size());
    shards_[shardOfId(id, shards)]->add(
        script("show"), id, {id}, [this, id, done = std::move(done)](const Result<Reply>& reply) {
            done(shownJobOf(reply, id, clock_.now()));
        });
}

void RedisJobInspector::ranked(RankQuery query, Done<RankPage> done)
{
    pageByRank({loop_, shards_, clock_}, std::move(query), std::move(done));
}

void RedisJobInspector::list(JobQuery query, Done<JobPage> done)
{
    JobScan scan;
    scan.matches = fitting(query);
    scan.states = query.state ? std::vector{*query.state}
                              : std::vector<JobState>(kJobStates.begin(), kJobStates.end());
    if (!query.topic.empty()) {
        scan.lanes.topics = {query.topic};
    }
    if (query.channel) {
        scan.lanes.channels = {*query.channel};
    }
    scan.cursor = std::move(query.cursor);
    scan.limit = std::clamp(query.limit, 1U, kMostPerPage);
    scan.step = std::min(scan.limit, kStep);
    scanJobs({loop_, shards_, clock_}, std::move(scan), pageTo(std::move(done)));
}

void RedisJobInspector::goThrough(const JobSearch& search,
                                  std::uint32_t limit,
                                  Done<ScannedJobs> done)
{
    const auto plan = search.filter.plan();
    const auto states = statesOf(search, plan);
    const auto now = clock_.now();
    const auto budget = std::max(search.budget, kLeastBudget);
    if (plan.ids || plan.bizKeys) {
        JobLookup lookup;
        if (plan.ids) {
            lookup.ids = *plan.ids;
        } else {
            for (const auto& key : *plan.bizKeys) {
                lookup.fronts.push_back(indexFront(IndexQuery::Kind::BizKey, key));
            }
        }
        lookup.matches = [filter = search.filter, states, now](const JobView& view) {
            return std::find(states.begin(), states.end(), view.state) != states.end() &&
                   filter.matches(view, now);
        };
        lookup.cursor = search.cursor;
        lookup.limit = limit;
        lookup.budget = budget;
        return lookUpJobs({loop_, shards_, clock_}, std::move(lookup), std::move(done));
    }
    JobScan scan;
    scan.matches = [filter = search.filter, now](const JobView& view) {
        return filter.matches(view, now);
    };
    scan.states = states;
    scan.lanes = {plan.channels, plan.topics};
    scan.order = search.order;
    scan.cursor = search.cursor;
    scan.limit = limit;
    scan.step = isCountable(plan) && limit != 0 ? std::min(limit, kStep) : kStep;
    scan.budget = budget;
    scanJobs({loop_, shards_, clock_}, std::move(scan), std::move(done));
}

void RedisJobInspector::search(JobSearch search, Done<SearchPage> done)
{
    goThrough(search, std::clamp(search.limit, 1U, kMostPerPage),
              mapped<ScannedJobs>(std::move(done), [](ScannedJobs&& found) {
                  return SearchPage{std::move(found.jobs), std::move(found.cursor), found.examined};
              }));
}

void RedisJobInspector::count(JobSearch search, Done<JobCount> done)
{
    const auto plan = search.filter.plan();
    const auto states = statesOf(search, plan);
    if (isCountable(plan) && search.cursor.empty()) {
        return counts(mapped<StoreCounts>(std::move(done), [states, plan](StoreCounts&& counts) {
            return countOf(counts, states, plan);
        }));
    }
    goThrough(search, 0, mapped<ScannedJobs>(std::move(done), [states](ScannedJobs&& found) {
                  for (const auto state : states) {
                      found.counts.try_emplace(state, 0);
                  }
                  return JobCount{std::move(found.counts), std::move(found.cursor), found.examined};
              }));
}

void RedisJobInspector::indexed(IndexQuery query, Done<JobPage> done)
{
    JobLookup lookup;
    lookup.fronts = {indexFront(query.kind, query.value)};
    lookup.matches = [](const JobView&) { return true; };
    lookup.cursor = std::move(query.cursor);
    lookup.limit = std::clamp(query.limit, 1U, kMostPerPage);
    lookUpJobs({loop_, shards_, clock_}, std::move(lookup), pageTo(std::move(done)));
}

void RedisJobInspector::countIndexed(IndexQuery::Kind kind,
                                     std::string value,
                                     Done<std::uint64_t> done)
{
    countInIndex(shards_, indexFront(kind, value), std::move(done));
}

}  // namespace restante::redis
