#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace restante::journal {

/// Texts on their way into a statement. *Pure functions.*

/// `text` as an SQL literal. Every session is told that a backslash is an ordinary character, so
/// doubling the quotes is all there is. What is not UTF-8, and NUL, which PostgreSQL refuses,
/// becomes '?'; the exact bytes are in the record.
std::string literalOf(std::string_view text);
/// "('a','b')"
std::string literalList(const std::vector<std::string>& texts, std::size_t begin, std::size_t end);

std::string toBase64(std::string_view bytes);
/// What is no base64 ends it.
std::string fromBase64(std::string_view text);

}  // namespace restante::journal
