#include "core/reminder/catch_up.h"

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

Step stepOf(const Recurrence& recurrence, const Rolling& rolling, const Settings& settings)
{
    // Put to an occurrence: all before it are done. Otherwise its lease has lapsed since, somewhere
    // between two steps, and the store knows what it has.
    const bool isExact = recurrence.next(rolling.due - kInstant) == rolling.due;
    const auto from = isExact ? rolling.due : std::max(rolling.created, rolling.now - kRemembered);
    const auto inTime = std::max(from, rolling.now - settings.late);
    const auto next = recurrence.next(inTime - kInstant);
    if (next && *next <= rolling.now) {
        return {next, recurrence.next(*next)};
    }
    const auto missed =
        settings.missed == Missed::Once ? lastBefore(recurrence, from, inTime) : std::nullopt;
    return {missed, next};
}

}  // namespace restante::reminder
