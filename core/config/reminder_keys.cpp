#include "core/config/key_builder.h"
#include "core/schedule/zoned_clock.h"

#include <limits>

namespace restante::builder {

namespace {
using namespace std::chrono_literals;
}  // namespace

void addReminder(std::vector<ConfigKey>& keys)
{
    constexpr Millis kTenYears{24h * 3650};
    keys.push_back(one<Millis>(
        {"reminder.horizon", "How far ahead a reminder may be."}, codec::duration(1min, kTenYears),
        [](auto& c) -> auto& { return c.reminder.horizon; }));
    keys.push_back(one<std::uint32_t>(
        {"reminder.per_sender", "How many reminders of one sender may be pending. 0 = no limit."},
        codec::number<std::uint32_t>(0, std::numeric_limits<std::uint32_t>::max()),
        [](auto& c) -> auto& { return c.reminder.perSender; }));
    keys.push_back(one<Millis>(
        {"reminder.min_interval", "The shortest time between two occurrences of a recurring one."},
        codec::duration(1s, 24h * 366), [](auto& c) -> auto& { return c.reminder.minInterval; }));
    keys.push_back(one<std::string>(
        {"reminder.time_zone",
         "The time zone of reminders that name none. Empty: the machine's own."},
        codec::text("a time zone, such as Europe/Berlin, or nothing",
                    [](auto word) { return word.empty() || ZonedClock::find(word).has_value(); }),
        [](auto& c) -> auto& { return c.reminder.timeZone; }));
    keys.push_back(one<Millis>(
        {"reminder.time_of_day",
         "The time that a date alone means, counted from midnight: 9h is 09:00."},
        codec::duration(0ms, 24h - 1s), [](auto& c) -> auto& { return c.reminder.timeOfDay; }));
    keys.push_back(one<Millis>(
        {"reminder.late",
         "How late an occurrence is still sent when it could not be sent in time."},
        codec::duration(1s, 24h * 7), [](auto& c) -> auto& { return c.reminder.late; }));
    keys.push_back(one<Config::Missed>(
        {"reminder.missed",
         "What becomes of occurrences that are later than that: none is sent (skip), or the last\n"
         "one when nothing newer is due (once)."},
        codec::choice<Config::Missed>(
            {{"skip", Config::Missed::Skip}, {"once", Config::Missed::Once}}),
        [](auto& c) -> auto& { return c.reminder.missed; }));
}

}  // namespace restante::builder
