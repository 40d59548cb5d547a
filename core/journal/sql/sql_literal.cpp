#include "core/journal/sql/sql_literal.h"

#include "core/base/encoding.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace restante::journal {

namespace {

/// Whether no quote, backslash or colon is in it, nor anything else that a parser may look at
/// twice.
bool isHarmless(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) {
        return c >= ' ' && c < '\x7f' && c != '\'' && c != '"' && c != '\\' && c != ':';
    });
}

}  // namespace

void addLiteral(std::string& words, const SqlRows::Column& column, std::size_t row)
{
    if (column.kind == SqlRows::Kind::Number) {
        fmt::format_to(std::back_inserter(words), "{}", column.numbers[row]);
        return;
    }
    const auto& text = column.texts[row];
    const bool harmless = isHarmless(text);
    words += harmless ? "'" : "_utf8mb4 X'";
    words += harmless ? text : toHex(text);
    words += '\'';
}

std::string arrayOf(const SqlRows::Column& column)
{
    std::string array = "{";
    for (const auto number : column.numbers) {
        fmt::format_to(std::back_inserter(array), "{}{}", array.size() == 1 ? "" : ",", number);
    }
    for (const auto& text : column.texts) {
        array += array.size() == 1 ? "\"" : ",\"";
        for (const char c : text) {
            if (c == '"' || c == '\\') {
                array += '\\';
            }
            array += c;
        }
        array += '"';
    }
    return array + "}";
}

}  // namespace restante::journal
