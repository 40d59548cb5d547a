#pragma once

#include "core/reminder/reminder_plan.h"
#include "core/schedule/recurrence.h"

#include <optional>

namespace restante::reminder {

/// What is known about a series when it is due.
struct SeriesTimes {
    TimePoint created{};
    TimePoint due{};  ///< the occurrence it was put to; after a lapsed lease some later moment
    TimePoint now{};
};

/// The one occurrence to push now, and when the series is due next. *Value.*
struct MisfireDecision {
    std::optional<TimePoint> push;
    std::optional<TimePoint> next;  ///< none = the series has ended; may be due already
};

/// Decides by `late` and `missed`. Pure. Looks no further back than kRemembered, so that what was
/// pushed before a crash is known to the store.
MisfireDecision
misfireDecisionOf(const Recurrence& recurrence, const SeriesTimes& times, const Settings& settings);

}  // namespace restante::reminder
