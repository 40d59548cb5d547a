#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::journal {

/// Texts on their way into a database. *Pure functions.*

/// `text` as every database takes it in a column of text: what is not UTF-8, and NUL, which
/// PostgreSQL refuses, becomes '?'; the exact bytes are in the record.
std::string storable(std::string_view text);
/// The same for a column that is compared byte by byte: what is not ASCII becomes '?', too.
std::string storableAscii(std::string_view text);

/// A statement: words of this program and, apart from them, values of anybody's, which are bound,
/// so that nothing reads them as words (docs/decisions/0020). Numbers are words. *Value.*
class SqlStatement {
public:
    SqlStatement() = default;
    SqlStatement(std::string words) : words_(std::move(words)) {}  // NOLINT: words are a statement
    SqlStatement(const char* words) : words_(words) {}             // NOLINT

    SqlStatement& words(std::string_view more);
    /// A place in the words for a text, which is made storable(). No letter or digit may follow.
    SqlStatement& value(std::string_view text);
    /// "(:v0,:v1)" for texts[begin, end).
    SqlStatement& list(const std::vector<std::string>& texts, std::size_t begin, std::size_t end);

    const std::string& text() const noexcept { return words_; }
    const std::vector<std::string>& values() const noexcept { return values_; }

private:
    std::string words_;
    std::vector<std::string> values_;
};

/// Rows on their way into a table, a column at a time. A cell is not copied: what it is made of
/// must live as long as the rows, unless it is given away by plain(). *Value.*
class SqlRows {
public:
    enum class Kind {
        Text,
        Number,
        Bytes,  ///< in SQLite as they are, in the others base64
    };
    struct Column {
        std::string name;
        Kind kind = Kind::Text;
        std::vector<std::string_view> texts = {};  ///< or bytes
        std::vector<long long> numbers = {};
    };

    explicit SqlRows(std::vector<Column> columns) : columns_(std::move(columns)) {}
    /// "id,shard#,topic,record*": texts, numbers, which end with a '#', and bytes with a '*'.
    explicit SqlRows(std::string_view columns);

    /// The next cell of the last row, in the order of the columns; behind the last column begins
    /// a new row. A text is made storable().
    SqlRows& text(std::string_view text);
    template <class Text>
    requires std::same_as<Text, std::string> SqlRows& text(Text&& temporary) = delete;
    /// Of an alphabet without anything to be made storable.
    SqlRows& plain(std::string text);
    SqlRows& number(std::int64_t number);
    SqlRows& bytes(std::string_view bytes);

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    std::size_t lengthOf(std::size_t row) const;  ///< about as long it is in a statement
    const std::vector<Column>& columns() const noexcept { return columns_; }
    /// Rows [begin, end) alone.
    SqlRows part(std::size_t begin, std::size_t end) const;
    /// Replaces a text by an empty one.
    void clear(std::size_t row, std::string_view column);
    std::string names() const;  ///< "id,shard,topic"

private:
    Column& next();
    std::string_view keep(std::string text);

    std::vector<Column> columns_;
    std::size_t at_ = 0;
    std::size_t size_ = 0;
    /// What had to be made for a cell; shared with the parts. A deque moves none of its texts.
    std::shared_ptr<std::deque<std::string>> made_ = std::make_shared<std::deque<std::string>>();
};

/// Values where a database binds none, or not many at once (docs/decisions/0020). *Pure functions.*

/// Appends the cell as MySQL reads it: a number; bytes in base64; a text that no parser looks at
/// twice in single quotes; any other as `_utf8mb4 X'..'`. Of SOCI's MySQL, which binds nothing: it
/// reads the statement by rules that are not the session's, and pastes values into it one by one.
void addLiteral(std::string& words, const SqlRows::Column& column, std::size_t row);

/// `{"a","b"}`, as PostgreSQL reads an array; it is a value, and bound as one.
std::string arrayOf(const SqlRows::Column& column);

}  // namespace restante::journal
