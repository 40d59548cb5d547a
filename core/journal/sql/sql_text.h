#pragma once

#include <string>
#include <string_view>

namespace restante::journal {

/// Texts on their way into a database. *Pure functions.*

/// `text` as every database takes it in a column of text: what is not UTF-8, and NUL, which
/// PostgreSQL refuses, becomes '?'; the exact bytes are in the record.
std::string storable(std::string_view text);
/// The same for a column that is compared byte by byte: what is not ASCII becomes '?', too.
std::string storableAscii(std::string_view text);

}  // namespace restante::journal
