#include "core/journal/sql/sqlite_database.h"
#include "tests/support/eventually.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <sqlite3.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace restante::journal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SqliteRows : public testing::Test {
protected:
    SqliteRows() { prepare(database_); }
    static void prepare(SqliteDatabase& database)
    {
        // Small pages, so that few bytes are many of them.
        for (const auto* statement :
             {"PRAGMA page_size = 512", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = OFF",
              "CREATE TABLE t (id TEXT PRIMARY KEY, state TEXT NOT NULL, n INTEGER NOT NULL)"}) {
            database.execute(SqlStatement(statement));
        }
    }
    static std::vector<std::string> idsOf(std::size_t count)
    {
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < count; ++i) {
            ids.push_back(fmt::format("{:06}", i));
        }
        return ids;
    }
    void insert(const std::vector<std::string>& ids, std::string_view state)
    {
        SqlRows rows("id,state,n#");
        std::int64_t number = 0;
        for (const auto& id : ids) {
            rows.text(id).text(state).number(number++);
        }
        EXPECT_EQ(database_.insert("INSERT INTO t (id,state,n) ", "", rows),
                  static_cast<std::int64_t>(ids.size()));
    }
    std::string path() const { return directory_ / "t.db"; }
    /// How many rows there are of each state.
    std::vector<std::vector<std::string>> counts()
    {
        return database_.query(
            SqlStatement("SELECT state, COUNT(*) FROM t GROUP BY state ORDER BY state"), 2);
    }

    /// The largest size of the log of `database`, which is the file at `path`, while 30 MB are
    /// written to it.
    static std::uintmax_t largestLog(SqliteDatabase& database, const std::string& path)
    {
        std::uintmax_t largest = 0;
        const auto ids = idsOf(60'000);
        const std::string body(400, 'x');
        for (std::size_t begin = 0; begin < ids.size(); begin += 200) {
            database.execute(SqlStatement("BEGIN IMMEDIATE"));
            SqlRows rows("id,state,n#");
            for (auto i = begin; i < begin + 200; ++i) {
                rows.text(ids[i]).text(body).number(1);
            }
            database.insert("INSERT INTO t (id,state,n) ", "", rows);
            database.execute(SqlStatement("COMMIT"));
            largest = std::max(largest, std::filesystem::file_size(path + "-wal"));
        }
        return largest;
    }
    static bool isLogTooLarge(const std::string& path)
    {
        return std::filesystem::file_size(path + "-wal") > kLogLimit;
    }
    /// A checkpoint by the session begins at 16,384 pages, after a commit of up to 1,600.
    static constexpr std::uintmax_t kLogLimit = 18'000 * 540;

    test::TempDir directory_;
    SqliteDatabase database_{path()};
};

