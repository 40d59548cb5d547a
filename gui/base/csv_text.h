#pragma once

#include <string>
#include <string_view>

namespace restante::gui {

/// Cells that begin with = + - @, a tab or a carriage return may be formulas to a spreadsheet.
enum class CsvFormulas {
    AsTheyAre,   ///< unchanged, since phone numbers begin with +
    Apostrophe,  ///< a ' in front makes the cell text
};

/// A cell as in RFC 4180, quoted when necessary. *Pure.*
std::string csvCell(std::string_view text, CsvFormulas formulas = CsvFormulas::AsTheyAre);

}  // namespace restante::gui
