#pragma once

#include "tests/bench/table/row.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace restante::bench {

/// A process whose CPU time is counted, and its name in the table. Equal names are summed.
struct WatchedProcess {
    std::string name;
    pid_t id = -1;
};

/// `root`, named `name`, and its running descendants, by their system names.
std::vector<WatchedProcess> processTree(pid_t root, const std::string& name);

/// This process, which the table calls "client".
WatchedProcess thisProcess();

/// Counts the user and system CPU time that processes use from now on. Later child processes are
/// not counted: Redis rewrites its file in one, in some rounds and not in others. *One thread.*
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
Sample measureWork(const std::vector<WatchedProcess>& processes,
                   double operations,
                   const std::function<double()>& work);

/// us for each operation since the processes were started.
CpuByProcess cpuSinceStart(const std::vector<WatchedProcess>& processes, double operations);

}  // namespace restante::bench
