#include "core/base/metrics.h"
#include "core/redis/store/ask_every_shard.h"
#include "core/redis/store/packed_map.h"
#include "core/redis/store/redis_job_store.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

/// The part of RedisJobStore that calls several shards: one after the other when the calls move
/// jobs, all at once when they only read.
namespace restante::redis {

namespace {

/// While a shard does not answer, nobody knows what is due there: it is asked again after this.
constexpr Millis kAskAgain{2'000};
/// After this time a claim goes on behind one shard that has failed, but not behind a second: each
/// whose master is away takes the time of a command.
constexpr Millis kLongClaim{2'000};

/// Records the metrics of claimed jobs and their lateness.
void countClaims(const std::vector<ClaimedJob>& jobs)
{
    using Seconds = std::chrono::duration<double>;
    if (jobs.empty()) {
        return;
    }
    // A claim is of one channel.
    const metrics::LabelValues channel{std::string(name(jobs.front().job.channel))};
    metrics::counter("restante_jobs_claimed_total", channel).add(jobs.size());
    auto& lateness = metrics::histogram("restante_lateness_seconds", channel);
    for (const auto& claimed : jobs) {
        const auto claimedAt = claimed.leaseEnds - claimed.job.ttr;
        lateness.observe(Seconds(claimedAt - claimed.due).count());
    }
}

/// `arguments`, then those for lanesOf() of the scripts: the number of topics, and the topics.
std::vector<std::string> withTopics(std::vector<std::string> arguments,
                                    const std::vector<std::string>& topics)
{
    arguments.push_back(std::to_string(topics.size()));
    arguments.insert(arguments.end(), topics.begin(), topics.end());
    return arguments;
}

}  // namespace

/// A claim that goes from shard to shard.
struct RedisJobStore::ClaimRound {
    ClaimRequest request;
    Done<std::vector<ClaimedJob>> done;
    std::uint32_t shard = 0;
    std::uint32_t shardsLeft = 0;
    int tries = 0;  ///< at this shard, after slots were asked for
    std::vector<ClaimedJob> jobs;
    bool hasAnswer = false;  ///< of any shard
    int failures = 0;        ///< shards that have failed
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();

    bool isFull() const { return jobs.size() >= request.max; }
    /// Whether it ends now that a shard has failed. Jobs in hand must not wait: their leases run.
    bool endsAfterFailure() const
    {
        const auto taken = std::chrono::steady_clock::now() - begun;
        return !jobs.empty() || shardsLeft == 1 || (failures > 1 && taken > kLongClaim);
    }
};

struct RedisJobStore::ExpireRound {
    std::uint32_t max = 0;
    Done<std::vector<std::string>> done;
    std::uint32_t shard = 0;
    std::vector<std::string> ids;
    bool hasAnswer = false;  ///< of any shard
};

void RedisJobStore::claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done)
{
    if (request.max == 0) {
        return answerLater<std::vector<ClaimedJob>>(std::move(done), {});
    }
    request.max = boundedCount(request.max);
    auto round = std::make_shared<ClaimRound>();
    round->request = std::move(request);
    round->done = std::move(done);
    round->shardsLeft = settings_.shards;
    round->shard = nextShard_++ % settings_.shards;
    claimFromNextShard(std::move(round));
}

void RedisJobStore::claimFromNextShard(std::shared_ptr<ClaimRound> round)
{
    const auto& request = round->request;
    const std::size_t wanted = request.max - round->jobs.size();
    shards_[round->shard]->add(
        script("claim"), ScriptSubject::ofReady(),
        withTopics({std::string(name(request.channel)), std::to_string(wanted),
                    packActor(request.actor, request.reason)},
                   request.topics),
        [this, round](const Result<Reply>& reply) {
            round->failures += reply ? 0 : 1;
            const bool ends = !reply && (isClosing_ || round->endsAfterFailure());
            // Jobs that other shards have given must be returned, or their leases would lapse.
            if (ends && !round->hasAnswer) {
                return round->done(tl::unexpected(reply.error()));
            }
            if (reply) {
                round->hasAnswer = true;
                std::vector<DamagedJob> damaged;
                auto jobs = claimedJobsOf(*reply, damaged);
                countClaims(jobs);
                std::move(jobs.begin(), jobs.end(), std::back_inserter(round->jobs));
                buryDamaged(damaged);
            }
            const auto advance = [this, round, ends](bool again) {
                if (again) {
                    ++round->tries;
                    return claimFromNextShard(round);
                }
                round->tries = 0;
                round->shard = (round->shard + 1) % settings_.shards;
                if (ends || --round->shardsLeft == 0 || round->isFull()) {
                    return round->done(std::move(round->jobs));
                }
                claimFromNextShard(round);
            };
            round->isFull() ? advance(false)
                            : fetchSlots(reply, round->shard, round->tries, advance);
        },
        wanted);
}

void RedisJobStore::expire(std::uint32_t max, Done<std::vector<std::string>> done)
{
    if (max == 0) {
        return answerLater<std::vector<std::string>>(std::move(done), {});
    }
    auto round = std::make_shared<ExpireRound>();
    round->max = boundedCount(max);
    round->done = std::move(done);
    expireInNextShard(std::move(round));
}

void RedisJobStore::expireInNextShard(std::shared_ptr<ExpireRound> round)
{
    const std::string max = std::to_string(round->max - round->ids.size());
    auto& shard = *shards_[round->shard++];
    shard.add(script("expire"), {}, {max, settings_.keepDone ? "1" : "0"},
              [this, round](const Result<Reply>& reply) {
                  const bool isLast = round->shard == settings_.shards || (!reply && isClosing_);
                  if (!reply && isLast && !round->hasAnswer) {
                      return round->done(tl::unexpected(reply.error()));
                  }
                  if (reply) {
                      round->hasAnswer = true;
                      auto ids = textsOf(*reply);
                      std::move(ids.begin(), ids.end(), std::back_inserter(round->ids));
                  }
                  if (isLast || round->ids.size() >= round->max) {
                      return round->done(std::move(round->ids));
                  }
                  expireInNextShard(round);
              });
}

void RedisJobStore::lapsed(std::uint32_t max, Done<std::vector<ClaimedJob>> done)
{
    max = boundedCount(max);
    using Leases = std::vector<ClaimedJob>;
    askShardsThatAnswer<Leases>(
        shards_, script("lapsed"), {std::to_string(max)},
        mapped<PartialSum<Leases>>(std::move(done),
                                   [max](PartialSum<Leases>&& partial) {
                                       auto& leases = partial.sum;
                                       std::ranges::stable_sort(leases, {}, &ClaimedJob::leaseEnds);
                                       leases.erase(leases.begin() + std::min<std::ptrdiff_t>(
                                                                         max, std::ssize(leases)),
                                                    leases.end());
                                       return std::move(leases);
                                   }),
        [this](Leases& leases, const Reply& reply) {
            std::vector<DamagedJob> damaged;
            std::ranges::move(lapsedLeasesOf(reply, damaged), std::back_inserter(leases));
            buryDamaged(damaged);
        });
}

void RedisJobStore::dueMailboxes(std::uint32_t max, Done<std::vector<std::string>> done)
{
    max = boundedCount(max);
    using Mailboxes = std::vector<DueMailbox>;
    askShardsThatAnswer<Mailboxes>(
        shards_, script("due_mailboxes"), {std::to_string(max)},
        mapped<PartialSum<Mailboxes>>(
            std::move(done),
            [max](PartialSum<Mailboxes>&& partial) {
                auto& mailboxes = partial.sum;
                std::ranges::stable_sort(mailboxes, {}, &DueMailbox::next);
                std::vector<std::string> recipients;
                for (std::size_t i = 0; i < std::min<std::size_t>(max, mailboxes.size()); ++i) {
                    recipients.push_back(std::move(mailboxes[i].recipient));
                }
                return recipients;
            }),
        [](Mailboxes& mailboxes, const Reply& reply) {
            std::ranges::move(dueMailboxesOf(reply), std::back_inserter(mailboxes));
        });
}

void RedisJobStore::earliest(DueSource source, Done<std::optional<TimePoint>> done)
{
    using Moment = std::optional<TimePoint>;
    const auto channel =
        source.kind == DueSource::Kind::Lanes ? restante::name(source.channel) : std::string_view();
    askShardsThatAnswer<Moment>(
        shards_, script("earliest"),
        withTopics({std::string(redis::name(source.kind)), std::string(channel)}, source.topics),
        mapped<PartialSum<Moment>>(std::move(done),
                                   [&clock = clock_](const PartialSum<Moment>& partial) -> Moment {
                                       if (!partial.error) {
                                           return partial.sum;
                                       }
                                       const auto again = clock.now() + kAskAgain;
                                       return std::min(partial.sum.value_or(again), again);
                                   }),
        [](Moment& first, const Reply& reply) {
            const auto* score = reply.text();
            // A mailbox that waits for a registration only has the score "inf".
            if (score != nullptr && !score->empty() && *score != "inf") {
                const auto at = timeOfScore(*score);
                first = std::min(first.value_or(at), at);
            }
        });
}

}  // namespace restante::redis
