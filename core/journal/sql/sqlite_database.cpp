#include "core/journal/sql/sqlite_database.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sqlite3.h>

namespace restante::journal {

namespace {

constexpr int kBusyTimeoutMs = 10'000;  // how long to wait for another program's transaction
/// Longer statements have lists of values of varying length, so caching them would be useless.
constexpr std::size_t kLongestCachedStatement = 2'048;
constexpr std::size_t kMostCachedStatements = 64;

constexpr std::array<int, 3> kRefusals{SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH};

SqlError errorOf(sqlite3* file, int code)
{
    const bool refused = std::find(kRefusals.begin(), kRefusals.end(), code) != kRefusals.end();
    return {fmt::format("{} (error {})", withoutValues(sqlite3_errmsg(file)), code),
            refused ? SqlError::Cause::Refused : SqlError::Cause::Away};
}

int bindText(sqlite3_stmt* statement, int index, std::string_view text)
{
    // The data of an empty view may be null, which would bind NULL.
    return sqlite3_bind_text64(statement, index, text.empty() ? "" : text.data(), text.size(),
                               SQLITE_STATIC, SQLITE_UTF8);
}

int bindCell(sqlite3_stmt* statement, int index, const SqlRows::Column& column, std::size_t row)
{
    switch (column.kind) {
    case SqlRows::Kind::Number: return sqlite3_bind_int64(statement, index, column.numbers[row]);
    case SqlRows::Kind::Text: return bindText(statement, index, column.texts[row]);
    case SqlRows::Kind::Bytes: break;
    }
    const auto bytes = column.texts[row];
    return sqlite3_bind_blob64(statement, index, bytes.empty() ? "" : bytes.data(), bytes.size(),
                               SQLITE_STATIC);
}

/// Whether the cell of the row before has the same data, so that it is bound already.
bool isAlreadyBound(const SqlRows::Column& column, std::size_t row)
{
    if (row == 0) {
        return false;
    }
    if (column.kind == SqlRows::Kind::Number) {
        return column.numbers[row] == column.numbers[row - 1];
    }
    const auto before = column.texts[row - 1];
    const auto now = column.texts[row];
    return before.data() == now.data() && before.size() == now.size();
}

std::string cellOf(sqlite3_stmt* statement, int column)
{
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    return bytes == nullptr ? std::string() : std::string(bytes, size);
}

}  // namespace

/// A statement in use. The destructor releases its locks and values.
class SqliteDatabase::StatementUse {
public:
    StatementUse(SqliteDatabase& database, const std::string& words)
        : file_(database.file_),
          isCached_(words.size() <= kLongestCachedStatement),
          statement_(isCached_ ? database.cachedStatement(words) : database.prepareStatement(words))
    {
    }
    StatementUse(const StatementUse&) = delete;
    StatementUse& operator=(const StatementUse&) = delete;
    ~StatementUse()
    {
        if (isCached_) {
            sqlite3_reset(statement_);
            sqlite3_clear_bindings(statement_);
        } else {
            sqlite3_finalize(statement_);
        }
    }

    sqlite3_stmt* statement() const noexcept { return statement_; }

    void check(int code) const
    {
        if (code != SQLITE_OK) {
            throw errorOf(file_, code);
        }
    }
    void bind(const std::vector<std::string>& values) const
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            check(bindText(statement_, static_cast<int>(i + 1), values[i]));
        }
    }
    /// Whether there is another row of the result.
    bool step() const
    {
        const int code = sqlite3_step(statement_);
        if (code != SQLITE_ROW && code != SQLITE_DONE) {
            throw errorOf(file_, code);
        }
        return code == SQLITE_ROW;
    }
    std::int64_t run() const
    {
        while (step()) {
        }
        return sqlite3_changes(file_);
    }
    void reset() const { sqlite3_reset(statement_); }

private:
    sqlite3* file_;
    bool isCached_;
    sqlite3_stmt* statement_;
};

SqliteDatabase::SqliteDatabase(const std::string& path)
{
    // Without SQLite's mutexes, because a session is used on one thread.
    const int code =
        sqlite3_open_v2(path.c_str(), &file_,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    if (code != SQLITE_OK) {
        SqlError error{
            fmt::format("cannot open {}: {}", path,
                        file_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(file_))};
        sqlite3_close_v2(file_);
        throw error;
    }
    sqlite3_busy_timeout(file_, kBusyTimeoutMs);
}

SqliteDatabase::~SqliteDatabase()
{
    finalizeStatements();
    sqlite3_close_v2(file_);
}

void SqliteDatabase::finalizeStatements() noexcept
{
    for (const auto& [words, statement] : statements_) {
        sqlite3_finalize(statement);
    }
    statements_.clear();
}

sqlite3_stmt* SqliteDatabase::prepareStatement(const std::string& words) const
{
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(file_, words.data(), static_cast<int>(words.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) {
        throw errorOf(file_, code);
    }
    return statement;
}

sqlite3_stmt* SqliteDatabase::cachedStatement(const std::string& words)
{
    if (const auto found = statements_.find(words); found != statements_.end()) {
        return found->second;
    }
    if (statements_.size() >= kMostCachedStatements) {
        finalizeStatements();  // none of them is in use now
    }
    auto* const statement = prepareStatement(words);
    statements_.emplace(words, statement);
    return statement;
}

std::int64_t SqliteDatabase::execute(const SqlStatement& sql)
{
    const StatementUse use(*this, sql.text());
    use.bind(sql.values());
    return use.run();
}

std::vector<std::vector<std::string>> SqliteDatabase::query(const SqlStatement& sql,
                                                            std::size_t columns)
{
    const StatementUse use(*this, sql.text());
    use.bind(sql.values());
    std::vector<std::vector<std::string>> rows;
    while (use.step()) {
        auto& row = rows.emplace_back();
        row.reserve(columns);
        for (std::size_t i = 0; i < columns; ++i) {
            row.push_back(cellOf(use.statement(), static_cast<int>(i)));
        }
    }
    return rows;
}

std::int64_t SqliteDatabase::executeForEach(const std::string& words, const SqlRows& rows)
{
    const StatementUse use(*this, words);
    std::int64_t changed = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        int index = 0;
        for (const auto& column : rows.columns()) {
            ++index;
            if (!isAlreadyBound(column, row)) {
                use.check(bindCell(use.statement(), index, column, row));
            }
        }
        changed += use.run();
        use.reset();
    }
    return changed;
}

}  // namespace restante::journal
