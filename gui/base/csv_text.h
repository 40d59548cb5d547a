#pragma once

#include <string>
#include <string_view>

namespace restante::gui {

/// Cells that begin with = + - @ are formulas to a spreadsheet.
enum class CsvFormulas {
    AsTheyAre,   ///< phone numbers begin with +: the file says what the job says
    Apostrophe,  ///< an ' before them makes them text
};

/// A cell of RFC 4180: quoted when it has to be. *Pure.*
std::string csvCell(std::string_view text, CsvFormulas formulas = CsvFormulas::AsTheyAre);

}  // namespace restante::gui
