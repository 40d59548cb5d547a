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

/// Prepare texts for a database. *Pure functions.*

/// `text` as every database accepts it in a text column: NUL, which PostgreSQL refuses, becomes
/// '?', and in a text that is not UTF-8 every byte that is not ASCII; the exact bytes are in the
/// record.
std::string storable(std::string_view text);
/// The same for an ASCII column: bytes that are not ASCII become '?' in any case.
std::string storableAscii(std::string_view text);

/// A statement: SQL of this program and, separately, external values, which are bound, so that they
/// are never parsed as SQL (docs/decisions/0020). Numbers are part of the SQL. *Value.*
class SqlStatement {
public:
    SqlStatement() = default;
    SqlStatement(std::string sql) : sql_(std::move(sql)) {}  // NOLINT: SQL is a statement
    SqlStatement(const char* sql) : sql_(sql) {}             // NOLINT

    SqlStatement& append(std::string_view sql);
    /// Appends a placeholder for a text, which is made storable(). No letter or digit may follow.
    SqlStatement& value(std::string_view text);
    /// "(:v0,:v1)" for texts[begin, end).
    SqlStatement& list(const std::vector<std::string>& texts, std::size_t begin, std::size_t end);

    const std::string& text() const noexcept { return sql_; }
    const std::vector<std::string>& values() const noexcept { return values_; }

private:
    std::string sql_;
    std::vector<std::string> values_;
};

/// Rows to be written into a table, stored by column. Cells are not copied: their texts must
/// outlive the rows, except those of ownedText(). *Value.*
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

    /// Adds the next cell of the last row, in the order of the columns; after the last column a new
    /// row begins. A text is made storable().
    SqlRows& text(std::string_view text);
    template <class Text>
    requires std::same_as<Text, std::string> SqlRows& text(Text&& temporary) = delete;
    /// A text that is storable() as it is; takes ownership.
    SqlRows& ownedText(std::string text);
    SqlRows& number(std::int64_t number);
    SqlRows& bytes(std::string_view bytes);

    void reserve(std::size_t rows);
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    std::size_t lengthOf(std::size_t row) const;  ///< about the length of the row in a statement
    const std::vector<Column>& columns() const noexcept { return columns_; }
    /// Only the rows [begin, end).
    SqlRows part(std::size_t begin, std::size_t end) const;
    /// Replaces a text by an empty one.
    void clear(std::size_t row, std::string_view column);
    std::string names() const;  ///< "id,shard,topic"

private:
    Column& nextCell();
    std::string_view own(std::string text);

    std::vector<Column> columns_;
    std::size_t nextColumn_ = 0;
    std::size_t size_ = 0;
    /// Texts that were made for cells; shared with parts of the rows. A deque, because it does not
    /// move its elements.
    std::shared_ptr<std::deque<std::string>> ownedTexts_ =
        std::make_shared<std::deque<std::string>>();
};

/// Values for databases that cannot bind them, or not many at once (docs/decisions/0020). *Pure
/// functions.*

/// Appends the cell as a MySQL literal: a number; bytes in base64; a text without special
/// characters in single quotes; any other as `_utf8mb4 X'..'`. Needed because SOCI's MySQL back-end
/// does not bind values: it inserts them into the statement one by one, by rules that are not the
/// session's.
void addMysqlLiteral(std::string& sql, const SqlRows::Column& column, std::size_t row);

/// The column as a PostgreSQL array, `{"a","b"}`, to be bound as one value.
std::string postgresqlArrayOf(const SqlRows::Column& column);

}  // namespace restante::journal
