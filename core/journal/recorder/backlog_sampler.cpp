#include "core/journal/recorder/backlog_sampler.h"

#include "core/base/log.h"
#include "core/base/while_alive.h"
#include "core/redis/store/store_activity.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

/// A sample has rows of so many topics: those with the largest backlog.
constexpr std::size_t kMostTopics = 100;
/// The lateness is measured for so many of them: those with the most ready jobs.
constexpr std::size_t kMostMeasuredTopics = 20;

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

std::uint64_t backlogSize(const TopicCounts& counts)
{
    return counts.scheduled + counts.ready;
}

BacklogSample sampleOf(StoreCounts counts, TimePoint at, Millis span)
{
    BacklogSample sample{.at = at, .span = span, .whole = backlogOf(counts)};
    auto& topics = counts.topics;
    sample.allTopics = topics.size() <= kMostTopics;
    std::stable_sort(topics.begin(), topics.end(), [](const auto& one, const auto& other) {
        return backlogSize(one) > backlogSize(other);
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

/// Sets the lateness of parts without ready jobs to zero. Returns the others, those with the most
/// ready jobs first: the whole store and kMostMeasuredTopics topics at most.
std::vector<TopicBacklog*> partsToMeasure(BacklogSample& sample)
{
    std::vector<TopicBacklog*> parts;
    for (auto& part : sample.topics) {
        parts.push_back(&part);
    }
    parts.push_back(&sample.whole);
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto* one, const auto* other) { return one->ready > other->ready; });
    std::erase_if(parts, [](TopicBacklog* part) {
        if (part->ready == 0) {
            part->lateness.emplace();
        }
        return part->ready == 0;
    });
    parts.resize(std::min(parts.size(), kMostMeasuredTopics + 1));
    return parts;
}

class BacklogSampler : public std::enable_shared_from_this<BacklogSampler> {
public:
    BacklogSampler(SamplerContext context, Millis interval, SamplerDuties duties)
        : context_(context),
          interval_(interval),
          duties_(std::move(duties)),
          timer_(context.loop)
    {
    }

    void start()
    {
        context_.recording.ask<void>(
            context_.loop,
            [interval = interval_](SqlJournal& sql) -> Result<void> {
                sql.countTraffic(interval);
                return {};
            },
            [](const Result<void>&) {});
        timer_.arm(Millis{0}, [this] { sample(); });
    }

private:
    void sample()
    {
        const auto now = context_.clock.now();
        const auto at = now - now.time_since_epoch() % interval_;
        const auto after = std::chrono::ceil<Millis>(at + interval_ - now);
        timer_.arm(after, [this] { sample(); });
        if (duties_.countsTraffic()) {
            takeAndWriteTraffic(at - interval_);
        }
        if (at == lastWritten_ || isSampling_ || !duties_.isSampler()) {
            return;
        }
        isSampling_ = true;
        sampleTime_ = now;
        context_.inspector.counts(whileAlive(*this, &BacklogSampler::onCounts, at));
    }

    void onCounts(TimePoint at, Result<StoreCounts> counts)
    {
        if (!counts) {
            return abortSample(counts.error());
        }
        sample_ = sampleOf(std::move(*counts), at, interval_);
        unmeasuredParts_ = partsToMeasure(sample_);
        measureNext();
    }

    /// Takes the counts from the recorders' thread and writes them to the database on another.
    void takeAndWriteTraffic(TimePoint intervalStart)
    {
        context_.recording.ask<TrafficCounts>(
            context_.loop,
            [](SqlJournal& sql) -> Result<TrafficCounts> { return sql.takeTraffic(); },
            whileAlive(*this, &BacklogSampler::writeTraffic, intervalStart));
    }

    void writeTraffic(TimePoint intervalStart, Result<TrafficCounts> counts)
    {
        if (!counts) {
            return;
        }
        mergeTraffic(unwrittenTraffic_, std::move(*counts));
        const auto all =
            std::make_shared<TrafficCounts>(std::exchange(unwrittenTraffic_, TrafficCounts{}));
        context_.writing.ask<void>(
            context_.loop,
            [all, intervalStart, interval = interval_](SqlJournal& sql) {
                return sql.addTraffic(*all, intervalStart, interval);
            },
            whileAlive(*this, &BacklogSampler::onTrafficWritten, all));
    }

    void onTrafficWritten(const std::shared_ptr<TrafficCounts>& counts, const Result<void>& written)
    {
        if (!written) {
            log::warning("journal", "cannot note what came and went; it is tried again: {}",
                         written.error().message);
            mergeTraffic(unwrittenTraffic_, std::move(*counts));
        }
    }

    void measureNext()
    {
        if (unmeasuredParts_.empty()) {
            return write();
        }
        auto* const part = unmeasuredParts_.front();
        unmeasuredParts_.erase(unmeasuredParts_.begin());
        redis::SampleScope scope{part->topic, channelNamed(part->channel)};
        redis::askLateness(context_.inspector, scope, part->ready, sampleTime_,
                           whileAlive(*this, &BacklogSampler::onLateness, part));
    }

    void onLateness(TopicBacklog* part, const Result<redis::Lateness>& late)
    {
        if (!late) {
            return abortSample(late.error());
        }
        part->lateness = LatenessPercentiles{late->p50, late->p95, late->p99};
        measureNext();
    }

    void write()
    {
        context_.writing.ask<bool>(
            context_.loop,
            [sample = sample_](SqlJournal& sql) { return sql.addBacklogSample(sample); },
            whileAlive(*this, &BacklogSampler::onWritten));
    }

    void onWritten(const Result<bool>& done)
    {
        if (!done) {
            return abortSample(done.error());
        }
        isSampling_ = false;
        lastWritten_ = sample_.at;
    }

    /// Gives this sample up; the next one is made at its time.
    void abortSample(const Error& error)
    {
        isSampling_ = false;
        log::debug("journal", "cannot note what waits: {}", error.message);
    }

    SamplerContext context_;
    Millis interval_;
    SamplerDuties duties_;
    BacklogSample sample_;
    std::vector<TopicBacklog*> unmeasuredParts_;  ///< of the sample, still to be measured
    /// Of intervals before, which the database did not take, as far as is known: counts whose
    /// commit was not answered may be counted twice.
    TrafficCounts unwrittenTraffic_;
    TimePoint sampleTime_{};
    TimePoint lastWritten_{};  ///< time of the last sample written, by this daemon or another
    bool isSampling_ = false;
    Timer timer_;
};

}  // namespace

std::shared_ptr<void> sampleBacklog(SamplerContext context, Millis interval, SamplerDuties duties)
{
    auto sampler = std::make_shared<BacklogSampler>(context, interval, std::move(duties));
    sampler->start();
    return sampler;
}

}  // namespace restante::journal
