#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace restante::cli {

/// Columns of text, aligned, under a line of titles. *Value.*
class Table {
public:
    explicit Table(std::vector<std::string> titles);
    void add(std::vector<std::string> cells);

    /// With a `width`, the last column is cut to fit ("...") if the others leave it more than three
    /// characters; 0 = as wide as it gets.
    std::string text(std::size_t width) const;

private:
    std::vector<std::vector<std::string>> rows_;  ///< the first one holds the titles
};

/// The width of the terminal on standard output, 0 when it is none: what goes into a pipe or a file
/// is never cut.
std::size_t terminalWidth();

/// `text`, or as much of it as fits into so many columns with "..." behind it; all of it when
/// `width` has no room for these.
std::string truncated(std::string_view text, std::size_t width);

/// Whether a control character of two bytes (U+0080 to U+009F, some of which command a terminal)
/// begins at `at`.
bool isC1Control(std::string_view text, std::size_t at);

/// `text` on one line: control characters, which could rewrite a terminal, become spaces, and so do
/// bytes that are not UTF-8.
std::string oneLine(std::string_view text);

}  // namespace restante::cli
