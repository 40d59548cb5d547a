#include "core/redis/store_sampler.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace restante::redis {

namespace {

/// A sample on its way: the counts and the pulse beside each other, then the lateness at some
/// ranks of what is ready.
using Pulse = StoreSampler::Pulse;

class Run : public std::enable_shared_from_this<Run> {
public:
    Run(JobInspector& inspector, const Clock& clock, SampleShare share, Done<StoreSample> done)
        : inspector_(inspector),
          share_(std::move(share)),
          done_(std::move(done))
    {
        sample_.at = clock.now();
    }

    void start(const Pulse& ask)
    {
        missing_ = 2;
        inspector_.counts([self = shared_from_this()](Result<StoreCounts> counts) {
            self->take(std::move(counts),
                       [&](StoreCounts& now) { self->sample_.counts = std::move(now); });
        });
        ask([self = shared_from_this()](Result<StorePulse> pulse) {
            self->take(std::move(pulse), [&](StorePulse& now) {
                self->sample_.moves = std::move(now.moves);
                self->sample_.journal = std::move(now.journal);
            });
        });
    }

private:
    template <class T, class Use>
    void take(Result<T> part, Use use)
    {
        if (part) {
            use(*part);
        } else {
            error_ = part.error();
        }
        if (--missing_ > 0) {
            return;
        }
        if (error_) {
            return done_(tl::unexpected(*error_));
        }
        askLateness();
    }

    /// The p-th percentile is the lateness that p per cent of the jobs do not exceed; the latest
    /// comes first.
    void askLateness()
    {
        const auto ready = readyOfShare();
        if (ready == 0) {
            return done_(std::move(sample_));
        }
        sample_.lateness.emplace();
        auto& late = *sample_.lateness;
        const auto rank = [ready](std::uint64_t percent) { return ready * (100 - percent) / 100; };
        missing_ = 4;
        ask(rank(50), late.p50);
        ask(rank(95), late.p95);
        ask(rank(99), late.p99);
        ask(0, late.most);
    }

    std::uint64_t readyOfShare() const
    {
        if (share_.topic.empty() && !share_.channel) {
            return sample_.counts.states.at(JobState::Ready);
        }
        std::uint64_t ready = 0;
        for (const auto& counts : sample_.counts.topics) {
            const bool isOfIt = (share_.topic.empty() || share_.topic == counts.topic) &&
                                (!share_.channel || *share_.channel == counts.channel);
            ready += isOfIt ? counts.ready : 0;
        }
        return ready;
    }

    void ask(std::uint64_t rank, Millis& late)
    {
        RankQuery query{.states = {JobState::Ready}, .offset = rank, .limit = 1};
        if (share_.channel) {
            query.channels = {*share_.channel};
        }
        if (!share_.topic.empty()) {
            query.topics = {share_.topic};
        }
        inspector_.ranked(
            std::move(query), [self = shared_from_this(), &late](Result<RankPage> page) {
                if (!page) {
                    self->error_ = page.error();
                } else if (!page->jobs.empty()) {
                    late = std::max(Millis{0}, std::chrono::duration_cast<Millis>(
                                                   self->sample_.at - page->jobs.front().due));
                }
                self->end();
            });
    }

    void end()
    {
        if (--missing_ > 0) {
            return;
        }
        if (error_) {
            return done_(tl::unexpected(*error_));
        }
        done_(std::move(sample_));
    }

    JobInspector& inspector_;
    SampleShare share_;
    Done<StoreSample> done_;
    StoreSample sample_;
    std::size_t missing_ = 0;
    std::optional<Error> error_;
};

}  // namespace

StoreSampler::StoreSampler(JobInspector& inspector, StoreWatch& watch, const Clock& clock)
    : StoreSampler(
          inspector, [&watch](Done<StorePulse> done) { watch.pulse(std::move(done)); }, clock)
{
}

StoreSampler::StoreSampler(JobInspector& inspector, Pulse pulse, const Clock& clock)
    : inspector_(inspector),
      pulse_(std::move(pulse)),
      clock_(clock)
{
}

void StoreSampler::sample(SampleShare share, Done<StoreSample> done)
{
    std::make_shared<Run>(inspector_, clock_, std::move(share), std::move(done))->start(pulse_);
}

}  // namespace restante::redis
