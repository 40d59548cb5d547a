#pragma once

#include "tests/bench/table/spread.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace restante::bench {

/// CPU time by process, us for each operation: {"client", 1.2}, {"redis-server", 2.3}. *Value.*
using CpuByProcess = std::map<std::string, double>;

/// The median of each process's figures; a process missing in a round counts as 0 there.
CpuByProcess medianOf(const std::vector<CpuByProcess>& rounds);

/// Seconds of CLOCK_MONOTONIC. *Value.*
struct Interval {
    double from = 0;
    double to = 0;
};

/// The result of one side in one round. *Value.*
struct Sample {
    double figure = 0;  ///< in the row's unit
    CpuByProcess cpu;
    Interval when{};  ///< while it was measured; empty when that was not noted
};

/// The target of a row. *Value.*
struct Target {
    enum class Kind { None, AtLeast, AtMost, ShareOfBare };

    Kind kind = Kind::None;
    double value = 0;
    std::string words = "none";

    /// `words` empty: "0.80 of bare".
    static Target shareOfBare(double share, std::string words = {});
    static Target atLeast(double value, std::string words);
    static Target atMost(double value, std::string words);
};

/// One line of the table: what was measured, by the bare library (or by a peer, which its path then
/// names) and by Restante, in each round of the same run. *Value.*
struct Row {
    std::string path;  ///< identifies the row in every round and run
    std::string unit;  ///< "k/s", "ms", "B"
    Target target;
    std::vector<Sample> bare;  ///< empty, or one for each of `restante`
    std::vector<Sample> restante;
    std::uint32_t rounds = 0;  ///< also those that could not be measured
    /// Rounds that could not be measured or in which something was lost; `flaw` is the first
    /// reason.
    std::uint32_t flawed = 0;
    std::string flaw;

    Spread bareFigures() const;
    Spread restanteFigures() const;
    Spread ratio() const;
    CpuByProcess bareCpu() const;
    CpuByProcess restanteCpu() const;
    /// Why the row is not met, "" when it is.
    std::string shortfall() const;
};

}  // namespace restante::bench
