#pragma once

#include "tests/bench/table/last_table.h"
#include "tests/bench/table/row.h"

#include <cstddef>
#include <string>
#include <vector>

namespace restante::bench {

/// The difference of CPU times that is tolerated.
struct Tolerance {
    double share = 0.15;
    /// us per operation: smaller differences are noise of clock and caches.
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
    /// The CPU time of the bare sides now, divided by that of the last table: the effect of the
    /// machine, not of Restante. 1 when there are too few of them.
    double machine = 1;
    std::size_t compared = 0;  ///< rows
    std::vector<CpuChange> dearer;
    std::vector<CpuChange> cheaper;
    std::vector<std::string> unknown;   ///< rows whose CPU the last table does not have
    std::vector<std::string> vanished;  ///< rows whose CPU it has, and this run has not

    bool passed() const noexcept { return dearer.empty(); }
    std::string text() const;  ///< lines for whoever started the run
};

/// Compares CPU times, because rates vary by a fifth from run to run and CPU times do not.
CpuComparison compareCpu(const std::vector<PrintedRow>& last,
                         const std::vector<Row>& rows,
                         const Tolerance& tolerance);

}  // namespace restante::bench
