#include "core/journal/sql/sql_statement.h"

#include "core/journal/sql/sql_text.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <iterator>

namespace restante::journal {

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

}  // namespace restante::journal
