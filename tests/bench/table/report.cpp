#include "tests/bench/table/report.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/format.h>

namespace restante::bench {

namespace {

/// The text in one line, without characters that would end the cell.
std::string cellOf(std::string text)
{
    for (char& c : text) {
        c = c == '\n' || c == '\r' ? ' ' : c == '|' ? '/' : c;
    }
    while (text.ends_with(' ')) {
        text.pop_back();
    }
    return text;
}

std::string
figuresCell(const std::vector<Sample>& samples, const Spread& spread, const std::string& unit)
{
    if (samples.empty()) {
        return {};
    }
    return samples.size() == 1 ? fmt::format("{:.1f} {}", spread.median, unit)
                               : fmt::format("{:.1f} ({:.1f}-{:.1f}) {}", spread.median, spread.low,
                                             spread.high, unit);
}

std::string ratioCell(const Row& row)
{
    if (row.bare.empty()) {
        return {};
    }
    const Spread ratio = row.ratio();
    return row.bare.size() == 1
               ? fmt::format("{:.2f}", ratio.median)
               : fmt::format("{:.2f} ({:.2f}-{:.2f})", ratio.median, ratio.low, ratio.high);
}

std::string cpuCell(const CpuByProcess& cpu)
{
    std::string text;
    for (const auto& [process, used] : cpu) {
        text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", process, used);
    }
    return text;
}

std::string lineOf(const Row& row)
{
    const std::string shortfall = row.shortfall();
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", cellOf(row.path),
                       figuresCell(row.bare, row.bareFigures(), row.unit),
                       figuresCell(row.restante, row.restanteFigures(), row.unit), ratioCell(row),
                       cpuCell(row.bareCpu()), cpuCell(row.restanteCpu()), cellOf(row.target.words),
                       shortfall.empty() ? "yes" : "**no**: " + cellOf(shortfall));
}

}  // namespace

Row& Report::rowOf(const std::string& path)
{
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.path == path; });
    if (found != rows_.end()) {
        return *found;
    }
    Row row;
    row.path = path;
    rows_.push_back(std::move(row));
    return rows_.back();
}

void Report::add(const RowKind& kind,
                 const std::optional<Sample>& bare,
                 const Sample& restante,
                 const std::string& flaw)
{
    Row& row = rowOf(kind.path);
    row.unit = kind.unit;
    row.target = kind.target;
    ++row.rounds;
    if (bare) {
        row.bare.push_back(*bare);
    }
    row.restante.push_back(restante);
    if (!flaw.empty()) {
        row.flaw = row.flawed++ == 0 ? flaw : row.flaw;
    }
    // Shows progress: a whole run takes minutes.
    fmt::print(stderr, "{}", lineOf(row));
}

void Report::fail(const std::string& path, const std::string& why)
{
    failed_ = true;
    Row& row = rowOf(path);
    ++row.rounds;
    row.flaw = row.flawed++ == 0 ? why : row.flaw;
    fmt::print(stderr, "{}", lineOf(row));
}

void Report::attempt(const std::string& path,
                     const std::function<void()>& measure,
                     const std::function<std::string()>& circumstances)
{
    try {
        measure();
    } catch (const std::exception& error) {
        const auto more = circumstances ? circumstances() : std::string();
        fail(path, more.empty() ? error.what() : fmt::format("{}; {}", error.what(), more));
    }
}

void Report::note(const std::string& what)
{
    if (std::find(notes_.begin(), notes_.end(), what) == notes_.end()) {
        fmt::print(stderr, "{}\n", what);
        notes_.push_back(what);
    }
}

std::string Report::markdown() const
{
    std::string text = fmt::format("| {} | bare | Restante | ratio | {} | {} | target | met |\n"
                                   "|---|---|---|---|---|---|---|---|\n",
                                   kPathColumn, kBareCpuColumn, kRestanteCpuColumn);
    for (const Row& row : rows_) {
        text += lineOf(row);
    }
    return text;
}

std::string Report::intervals() const
{
    std::string text;
    for (const Row& row : rows_) {
        for (const Sample& sample : row.restante) {
            if (sample.when.to > sample.when.from) {
                text += fmt::format("{}\t{:.6f}\t{:.6f}\n", cellOf(row.path), sample.when.from,
                                    sample.when.to);
            }
        }
    }
    return text;
}

}  // namespace restante::bench
