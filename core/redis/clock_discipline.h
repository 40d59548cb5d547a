#pragma once

#include <chrono>
#include <optional>

namespace restante::redis {

/// How far Redis' clock is from the local monotonic one, learnt from samples. *Value.*
///
/// A sample (asked at `sent`, answered at `received` with `time`) proves that the offset lies
/// between time - received and time - sent. The estimate is the lowest that the samples allow, so
/// the clock made of it is never ahead of Redis.
///
/// The first sample is taken as it is. A later one moves the estimate by no more than
/// kLargestCorrection: when the clock of Redis' machine is stepped by an hour, the estimate follows
/// over some hours, in which jobs neither flood out nor stand still.
class ClockDiscipline {
public:
    using Span = std::chrono::microseconds;
    /// With a sample every 10 s this is a tenth of the time that passes.
    static constexpr Span kLargestCorrection = std::chrono::seconds{1};

    struct Sample {
        Span sent;      ///< local monotonic time
        Span received;  ///< local monotonic time
        Span time;      ///< Redis' time since the epoch
    };

    /// What was wrong with the estimate until now, as far as the sample proves it: 0 when it agrees
    /// (and for the first one).
    Span learn(const Sample& sample) noexcept;
    /// None before the first sample.
    std::optional<Span> offset() const noexcept { return offset_; }

private:
    std::optional<Span> offset_;
};

}  // namespace restante::redis
