#pragma once

#include "tests/bench/table/row.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace restante::bench {

/// A process whose CPU is counted, and what the table calls it. Of several with one name, the sum.
struct WatchedProcess {
    std::string name;
    pid_t id = -1;
};

/// `root`, called `name`, and all that it has started and that still runs, called what the system
/// calls them.
std::vector<WatchedProcess> processTree(pid_t root, const std::string& name);

/// This process, which the table calls "client".
WatchedProcess thisProcess();

/// Counts the CPU time, of the program and of the kernel for it, that processes use from now on.
/// What they start later is not counted: Redis rewrites its file in a process of its own, in some
/// rounds and not in others. *One thread.*
class CpuMeter {
public:
    explicit CpuMeter(std::vector<WatchedProcess> processes);

    /// us for each operation since the construction. A process that has ended used nothing.
    CpuByProcess perOperation(double operations) const;

private:
    struct Watched {
        WatchedProcess process;
        double microsecondsBefore;
    };
    std::vector<Watched> watched_;
};

/// Calls `work`, which returns the figure of a row, and counts the CPU of `processes` meanwhile.
Sample measured(const std::vector<WatchedProcess>& processes,
                double operations,
                const std::function<double()>& work);

/// us for each operation since the processes were started.
CpuByProcess cpuSinceStart(const std::vector<WatchedProcess>& processes, double operations);

}  // namespace restante::bench
