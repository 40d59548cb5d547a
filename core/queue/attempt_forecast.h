#pragma once

#include "core/queue/delay_queue.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace restante {

/// The wait before attempt `attempt` of `job`, from the failure of the one before, or for the first
/// from the due time: by the job's own schedule, or by its channel's. None = there is no such
/// attempt. `random` in [0,1) decides the jitter. DelayQueue uses it. *Pure function.*
std::optional<Millis> waitBefore(const DelayQueue::Settings& settings,
                                 const Job& job,
                                 std::uint32_t attempt,
                                 double random = 0.5);

/// How many attempts a schedule has; 0 when it is empty or has no end, or more than 100. *Pure
/// function.*
std::uint32_t attemptCountOf(const RetrySchedule& retry);

/// One attempt that has not begun. *Value.*
struct PlannedAttempt {
    std::uint32_t number = 1;
    TimePoint at{};            ///< for later ones, assuming that the one before fails at once
    Millis wait{0};            ///< after the one before; for the first from now, 0 when it is late
    bool approximate = false;  ///< `wait` is decided later, and has jitter
};

/// When a job will be tried, as far as its schedule determines it. *Value.*
struct AttemptForecast {
    /// What comes after the last of `attempts`.
    enum class After {
        Ended,           ///< there are none: dead, in the trash or done
        Dead,            ///< with the last of them the attempts are used up
        Expires,         ///< it expires before there is another one
        GoesOn,          ///< there are more
        OnPull,          ///< each pull is an attempt; it is ready again when a lease ends
        OnRelease,       ///< an operator holds it; none until it is released
        OnRegistration,  ///< it is tried when its recipient registers; until then none is used up
    };
    std::vector<PlannedAttempt> attempts = {};
    After after = After::Ended;
    bool byChannelSchedule = false;  ///< the job has no schedule of its own
};

/// Whether a message in a mailbox has a device to go to. *Value.*
enum class Reachability {
    Unknown,   ///< another server may know, or it was not looked up
    NoDevice,  ///< until one registers nothing is sent, and no attempt is used up
    Registered,
};

/// At most `most` attempts, by the schedules of `settings`. *Pure function.*
AttemptForecast forecastAttempts(const DelayQueue::Settings& settings,
                                 const JobView& view,
                                 Reachability recipient,
                                 TimePoint now,
                                 std::size_t most);

}  // namespace restante
