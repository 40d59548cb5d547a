#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace restante {

/// When to try again. *Value.* Two forms:
///
/// - a list, "0s,2m,10m,10m,1h,2h,6h,15h": the n-th interval is the wait before the n-th attempt,
///   so eight intervals are eight attempts, then the job is dead;
/// - exponential, "exponential(base=10s,cap=1h,jitter=0.2,attempts=12)": attempt 1 at once, the
///   wait before attempt n+1 is base * 2^(n-1), at most cap, times 1 +- jitter. `attempts` 0 = no
///   end.
class RetrySchedule {
public:
    struct Exponential {
        Millis base{10'000};
        Millis cap{3'600'000};
        double jitter = 0.0;         ///< 0 to 1
        std::uint32_t attempts = 0;  ///< 0 = without end
    };

    /// No schedule of its own: docs/job-lifecycle.md, "Without a retry schedule".
    RetrySchedule() = default;

    /// Refuses an empty list, more than 100 intervals and unknown words, naming what is allowed.
    static Result<RetrySchedule> parse(std::string_view text);
    /// What parse() reads back; empty for a default-constructed schedule.
    std::string toString() const;

    bool empty() const noexcept { return std::holds_alternative<std::monostate>(shape_); }

    /// The wait before attempt `attempt` (1 = the first), or nothing when there is no such
    /// attempt any more. `random` in [0,1) decides the jitter, so that tests own it.
    std::optional<Millis> waitBefore(std::uint32_t attempt, double random = 0.5) const;

    /// As waitBefore(), but the schedule goes on after its end: its last interval again and again.
    /// Not on an empty schedule.
    Millis waitBeforeWithoutEnd(std::uint32_t attempt, double random = 0.5) const;

    friend bool operator==(const RetrySchedule& a, const RetrySchedule& b)
    {
        return a.toString() == b.toString();
    }

private:
    std::variant<std::monostate, std::vector<Millis>, Exponential> shape_;
};

}  // namespace restante
