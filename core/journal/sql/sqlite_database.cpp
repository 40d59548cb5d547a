#include "core/journal/sql/sqlite_database.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sqlite3.h>

namespace restante::journal {

namespace {

constexpr int kBusyMs = 10'000;  // for another program's transaction to end
/// Longer ones have a list of values, whose length is another one each time.
constexpr std::size_t kLongestKept = 2'048;
constexpr std::size_t kMostKept = 64;

constexpr std::array<int, 3> kRefusals{SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH};

SqlError errorOf(sqlite3* file, int code)
{
    const bool refused = std::find(kRefusals.begin(), kRefusals.end(), code) != kRefusals.end();
    return {fmt::format("{} (error {})", withoutValues(sqlite3_errmsg(file)), code),
            refused ? SqlError::Cause::Refused : SqlError::Cause::Away};
}

int bindText(sqlite3_stmt* statement, int place, std::string_view text)
{
    // An empty view may have no data, which would be NULL.
    return sqlite3_bind_text64(statement, place, text.empty() ? "" : text.data(), text.size(),
                               SQLITE_STATIC, SQLITE_UTF8);
}

int bindCell(sqlite3_stmt* statement, int place, const SqlRows::Column& column, std::size_t row)
{
    switch (column.kind) {
    case SqlRows::Kind::Number: return sqlite3_bind_int64(statement, place, column.numbers[row]);
    case SqlRows::Kind::Text: return bindText(statement, place, column.texts[row]);
    case SqlRows::Kind::Bytes: break;
    }
    const auto bytes = column.texts[row];
    return sqlite3_bind_blob64(statement, place, bytes.empty() ? "" : bytes.data(), bytes.size(),
                               SQLITE_STATIC);
}

/// Whether the row before has the very same cell, so that it is bound already.
bool isBound(const SqlRows::Column& column, std::size_t row)
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

/// A statement in use: afterwards it holds no lock and no value.
class SqliteDatabase::Use {
public:
    Use(SqliteDatabase& database, const std::string& words)
        : file_(database.file_),
          isKept_(words.size() <= kLongestKept),
          statement_(isKept_ ? database.kept(words) : database.prepared(words))
    {
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use()
    {
        if (isKept_) {
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
    /// Whether there is one more row of an answer.
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
    void again() const { sqlite3_reset(statement_); }

private:
    sqlite3* file_;
    bool isKept_;
    sqlite3_stmt* statement_;
};

SqliteDatabase::SqliteDatabase(const std::string& path)
{
    // Without SQLite's mutexes: whoever has a session has it on one thread.
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
    sqlite3_busy_timeout(file_, kBusyMs);
}

SqliteDatabase::~SqliteDatabase()
{
    forgetStatements();
    sqlite3_close_v2(file_);
}

void SqliteDatabase::forgetStatements() noexcept
{
    for (const auto& [words, statement] : statements_) {
        sqlite3_finalize(statement);
    }
    statements_.clear();
}

sqlite3_stmt* SqliteDatabase::prepared(const std::string& words) const
{
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(file_, words.data(), static_cast<int>(words.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) {
        throw errorOf(file_, code);
    }
    return statement;
}

sqlite3_stmt* SqliteDatabase::kept(const std::string& words)
{
    if (const auto found = statements_.find(words); found != statements_.end()) {
        return found->second;
    }
    if (statements_.size() >= kMostKept) {
        forgetStatements();  // none of them is in use now
    }
    auto* const statement = prepared(words);
    statements_.emplace(words, statement);
    return statement;
}

std::int64_t SqliteDatabase::execute(const SqlStatement& wanted)
{
    const Use use(*this, wanted.text());
    use.bind(wanted.values());
    return use.run();
}

std::vector<std::vector<std::string>> SqliteDatabase::query(const SqlStatement& wanted,
                                                            std::size_t columns)
{
    const Use use(*this, wanted.text());
    use.bind(wanted.values());
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
    const Use use(*this, words);
    std::int64_t changed = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        int place = 0;
        for (const auto& column : rows.columns()) {
            ++place;
            if (!isBound(column, row)) {
                use.check(bindCell(use.statement(), place, column, row));
            }
        }
        changed += use.run();
        use.again();
    }
    return changed;
}

}  // namespace restante::journal
