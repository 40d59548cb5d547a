#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_schema.h"
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_statement.h"
#include "core/journal/sql/sqlite_file.h"
#include "tests/support/eventually.h"
#include "tests/support/sql_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <memory>

namespace restante::journal {

namespace {
using Kind = StoredSetting::Kind;

JobInEvent newJob(const std::string& id)
{
    JobStatus place;
    place.state = "scheduled";
    place.dueMs = 1'700'000'000'000;
    return {id, place, "not a record"};
}

ShardBatch batchOf(std::uint64_t from, std::uint64_t to, std::vector<JobInEvent> jobs)
{
    JournalEvent event;
    event.streamId = {to, 0};
    event.transition = "push";
    event.jobs = std::move(jobs);
    return {0, {"store", "since", {from, 0}}, {"store", "since", {to, 0}}, {event}};
}
}  // namespace

TEST(SqlText, replacesOnlyWhatADatabaseCannotStore)
{
    EXPECT_EQ(storable("it's"), "it's");
    EXPECT_EQ(storable(R"(back\slash\)"), R"(back\slash\)");
    EXPECT_EQ(storable(std::string("a\0b", 3)), "a?b");
    EXPECT_EQ(storable("\xff"), "?");
    EXPECT_EQ(storable("ü"), "ü");
    for (std::size_t at = 0; at < 20; ++at) {
        std::string text(20, 'a');
        text[at] = '\0';
        SqlRows rows("a,b");
        rows.text(text).text("it's");
        text[at] = '?';
        EXPECT_EQ(rows.columns()[0].texts.front(), text) << at;
        EXPECT_EQ(rows.columns()[1].texts.front(), "it's");
    }
    EXPECT_EQ(storableAscii("ü"), "??");
}

TEST(SqlStatement, keepsValuesOutOfItsWords)
{
    SqlStatement find("SELECT a FROM b WHERE c = ");
    find.value("'; DROP TABLE b; --").append(" AND d IN ").list({"x\\", ":y"}, 0, 2);
    EXPECT_EQ(find.text(), "SELECT a FROM b WHERE c = :v0 AND d IN (:v1,:v2)");
    EXPECT_THAT(find.values(), testing::ElementsAre("'; DROP TABLE b; --", "x\\", ":y"));
}

TEST(SqliteFile, isLeftWhenItIsDeletedAndItsSuccessorIsLeftAlone)
{
    test::TempDir directory;
    const std::string path = directory / "j.db";
    const auto url = parseJournalUrl("sqlite://" + path).value();
    SqlJournal first(url);
    ASSERT_TRUE(first.setFact("a", "1"));
    std::filesystem::remove(path);
    const auto refused = first.setFact("a", "2");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("deleted"));
    EXPECT_EQ(first.fact("a").value(), "") << "a new file";
}

TEST(SqliteFile, isToldFromADeletedOneWhoseNumberItHasGot)
{
    test::TempDir directory;
    const std::string path = directory / "j.db";
    const auto url = parseJournalUrl("sqlite://" + path).value();
    ASSERT_TRUE(SqlJournal(url).setFact("a", "1"));
    const auto identity = fileIdentity(path);
    ASSERT_FALSE(identity.empty());
    ASSERT_TRUE(SqlJournal(url).setFact("a", "2"));
    EXPECT_EQ(fileIdentity(path), identity) << "it was only written to";
    // The clock of a file system may go in steps of some milliseconds.
    EXPECT_TRUE(test::eventually([&] {
        std::filesystem::remove(path);
        prepareSqliteFile(path);
        return fileIdentity(path) != identity;
    }));
}

TEST(SqliteFile, isNotHarmedByASessionWithTheDeletedOne)
{
    test::TempDir directory;
    const std::string path = directory / "j.db";
    const auto url = parseJournalUrl("sqlite://" + path).value();
    auto late = std::make_unique<SqlJournal>(url);
    ASSERT_TRUE(late->setFact("a", "1"));
    std::filesystem::remove(path);
    SqlJournal next(url);
    ASSERT_TRUE(next.setFact("a", "2"));
    EXPECT_EQ(next.fact("a").value(), "2");
    late.reset();
    EXPECT_TRUE(std::filesystem::exists(path + "-wal"));
    ASSERT_TRUE(next.setFact("b", "3"));
    EXPECT_EQ(SqlJournal(url).fact("a").value(), "2");
    EXPECT_EQ(SqlJournal(url).fact("b").value(), "3");
}

