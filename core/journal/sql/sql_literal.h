#pragma once

#include "core/journal/sql/sql_statement.h"

#include <cstddef>
#include <string>

namespace restante::journal {

/// Values where a database binds none, or not many at once (docs/decisions/0020). *Pure functions.*

/// Appends the cell as MySQL reads it: a number; a text that no parser looks at twice in single
/// quotes; any other as `_utf8mb4 X'..'`. Of SOCI's MySQL, which binds nothing: it reads the
/// statement by rules that are not the session's, and pastes values into it one by one.
void addLiteral(std::string& words, const SqlRows::Column& column, std::size_t row);

/// `{"a","b"}`, as PostgreSQL reads an array; it is a value, and bound as one.
std::string arrayOf(const SqlRows::Column& column);

}  // namespace restante::journal
