#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/event_loop.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace restante::redis {

class Connection;

/// Bounds of the offset of Redis' clock from the local monotonic one, learnt from samples. *Value.*
///
/// **Bounds.** A sample (asked at `sent`, answered at `received` with `time`) was taken at some
/// time between the two, and nothing says when: a slow answer may have been delayed on the way
/// there or back. If it was taken at `received`, the offset is time - received; if at `sent`, it is
/// time - sent. So the true offset lies in [time - received, time - sent], wherever the delay was.
/// Each sample narrows what is known to the part that it shares with the samples before: lowest()
/// is the greatest of the lower bounds, highest() the least of the upper ones.
///
/// **Drift.** Two clocks do not run equally fast. Between samples the bounds are moved apart by
/// 1/kDriftDivisor of the time that has passed, so an old sample claims no more than it proves.
///
/// **Never early.** A check whether something is due uses lowest(), which is never ahead of Redis.
/// A due time made from "in 14 s" uses highest(). If it is made at real time t, it is at least
/// Redis' t + 14 s, and it is due by a lower bound only when Redis' clock has reached it: nothing
/// comes early, whichever process checks, and it is late by at most the two widths.
///
/// **Steps.** When a sample shares nothing with what is known, Redis' clock was set, or another
/// machine answers. The old bounds are dropped. Up to kLargestCorrection is followed at once, a
/// step backwards by standing still (DisciplinedClock never goes back). More is followed by a tenth
/// of the time that passes: when that machine's clock is set by an hour, the estimate follows over
/// some hours, so that jobs neither become due all at once nor stop. Meanwhile both bounds are
/// those of the time that is shown, not of Redis' time.
///
/// **Another server.** After a lost connection another machine may answer, a replica that took over
/// for example: after restart() the next sample is followed as a step, also where it agrees with
/// what was known. So it counts alone, unless it is off by more than is followed at once.
class ClockDiscipline {
public:
    using Span = std::chrono::microseconds;
    /// The part of a step that is followed at once; such an allowance is earned in kAllowanceEvery.
    static constexpr Span kLargestCorrection = std::chrono::seconds{1};
    static constexpr Span kAllowanceEvery = std::chrono::seconds{10};
    /// The drift is the time that passes divided by this: 100 ppm, for two quartz clocks of 50 ppm
    /// with opposite errors.
    static constexpr std::int64_t kDriftDivisor = 10'000;

    struct Sample {
        Span sent;      ///< local monotonic time
        Span received;  ///< local monotonic time
        Span time;      ///< Redis' time since the epoch
    };

    /// Takes a sample into account. Result: the error of the estimate so far, as far as the sample
    /// proves it, also by narrowing the bounds; 0 when the estimate is within the sample's bounds,
    /// and for the first one.
    Span addSample(const Sample& sample) noexcept;
    /// Whether the last sample proved that Redis' clock was stepped, or is another one.
    bool hasStepped() const noexcept { return hasStepped_; }
    /// The samples so far may be of another clock: the next one is taken for a step, also where it
    /// agrees with them.
    void restart() noexcept { isStale_ = true; }

    /// The lower bound, without allowance for drift. None before the first sample.
    std::optional<Span> offset() const noexcept { return offset_; }
    /// The bounds at local time `at`, no earlier than the last sample. Only after the first one.
    Span lowest(Span at) const noexcept { return lowOffset_ - drift(at); }
    Span highest(Span at) const noexcept { return highOffset_ + drift(at); }

private:
    /// Rounded up, or the rounding errors of thousands of samples would add up.
    Span drift(Span at) const noexcept
    {
        return at > lastSampleTime_
                   ? (at - lastSampleTime_ + Span{kDriftDivisor - 1}) / kDriftDivisor
                   : Span{0};
    }
    void earnAllowance(Span at) noexcept;
    void followStep(Span estimateError, Span width) noexcept;

    std::optional<Span> offset_;
    Span lowOffset_{0};
    Span highOffset_{0};
    Span lastSampleTime_{0};  ///< local time of the sample that the bounds are from
    Span allowance_ = kLargestCorrection;
    bool isStale_ = false;
    bool hasStepped_ = false;
};

/// Redis' time, carried by the local monotonic clock, which goes on in suspend, between samples of
/// `TIME` (several at each connection, then one every 2 s), so that all daemons agree and a step of
/// the local clock has no effect. now() is never ahead of Redis, however slow the answers are, and
/// latest() never behind, so nothing is early; see ClockDiscipline for the proof and for a step of
/// Redis' own clock.
///
/// Until the first sample both show the local time, which that sample may correct backwards, this
/// once: wait for disciplined() before deciding anything by it. *One loop*, but now() and latest()
/// on any thread.
class DisciplinedClock final : public BoundedClock {
public:
    /// `connection` outlives it.
    DisciplinedClock(EventLoop& loop, Connection& connection);

    TimePoint now() const noexcept override;
    TimePoint latest() const noexcept override;
    bool disciplined() const noexcept { return discipline_.offset().has_value(); }
    /// Calls `handler` once, at the first sample; never if that has come already.
    void onDisciplined(std::function<void()> handler) { onDisciplined_ = std::move(handler); }

private:
    void startSampling();
    void sample();
    void addSample(const ClockDiscipline::Sample& sample);

    Connection& connection_;
    ClockDiscipline discipline_;
    int firstSamplesLeft_ = 0;  ///< how many are still to be taken
    // Microseconds: the offsets extrapolated to local time 0, including drift; see addSample().
    std::atomic<std::int64_t> lowOffset_;
    std::atomic<std::int64_t> highOffset_;
    mutable std::atomic<std::int64_t> lastShownMs_{0};  // what now() has returned last
    Timer sampleTimer_;
    std::function<void()> onDisciplined_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::redis