/// A disk on which the first page that another thread copies into a database is written when
/// `isTime`, and after a second at the latest; for files that are opened while it lives.
class SlowDisk {
public:
    explicit SlowDisk(std::function<bool()> isTime)
    {
        isTime_ = std::move(isTime);
        wasSlow_ = false;
        disk_ = *original_;
        disk_.zName = "slow-disk";
        disk_.xOpen = &open;
        sqlite3_vfs_register(&disk_, 1);
    }
    ~SlowDisk()
    {
        sqlite3_vfs_unregister(&disk_);
        sqlite3_vfs_register(original_, 1);
    }
    SlowDisk(const SlowDisk&) = delete;
    SlowDisk& operator=(const SlowDisk&) = delete;
    bool wasSlow() const { return wasSlow_; }

private:
    static int
    open(sqlite3_vfs* self, const char* path, sqlite3_file* file, int flags, int* flagsOut)
    {
        const int code = original_->xOpen(self, path, file, flags, flagsOut);
        if (code == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_DB) != 0) {
            if (write_ == nullptr) {
                write_ = file->pMethods->xWrite;
                methods_ = *file->pMethods;
                methods_.xWrite = &write;
            }
            file->pMethods = &methods_;
        }
        return code;
    }
    static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset)
    {
        if (std::this_thread::get_id() != owner_ && !wasSlow_.exchange(true)) {
            test::eventually(isTime_, Millis{1'000});
        }
        return write_(file, bytes, size, offset);
    }

    // SQLite's functions have no place for a pointer to the object.
    static inline sqlite3_vfs* const original_ = sqlite3_vfs_find(nullptr);
    static inline const std::thread::id owner_ = std::this_thread::get_id();
    static inline std::function<bool()> isTime_;
    static inline sqlite3_vfs disk_{};
    static inline sqlite3_io_methods methods_{};
    static inline int (*write_)(sqlite3_file*, const void*, int, sqlite3_int64) = nullptr;
    static inline std::atomic<bool> wasSlow_ = false;
};

TEST_F(SqliteRows, areInsertedEachWithItsOwnValuesWhateverTheirNumber)
{
    for (const std::size_t count : {1, 15, 16, 17, 50}) {
        database_.execute(SqlStatement("DELETE FROM t"));
        insert(idsOf(count), "new");
        EXPECT_THAT(database_.query(SqlStatement("SELECT COUNT(*) FROM t WHERE CAST(id AS INTEGER) "
                                                 "= n AND state = 'new'"),
                                    1),
                    ElementsAre(ElementsAre(std::to_string(count))));
    }
}

TEST_F(SqliteRows, areUpdatedAloneAndManyAtOnce)
{
    const auto ids = idsOf(300);
    insert(ids, "new");
    SqlRows rows("state,n#,id");
    for (std::size_t i = 0; i < ids.size(); ++i) {
        // A long run, rows that all differ, and a run that ends in the middle of a group.
        const bool alone = i >= 130 && i < 140;
        rows.text(i < 140 ? "leased" : "done").number(alone ? static_cast<int>(i) : -1);
        rows.text(ids[i]);
    }
    EXPECT_EQ(database_.update("t", rows), 300);
    EXPECT_THAT(counts(), ElementsAre(ElementsAre("done", "160"), ElementsAre("leased", "140")));
    EXPECT_THAT(database_.query(SqlStatement("SELECT id FROM t WHERE n <> -1 AND n <> "
                                             "CAST(id AS INTEGER)"),
                                1),
                IsEmpty());
    EXPECT_THAT(database_.query(SqlStatement("SELECT COUNT(*) FROM t WHERE n >= 0"), 1),
                ElementsAre(ElementsAre("10")));
}

TEST_F(SqliteRows, thatAreRefusedNameTheCause)
{
    insert(idsOf(20), "new");
    const auto again = idsOf(40);
    SqlRows rows("id,state,n#");
    for (const auto& id : again) {
        rows.text(id).text("again").number(0);
    }
    try {
        database_.insert("INSERT INTO t (id,state,n) ", "", rows);
        FAIL() << "the first of them are there already";
    } catch (const SqlError& problem) {
        EXPECT_EQ(problem.cause, SqlError::Cause::Refused);
    }
}

TEST_F(SqliteRows, leaveALogThatIsUsedAnewWhileCommitsGoOn)
{
    EXPECT_LT(largestLog(database_, path()), kLogLimit) << "of 30 MB that were written";
    EXPECT_THAT(database_.query(SqlStatement("PRAGMA integrity_check"), 1),
                ElementsAre(ElementsAre("ok")));
    EXPECT_THAT(counts(), ElementsAre(ElementsAre(std::string(400, 'x'), "60000")));
}

TEST_F(SqliteRows, waitForACheckpointThatTheDiskMakesSlow)
{
    const std::string path = directory_ / "slow.db";
    const SlowDisk disk([&] { return isLogTooLarge(path); });
    SqliteDatabase database(path);
    prepare(database);
    EXPECT_LT(largestLog(database, path), kLogLimit) << "of 30 MB that were written";
    EXPECT_TRUE(disk.wasSlow());
}

TEST_F(SqliteRows, waitForASlowCheckpointOfAnotherSession)
{
    const std::string path = directory_ / "slow.db";
    const SlowDisk disk([&] { return isLogTooLarge(path); });
    SqliteDatabase database(path);
    prepare(database);
    SqliteDatabase other(path);
    other.execute(
        SqlStatement("CREATE TABLE large AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                     "SELECT i + 1 FROM n WHERE i < 5000) SELECT randomblob(400) FROM n"));
    EXPECT_TRUE(test::eventually([&] { return disk.wasSlow(); }));
    EXPECT_LT(largestLog(database, path), kLogLimit) << "of 30 MB that were written";
}

}  // namespace
}  // namespace restante::journal
