#include "gui/base/csv_text.h"

namespace restante::gui {

std::string csvCell(std::string_view text, CsvFormulas formulas)
{
    // OWASP's list: a tab or carriage return before the sign is skipped by some spreadsheets.
    const bool formula =
        !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
    std::string cell = formula && formulas == CsvFormulas::Apostrophe ? "'" : "";
    const bool quoted = formula || text.find_first_of("\",\r\n") != std::string_view::npos ||
                        (!text.empty() && (text.front() == ' ' || text.back() == ' '));
    if (!quoted) {
        return cell.append(text);
    }
    std::string result = "\"" + cell;
    for (const char character : text) {
        result += character;
        if (character == '"') {
            result += '"';
        }
    }
    return result + '"';
}

}  // namespace restante::gui
