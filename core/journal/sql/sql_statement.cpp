#include "core/journal/sql/sql_statement.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace restante::journal {

namespace {

constexpr unsigned char kFirstNonAscii = 0x80;  // the first byte that is not ASCII

/// Whether the text has only printable ASCII characters, and no quote, backslash or colon, which a
/// parser may interpret.
bool hasNoSpecialCharacters(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) {
        return c >= ' ' && c < '\x7f' && c != '\'' && c != '"' && c != '\\' && c != ':';
    });
}

/// Whether the text is ASCII without NUL, which every database accepts as it is; true for nearly
/// all texts.
bool isStorableAscii(std::string_view text)
{
    constexpr std::uint64_t kHigh = 0x8080808080808080U;
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    std::size_t i = 0;
    for (; i + sizeof(std::uint64_t) <= text.size(); i += sizeof(std::uint64_t)) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + i, sizeof(bytes));
        // If no byte has its high bit set, only a zero byte gets it by the subtraction.
        if (((bytes | (bytes - kOnes)) & kHigh) != 0) {
            return false;
        }
    }
    return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), [](char c) {
        return c != '\0' && static_cast<unsigned char>(c) < kFirstNonAscii;
    });
}

}  // namespace

std::string storable(std::string_view text)
{
    const bool isValid = isUtf8(text);
    std::string out(text);
    if (isValid && text.find('\0') == std::string_view::npos) {
        return out;
    }
    std::replace_if(
        out.begin(), out.end(),
        [isValid](char c) {
            return c == '\0' || (!isValid && static_cast<unsigned char>(c) >= kFirstNonAscii);
        },
        '?');
    return out;
}

std::string storableAscii(std::string_view text)
{
    std::string out(text);
    std::replace_if(
        out.begin(), out.end(),
        [](char c) { return c == '\0' || static_cast<unsigned char>(c) >= kFirstNonAscii; }, '?');
    return out;
}

SqlStatement& SqlStatement::append(std::string_view sql)
{
    sql_ += sql;
    return *this;
}

SqlStatement& SqlStatement::value(std::string_view text)
{
    fmt::format_to(std::back_inserter(sql_), ":v{}", values_.size());
    values_.push_back(storable(text));
    return *this;
}

SqlStatement&
SqlStatement::list(const std::vector<std::string>& texts, std::size_t begin, std::size_t end)
{
    sql_ += '(';
    for (auto i = begin; i < end; ++i) {
        append(i == begin ? "" : ",").value(texts[i]);
    }
    return append(")");
}

SqlRows::SqlRows(std::string_view columns)
{
    while (!columns.empty()) {
        const auto end = std::min(columns.find(','), columns.size());
        auto name = columns.substr(0, end);
        columns.remove_prefix(std::min(end + 1, columns.size()));
        const auto kind = name.ends_with('#')   ? Kind::Number
                          : name.ends_with('*') ? Kind::Bytes
                                                : Kind::Text;
        name.remove_suffix(kind == Kind::Text ? 0 : 1);
        columns_.push_back({std::string(name), kind});
    }
}

void SqlRows::reserve(std::size_t rows)
{
    for (auto& column : columns_) {
        if (column.kind == Kind::Number) {
            column.numbers.reserve(rows);
        } else {
            column.texts.reserve(rows);
        }
    }
}

SqlRows::Column& SqlRows::nextCell()
{
    auto& column = columns_[nextColumn_];
    nextColumn_ = nextColumn_ + 1 == columns_.size() ? 0 : nextColumn_ + 1;
    size_ += nextColumn_ == 0 ? 1 : 0;
    return column;
}

std::string_view SqlRows::own(std::string text)
{
    return ownedTexts_->emplace_back(std::move(text));
}

SqlRows& SqlRows::text(std::string_view text)
{
    auto& column = nextCell();
    assert(column.kind == Kind::Text);
    column.texts.push_back(isStorableAscii(text) ? text : own(storable(text)));
    return *this;
}

SqlRows& SqlRows::ownedText(std::string text)
{
    auto& column = nextCell();
    assert(column.kind == Kind::Text);
    column.texts.push_back(own(std::move(text)));
    return *this;
}

SqlRows& SqlRows::number(std::int64_t number)
{
    auto& column = nextCell();
    assert(column.kind == Kind::Number);
    column.numbers.push_back(number);
    return *this;
}

SqlRows& SqlRows::bytes(std::string_view bytes)
{
    auto& column = nextCell();
    assert(column.kind == Kind::Bytes);
    column.texts.push_back(bytes);
    return *this;
}

std::size_t SqlRows::lengthOf(std::size_t row) const
{
    constexpr std::size_t kCellOverhead = 20;  // bytes for a number, or around a text
    std::size_t sum = 0;
    for (const auto& column : columns_) {
        sum += kCellOverhead;
        if (column.kind != Kind::Number) {
            const auto size = column.texts[row].size();
            sum += column.kind == Kind::Bytes ? size / 3 * 4 : size;
        }
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
        if (column.kind == Kind::Number) {
            columns.back().numbers.assign(column.numbers.begin() + first,
                                          column.numbers.begin() + last);
        } else {
            columns.back().texts.assign(column.texts.begin() + first, column.texts.begin() + last);
        }
    }
    SqlRows rows(std::move(columns));
    rows.size_ = end - begin;
    rows.ownedTexts_ = ownedTexts_;
    return rows;
}

void SqlRows::clear(std::size_t row, std::string_view column)
{
    const auto found = std::find_if(columns_.begin(), columns_.end(),
                                    [&](const Column& one) { return one.name == column; });
    assert(found != columns_.end() && found->kind == Kind::Text);
    found->texts[row] = {};
}

std::string SqlRows::names() const
{
    std::string names;
    for (const auto& column : columns_) {
        names += (names.empty() ? "" : ",") + column.name;
    }
    return names;
}

void addMysqlLiteral(std::string& sql, const SqlRows::Column& column, std::size_t row)
{
    if (column.kind == SqlRows::Kind::Number) {
        fmt::format_to(std::back_inserter(sql), "{}", column.numbers[row]);
        return;
    }
    const auto text = column.texts[row];
    if (column.kind == SqlRows::Kind::Bytes) {
        sql += '\'';
        sql += toBase64(text);
        sql += '\'';
        return;
    }
    const bool isSafe = hasNoSpecialCharacters(text);
    sql += isSafe ? "'" : "_utf8mb4 X'";
    sql += isSafe ? text : toHex(text);
    sql += '\'';
}

std::string postgresqlArrayOf(const SqlRows::Column& column)
{
    std::string array = "{";
    for (const auto number : column.numbers) {
        fmt::format_to(std::back_inserter(array), "{}{}", array.size() == 1 ? "" : ",", number);
    }
    for (const auto text : column.texts) {
        array += array.size() == 1 ? "\"" : ",\"";
        if (column.kind == SqlRows::Kind::Bytes) {
            array += toBase64(text);
            array += '"';
            continue;
        }
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
