#include "core/redis/store/store_stats.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace restante::redis {

namespace {

/// The latest jobs come first: a percentile is the lateness of the job at a rank.
class LatenessRun : public std::enable_shared_from_this<LatenessRun> {
public:
    LatenessRun(JobInspector& inspector,
                const SampleShare& share,
                std::uint64_t ready,
                TimePoint at,
                Done<Lateness> done)
        : inspector_(inspector),
          ready_(ready),
          at_(at),
          done_(std::move(done))
    {
        query_.states = {JobState::Ready};
        query_.limit = 1;
        if (share.channel) {
            query_.channels = {*share.channel};
        }
        if (!share.topic.empty()) {
            query_.topics = {share.topic};
        }
    }

    void start()
    {
        missing_ = kPercentiles.size();
        for (const auto& [percent, member] : kPercentiles) {
            query_.offset = ready_ * (100 - percent) / 100;
            inspector_.ranked(
                query_, [self = shared_from_this(), member = member](const Result<RankPage>& page) {
                    self->handle(self->late_.*member, page);
                });
        }
    }

private:
    void handle(Millis& late, const Result<RankPage>& page)
    {
        if (!page) {
            error_ = page.error();
        } else if (!page->jobs.empty()) {
            const auto waited = at_ - page->jobs.front().due;
            late = std::max(Millis{0}, std::chrono::duration_cast<Millis>(waited));
        }
        if (--missing_ > 0) {
            return;
        }
        if (error_) {
            return done_(tl::unexpected(*error_));
        }
        done_(late_);
    }

    struct Percentile {
        std::uint64_t percent;
        Millis Lateness::*member;
    };
    static constexpr std::array<Percentile, 4> kPercentiles{
        {{50, &Lateness::p50}, {95, &Lateness::p95}, {99, &Lateness::p99}, {100, &Lateness::most}}};

    JobInspector& inspector_;
    RankQuery query_;
    std::uint64_t ready_;
    TimePoint at_;
    Done<Lateness> done_;
    Lateness late_;
    std::size_t missing_ = 0;
    std::optional<Error> error_;
};

using ActivitySource = StoreStatsReader::ActivitySource;

/// A sample on its way: the counts and the activity beside each other, then the lateness.
class Run : public std::enable_shared_from_this<Run> {
public:
    Run(JobInspector& inspector, const Clock& clock, SampleShare share, Done<StoreStats> done)
        : inspector_(inspector),
          share_(std::move(share)),
          done_(std::move(done))
    {
        sample_.at = clock.now();
    }

    void start(const ActivitySource& ask)
    {
        missing_ = 2;
        inspector_.counts([self = shared_from_this()](Result<StoreCounts> counts) {
            self->handle(std::move(counts),
                         [&](StoreCounts& now) { self->sample_.counts = std::move(now); });
        });
        ask([self = shared_from_this()](Result<StoreActivity> activity) {
            self->handle(std::move(activity), [&](StoreActivity& now) {
                self->sample_.moves = std::move(now.moves);
                self->sample_.journal = std::move(now.journal);
            });
        });
    }

private:
    template <class T, class Use>
    void handle(Result<T> part, Use use)
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
        askLate();
    }

    void askLate()
    {
        const auto ready = readyOfShare();
        if (ready == 0) {
            return done_(std::move(sample_));
        }
        askLateness(inspector_, share_, ready, sample_.at,
                    [self = shared_from_this()](Result<Lateness> late) {
                        if (!late) {
                            return self->done_(tl::unexpected(late.error()));
                        }
                        self->sample_.lateness = *late;
                        self->done_(std::move(self->sample_));
                    });
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

    JobInspector& inspector_;
    SampleShare share_;
    Done<StoreStats> done_;
    StoreStats sample_;
    std::size_t missing_ = 0;
    std::optional<Error> error_;
};

}  // namespace

void askLateness(JobInspector& inspector,
                 const SampleShare& share,
                 std::uint64_t ready,
                 TimePoint at,
                 Done<Lateness> done)
{
    std::make_shared<LatenessRun>(inspector, share, ready, at, std::move(done))->start();
}

StoreStatsReader::StoreStatsReader(JobInspector& inspector,
                                   StoreActivityReader& watch,
                                   const Clock& clock)
    : StoreStatsReader(
          inspector, [&watch](Done<StoreActivity> done) { watch.activity(std::move(done)); }, clock)
{
}

StoreStatsReader::StoreStatsReader(JobInspector& inspector,
                                   ActivitySource activity,
                                   const Clock& clock)
    : inspector_(inspector),
      activity_(std::move(activity)),
      clock_(clock)
{
}

void StoreStatsReader::sample(SampleShare share, Done<StoreStats> done)
{
    std::make_shared<Run>(inspector_, clock_, std::move(share), std::move(done))->start(activity_);
}

}  // namespace restante::redis
