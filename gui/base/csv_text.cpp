#include "gui/base/csv_text.h"

namespace restante::gui {

std::string csvCell(std::string_view text, CsvFormulas formulas)
{
    // OWASP's list: a tab or carriage return before the sign is skipped by some spreadsheets.
    const bool isFormula =
        !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
    std::string prefix = isFormula && formulas == CsvFormulas::Apostrophe ? "'" : "";
    const bool needsQuotes = isFormula || text.find_first_of("\",\r\n") != std::string_view::npos ||
                             (!text.empty() && (text.front() == ' ' || text.back() == ' '));
    if (!needsQuotes) {
        return prefix.append(text);
    }
    std::string cell = "\"" + prefix;
    for (const char character : text) {
        cell += character;
        if (character == '"') {
            cell += '"';
        }
    }
    return cell + '"';
}

}  // namespace restante::gui
