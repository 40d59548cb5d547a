#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <string>

namespace restante {

/// The keys of `reminder`. *Value.*
struct ReminderSettings {
    /// How occurrences of a recurring reminder are treated that could not be sent in time.
    enum class Missed { Skip, Once };

    Millis horizon{std::chrono::hours{24 * 3650}};
    std::uint32_t perSender = 10'000;
    Millis minInterval{60'000};
    std::string timeZone;  ///< empty = the machine's
    Millis timeOfDay{std::chrono::hours{9}};
    Millis late{std::chrono::hours{1}};
    Missed missed = Missed::Once;

    friend bool operator==(const ReminderSettings&, const ReminderSettings&) = default;
};

}  // namespace restante
