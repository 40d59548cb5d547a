#include "tests/bench/table/last_table.h"

#include "tests/bench/table/report.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>

namespace restante::bench {

namespace {

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// "| a | b |" as {"a", "b"}.
std::vector<std::string> cellsOf(std::string_view line)
{
    line = trimmed(line);
    line.remove_prefix(std::min<std::size_t>(line.size(), 1));
    std::vector<std::string> cells;
    for (auto end = line.find('|'); end != std::string_view::npos; end = line.find('|')) {
        cells.emplace_back(trimmed(line.substr(0, end)));
        line.remove_prefix(end + 1);
    }
    return cells;
}

/// Where the table is in the document: from its header to the end of its last line.
struct TableRange {
    std::size_t from = std::string_view::npos;
    std::size_t end = std::string_view::npos;
};

TableRange findTable(std::string_view document)
{
    TableRange range;
    bool inOther = false;
    for (std::size_t from = 0; from < document.size();) {
        const auto end = std::min(document.find('\n', from), document.size());
        const auto line = document.substr(from, end - from);
        const bool inside = range.from != std::string_view::npos;
        if (inside && !line.starts_with('|')) {
            return range;
        }
        if (!inside && !inOther && line.starts_with('|')) {
            const auto header = cellsOf(line);
            if (!header.empty() && header.front() == kPathColumn) {
                range.from = from;
            }
        }
        inOther = line.starts_with('|');
        from = std::min(end + 1, document.size());
        range.end = from;
    }
    return range;
}

/// "client 1.21, redis-server 2.34".
CpuByProcess cpuIn(const std::string& cell, const std::string& path)
{
    CpuByProcess cpu;
    for (std::string_view rest = cell; !rest.empty();) {
        const auto comma = rest.find(',');
        const auto item = trimmed(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        const auto space = item.rfind(' ');
        const std::string digits(space == std::string_view::npos ? std::string_view()
                                                                 : item.substr(space + 1));
        char* end = nullptr;
        const double used = std::strtod(digits.c_str(), &end);
        if (digits.empty() || *end != '\0') {
            throw std::runtime_error(
                fmt::format("the row '{}' of the last table: '{}' is no process and its CPU time",
                            path, std::string(item)));
        }
        cpu[std::string(trimmed(item.substr(0, space)))] = used;
    }
    return cpu;
}

}  // namespace

std::vector<PrintedRow> printedRows(std::string_view document)
{
    const TableRange range = findTable(document);
    if (range.from == std::string_view::npos) {
        return {};
    }
    std::vector<PrintedRow> rows;
    std::vector<std::string> header;
    for (auto rest = document.substr(range.from, range.end - range.from); !rest.empty();) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const auto cells = cellsOf(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (header.empty()) {
            header = cells;
            continue;
        }
        if (cells.empty() || cells.front().starts_with("---")) {
            continue;
        }
        PrintedRow row;
        row.path = cells.front();
        for (std::size_t i = 1; i < cells.size() && i < header.size(); ++i) {
            if (header[i] == kBareCpuColumn) {
                row.bare = cpuIn(cells[i], row.path);
            } else if (header[i] == kRestanteCpuColumn) {
                row.restante = cpuIn(cells[i], row.path);
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string withTable(std::string_view document, std::string_view table)
{
    const TableRange range = findTable(document);
    if (range.from == std::string_view::npos) {
        throw std::runtime_error("there is no table whose first column is the path");
    }
    std::string text(document.substr(0, range.from));
    text += table;
    return text.append(document.substr(range.end));
}

}  // namespace restante::bench
