#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/reminder/reminder_plan.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace restante::reminder {

namespace {

using namespace std::chrono_literals;

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kRulesByWord{{
    {"hourly", "FREQ=HOURLY"},
    {"daily", "FREQ=DAILY"},
    {"weekly", "FREQ=WEEKLY"},
    {"monthly", "FREQ=MONTHLY"},
    {"yearly", "FREQ=YEARLY"},
    {"weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"},
    {"weekends", "FREQ=WEEKLY;BYDAY=SA,SU"},
    {"monday", "FREQ=WEEKLY;BYDAY=MO"},
    {"tuesday", "FREQ=WEEKLY;BYDAY=TU"},
    {"wednesday", "FREQ=WEEKLY;BYDAY=WE"},
    {"thursday", "FREQ=WEEKLY;BYDAY=TH"},
    {"friday", "FREQ=WEEKLY;BYDAY=FR"},
    {"saturday", "FREQ=WEEKLY;BYDAY=SA"},
    {"sunday", "FREQ=WEEKLY;BYDAY=SU"},
}};

/// An RRULE in the largest unit that divides the interval, so that "1d" keeps its hour when the
/// clock changes.
Result<std::string> ruleOf(Millis interval)
{
    constexpr std::array<std::pair<Millis, std::string_view>, 5> kUnits{{
        {24h * 7, "WEEKLY"},
        {24h, "DAILY"},
        {1h, "HOURLY"},
        {1min, "MINUTELY"},
        {1s, "SECONDLY"},
    }};
    for (const auto& [unit, frequency] : kUnits) {
        if (interval >= unit && interval % unit == 0ms) {
            return fmt::format("FREQ={};INTERVAL={}", frequency, interval / unit);
        }
    }
    return invalidField("every", "an interval is whole seconds, such as 2h or 3d");
}

}  // namespace

Result<std::string> readEvery(std::string_view every)
{
    const auto lower = lowered(every.substr(0, 1'024));  // no rule is longer
    const auto* word =
        std::ranges::find_if(kRulesByWord, [&](const auto& entry) { return entry.first == lower; });
    if (word != kRulesByWord.end()) {
        return std::string(word->second);
    }
    if (const auto interval = parseDuration(lower)) {
        return ruleOf(*interval);
    }
    constexpr std::string_view kPrefix = "rrule:";
    if (lower.starts_with(kPrefix)) {
        return std::string(every.substr(kPrefix.size()));
    }
    if (lower.find('=') != std::string::npos) {
        return std::string(every);
    }
    return invalidField(
        "every",
        "\"{}\" is not known; write hourly, daily, weekly, monthly, yearly, weekdays, "
        "weekends, a day's name, an interval such as 2h, or a rule such as FREQ=MONTHLY;BYDAY=1MO",
        every.substr(0, 64));
}

}  // namespace restante::reminder
