#include "core/redis/store/sweep_scheduler.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/text.h"
#include "core/redis/store/keys.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace restante::redis {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::uint32_t kSlowly = 20;  // rests so many times as long as it works
constexpr std::uint32_t kHastily = 1;
// A sweep of a small store costs nothing, one of ten million jobs a minute of Redis' time.
constexpr Millis kShortestPause{60'000};
constexpr Millis kLongestPause{3'600'000};
constexpr std::int64_t kPauses = 10;  // so many times as long as the last sweep took
constexpr Millis kAgain{1'000};       // after a failure: Redis is away, or loads

}  // namespace

class SweepScheduler::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(EventLoop& loop, Connection& commands, const Clock& clock, Settings settings)
        : loop_(loop),
          commands_(commands),
          clock_(clock),
          settings_(std::move(settings)),
          queues_(shardQueues(
              loop, commands, clock, settings_.prefix, settings_.shards, settings_.fence)),
          timer_(loop)
    {
        count({});  // so that a first fault shows as one
        metrics::gauge("restante_sweep_time_seconds").set(0);
        timer_.arm(settings_.firstPause, [this] { lookAround(); });
    }

    void ask(StoreSweep::PlaceLookup journal) { journal_ = std::move(journal); }

    void sweepNow()
    {
        hasty_ = true;
        if (!sweep_) {
            timer_.arm(Millis{0}, [this] { sweep(); });
        }
    }

private:
    std::string sweptKey() const { return shardPrefix(settings_.prefix, 0) + "swept"; }

    /// Has another daemon just done it?
    void lookAround()
    {
        const auto key = sweptKey();
        commands_.command({"GET", key}, [weak = weak_from_this()](const Result<Reply>& reply) {
            const auto self = weak.lock();
            if (!self || self->sweep_ || self->hasty_) {
                return;  // sweepNow() has come in between
            }
            if (!reply) {
                return self->timer_.arm(kAgain, [raw = self.get()] { raw->lookAround(); });
            }
            const auto* text = reply->text();
            const auto ms = text != nullptr ? leadingNumber<std::int64_t>(*text) : 0;
            const auto since = self->clock_.now() - fromEpochMs(ms);
            if (since >= Millis{0} && since < self->pause_) {
                return self->timer_.arm(self->pause_ - since,
                                        [raw = self.get()] { raw->lookAround(); });
            }
            self->sweep();
        });
    }

    void sweep()
    {
        const bool hasty = std::exchange(hasty_, false);
        StoreSweep::Settings settings;
        settings.prefix = settings_.prefix;
        settings.rest = hasty ? kHastily : kSlowly;
        begin_ = Steady::now();
        sweep_ = std::make_unique<StoreSweep>(loop_, commands_, queues_, settings, journal_);
        sweep_->run([weak = weak_from_this(), hasty](Result<SweepReport> report) {
            // Later, because the sweep that answers is about to be destroyed.
            if (auto self = weak.lock()) {
                self->loop_.post([weak, hasty, report = std::move(report)] {
                    if (auto alive = weak.lock()) {
                        alive->swept(hasty, report);
                    }
                });
            }
        });
    }

    void swept(bool hasty, const Result<SweepReport>& report)
    {
        sweep_.reset();
        if (!report) {
            log::debug("redis", "the store is not swept now: {}", report.error().message);
            hasty_ = hasty_ || hasty;
            timer_.arm(kAgain, [this] { hasty_ ? sweep() : lookAround(); });
            return;
        }
        count(*report);
        tell(*report);
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        metrics::gauge("restante_sweep_time_seconds")
            .set(
                static_cast<double>(std::chrono::duration_cast<std::chrono::seconds>(now).count()));
        const auto took = std::chrono::duration_cast<Millis>(Steady::now() - begin_);
        pause_ = std::clamp(took * kPauses, kShortestPause, kLongestPause);
        const auto swept = std::to_string(toEpochMs(clock_.now()));
        const auto key = sweptKey();
        commands_.command({"SET", key, swept}, [](const Result<Reply>&) {});
        if (hasty_) {
            return sweep();
        }
        timer_.arm(pause_, [this] { lookAround(); });
    }

    static void count(const SweepReport& report)
    {
        const std::pair<const char*, std::uint64_t> counts[]{{"lost", report.lost},
                                                             {"doubled", report.doubled},
                                                             {"partial", report.partial},
                                                             {"stray", report.stray}};
        for (const auto& [fault, count] : counts) {
            metrics::counter("restante_sweep_repairs_total", {fault}).add(count);
        }
        metrics::gauge("restante_sweep_unreadable").set(static_cast<double>(report.unreadable));
    }

    static void tell(const SweepReport& report)
    {
        if (report.found() == 0) {
            log::debug("redis", "the store was swept: {} jobs, all in their places", report.jobs);
            return;
        }
        log::warning("redis",
                     "a script had been executed in part in this store, and is put right: {} jobs "
                     "were in no set and are back, {} were in several, {} lacked an entry, {} ids "
                     "had no job; {} jobs were looked at ({})",
                     report.lost, report.doubled, report.partial, report.stray, report.jobs,
                     fmt::join(report.examples, ", "));
    }

    EventLoop& loop_;
    Connection& commands_;
    const Clock& clock_;
    Settings settings_;
    ShardQueues queues_;
    StoreSweep::PlaceLookup journal_;
    Timer timer_;
    std::unique_ptr<StoreSweep> sweep_;  ///< while one runs
    bool hasty_ = false;
    Millis pause_ = kShortestPause;
    Steady::time_point begin_{};
};

SweepScheduler::SweepScheduler(EventLoop& loop,
                               Connection& commands,
                               const Clock& clock,
                               Settings settings)
    : impl_(std::make_shared<Impl>(loop, commands, clock, std::move(settings)))
{
}

SweepScheduler::~SweepScheduler() = default;

void SweepScheduler::ask(StoreSweep::PlaceLookup journal)
{
    impl_->ask(std::move(journal));
}

void SweepScheduler::sweepNow()
{
    impl_->sweepNow();
}

}  // namespace restante::redis
