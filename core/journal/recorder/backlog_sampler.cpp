#include "core/journal/recorder/backlog_sampler.h"

#include "core/base/log.h"
#include "core/base/while_alive.h"
#include "core/redis/store/store_activity.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

/// Topics that a sample has rows of: those with the largest backlog.
constexpr std::size_t kMostTopics = 100;
/// And those whose lateness it has: with the most ready jobs.
constexpr std::size_t kMostLate = 20;

TopicBacklog backlogOf(const StoreCounts& counts)
{
    const auto jobs = [&](JobState state) {
        const auto found = counts.states.find(state);
        return found == counts.states.end() ? 0 : found->second;
    };
    return {.ready = jobs(JobState::Ready),
            .scheduled = jobs(JobState::Scheduled),
            .leased = jobs(JobState::Leased),
            .held = jobs(JobState::Held),
            .dead = jobs(JobState::Dead)};
}

std::uint64_t backlog(const TopicCounts& counts)
{
    return counts.scheduled + counts.ready;
}

BacklogSample sampleOf(StoreCounts counts, TimePoint at, Millis span)
{
    BacklogSample sample{.at = at, .span = span, .whole = backlogOf(counts)};
    auto& topics = counts.topics;
    sample.allTopics = topics.size() <= kMostTopics;
    std::stable_sort(topics.begin(), topics.end(), [](const auto& one, const auto& other) {
        return backlog(one) > backlog(other);
    });
    topics.resize(std::min(topics.size(), kMostTopics));
    for (const auto& topic : topics) {
        sample.topics.push_back({.topic = topic.topic,
                                 .channel = std::string(name(topic.channel)),
                                 .ready = topic.ready,
                                 .scheduled = topic.scheduled});
    }
    return sample;
}

/// Nobody has to be asked how late they are when nothing is ready. Answers the others, everything
/// first, then the busiest topics.
std::vector<TopicBacklog*> lateOnes(BacklogSample& sample)
{
    std::vector<TopicBacklog*> late;
    for (auto& part : sample.topics) {
        late.push_back(&part);
    }
    late.push_back(&sample.whole);
    std::stable_sort(late.begin(), late.end(),
                     [](const auto* one, const auto* other) { return one->ready > other->ready; });
    std::erase_if(late, [](TopicBacklog* part) {
        if (part->ready == 0) {
            part->lateness.emplace();
        }
        return part->ready == 0;
    });
    late.resize(std::min(late.size(), kMostLate + 1));
    return late;
}

class BacklogSampler : public std::enable_shared_from_this<BacklogSampler> {
public:
    BacklogSampler(SamplerParts parts, Millis every, SamplerDuties duties)
        : parts_(parts),
          every_(every),
          duties_(std::move(duties)),
          next_(parts.loop)
    {
    }

    void begin()
    {
        parts_.recording.ask<void>(
            parts_.loop,
            [every = every_](SqlJournal& sql) -> Result<void> {
                sql.countTraffic(every);
                return {};
            },
            [](const Result<void>&) {});
        next_.arm(Millis{0}, [this] { look(); });
    }

private:
    void look()
    {
        const auto now = parts_.clock.now();
        const auto at = now - now.time_since_epoch() % every_;
        const auto after = std::chrono::ceil<Millis>(at + every_ - now);
        next_.arm(after, [this] { look(); });
        if (duties_.counts()) {
            takeTraffic(at - every_);
        }
        if (at == last_ || looking_ || !duties_.looks()) {
            return;
        }
        looking_ = true;
        taken_ = now;
        parts_.inspector.counts(whileAlive(*this, &BacklogSampler::counted, at));
    }

    void counted(TimePoint at, Result<StoreCounts> counts)
    {
        if (!counts) {
            return give(counts.error());
        }
        sample_ = sampleOf(std::move(*counts), at, every_);
        late_ = lateOnes(sample_);
        askNext();
    }

    /// First from the recorders' thread, where it costs nothing, then to the database.
    void takeTraffic(TimePoint before)
    {
        parts_.recording.ask<TrafficCounts>(
            parts_.loop, [](SqlJournal& sql) -> Result<TrafficCounts> { return sql.takeTraffic(); },
            whileAlive(*this, &BacklogSampler::writeTraffic, before));
    }

    void writeTraffic(TimePoint before, Result<TrafficCounts> counts)
    {
        if (!counts) {
            return;
        }
        parts_.writing.ask<void>(
            parts_.loop,
            [counts = std::move(*counts), before, every = every_](SqlJournal& sql) {
                return sql.addTraffic(counts, before, every);
            },
            [](const Result<void>& written) {
                if (!written) {
                    log::debug("journal", "cannot note what came and went: {}",
                               written.error().message);
                }
            });
    }

    void askNext()
    {
        if (late_.empty()) {
            return write();
        }
        auto* const part = late_.front();
        late_.erase(late_.begin());
        redis::SampleShare share{part->topic, channelNamed(part->channel)};
        redis::askLateness(parts_.inspector, share, part->ready, taken_,
                           whileAlive(*this, &BacklogSampler::gotLateness, part));
    }

    void gotLateness(TopicBacklog* part, const Result<redis::Lateness>& late)
    {
        if (!late) {
            return give(late.error());
        }
        part->lateness = LatenessPercentiles{late->p50, late->p95, late->p99};
        askNext();
    }

    void write()
    {
        parts_.writing.ask<bool>(
            parts_.loop,
            [sample = sample_](SqlJournal& sql) { return sql.addBacklogSample(sample); },
            whileAlive(*this, &BacklogSampler::written));
    }

    void written(const Result<bool>& done)
    {
        if (!done) {
            return give(done.error());
        }
        looking_ = false;
        last_ = sample_.at;
    }

    /// Until the next moment.
    void give(const Error& error)
    {
        looking_ = false;
        log::debug("journal", "cannot note what waits: {}", error.message);
    }

    SamplerParts parts_;
    Millis every_;
    SamplerDuties duties_;
    BacklogSample sample_;
    std::vector<TopicBacklog*> late_;  ///< parts of the sample that are still to be asked about
    TimePoint taken_{};
    TimePoint last_{};  ///< the last that was written
    bool looking_ = false;
    Timer next_;
};

}  // namespace

std::shared_ptr<void> sampleBacklog(SamplerParts parts, Millis every, SamplerDuties duties)
{
    auto sampler = std::make_shared<BacklogSampler>(parts, every, std::move(duties));
    sampler->begin();
    return sampler;
}

}  // namespace restante::journal
