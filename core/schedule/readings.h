#pragma once

#include "core/schedule/recurrence_rule.h"
#include "core/schedule/wall_clock.h"

#include <memory>
#include <optional>

namespace restante {

/// The wall clock's readings that a rule names, in their order, without regard to COUNT, UNTIL and
/// zones. *One thread.*
class Readings {
public:
    /// Those at or after both `start` and `from`, up to `end`; `start` gives what the rule leaves
    /// open (the phase of INTERVAL, the time of day). Borrows the rule.
    Readings(const RecurrenceRule& rule, LocalSeconds start, LocalSeconds from, LocalSeconds end);
    Readings(const Readings&) = delete;
    Readings& operator=(const Readings&) = delete;
    ~Readings();

    /// Nothing at the end, and when looking for one took too many steps.
    std::optional<LocalSeconds> next();

private:
    class Source;
    class DaysAndMore;
    class BelowADay;

    std::unique_ptr<Source> source_;
};

}  // namespace restante
