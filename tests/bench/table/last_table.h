#pragma once

#include "tests/bench/table/row.h"

#include <string>
#include <string_view>
#include <vector>

namespace restante::bench {

/// The CPU time of each process in a printed row; empty when the table is older than those columns.
/// *Value.*
struct PrintedRow {
    std::string path;
    CpuByProcess bare;
    CpuByProcess restante;
};

/// The rows of the first table of a Markdown document whose first column is the path; empty when it
/// has no such table. Columns are found by their names. Throws std::runtime_error for a malformed
/// CPU cell, so that the comparison cannot pass because nothing was read.
std::vector<PrintedRow> printedRows(std::string_view document);

/// `document` with that table replaced by `table`. Throws std::runtime_error when it has none.
std::string withTable(std::string_view document, std::string_view table);

}  // namespace restante::bench
