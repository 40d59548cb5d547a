#include "core/journal/sql/sqlite_database.h"

#include "core/journal/sql/task_thread.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>
#include <sqlite3.h>

namespace restante::journal {

namespace {

constexpr int kBusyTimeoutMs = 10'000;  // how long to wait for another program's transaction
/// Longer statements have lists of values of varying length, so caching them would be useless.
constexpr std::size_t kLongestCachedStatement = 2'048;
constexpr std::size_t kMostCachedStatements = 64;
/// Comparing a text of this length costs less than binding it.
constexpr std::size_t kLongestComparedText = 64;
/// Rows of one statement, among which the cost of executing it is small.
constexpr std::size_t kRowsPerInsert = 16;
constexpr std::size_t kRowsPerUpdate = 64;

/// Size of the write-ahead log at which a checkpoint begins: large, so that a page that changes
/// often is written to the file once for many commits.
constexpr int kCheckpointPages = 4'096;
/// From this size on each commit waits until all of the log is in the file.
constexpr int kMaxLogPages = 4 * kCheckpointPages;
/// How long it waits at most: it is done by then, and who waits for it would take the database for
/// away.
constexpr Millis kCommitWait{2'000};
/// How long the session's end waits for a running checkpoint.
constexpr Millis kCheckpointTimeout{5'000};

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

/// Whether the cells of both rows have the same data, so that binding the first also binds the
/// other.
bool isAlreadyBound(const SqlRows::Column& column, std::size_t before, std::size_t row)
{
    if (column.kind == SqlRows::Kind::Number) {
        return column.numbers[before] == column.numbers[row];
    }
    const auto bound = column.texts[before];
    const auto wanted = column.texts[row];
    return bound.size() == wanted.size() &&
           (bound.data() == wanted.data() ||
            (wanted.size() <= kLongestComparedText && bound == wanted));
}

/// `head`, placeholders for `count` rows, `tail`.
std::string insertStatement(const std::string& head,
                            const std::string& tail,
                            const SqlRows& rows,
                            std::size_t count)
{
    std::string row = "(";
    for (std::size_t i = 0; i < rows.columns().size(); ++i) {
        row += i == 0 ? "?" : ",?";
    }
    row += ')';
    auto words = head + "VALUES ";
    for (std::size_t i = 0; i < count; ++i) {
        words += (i == 0 ? "" : ",") + row;
    }
    return words + tail;
}

/// Sets all columns but the last, which is the key, of `count` rows to the same values.
std::string updateStatement(std::string_view table, const SqlRows& rows, std::size_t count)
{
    const auto& columns = rows.columns();
    std::string set;
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
        set += (i == 0 ? "" : ",") + columns[i].name + "=?";
    }
    auto words = fmt::format("UPDATE {} SET {} WHERE {}", table, set, columns.back().name);
    if (count == 1) {
        return words + "=?";
    }
    words += " IN (";
    for (std::size_t i = 0; i < count; ++i) {
        words += i == 0 ? "?" : ",?";
    }
    return words + ")";
}

bool differInKeyOnly(const SqlRows& rows, std::size_t a, std::size_t b)
{
    const auto& columns = rows.columns();
    return std::all_of(columns.begin(), columns.end() - 1, [&](const SqlRows::Column& column) {
        return column.kind == SqlRows::Kind::Number ? column.numbers[a] == column.numbers[b]
                                                    : column.texts[a] == column.texts[b];
    });
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

namespace {

/// Who checkpoints a file: all sessions of this process with it share one, as SQLite lets only one
/// of them checkpoint at a time. *Any thread.*
class CheckpointTurns {
public:
    static std::shared_ptr<CheckpointTurns> of(const std::string& path)
    {
        static std::mutex mutex;
        static std::map<std::string, std::weak_ptr<CheckpointTurns>> turns;
        const std::lock_guard lock(mutex);
        auto& known = turns[path];
        auto one = known.lock();
        if (!one) {
            one = std::make_shared<CheckpointTurns>();
            known = one;
        }
        return one;
    }

    /// Waits for whoever checkpoints, `patience` at most; false = he still does.
    bool begin(Millis patience)
    {
        std::unique_lock lock(mutex_);
        if (!ended_.wait_for(lock, patience, [this] { return !isTaken_; })) {
            return false;
        }
        isTaken_ = true;
        return true;
    }
    void end()
    {
        {
            const std::lock_guard lock(mutex_);
            isTaken_ = false;
        }
        ended_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool isTaken_ = false;  ///< guarded by mutex_
};

}  // namespace

/// Checkpoints a file's write-ahead log, mostly on a second thread while commits go on.
class SqliteDatabase::Checkpoints {
public:
    explicit Checkpoints(std::string path)
        : path_(std::move(path)),
          state_(std::make_shared<State>(CheckpointTurns::of(path_)))
    {
    }

    /// SQLite calls it after each commit, on the session's thread; the log has `pages` then.
    static int onCommit(void* self, sqlite3* file, const char* /*name*/, int pages)
    {
        static_cast<Checkpoints*>(self)->checkpointIfLarge(file, pages);
        return SQLITE_OK;  // a checkpoint that fails is tried again after another commit
    }

private:
    struct State {
        explicit State(std::shared_ptr<CheckpointTurns> shared) : turns(std::move(shared)) {}

        std::shared_ptr<CheckpointTurns> turns;
        std::atomic<bool> runs = false;
        std::atomic<bool> hasEnded = false;
    };

    void checkpointIfLarge(sqlite3* file, int pages)
    {
        if (pages < kCheckpointPages) {
            return;
        }
        // SQLite reuses the log from its beginning only when all of it is in the file. The thread
        // leaves out what was committed while it ran; that is little, and copied here. Where the
        // disk is so slow that commits make the log larger meanwhile, they wait for the thread.
        const bool isTooLarge = pages > kMaxLogPages;
        if (state_->hasEnded.exchange(false) || isTooLarge) {
            checkpointInTurn(*state_->turns, file, isTooLarge ? kCommitWait : Millis{0});
        } else if (!state_->runs.exchange(true)) {
            begin();
        }
    }

    static void checkpointInTurn(CheckpointTurns& turns, sqlite3* file, Millis patience)
    {
        if (turns.begin(patience)) {
            sqlite3_wal_checkpoint_v2(file, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
            turns.end();
        }
    }

    void begin()
    {
        if (!thread_) {
            thread_ = std::make_unique<TaskThread>(TaskThread::Limit{
                kCheckpointTimeout,
                fmt::format("{}: copying its write-ahead log into it takes long and is not waited "
                            "for; what is committed stays in the log",
                            path_)});
        }
        thread_->post([path = path_, state = state_] {
            checkpoint(*state->turns, path);
            state->hasEnded = true;
            state->runs = false;
            return [] {};
        });
    }

    /// Opens the file each time, because it may have been replaced since.
    static void checkpoint(CheckpointTurns& turns, const std::string& path)
    {
        sqlite3* file = nullptr;
        if (sqlite3_open_v2(path.c_str(), &file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                            nullptr) == SQLITE_OK) {
            sqlite3_exec(file, "PRAGMA synchronous = FULL", nullptr, nullptr, nullptr);
            checkpointInTurn(turns, file, Millis{0});
        }
        sqlite3_close_v2(file);
    }

    std::string path_;
    std::shared_ptr<State> state_;  ///< shared with the thread
    std::unique_ptr<TaskThread> thread_;
};

SqliteDatabase::SqliteDatabase(const std::string& path)
    : checkpoints_(std::make_unique<Checkpoints>(path))
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
    sqlite3_wal_hook(file_, &Checkpoints::onCommit, checkpoints_.get());
}

SqliteDatabase::~SqliteDatabase()
{
    checkpoints_.reset();  // its session first, so that the last one removes the log
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

std::int64_t
SqliteDatabase::insert(const std::string& head, const std::string& tail, const SqlRows& rows)
{
    const auto groupedRows = rows.size() / kRowsPerInsert * kRowsPerInsert;
    std::int64_t changed = 0;
    if (groupedRows > 0) {
        changed += executeInGroups(insertStatement(head, tail, rows, kRowsPerInsert), rows, 0,
                                   groupedRows, kRowsPerInsert);
    }
    if (groupedRows < rows.size()) {
        changed += executeInGroups(insertStatement(head, tail, rows, 1), rows, groupedRows,
                                   rows.size(), 1);
    }
    return changed;
}

std::int64_t SqliteDatabase::update(std::string_view table, const SqlRows& rows)
{
    std::vector<std::size_t> groups;
    std::vector<std::size_t> singles;
    for (std::size_t begin = 0; begin < rows.size();) {
        auto end = begin + 1;
        while (end < rows.size() && end - begin < kRowsPerUpdate &&
               differInKeyOnly(rows, begin, end)) {
            ++end;
        }
        if (end - begin == kRowsPerUpdate) {
            groups.push_back(begin);
        } else {
            for (auto row = begin; row < end; ++row) {
                singles.push_back(row);
            }
        }
        begin = end;
    }
    return updateAt(updateStatement(table, rows, kRowsPerUpdate), rows, groups, kRowsPerUpdate) +
           updateAt(updateStatement(table, rows, 1), rows, singles, 1);
}

/// Executes `words` for the `count` rows from each of `begins` on, which differ only in their key.
std::int64_t SqliteDatabase::updateAt(const std::string& words,
                                      const SqlRows& rows,
                                      const std::vector<std::size_t>& begins,
                                      std::size_t count)
{
    if (begins.empty()) {
        return 0;
    }
    const StatementUse use(*this, words);
    const auto& columns = rows.columns();
    std::int64_t changed = 0;
    std::optional<std::size_t> before;
    for (const auto begin : begins) {
        int place = 0;
        for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
            ++place;
            if (!before || !isAlreadyBound(columns[i], *before, begin)) {
                use.check(bindCell(use.statement(), place, columns[i], begin));
            }
        }
        for (auto row = begin; row < begin + count; ++row) {
            use.check(bindCell(use.statement(), ++place, columns.back(), row));
        }
        changed += use.run();
        use.reset();
        before = begin;
    }
    return changed;
}

/// Executes `words`, which have placeholders for `atOnce` rows, for rows [begin, end).
std::int64_t SqliteDatabase::executeInGroups(const std::string& words,
                                             const SqlRows& rows,
                                             std::size_t begin,
                                             std::size_t end,
                                             std::size_t atOnce)
{
    const StatementUse use(*this, words);
    std::int64_t changed = 0;
    for (auto first = begin; first < end; first += atOnce) {
        int place = 0;
        for (auto row = first; row < first + atOnce; ++row) {
            for (const auto& column : rows.columns()) {
                ++place;
                if (first == begin || !isAlreadyBound(column, row - atOnce, row)) {
                    use.check(bindCell(use.statement(), place, column, row));
                }
            }
        }
        changed += use.run();
        use.reset();
    }
    return changed;
}

}  // namespace restante::journal
