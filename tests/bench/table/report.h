#pragma once

#include "tests/bench/table/row.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace restante::bench {

/// The names of the columns that the CPU comparison reads, here and in the last table.
constexpr auto kPathColumn = "path";
constexpr auto kBareCpuColumn = "bare CPU, us/op";
constexpr auto kRestanteCpuColumn = "Restante CPU, us/op";

/// The name, unit and target of a row.
struct RowKind {
    std::string path;
    std::string unit;
    Target target;
};

/// Collects the rounds of each row and prints the rows as a Markdown table. *Value.*
class Report {
public:
    /// Adds one round of a row, or a new row for a new path. A `flaw` says what went wrong in the
    /// measurement; the row's target is then not met.
    void add(const RowKind& kind,
             const std::optional<Sample>& bare,
             const Sample& restante,
             const std::string& flaw = {});
    /// A round of that row, or of those rows, that could not be measured.
    void fail(const std::string& path, const std::string& why);
    /// Calls `measure`, which adds rows; what it throws becomes the failure of `path`, with what
    /// `circumstances`, when there are any, then say of it.
    void attempt(const std::string& path,
                 const std::function<void()>& measure,
                 const std::function<std::string()>& circumstances = {});
    /// Adds a remark below the table, such as what was left out and why; once for equal texts.
    void note(const std::string& what);

    const std::vector<Row>& rows() const noexcept { return rows_; }
    /// Whether a round of some row could not be measured.
    bool failed() const noexcept { return failed_; }
    std::string markdown() const;
    /// A line for each round of each row: its path, and from when to when Restante's side was
    /// measured, in seconds of CLOCK_MONOTONIC; separated by tabs.
    std::string intervals() const;
    /// One line each; not a part of the table.
    const std::vector<std::string>& notes() const noexcept { return notes_; }

private:
    Row& rowOf(const std::string& path);

    std::vector<Row> rows_;
    std::vector<std::string> notes_;
    bool failed_ = false;
};

}  // namespace restante::bench
