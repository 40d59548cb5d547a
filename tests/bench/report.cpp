#include "tests/bench/report.h"

#include <cstdio>
#include <fmt/format.h>
#include <utility>

namespace restante::bench {

namespace {

std::string cells(const Row& row)
{
    return fmt::format("| {} | {:.1f} {} | {:.1f} {} | {:.2f} | {} | {} |\n", row.path, row.bare,
                       row.unit, row.restante, row.unit, row.ratio(), row.target,
                       row.met ? "yes" : "**no**");
}

}  // namespace

void Report::add(Row row)
{
    // Progress for whoever waits: a whole run takes minutes.
    fmt::print(stderr, "{}", cells(row));
    rows_.push_back(std::move(row));
}

std::string Report::markdown() const
{
    std::string text = "| path | bare library | Restante | ratio | target | met |\n"
                       "|---|---|---|---|---|---|\n";
    for (const Row& row : rows_) {
        text += cells(row);
    }
    return text;
}

}  // namespace restante::bench
