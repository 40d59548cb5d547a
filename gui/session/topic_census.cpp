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
constexpr int kRest = 10;
constexpr Millis kShortestRest{3'000};

TopicJobs topicJobsOf(const redis::JobsByTopic& jobs)
{
    TopicJobs topics;
    topics.byChannel = jobs;
    for (const auto& [topic, count] : jobs) {
        topics.jobs[topic.second] += count;
    }
    return topics;
}

/// A shard may have more than it was asked for.
Done<redis::JobsByTopic> asPart(std::uint64_t most, const Done<redis::PartlyCounted>& done)
{
    return [most, done](Result<redis::JobsByTopic> jobs) {
        if (!jobs) {
            return done(tl::unexpected<Error>(jobs.error()));
        }
        std::uint64_t sum = 0;
        for (const auto& [topic, count] : *jobs) {
            sum += count;
        }
        done(redis::PartlyCounted{std::move(*jobs), sum < most});
    };
}

}  // namespace

TopicCensus::TopicCensus(redis::StoreActivityReader& reader, const Clock& clock)
    : clock_(clock),
      held_(std::make_shared<Part>()),
      dead_(std::make_shared<Part>()),
      retrying_(std::make_shared<Part>())
{
    const auto counting = [&reader](JobState state) {
        return [&reader, state](std::uint64_t most, const Done<redis::PartlyCounted>& done) {
            if (most == kAllJobs) {
                reader.countAllByTopic(state, asPart(most, done));
            } else {
                reader.countByTopic(state, most, asPart(most, done));
            }
        };
    };
    held_->count = counting(JobState::Held);
    dead_->count = counting(JobState::Dead);
    retrying_->count = [&reader](std::uint64_t most, Done<redis::PartlyCounted> done) {
        reader.countRetryingByTopic(most, std::move(done));
    };
}

void TopicCensus::ask(Done<Counts> done)
{
    auto all = std::make_shared<ResultGathering<Counts>>(std::move(done), 3);
    const auto one = [&](const std::shared_ptr<Part>& part, TopicJobs Counts::*place) {
        askPart(part, [all, place](const Result<TopicJobs>& jobs) {
            all->take(jobs, [place](Counts& sum, const TopicJobs& now) { sum.*place = now; });
        });
    };
    one(held_, &Counts::held);
    one(dead_, &Counts::dead);
    one(retrying_, &Counts::retrying);
}

void TopicCensus::askPart(const std::shared_ptr<Part>& part, Done<TopicJobs> done)
{
    part->count(kJobsPerAnswer,
                [this, part, done = std::move(done)](const Result<redis::PartlyCounted>& counted) {
                    if (!counted) {
                        return done(tl::unexpected<Error>(counted.error()));
                    }
                    auto jobs = topicJobsOf(counted->jobs);
                    if (counted->isComplete) {
                        part->last.reset();
                        return done(std::move(jobs));
                    }
                    countInBackground(part);
                    jobs.all = false;
                    done(part->last ? *part->last : std::move(jobs));
                });
}

void TopicCensus::countInBackground(const std::shared_ptr<Part>& part)
{
    const auto now = clock_.now();
    const auto rest = std::max(
        kShortestRest, std::chrono::duration_cast<Millis>((part->ended - part->began) * kRest));
    if (part->running || (part->last && now - part->ended < rest)) {
        return;
    }
    part->running = true;
    part->began = now;
    part->count(kAllJobs, [part, &clock = clock_](const Result<redis::PartlyCounted>& counted) {
        part->running = false;
        if (counted) {
            part->ended = clock.now();
            part->last = topicJobsOf(counted->jobs);
            part->last->asOf = part->ended;
        }
    });
}

}  // namespace restante::gui
