#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/config/reminder_settings.h"
#include "core/queue/delay_queue.h"
#include "core/reminder/reminder_request.h"

#include <string>
#include <string_view>
#include <vector>

namespace restante {
struct Config;
}

namespace restante::reminder {

/// The topic of reminders that are sent: one-off ones and the occurrences of series.
inline constexpr std::string_view kTopic = "reminder";
/// The topic of the jobs that stand for a whole series, on channel pull. Reserved: nobody but the
/// RecurrenceScheduler pushes to it or pops from it.
inline constexpr std::string_view kSeriesTopic = "restante.reminders";

using Missed = ReminderSettings::Missed;

/// The limits of requests, and when an occurrence is too late.
struct Settings : ReminderSettings {
    std::size_t body = 65'536;  ///< `limits.body`
};

Settings settingsOf(const Config& config);

/// The result of plan().
struct Plan {
    std::vector<PushOptions> pushes;  ///< a job for each time, or one for the whole series
    std::vector<std::string> notes;   ///< what was left out and why
    Channel channel = Channel::Sip;   ///< by which it is sent
    bool recurring = false;
    /// A series whose start was derived from now (also by `in`), not given.
    bool startDependsOnNow = false;
};

/// Checks every field and turns the request into jobs; stores nothing. `groupId` names the set when
/// the request has no id of its own. Invalid names the field and what is allowed. Pure.
Result<Plan>
plan(const ReminderRequest& request, const Settings& settings, std::string groupId, TimePoint now);

/// The next `count` times at which something would be sent; for display.
Result<std::vector<TimePoint>>
preview(const ReminderRequest& request, const Settings& settings, TimePoint now, std::size_t count);

/// `every` as an RRULE. Accepts hourly, daily, weekly, monthly, yearly, weekdays, weekends, a day's
/// name, a duration ("2h", "3d", "2w"), or the RRULE itself with or without "RRULE:" before it. Any
/// letter case.
Result<std::string> readEvery(std::string_view every);

}  // namespace restante::reminder
