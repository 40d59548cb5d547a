#include "core/reminder/misfire_policy.h"

#include "core/reminder/series.h"

#include <algorithm>

namespace restante::reminder {

namespace {

constexpr Millis kInstant{1};  // next() answers what comes after a moment

/// The last occurrence in [from, until).
std::optional<TimePoint> lastBefore(const Recurrence& recurrence, TimePoint from, TimePoint until)
{
    // Looking back twice as far each time, there are few to go through, however often it happens.
    std::optional<TimePoint> last;
    for (Millis back = std::chrono::minutes{1}; !last; back *= 2) {
        const auto begin = std::max(from, until - back);
        auto at = recurrence.next(begin - kInstant);
        for (; at && *at < until; at = recurrence.next(*at)) {
            last = at;
        }
        if (begin == from) {
            break;
        }
    }
    return last;
}

}  // namespace

MisfireDecision
misfireDecisionOf(const Recurrence& recurrence, const SeriesTimes& times, const Settings& settings)
{
    // Put to an occurrence: all before it are done. Otherwise its lease has lapsed since, somewhere
    // between two steps, and the store knows what it has.
    const bool isExact = recurrence.next(times.due - kInstant) == times.due;
    const auto from = isExact ? times.due : std::max(times.created, times.now - kRemembered);
    const auto inTime = std::max(from, times.now - settings.late);
    const auto next = recurrence.next(inTime - kInstant);
    if (next && *next <= times.now) {
        return {next, recurrence.next(*next)};
    }
    const auto missed =
        settings.missed == Missed::Once ? lastBefore(recurrence, from, inTime) : std::nullopt;
    return {missed, next};
}

}  // namespace restante::reminder
