#include "gui/session/topic_census.h"

#include "core/base/result_gathering.h"

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// Jobs of a shard that an answer looks at: each costs the shard a record, so some ms of it.
constexpr std::uint64_t kJobsPerAnswer = 1'000;
constexpr std::uint64_t kAllJobs = ~std::uint64_t{0};
/// The pause after a background count is so many times its duration, but at least kMinPause.
constexpr int kPauseFactor = 10;
constexpr Millis kMinPause{3'000};

TopicJobs topicJobsOf(const redis::JobsByTopic& jobs)
{
    TopicJobs topics;
    topics.byChannelAndTopic = jobs;
    for (const auto& [channelAndTopic, count] : jobs) {
        topics.jobs[channelAndTopic.second] += count;
    }
    return topics;
}

/// Adds whether all jobs were counted: below the limit of one shard no shard can have reached its
/// own.
Done<redis::JobsByTopic> withCompleteness(std::uint64_t limit,
                                          const Done<redis::PartlyCounted>& done)
{
    return [limit, done](Result<redis::JobsByTopic> jobs) {
        if (!jobs) {
            return done(tl::unexpected<Error>(jobs.error()));
        }
        std::uint64_t sum = 0;
        for (const auto& [channelAndTopic, count] : *jobs) {
            sum += count;
        }
        done(redis::PartlyCounted{std::move(*jobs), sum < limit});
    };
}

}  // namespace

TopicCensus::TopicCensus(redis::StoreActivityReader& reader, const Clock& clock)
    : clock_(clock),
      held_(std::make_shared<StateCount>()),
      dead_(std::make_shared<StateCount>()),
      retrying_(std::make_shared<StateCount>())
{
    const auto countFunctionOf = [&reader](JobState state) {
        return [&reader, state](std::uint64_t limit, const Done<redis::PartlyCounted>& done) {
            if (limit == kAllJobs) {
                reader.countAllByTopic(state, withCompleteness(limit, done));
            } else {
                reader.countByTopic(state, limit, withCompleteness(limit, done));
            }
        };
    };
    held_->count = countFunctionOf(JobState::Held);
    dead_->count = countFunctionOf(JobState::Dead);
    retrying_->count = [&reader](std::uint64_t limit, Done<redis::PartlyCounted> done) {
        reader.countRetryingByTopic(limit, std::move(done));
    };
}

void TopicCensus::count(Done<Counts> done)
{
    auto gathering = std::make_shared<ResultGathering<Counts>>(std::move(done), 3);
    const auto requestInto = [&](const std::shared_ptr<StateCount>& stateCount,
                                 TopicJobs Counts::*member) {
        requestState(stateCount, [gathering, member](const Result<TopicJobs>& jobs) {
            gathering->take(jobs, [member](Counts& counts, const TopicJobs& ofState) {
                counts.*member = ofState;
            });
        });
    };
    requestInto(held_, &Counts::held);
    requestInto(dead_, &Counts::dead);
    requestInto(retrying_, &Counts::retrying);
}

void TopicCensus::requestState(const std::shared_ptr<StateCount>& stateCount, Done<TopicJobs> done)
{
    stateCount->count(kJobsPerAnswer, [this, stateCount, done = std::move(done)](
                                          const Result<redis::PartlyCounted>& counted) {
        if (!counted) {
            return done(tl::unexpected<Error>(counted.error()));
        }
        auto jobs = topicJobsOf(counted->jobs);
        if (counted->isComplete) {
            stateCount->last.reset();
            return done(std::move(jobs));
        }
        countInBackground(stateCount);
        jobs.isComplete = false;
        done(stateCount->last ? *stateCount->last : std::move(jobs));
    });
}

void TopicCensus::countInBackground(const std::shared_ptr<StateCount>& stateCount)
{
    const auto now = clock_.now();
    const auto pause =
        std::max(kMinPause, std::chrono::duration_cast<Millis>(
                                (stateCount->endedAt - stateCount->startedAt) * kPauseFactor));
    if (stateCount->running || (stateCount->last && now - stateCount->endedAt < pause)) {
        return;
    }
    stateCount->running = true;
    stateCount->startedAt = now;
    stateCount->count(kAllJobs,
                      [stateCount, &clock = clock_](const Result<redis::PartlyCounted>& counted) {
                          stateCount->running = false;
                          if (counted) {
                              stateCount->endedAt = clock.now();
                              stateCount->last = topicJobsOf(counted->jobs);
                              stateCount->last->asOf = stateCount->endedAt;
                          }
                      });
}

}  // namespace restante::gui
