#include "core/journal/sql/sql_statement.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace restante::journal {

namespace {

constexpr unsigned char kFirstForeign = 0x80;  // behind ASCII

/// Whether no quote, backslash or colon is in it, nor anything else that a parser may look at
/// twice.
bool isHarmless(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) {
        return c >= ' ' && c < '\x7f' && c != '\'' && c != '"' && c != '\\' && c != ':';
    });
}

}  // namespace

std::string storable(std::string_view text)
{
    const bool fine = isUtf8(text);
    std::string out(text);
    if (fine && text.find('\0') == std::string_view::npos) {
        return out;
    }
    std::replace_if(
        out.begin(), out.end(),
        [fine](char c) {
            return c == '\0' || (!fine && static_cast<unsigned char>(c) >= kFirstForeign);
        },
        '?');
    return out;
}

std::string storableAscii(std::string_view text)
{
    std::string out(text);
    std::replace_if(
        out.begin(), out.end(),
        [](char c) { return c == '\0' || static_cast<unsigned char>(c) >= kFirstForeign; }, '?');
    return out;
}

SqlStatement& SqlStatement::words(std::string_view more)
{
    words_ += more;
    return *this;
}

SqlStatement& SqlStatement::value(std::string_view text)
{
    fmt::format_to(std::back_inserter(words_), ":v{}", values_.size());
    values_.push_back(storable(text));
    return *this;
}

SqlStatement&
SqlStatement::list(const std::vector<std::string>& texts, std::size_t begin, std::size_t end)
{
    words_ += '(';
    for (auto i = begin; i < end; ++i) {
        words(i == begin ? "" : ",").value(texts[i]);
    }
    return words(")");
}

SqlRows::SqlRows(std::string_view columns)
{
    while (!columns.empty()) {
        const auto end = std::min(columns.find(','), columns.size());
        auto name = columns.substr(0, end);
        columns.remove_prefix(std::min(end + 1, columns.size()));
        const bool isNumber = name.ends_with('#');
        name.remove_suffix(isNumber ? 1 : 0);
        columns_.push_back({std::string(name), isNumber ? Kind::Number : Kind::Text});
    }
}

SqlRows::Column& SqlRows::next()
{
    auto& column = columns_[at_];
    at_ = (at_ + 1) % columns_.size();
    size_ += at_ == 0 ? 1 : 0;
    return column;
}

SqlRows& SqlRows::text(std::string_view text)
{
    return plain(storable(text));
}

SqlRows& SqlRows::plain(std::string text)
{
    auto& column = next();
    assert(column.kind == Kind::Text);
    column.texts.push_back(std::move(text));
    return *this;
}

SqlRows& SqlRows::number(std::int64_t number)
{
    auto& column = next();
    assert(column.kind == Kind::Number);
    column.numbers.push_back(number);
    return *this;
}

std::size_t SqlRows::bytes(std::size_t row) const
{
    constexpr std::size_t kAround = 20;  // of a number, or of what stands around a text
    std::size_t sum = 0;
    for (const auto& column : columns_) {
        sum += kAround + (column.kind == Kind::Text ? column.texts[row].size() : 0);
    }
    return sum;
}

SqlRows SqlRows::part(std::size_t begin, std::size_t end) const
{
    std::vector<Column> columns;
    for (const auto& column : columns_) {
        columns.push_back({column.name, column.kind});
        const auto first = static_cast<std::ptrdiff_t>(begin);
        const auto last = static_cast<std::ptrdiff_t>(end);
        if (column.kind == Kind::Text) {
            columns.back().texts.assign(column.texts.begin() + first, column.texts.begin() + last);
        } else {
            columns.back().numbers.assign(column.numbers.begin() + first,
                                          column.numbers.begin() + last);
        }
    }
    SqlRows rows(std::move(columns));
    rows.size_ = end - begin;
    return rows;
}

void SqlRows::set(std::size_t row, std::string_view column, std::string_view text)
{
    const auto found = std::find_if(columns_.begin(), columns_.end(),
                                    [&](const Column& one) { return one.name == column; });
    assert(found != columns_.end() && found->kind == Kind::Text);
    found->texts[row] = storable(text);
}

std::string SqlRows::names() const
{
    std::string names;
    for (const auto& column : columns_) {
        names += (names.empty() ? "" : ",") + column.name;
    }
    return names;
}

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
