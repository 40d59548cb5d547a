#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace restante {

/// The operator who changes a topic, and why; both are kept, and recorded in the event stream.
struct TopicAction {
    std::string topic = {};
    std::string actor = {};
    std::string reason = {};
    /// For the import of a pause: its beginning; none = now, or that of the current pause.
    std::optional<TimePoint> since = {};
};

/// Nothing of a paused topic is given out, on any channel. *Value.*
struct TopicPause {
    TimePoint since{};
    std::string actor;
    std::string reason;
};

/// `count` jobs in each period, evenly spaced; a count of 0 is no limit. *Value.*
struct Rate {
    std::uint32_t count = 0;
    Millis per{1'000};

    friend bool operator==(const Rate&, const Rate&) = default;
};

/// The limits of a topic, on all channels and for all daemons together. *Value.*
struct TopicLimits {
    std::uint32_t concurrency = 0;  ///< jobs leased at a time, 0 = no limit
    Rate rate = {};                 ///< jobs given out

    friend bool operator==(const TopicLimits&, const TopicLimits&) = default;
};

/// A claim that comes up to this much late costs nothing of its topic's rate: the next ones may
/// come that much earlier. It bounds by how much a period may exceed the rate, and is the burst of
/// a rate faster than this.
constexpr Millis kRateSlack{50};

/// "10/s", "100/m", "3/10s": a count of 1 - 100,000 and a period of 1s - 31d; "0" = no limit.
/// Invalid says what is allowed.
Result<Rate> parseRate(std::string_view text);
/// "10/s", "0": parseRate() reads it back.
std::string formatRate(const Rate& rate);

/// Topics that begin with "restante." are Restante's own (`restante.reminders`): nobody else pushes
/// to them or takes from them. Everything that accepts pushes and pops from outside checks this;
/// DelayQueue does not, because internal parts use it. Invalid names the field `topic`.
Result<void> checkNotReserved(std::string_view topic);

/// Names the first field that is wrong and what is allowed: a topic as in validate(Job); actor and
/// reason of at most 256 and 1,024 bytes without control characters.
Result<void> validate(const TopicAction& action);
/// As above, for limits; the number of shards does not matter.
Result<void> validate(const TopicLimits& limits);

}  // namespace restante