TEST(SqliteFile, hasRecordsAsBytesBesideThoseOfBefore)
{
    test::TempDir directory;
    const auto url = parseJournalUrl("sqlite://" + (directory / "j.db").string()).value();
    SqlJournal journal(url);
    ASSERT_TRUE(journal.setPosition(0, {}, {"store", "since", {1, 0}}));
    ASSERT_TRUE(journal.commit(batchOf(1, 2, {newJob("new"), newJob("old")})));
    SqlSession session(url);
    EXPECT_EQ(session.query("SELECT typeof(record) FROM message", 1).at(0).at(0), "blob");
    session.execute("UPDATE message SET record = 'aGVsbG8=' WHERE id = 'old'");
    EXPECT_EQ(journal.rowsOf({"new"})->at(0).record, "not a record");
    EXPECT_EQ(journal.rowsOf({"old"})->at(0).record, "hello");
}

TEST(SqliteFile, answersMoreStatementsThanItKeeps)
{
    test::TempDir directory;
    SqlSession session(parseJournalUrl("sqlite://" + (directory / "j.db").string()).value());
    session.execute("CREATE TABLE some (id TEXT PRIMARY KEY)");
    std::vector<std::string> ids;
    for (int i = 0; i < 700; ++i) {
        const auto number = std::to_string(i);
        ids.push_back(number);
        EXPECT_EQ(session.execute("INSERT INTO some VALUES ('" + number + "')"), 1);
    }
    std::size_t found = 0;
    session.queryIn("SELECT id FROM some WHERE id IN ", ids, 1, [&](auto&) { ++found; });
    EXPECT_EQ(found, ids.size());
    // One that failed is not in the way of the next, and the table may change under it.
    EXPECT_THROW(session.execute("INSERT INTO some VALUES ('1')"), SqlError);
    session.execute("ALTER TABLE some ADD COLUMN other TEXT NOT NULL DEFAULT 'x'");
    EXPECT_EQ(session.query("SELECT * FROM some WHERE id = '1'", 2).at(0).at(1), "x");
}

TEST(MariadbSession, changesARowThatWasChangedSinceItHasRead)
{
    test::SqlServer server(test::SqlKind::Mariadb);
    const auto url = parseJournalUrl(server.url("journal")).value();
    // As MariaDB 11.6 and later are by default.
    SqlSession(url).execute("SET GLOBAL innodb_snapshot_isolation = ON");
    SqlSession session(url);
    SqlSession other(url);
    session.execute("CREATE TABLE some (id INT PRIMARY KEY, n INT) ENGINE=InnoDB");
    session.execute("INSERT INTO some VALUES (1, 1)");
    SqlSession::Transaction transaction(session);
    EXPECT_EQ(session.query("SELECT n FROM some", 1).size(), 1U);
    other.execute("UPDATE some SET n = 2");
    session.execute("UPDATE some SET n = n + 1");
    transaction.commit();
    EXPECT_EQ(other.query("SELECT n FROM some", 1).at(0).at(0), "3");
}

