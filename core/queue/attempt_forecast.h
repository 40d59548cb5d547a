#pragma once

#include "core/queue/delay_queue.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace restante {

/// How long attempt `attempt` of `job` comes after the one before failed, or after its due time: by
/// its own schedule, or by its channel's; none = there is no such attempt. `random` in [0,1)
/// decides the jitter. It is what DelayQueue goes by. *Pure function.*
std::optional<Millis> waitBefore(const DelayQueue::Settings& settings,
                                 const Job& job,
                                 std::uint32_t attempt,
                                 double random = 0.5);

/// How many attempts a schedule has, as people count them: 0 when it has no end, or more than
/// anybody would read. *Pure function.*
std::uint32_t attemptsOf(const RetrySchedule& retry);

/// One attempt that has not begun. *Value.*
struct PlannedAttempt {
    std::uint32_t number = 1;
    TimePoint at{};            ///< of the second and later ones: if the one before fails at once
    Millis wait{0};            ///< since the one before; of the first: since now, 0 when it is late
    bool approximate = false;  ///< its schedule has jitter
};

/// When a job will be tried, as far as its schedule tells. *Value.*
struct AttemptForecast {
    enum class After {
        Ended,           ///< there are none: dead, in the trash or done
        Dead,            ///< with the last of them the attempts are used up
        Expires,         ///< it expires before there is another one
        GoesOn,          ///< there are more
        OnPull,          ///< whoever pulls it tries it; it comes back when a lease ends
        OnRegistration,  ///< a registration of its recipient decides; without one none is used up
    };
    std::vector<PlannedAttempt> attempts = {};
    After after = After::Ended;
    bool standard = false;  ///< by the schedule of its channel: the job has none of its own
};

/// Whether a message in a mailbox has a device to go to. *Value.*
enum class Reachability {
    Unknown,   ///< another server knows, or nobody has looked
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
