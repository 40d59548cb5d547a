#pragma once

#include "tests/bench/table/last_table.h"
#include "tests/bench/table/row.h"

#include <cstddef>
#include <string>
#include <vector>

namespace restante::bench {

/// What CPU times may differ by before it counts.
struct Tolerance {
    double share = 0.15;
    /// us for each operation: below it is what the clock and the caches do.
    double least = 0.2;
};

/// One process of Restante's side of a row, us for each operation.
struct CpuChange {
    std::string path;
    std::string process;
    double before = 0;
    double now = 0;  ///< as the machine of the last table would have measured it
};

/// How a run compares with the last table. *Value.*
struct CpuComparison {
    /// What the bare sides cost now, of what they cost then: that is the machine, not Restante. 1
    /// when there are too few of them to say.
    double machine = 1;
    std::size_t compared = 0;  ///< rows
    std::vector<CpuChange> dearer;
    std::vector<CpuChange> cheaper;
    std::vector<std::string> unknown;   ///< rows whose CPU the last table does not have
    std::vector<std::string> vanished;  ///< rows whose CPU it has, and this run has not

    bool passed() const noexcept { return dearer.empty(); }
    std::string text() const;  ///< lines for whoever started the run
};

/// Rates wander by a fifth from run to run; the CPU time of an operation does not.
CpuComparison compareCpu(const std::vector<PrintedRow>& last,
                         const std::vector<Row>& rows,
                         const Tolerance& tolerance);

}  // namespace restante::bench
