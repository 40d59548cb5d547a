#pragma once

#include "core/reminder/reminder_plan.h"
#include "core/schedule/recurrence.h"

#include <optional>

namespace restante::reminder {

/// What is known about a series when it is rolled.
struct Rolling {
    TimePoint created{};
    TimePoint due{};  ///< the occurrence it was put to; after a lapsed lease some later moment
    TimePoint now{};
};

/// The one occurrence to push now, and when to roll again. *Value.*
struct Step {
    std::optional<TimePoint> push;
    std::optional<TimePoint> next;  ///< none = the series has ended; may be due already
};

/// Decides by `late` and `missed`. Pure. Looks no further back than kRemembered, so that what was
/// pushed before a crash is known to the store.
Step stepOf(const Recurrence& recurrence, const Rolling& rolling, const Settings& settings);

}  // namespace restante::reminder
