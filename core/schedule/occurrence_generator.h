#pragma once

#include "core/schedule/recurrence_rule.h"
#include "core/schedule/zoned_clock.h"

#include <memory>
#include <optional>

namespace restante {

/// The occurrences of a rule in local time, in their order, without regard to COUNT, UNTIL and
/// zones. *One thread.*
class OccurrenceGenerator {
public:
    /// Those at or after both `start` and `from`, up to `end`; `start` gives what the rule leaves
    /// open (the phase of INTERVAL, the time of day). Borrows the rule.
    OccurrenceGenerator(const RecurrenceRule& rule,
                        LocalSeconds start,
                        LocalSeconds from,
                        LocalSeconds end);
    OccurrenceGenerator(const OccurrenceGenerator&) = delete;
    OccurrenceGenerator& operator=(const OccurrenceGenerator&) = delete;
    ~OccurrenceGenerator();

    /// Nothing at the end, and when looking for one took too many steps.
    std::optional<LocalSeconds> next();

private:
    class Source;
    class DaysAndMore;
    class BelowADay;

    std::unique_ptr<Source> source_;
};

}  // namespace restante
