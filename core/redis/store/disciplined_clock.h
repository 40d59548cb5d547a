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

/// Between which bounds Redis' clock lies, as offsets from the local monotonic one, learnt from
/// samples. *Value.*
///
/// **Bounds.** A sample (asked at `sent`, answered at `received` with `time`) was taken at some
/// moment between the two, and nothing says at which: a slow answer may have been slow on its way
/// there or back. If it was taken at `received`, the offset is time - received; if at `sent`, it is
/// time - sent. So the true offset lies in [time - received, time - sent], whatever delayed which
/// half. Each sample narrows what is known to the part that it shares with the samples before:
/// lowest() is the greatest of the lower bounds, highest() the least of the upper ones.
///
/// **Drift.** Two clocks do not run equally fast. Between samples the bounds are moved apart by
/// kDrift of the time that has passed, so a sample of long ago claims no more than it proves.
///
/// **Never early.** Whoever asks "is it due?" takes lowest() and is never ahead of what Redis can
/// have meant. Whoever turns "in 14 s" into a moment takes highest(). A moment made so at real time
/// t is at least Redis' t + 14 s, and it is due by a lower bound only when Redis' clock has reached
/// it: nothing comes early, whichever process asks, and it is late by at most the two widths.
///
/// **Steps.** When a sample shares nothing with what is known, Redis' clock was set, or another
/// machine answers. What was known is dropped. Up to kLargestCorrection is followed at once,
/// a step backwards by standing still (the clock made of this never goes back). More is followed by
/// a tenth of the time that passes: when that machine's clock is set by an hour, the estimate
/// follows over some hours, in which jobs neither flood out nor stand still. Meanwhile both bounds
/// belong to the time that is shown, not to Redis'.
///
/// **Another server.** After a lost connection another machine may answer, a replica that took over
/// for example: restart() makes the next sample count alone.
class ClockDiscipline {
public:
    using Span = std::chrono::microseconds;
    /// What is followed at once; as an allowance it comes back in kAllowanceEvery.
    static constexpr Span kLargestCorrection = std::chrono::seconds{1};
    static constexpr Span kAllowanceEvery = std::chrono::seconds{10};
    /// Of the time that passes: 100 ppm, two quartz clocks of 50 ppm that err in opposite ways.
    static constexpr std::int64_t kDrift = 10'000;

    struct Sample {
        Span sent;      ///< local monotonic time
        Span received;  ///< local monotonic time
        Span time;      ///< Redis' time since the epoch
    };

    /// What was wrong with the estimate until now, as far as the sample proves it: 0 when it agrees
    /// (and for the first one).
    Span learn(const Sample& sample) noexcept;
    /// What was learnt may be about another clock: the next sample counts alone.
    void restart() noexcept { isStale_ = true; }

    /// The lower bound as if both clocks ran equally fast. None before the first sample.
    std::optional<Span> offset() const noexcept { return offset_; }
    /// The bounds at local time `at`, no earlier than the last sample. Only after the first one.
    Span lowest(Span at) const noexcept { return low_ - drift(at); }
    Span highest(Span at) const noexcept { return high_ + drift(at); }

private:
    /// Rounded up, or thousands of samples would add up what was cut off.
    Span drift(Span at) const noexcept
    {
        return at > at_ ? (at - at_ + Span{kDrift - 1}) / kDrift : Span{0};
    }
    void earnAllowance(Span at) noexcept;
    void follow(Span wrong, Span width) noexcept;

    std::optional<Span> offset_;
    Span low_{0};
    Span high_{0};
    Span at_{0};  ///< local time before which neither was learnt
    Span allowance_ = kLargestCorrection;
    bool isStale_ = false;
};

/// Redis' time, carried by the local monotonic clock between samples of `TIME` (several at each
/// connection, then one every 2 s), so that all daemons agree and a step of the local clock has no
/// effect. now() is never ahead of Redis, however slow the answers are, and latest() never behind,
/// so nothing is early; see ClockDiscipline for the proof and for a step of Redis' own clock.
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
    /// `handler` is called once, at the first sample; not when that has come already.
    void onDisciplined(std::function<void()> handler) { onDisciplined_ = std::move(handler); }

private:
    void begin();
    void sample();
    void learn(const ClockDiscipline::Sample& sample);

    Connection& connection_;
    ClockDiscipline discipline_;
    int firstSamples_ = 0;  ///< still to be asked for
    // Of local time 0 as if the clocks had drifted apart since; us.
    std::atomic<std::int64_t> low_;
    std::atomic<std::int64_t> high_;
    mutable std::atomic<std::int64_t> latest_{0};  // ms
    Timer next_;
    std::function<void()> onDisciplined_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::redis