TEST(JournalEntries, areAsManyAsMakeABatchWorthItsCommit)
{
    const auto next = [](std::size_t entries, std::size_t jobs, std::size_t bytes) {
        ShardBatch batch;
        for (std::size_t i = 0; i < entries; ++i) {
            JournalEvent event;
            event.jobs.assign(jobs, {"a", std::nullopt, std::string(bytes, 'x')});
            batch.events.push_back(event);
        }
        return entriesPerCommit(batch, entries);
    };
    EXPECT_EQ(next(64, 100, 300), 64U);
    EXPECT_EQ(next(64, 1, 300), 512U);
    EXPECT_EQ(next(64, 20, 300), 319U);
    EXPECT_EQ(next(64, 1, 100'000), 83U);
    EXPECT_EQ(next(1, 1, 10'000'000), 64U) << "no fewer than ever";
    EXPECT_EQ(next(0, 0, 0), 64U);
}

TEST(SqlProblem, showsNamesAndNoValues)
{
    EXPECT_EQ(withoutValues("Incorrect string value: '\\xE4b' for column `j`.`message`.`sender`"),
              "Incorrect string value: '...' for column `j`.`message`.`sender`");
    EXPECT_EQ(withoutValues("Data too long for column 'recipient' at row 1"),
              "Data too long for column 'recipient' at row 1");
    EXPECT_EQ(withoutValues("ERROR:  null value in column \"note\"\nDETAIL: Failing row (secret)"),
              "ERROR:  null value in column \"note\"");
    EXPECT_EQ(withoutValues("invalid input: \"it's \"secret\" here\" at end"),
              "invalid input: \"...\" at end");
    EXPECT_EQ(withoutValues("Table 'j.secret' doesn't exist"), "Table '...' doesn't exist");
    EXPECT_EQ(withoutValues("Duplicate entry 'x'secret' for key"), "Duplicate entry '...' for key");
    EXPECT_EQ(withoutValues("Duplicate entry 'secret"), "Duplicate entry '...'");
}

TEST(SqlProblem, showsAllNamesOfTheSchema)
{
    const test::TempDir directory;
    const auto url = parseJournalUrl("sqlite://" + (directory / "journal.db").string()).value();
    SqlJournal journal(url);
    ASSERT_TRUE(journal.open());
    SqlSession session(url);
    const auto columns =
        session.query("SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c"
                      " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'",
                      2);
    ASSERT_GT(columns.size(), 60U);
    for (const auto& column : columns) {
        for (const auto& name : column) {
            EXPECT_EQ(withoutValues("about '" + name + "'"), "about '" + name + "'");
        }
    }
}

TEST(JournalUrl, hidesThePassword)
{
    const auto mysql = parseJournalUrl("mysql://olga:s%40cret@db.example.org:3307/restante");
    ASSERT_TRUE(mysql) << mysql.error().message;
    EXPECT_EQ(mysql->shown, "mysql://db.example.org:3307/restante");
    EXPECT_THAT(mysql->connection, testing::HasSubstr("password='s@cret'"));
    for (const auto* text : {"postgresql://olga:secret@db/restante?sslmode=require",
                             "postgres://olga:secret@db/restante?sslmode=require"}) {
        const auto postgresql = parseJournalUrl(text);
        EXPECT_EQ(postgresql->shown, "postgresql://db/restante");
    }
}

TEST(JournalUrl, refusesWhatItCannotReadAndShowsNoPassword)
{
    for (const auto* text : {"", "mysql:", "oracle://x/y", "sqlite://relative", "mysql://host",
                             "mysql://u:secret'@host/db", "mysql://host/db?x=1"}) {
        const auto url = parseJournalUrl(text);
        ASSERT_FALSE(url) << text;
        EXPECT_THAT(url.error().message, testing::Not(testing::HasSubstr("secret")));
        EXPECT_THAT(url.error().message, testing::HasSubstr("sqlite:///path"));
    }
}

TEST(MessagePack, refusesWhatIsDamaged)
{
    EXPECT_THAT(unpackTexts(std::string("\x92\xa1x\xa2yz", 6)).value(),
                testing::ElementsAre("x", "yz"));
    for (const std::string bytes : {"", "\x92\xa1x", "\x91\xa5x", "\x91\xa1xy", "\x91\x05"}) {
        EXPECT_FALSE(unpackTexts(bytes)) << testing::PrintToString(bytes);
    }
    EXPECT_FALSE(unpackTexts("\xdd\xff\xff\xff\xff"));
}

class Sql : public ::testing::TestWithParam<test::SqlKind> {
protected:
    void SetUp() override
    {
        static int number = 0;
        url_ = parseJournalUrl(test::sharedSql(GetParam()).url("direct" + std::to_string(++number)))
                   .value();
    }
    JournalUrl url_;
};

TEST_P(Sql, bringsTablesOfVersion1UpToDate)
{
    {
        SqlSession session(url_);
        migrate(session, 1);
        session.execute(
            "INSERT INTO message (id,shard,topic,channel,state,recipient,sender,biz_key,priority,"
            "due_ms,due_order,expires_ms,created_ms,attempts,arrival,last_error,record,updated_ms) "
            "VALUES ('old',0,'t','pull','dead','','','',5,1,0,0,1,2,0,'why','aGVsbG8=',1)");
    }
    SqlJournal journal(url_);
    const auto living = journal.rowsOf({"old"});
    ASSERT_TRUE(living) << living.error().message;
    ASSERT_EQ(living->size(), 1U);
    EXPECT_EQ(living->at(0).record, "hello");
    EXPECT_EQ(living->at(0).status.lastError, "why");
    EXPECT_EQ(living->at(0).status.origin, "");
    EXPECT_EQ(journal.fact("schema"), std::to_string(kSchemaVersion));
}

TEST_P(Sql, bringsTablesOfVersion7UpToDate)
{
    {
        SqlSession session(url_);
        migrate(session, 7);
        EXPECT_THROW(session.query("SELECT id FROM setting", 1), SqlError);
        session.execute(
            "INSERT INTO message (id,shard,topic,channel,state,recipient,sender,biz_key,priority,"
            "due_ms,due_order,expires_ms,created_ms,attempts,arrival,last_error,origin,record,"
            "updated_ms,forgotten) VALUES "
            "('old',0,'t','pull','dead','','','',5,1,0,0,1,2,0,'why','x','aGVsbG8=',1,1)");
    }
    const auto now = fromEpochMs(1'700'000'000'000);
    SqlJournal journal(url_);
    ASSERT_TRUE(journal.writeSettings(0, {{Kind::Limit, "t", "1 0 1000"}}, now));
    EXPECT_EQ(journal.fact("schema"), std::to_string(kSchemaVersion));
    EXPECT_EQ(journal.settings(0, "", 10, now)->size(), 1U);
    const auto old = journal.rowsOf({"old"});
    ASSERT_EQ(old->size(), 1U);
    EXPECT_EQ(old->at(0).status.attemptOffset, 1U);
    // Who was there first when two daemons of a new version start together.
    SqlSession session(url_);
    session.execute("UPDATE journal_meta SET value = '7' WHERE name = 'schema'");
    migrate(session, kSchemaVersion);
    EXPECT_EQ(journal.settings(0, "", 10, now)->size(), 1U);
}

TEST_P(Sql, keepsSettingsAsTheyStoodLast)
{
    const auto now = fromEpochMs(1'700'000'000'000);
    const std::string binding("\x92\xa3\0\xff:\xa1\\", 7);
    const auto address = "aor:sip:" + std::string(1'000, 'b') + "@example.org";
    SqlJournal journal(url_);
    ASSERT_TRUE(journal.writeSettings(0,
                                      {{Kind::Pause, "it's", "1\nolga\nback\\slash \\:v0 'x'"},
                                       {Kind::Limit, "order", "2 10 1000"},
                                       {Kind::Limit, "Order", "1 0 1000"},
                                       {Kind::Registration, address, binding, toEpochMs(now) + 1},
                                       {Kind::Registration, "aor:ended", binding, toEpochMs(now)}},
                                      now));
    ASSERT_TRUE(journal.writeSettings(
        1, {{Kind::Registration, "aor:elsewhere", binding, toEpochMs(now) + 1}}, now));
    ASSERT_TRUE(journal.writeSettings(0, {{Kind::Limit, "order", "3 10 1000"}}, now));

    const auto shown = [&](std::uint32_t shard, const std::string& after = "") {
        std::vector<std::string> rows;
        const auto settings = journal.settings(shard, after, 10, now).value();
        for (const auto& its : settings) {
            rows.push_back(its.name + "=" + its.value);
        }
        return rows;
    };
    EXPECT_THAT(shown(0), testing::UnorderedElementsAre("it's=1\nolga\nback\\slash \\:v0 'x'",
                                                        "order=3 10 1000", "Order=1 0 1000",
                                                        address + "=" + binding));
    EXPECT_THAT(shown(1), testing::UnorderedElementsAre("it's=1\nolga\nback\\slash \\:v0 'x'",
                                                        "order=3 10 1000", "Order=1 0 1000",
                                                        "aor:elsewhere=" + binding));
    // A page goes on behind the last of the one before, whatever the database's collation is.
    std::vector<std::string> pages;
    for (std::string after;;) {
        const auto page = journal.settings(0, after, 1, now).value();
        if (page.empty()) {
            break;
        }
        after = page.front().id();
        pages.push_back(page.front().name + "=" + page.front().value);
    }
    EXPECT_EQ(pages, shown(0));

    JournalEvent event;
    event.streamId = {2, 0};
    event.transition = "resume";
    event.topic = "it's";
    ASSERT_TRUE(journal.setPosition(0, {}, {"store", "since", {1, 0}}));
    ASSERT_TRUE(
        journal.commit({0, {"store", "since", {1, 0}}, {"store", "since", {2, 0}}, {event}}));
    EXPECT_THAT(shown(0), testing::UnorderedElementsAre("order=3 10 1000", "Order=1 0 1000",
                                                        address + "=" + binding));
}

TEST_P(Sql, letsOnlyOneOfTwoRecordersCommit)
{
    SqlJournal first(url_);
    SqlJournal second(url_);
    ASSERT_TRUE(first.setPosition(0, {}, {"store", "since", {1, 0}}));
    ASSERT_TRUE(first.commit(batchOf(1, 2, {newJob("a")})));
    EXPECT_EQ(second.commit(batchOf(1, 3, {newJob("b")})).error().code, ErrorCode::Conflict);
    EXPECT_TRUE(second.rowsOf({"b"})->empty());
    EXPECT_TRUE(second.history("b")->empty());
    EXPECT_EQ((*second.position(0))->cursor, (StreamId{2, 0}));
}

TEST_P(Sql, letsOnlyOneOfTwoBeginAnew)
{
    SqlJournal first(url_);
    SqlJournal second(url_);
    const Position old{"store", "since", {1, 0}};
    ASSERT_TRUE(first.setPosition(0, {}, old));
    const Position mine{"mine", "since", {2, 0}};
    ASSERT_TRUE(first.setPosition(0, old, mine));
    EXPECT_TRUE(first.setPosition(0, old, mine)) << "it may be repeated";
    for (const auto& before : {std::optional(old), std::optional<Position>()}) {
        const auto late = second.setPosition(0, before, {"theirs", "since", {1, 0}});
        ASSERT_FALSE(late);
        EXPECT_EQ(late.error().code, ErrorCode::Conflict);
    }
    EXPECT_EQ(*second.position(0), mine);
}

TEST_P(Sql, marksAsGoneOnlyWhatHasNotMovedSinceItWasAbsent)
{
    SqlJournal journal(url_);
    auto done = newJob("done");
    done.status->state = "done";
    auto cold = newJob("cold");
    cold.status->state = "cold";
    ASSERT_TRUE(journal.writeSnapshot(0, {newJob("absent"), done, cold}, fromEpochMs(1'000)));
    ASSERT_TRUE(journal.writeSnapshot(0, {newJob("again")}, fromEpochMs(2'000)));
    const std::vector<std::string> ids{"absent", "again", "cold", "done"};
    ASSERT_TRUE(journal.markGone(ids, fromEpochMs(3'000), fromEpochMs(2'000)));
    std::vector<std::string> found;
    for (const auto& id : ids) {
        const auto row = journal.rowsOf({id})->at(0);
        found.push_back(row.status.state + " " + std::to_string(row.updatedMs));
    }
    EXPECT_THAT(found,
                testing::ElementsAre("gone 3000", "scheduled 2000", "cold 1000", "done 1000"));
}

TEST_P(Sql, knowsWhatMovedAlsoWithoutItsHistory)
{
    SqlJournal journal(url_);
    ASSERT_TRUE(journal.setPosition(0, {}, {"store", "since", {1, 0}}));
    ASSERT_TRUE(journal.commit(batchOf(1, 2, {newJob("told")})));
    ASSERT_TRUE(journal.writeSnapshot(0, {newJob("early")}, fromEpochMs(1'000'000)));
    ASSERT_TRUE(journal.writeSnapshot(0, {newJob("seen")}, fromEpochMs(2'000'000)));
    EXPECT_THAT(*journal.movedSince(0, {1'900'000, 0}, "", 10), testing::ElementsAre("seen"));
    EXPECT_THAT(*journal.movedSince(0, {1, 0}, "early", 10), testing::ElementsAre("seen", "told"));
}

/// A series of reminders never ends, and moves at each of its times.
TEST_P(Sql, deletesTheOldHistoryOfALivingJobThatNobodyIsShown)
{
    SqlJournal journal(url_);
    ASSERT_TRUE(journal.setPosition(0, {}, {"store", "since", {1, 0}}));
    ASSERT_TRUE(journal.commit(batchOf(1, 2, {newJob("series"), newJob("other")})));
    auto moves = batchOf(2, 1'502, {});
    moves.events.clear();
    for (std::uint64_t ms = 3; ms <= 1'502; ++ms) {
        JournalEvent event;
        event.streamId = {ms, 0};
        event.transition = "retry";
        event.jobs.push_back({"series", std::nullopt, {}});
        moves.events.push_back(std::move(event));
    }
    ASSERT_TRUE(journal.commit(moves));
    const auto rowsOf = [this](const std::string& id) {
        SqlSession session(url_);
        SqlStatement count("SELECT COUNT(*) FROM transition WHERE id = ");
        return session.query(count.value(id), 1).front().front();
    };
    ASSERT_EQ(rowsOf("series"), "1501");
    ASSERT_EQ(journal.deleteOld("", 100, fromEpochMs(203)), "");
    EXPECT_EQ(rowsOf("series"), "1300") << "what is younger stays";
    ASSERT_EQ(journal.deleteOld("", 100, fromEpochMs(10'000)), "");
    EXPECT_EQ(rowsOf("series"), "1000") << "what is shown stays";
    EXPECT_EQ(journal.history("series")->size(), 1'000U);
    EXPECT_EQ(rowsOf("other"), "1");
    EXPECT_EQ(journal.countJobsInRedis(), 2U);
}

TEST_P(Sql, lowersItsDeletedUntilNeverThoughTwoDaemonsDelete)
{
    SqlJournal journal(url_);
    ASSERT_TRUE(journal.setPosition(0, {}, {"store", "since", {1, 0}}));
    auto ended = newJob("ended");
    ended.status->state = "done";
    ASSERT_TRUE(journal.commit(batchOf(1, 2, {ended})));
    ASSERT_TRUE(journal.setFact("deleted_until", "5000"));

    // The other daemon has raised it and goes on deleting.
    SqlSession other(url_);
    SqlSession::Transaction transaction(other);
    other.execute("UPDATE journal_meta SET value = '20000' WHERE name = 'deleted_until'");
    auto deleted = std::async(std::launch::async,
                              [&] { return journal.deleteOld("", 100, fromEpochMs(10'000)); });
    const auto waiting =
        GetParam() == test::SqlKind::Mariadb
            ? "SELECT COUNT(*) FROM information_schema.processlist "
              "WHERE id <> CONNECTION_ID() AND info LIKE '%deleted_until%'"
            : "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    EXPECT_TRUE(GetParam() == test::SqlKind::Sqlite || test::eventually([&] {
                    return SqlSession(url_).query(waiting, 1).at(0).at(0) == "1";
                }));
    transaction.commit();
    ASSERT_EQ(deleted.get(), "");
    EXPECT_TRUE(journal.rowsOf({"ended"})->empty());
    EXPECT_EQ(journal.deletedUntilMs(), 20'000);
}

TEST_P(Sql, writesABatchThatIsWrittenAgainOnce)
{
    SqlJournal journal(url_);
    ASSERT_TRUE(journal.setPosition(0, {}, {"store", "since", {1, 0}}));
    ASSERT_TRUE(journal.commit(batchOf(1, 2, {newJob("a"), newJob("b")})));
    // As after a gap.
    ASSERT_TRUE(journal.setPosition(0, *journal.position(0), {"store", "since", {1, 0}}));
    ASSERT_TRUE(journal.commit(batchOf(1, 2, {newJob("a"), newJob("b")})));
    EXPECT_EQ(journal.history("a")->size(), 1U);
    EXPECT_EQ(journal.countJobsInRedis(), 2U);
}

TEST_P(Sql, keepsEveryByteOfARecord)
{
    auto job = newJob("bytes");
    job.record.clear();
    for (int byte = 0; byte < 256; ++byte) {
        job.record += static_cast<char>(byte);
    }
    auto next = newJob("next");
    next.record = "\1";
    SqlJournal journal(url_);
    ASSERT_TRUE(journal.setPosition(0, {}, {"store", "since", {1, 0}}));
    ASSERT_TRUE(journal.commit(batchOf(1, 2, {job, next})));
    EXPECT_EQ(journal.rowsOf({"bytes"})->at(0).record, job.record);
    EXPECT_EQ(journal.rowsInRedis(0, "bytes", 10)->at(0).record, "\1");
    // What a move changes, and what it leaves as it was.
    job.record.clear();
    job.status->state = "held";
    ASSERT_TRUE(journal.commit(batchOf(2, 3, {job})));
    EXPECT_EQ(journal.rowsOf({"bytes"})->at(0).record.size(), 256U);
    EXPECT_EQ(journal.rowsOf({"bytes"})->at(0).status.state, "held");
}

TEST_P(Sql, writesEachJobOnceHoweverOftenItMoved)
{
    JournalEvent claim;
    claim.streamId = {3, 0};
    claim.transition = "claim";
    claim.jobs = {{"b", std::nullopt, {}}, {"a", std::nullopt, {}}};
    auto retry = claim;
    retry.streamId = {4, 0};
    retry.transition = "retry";
    retry.jobs = {newJob("b")};
    retry.jobs.front().record.clear();
    retry.jobs.front().status->attempts = 1;
    auto batch = batchOf(1, 2, {newJob("a"), newJob("b")});
    batch.events.push_back(claim);
    batch.events.push_back(retry);
    SqlJournal journal(url_);
    ASSERT_TRUE(journal.setPosition(0, {}, {"store", "since", {1, 0}}));
    ASSERT_TRUE(journal.commit(batch));
    const auto found = journal.rowsInRedis(0, "", 10);
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ(found->at(0).status.state, "leased");
    EXPECT_EQ(found->at(1).status.state, "scheduled");
    EXPECT_EQ(found->at(1).status.attempts, 1U);
    EXPECT_EQ(found->at(1).record, "not a record");
    std::vector<std::string> words;
    const auto history = journal.history("b");
    for (const auto& row : *history) {
        words.push_back(row.transition);
    }
    EXPECT_THAT(words, testing::ElementsAre("push", "claim", "retry"));
    EXPECT_EQ(journal.history("a")->size(), 2U);
}

TEST_P(Sql, tellsIdsApartByCase)
{
    SqlJournal journal(url_);
    ASSERT_TRUE(journal.setPosition(0, {}, {"store", "since", {1, 0}}));
    ASSERT_TRUE(journal.commit(batchOf(1, 2, {newJob("Order"), newJob("order"), newJob("oRDER")})));
    const auto living = journal.jobsInRedis("", 10);
    ASSERT_EQ(living->size(), 3U);
    EXPECT_EQ(living->at(0).id, "Order");
    EXPECT_EQ(journal.jobsInRedis("Order", 10)->size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Database,
                         Sql,
                         ::testing::Values(test::SqlKind::Sqlite,
                                           test::SqlKind::Mariadb,
                                           test::SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace restante::journal
