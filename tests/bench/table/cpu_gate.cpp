#include "tests/bench/table/cpu_gate.h"

#include "tests/bench/table/spread.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace restante::bench {

namespace {

/// With fewer bare sides a slower machine cannot be told from the variation of a row.
constexpr std::size_t kMinRowsForMachineFactor = 3;
/// A bare side of this process (the daemon in another mode) says nothing about the machine.
constexpr auto kDaemonName = "restanted";

const PrintedRow* findRow(const std::vector<PrintedRow>& last, const std::string& path)
{
    const auto found = std::find_if(last.begin(), last.end(),
                                    [&](const PrintedRow& row) { return row.path == path; });
    return found == last.end() ? nullptr : &*found;
}

double total(const CpuByProcess& cpu)
{
    double sum = 0;
    for (const auto& [process, used] : cpu) {
        sum += used;
    }
    return sum;
}

bool sameProcesses(const CpuByProcess& one, const CpuByProcess& other)
{
    return std::equal(
        one.begin(), one.end(), other.begin(), other.end(),
        [](const auto& left, const auto& right) { return left.first == right.first; });
}

double machineFactor(const std::vector<PrintedRow>& last, const std::vector<Row>& rows)
{
    std::vector<double> ratios;
    for (const Row& row : rows) {
        const PrintedRow* before = findRow(last, row.path);
        const CpuByProcess now = row.bareCpu();
        if (before != nullptr && !now.contains(kDaemonName) && sameProcesses(before->bare, now) &&
            total(before->bare) > 0 && total(now) > 0) {
            ratios.push_back(total(now) / total(before->bare));
        }
    }
    return ratios.size() < kMinRowsForMachineFactor ? 1 : spreadOf(ratios).median;
}

double usedBy(const CpuByProcess& cpu, const std::string& process)
{
    const auto found = cpu.find(process);
    return found == cpu.end() ? 0 : found->second;
}

void compareRow(CpuComparison& comparison,
                const PrintedRow& before,
                const Row& row,
                const Tolerance& tolerance)
{
    const CpuByProcess cpu = row.restanteCpu();
    CpuByProcess both = before.restante;
    both.insert(cpu.begin(), cpu.end());  // for the names: a process may be new, or gone
    for (const auto& [process, ignored] : both) {
        const CpuChange change{row.path, process, usedBy(before.restante, process),
                               usedBy(cpu, process) / comparison.machine};
        const double allowed = std::max(tolerance.share * change.before, tolerance.least);
        if (change.now > change.before + allowed) {
            comparison.dearer.push_back(change);
        } else if (change.now < change.before - allowed) {
            comparison.cheaper.push_back(change);
        }
    }
    ++comparison.compared;
}

std::string lines(const char* what, const std::vector<CpuChange>& changes)
{
    std::string text;
    for (const CpuChange& change : changes) {
        text += fmt::format(
            "{}: {}: {} {:.2f} us/op, {:.2f} in the last table{}\n", what, change.path,
            change.process, change.now, change.before,
            change.before > 0 ? fmt::format(" ({:+.0f} %)", (change.now / change.before - 1) * 100)
                              : "");
    }
    return text;
}

}  // namespace

CpuComparison compareCpu(const std::vector<PrintedRow>& last,
                         const std::vector<Row>& rows,
                         const Tolerance& tolerance)
{
    CpuComparison comparison;
    comparison.machine = machineFactor(last, rows);
    for (const Row& row : rows) {
        if (row.restanteCpu().empty()) {
            continue;
        }
        const PrintedRow* before = findRow(last, row.path);
        if (before == nullptr || before->restante.empty()) {
            comparison.unknown.push_back(row.path);
        } else {
            compareRow(comparison, *before, row, tolerance);
        }
    }
    for (const PrintedRow& row : last) {
        const bool measured = std::any_of(rows.begin(), rows.end(), [&](const Row& now) {
            return now.path == row.path && !now.restanteCpu().empty();
        });
        if (!row.restante.empty() && !measured) {
            comparison.vanished.push_back(row.path);
        }
    }
    return comparison;
}

std::string CpuComparison::text() const
{
    std::string text =
        compared == 0
            ? std::string("CPU: the last table has nothing to compare with\n")
            : fmt::format(
                  "CPU: {} rows compared with the last table; the bare sides cost {:.2f} of what "
                  "they cost then, which is taken off\n",
                  compared, machine);
    text += lines("dearer", dearer);
    text += lines("cheaper", cheaper);
    if (!unknown.empty()) {
        text += fmt::format("not in the last table: {}\n", fmt::join(unknown, "; "));
    }
    if (!vanished.empty()) {
        text += fmt::format("only in the last table: {}\n", fmt::join(vanished, "; "));
    }
    return text;
}

}  // namespace restante::bench
