#include "tests/bench/cpu_meter.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace restante::bench {

namespace {

struct Process {
    pid_t id = -1;
    pid_t parent = -1;
    std::string name;
};

/// /proc/ID/stat: "ID (name) state parent ...", and the name may hold anything.
bool readProcess(const std::filesystem::path& folder, Process& process)
{
    std::ifstream file(folder / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos) {
        return false;  // it has ended
    }
    process.id = static_cast<pid_t>(std::strtol(text.c_str(), nullptr, 10));
    process.name = text.substr(open + 1, close - open - 1);
    std::istringstream rest(text.substr(close + 1));
    char state = 0;
    return static_cast<bool>(rest >> state >> process.parent);
}

std::vector<Process> allProcesses()
{
    std::vector<Process> processes;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const auto name = entry.path().filename().string();
        Process process;
        if (name.find_first_not_of("0123456789") == std::string::npos &&
            readProcess(entry.path(), process)) {
            processes.push_back(std::move(process));
        }
    }
    return processes;
}

/// us; all threads, also those that have ended. Negative when the process has ended.
double microsecondsOf(pid_t process)
{
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) {
        return -1;
    }
    return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) / 1e3;
}

/// Seconds; the clock by which a profiler can select its samples.
double monotonicNow()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

std::vector<WatchedProcess> processTree(pid_t root, const std::string& name)
{
    std::vector<WatchedProcess> tree{{name, root}};
    const auto all = allProcesses();
    for (std::size_t next = 0; next < tree.size(); ++next) {
        const pid_t parent = tree[next].id;
        for (const Process& process : all) {
            if (process.parent == parent) {
                tree.push_back({process.name, process.id});
            }
        }
    }
    return tree;
}

WatchedProcess thisProcess()
{
    return {"client", ::getpid()};
}

CpuMeter::CpuMeter(std::vector<WatchedProcess> processes)
{
    for (WatchedProcess& process : processes) {
        const double before = microsecondsOf(process.id);
        watched_.push_back({std::move(process), std::max(before, 0.0)});
    }
}

CpuByProcess CpuMeter::perOperation(double operations) const
{
    CpuByProcess cpu;
    for (const Watched& watched : watched_) {
        const double now = microsecondsOf(watched.process.id);
        cpu[watched.process.name] += std::max(now - watched.microsecondsBefore, 0.0) / operations;
    }
    return cpu;
}

Sample measureWork(const std::vector<WatchedProcess>& processes,
                   double operations,
                   const std::function<double()>& work)
{
    const CpuMeter meter(processes);
    const double from = monotonicNow();
    const double figure = work();
    return {figure, meter.perOperation(operations), {from, monotonicNow()}};
}

CpuByProcess cpuSinceStart(const std::vector<WatchedProcess>& processes, double operations)
{
    CpuByProcess cpu;
    for (const WatchedProcess& process : processes) {
        cpu[process.name] += std::max(microsecondsOf(process.id), 0.0) / operations;
    }
    return cpu;
}

}  // namespace restante::bench
