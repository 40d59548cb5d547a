// What a database makes of texts that look like SQL, and what becomes of a row that it refuses.

#include "core/base/metrics.h"
#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_schema.h"
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_statement.h"
#include "core/redis/store/job_codec.h"
#include "tests/support/sql_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace restante::journal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Refused : public ::testing::TestWithParam<test::SqlKind> {
protected:
    void SetUp() override
    {
        static int number = 0;
        url_ =
            parseJournalUrl(test::sharedSql(GetParam()).url("refused" + std::to_string(++number)))
                .value();
        ASSERT_TRUE(journal().setPosition(0, {}, {"identity", "since", {1, 0}}));
    }

    SqlJournal& journal()
    {
        if (!journal_) {
            journal_.emplace(url_);
        }
        return *journal_;
    }

    static JobInEvent jobOf(const std::string& id, const std::string& text)
    {
        Job job;
        job.id = id;
        job.topic = "order";
        job.body = text;
        job.recipient = text;
        job.sender = text;
        job.bizKey = text;
        JobInEvent event;
        event.id = id;
        event.status.emplace();
        event.status->state = "held";
        event.status->dueMs = 1'700'000'000'000;
        event.status->lastError = text;
        event.note = text;
        redis::encodeRecord(job, event.record);
        return event;
    }

    Result<void> record(std::vector<JobInEvent> jobs, const std::string& text = {})
    {
        JournalEvent event;
        event.transition = "push";
        event.streamId = {to_ + 1, 0};
        event.actor = text;
        event.reason = text;
        event.worker = text;
        event.jobs = std::move(jobs);
        return record(std::move(event));
    }
    Result<void> record(JournalEvent event)
    {
        ShardBatch batch{0,
                         {"identity", "since", {to_, 0}},
                         {"identity", "since", {to_ + 1, 0}},
                         {std::move(event)}};
        auto written = journal().commit(batch);
        to_ += written ? 1 : 0;
        return written;
    }

    void execute(const std::string& statement) { SqlSession(url_).execute(statement); }

    /// From now on the table takes no row of which that is so.
    void refuse(const std::string& table, const std::string& column, const std::string& text)
    {
        if (GetParam() != test::SqlKind::Sqlite) {
            return execute("ALTER TABLE " + table + " ADD CONSTRAINT guard_" + column + " CHECK (" +
                           column + " <> '" + text + "')");
        }
        for (const std::string when : {"INSERT", "UPDATE"}) {
            execute("CREATE TRIGGER guard_" + column + when + " BEFORE " + when + " ON " + table +
                    " WHEN NEW." + column + " = '" + text +
                    "' BEGIN SELECT RAISE(ABORT, 'a guard says no'); END");
        }
    }

    std::uint64_t count(const std::string& table)
    {
        return std::stoull(SqlSession(url_).query("SELECT COUNT(*) FROM " + table, 1).at(0).at(0));
    }

    JournalUrl url_;
    std::uint64_t to_ = 1;

private:
    std::optional<SqlJournal> journal_;
};

TEST_P(Refused, isNoTextThatLooksLikeSql)
{
    const std::vector<std::string> texts{"\\",      "a\\ :b",
                                         "\\' :x",  ":a",
                                         "::text",  ":=",
                                         "'",       "''",
                                         "\"",      "\\\"",
                                         "{",       "a,b}",
                                         "NULL",    "$1",
                                         "?",       "%s",
                                         "$$",      "E'\\n'",
                                         "--",      "/*",
                                         "\n\r\t",  "\x7f",
                                         "ü€😀",     "a';b",
                                         " ",       std::string(1, '\0'),
                                         "\xff\xfe"};
    std::vector<JobInEvent> jobs;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        jobs.push_back(jobOf("id-" + std::to_string(i) + "\\':", texts[i]));
    }
    ASSERT_TRUE(record(jobs));
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto found = journal().rowsOf({jobs[i].id});
        ASSERT_TRUE(found) << found.error().message;
        ASSERT_THAT(*found, SizeIs(1)) << texts[i];
        EXPECT_EQ(found->at(0).record, jobs[i].record);
        EXPECT_EQ(found->at(0).status.lastError, storable(texts[i]));
        EXPECT_EQ(journal().history(jobs[i].id)->at(0).note, storable(texts[i]));
    }
    EXPECT_EQ(count("refused"), 0U);
}

TEST_P(Refused, isNoTextOfAnyBytes)
{
    std::mt19937 random(20'201'122);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time
    const std::string_view sharp = "\\':\"${}%?;-/*\n\0,()=";
    for (int round = 0; round < 6; ++round) {
        std::vector<JobInEvent> jobs;
        std::vector<std::string> texts;
        for (int i = 0; i < 60; ++i) {
            std::string text;
            for (auto left = random() % 40; left > 0; --left) {
                text += random() % 2 == 0 ? sharp[random() % sharp.size()]
                                          : static_cast<char>(random() % (i % 2 == 0 ? 128 : 256));
            }
            std::string id = std::to_string(round) + "-" + std::to_string(i) + "-";
            for (const char c : text) {
                id += c > ' ' && c < '\x7f' ? c : '_';
            }
            jobs.push_back(jobOf(id, text));
            texts.push_back(text);
        }
        const auto written = record(jobs, texts.back());
        ASSERT_TRUE(written) << written.error().message;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const auto found = journal().rowsOf({jobs[i].id});
            ASSERT_THAT(*found, SizeIs(1)) << jobs[i].id;
            EXPECT_EQ(found->at(0).record, jobs[i].record);
            EXPECT_EQ(found->at(0).status.lastError, storable(texts[i]));
            const auto history = journal().history(jobs[i].id);
            ASSERT_THAT(*history, SizeIs(1));
            EXPECT_EQ(history->at(0).note, storable(texts[i]));
            EXPECT_EQ(history->at(0).actor, storable(texts.back()));
        }
        // The same as updates.
        for (auto& job : jobs) {
            job.record.clear();
            job.status->lastError += "!";
        }
        ASSERT_TRUE(record(jobs));
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            EXPECT_EQ(journal().rowsOf({jobs[i].id})->at(0).status.lastError,
                      storable(texts[i] + "!"));
        }
        EXPECT_THAT(journal().audit({.text = texts[1]}).value().entries, testing::Each(testing::_));
    }
    EXPECT_EQ(count("refused"), 0U);
}

TEST_P(Refused, goesAsideAndTheRestIsWritten)
{
    refuse("message", "recipient", "poison");
    const auto before = metrics::counter("restante_journal_refused_total", {"message"}).value();
    std::vector<JobInEvent> jobs;
    for (int i = 0; i < 100; ++i) {
        jobs.push_back(jobOf("job-" + std::to_string(i), i % 40 == 7 ? "poison" : "fine"));
    }
    const auto written = record(jobs);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ((*journal().position(0))->cursor, (StreamId{2, 0}));
    EXPECT_EQ(journal().countJobsInRedis(), 100U)
        << "without the text that people read it is written";
    EXPECT_EQ(count("transition"), 100U);
    const auto refused = journal().refused(10);
    ASSERT_TRUE(refused) << refused.error().message;
    EXPECT_EQ(refused->count, 3U);
    std::vector<std::string> ids;
    for (const auto& row : refused->newest) {
        ids.push_back(row.id);
        EXPECT_EQ(row.table, "message");
        EXPECT_THAT(row.reason, Not(HasSubstr("poison")));
    }
    EXPECT_THAT(ids, testing::UnorderedElementsAre("job-7", "job-47", "job-87"));
    EXPECT_EQ(metrics::counter("restante_journal_refused_total", {"message"}).value(), before + 3);
    EXPECT_EQ(journal().rowsOf({"job-47"})->at(0).record, jobs[47].record);
    ASSERT_TRUE(record({jobOf("next", "fine")}));
    EXPECT_EQ(journal().countJobsInRedis(), 101U);
}

TEST_P(Refused, isKeptWhereItCanBeRecoveredFrom)
{
    refuse("message", "id", "poison");
    auto poison = jobOf("poison", "\\':");
    poison.record += std::string(200'000, 'x');
    ASSERT_TRUE(record({jobOf("a", "x"), poison, jobOf("z", "x")}));
    EXPECT_EQ(journal().countJobsInRedis(), 2U);
    const auto found = journal().rowsOf({"a", "poison"});
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_THAT(*found, SizeIs(2));
    EXPECT_EQ(found->at(1).id, "poison");
    EXPECT_EQ(found->at(1).record, poison.record);
    EXPECT_EQ(found->at(1).status.state, "held");
    EXPECT_GT(count("refused"), 1U) << "in parts";
    EXPECT_EQ(journal().refused(10)->count, 1U);
}

TEST_P(Refused, isARowOfTheHistoryToo)
{
    refuse("transition", "note", "poison");
    ASSERT_TRUE(record({jobOf("a", "x"), jobOf("b", "poison"), jobOf("c", "x")}));
    EXPECT_EQ(journal().countJobsInRedis(), 3U);
    ASSERT_THAT(*journal().history("b"), SizeIs(1));
    EXPECT_EQ(journal().history("b")->at(0).note, "");
    EXPECT_EQ(journal().refused(10)->newest.at(0).table, "transition");
}

TEST_P(Refused, isAnUpdateToo)
{
    ASSERT_TRUE(record({jobOf("a", "x"), jobOf("b", "x")}));
    refuse("message", "last_error", "poison");
    auto moved = jobOf("a", "poison");
    moved.record.clear();
    moved.status->attempts = 3;
    moved.status->dueMs = 5;
    auto other = moved;
    other.id = "b";
    other.status->lastError = "fine";
    ASSERT_TRUE(record({moved, other}));
    EXPECT_EQ(journal().rowsOf({"a"})->at(0).status.attempts, 3U);
    EXPECT_EQ(journal().rowsOf({"a"})->at(0).status.lastError, "");
    EXPECT_EQ(journal().rowsOf({"b"})->at(0).status.lastError, "fine");
    EXPECT_EQ(journal().refused(10)->count, 1U);
}

TEST_P(Refused, isPutAsideFromASnapshotAndOnce)
{
    refuse("message", "recipient", "poison");
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(
            journal().writeSnapshot(0, {jobOf("a", "poison"), jobOf("b", "x")}, TimePoint{}));
    }
    EXPECT_EQ(journal().countJobsInRedis(), 2U);
    EXPECT_EQ(journal().refused(10)->count, 1U);
}

TEST_P(Refused, isNothingWhileTheDatabaseIsAway)
{
    ASSERT_TRUE(record({jobOf("a", "x")}));
    execute("ALTER TABLE transition RENAME TO elsewhere");
    const auto written = record({jobOf("b", "the secret of b")});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(written.error().message, Not(HasSubstr("secret")));
    EXPECT_THAT(written.error().message, Not(HasSubstr("INSERT")));
    EXPECT_EQ((*journal().position(0))->cursor, (StreamId{2, 0}));
    EXPECT_EQ(count("refused"), 0U);
    execute("ALTER TABLE elsewhere RENAME TO transition");
    EXPECT_TRUE(record({jobOf("b", "x")}));
    EXPECT_EQ(journal().countJobsInRedis(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Database,
                         Refused,
                         ::testing::Values(test::SqlKind::Sqlite,
                                           test::SqlKind::Mariadb,
                                           test::SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

/// MySQL ends the session when a statement is longer than it allows.
TEST(RefusedByMariadb, isARowThatIsLongerThanAStatementMayBe)
{
    test::SqlServer server(test::SqlKind::Mariadb);
    const auto url = parseJournalUrl(server.url("packets")).value();
    SqlSession(url).execute("SET GLOBAL max_allowed_packet = 131072");
    SqlJournal journal(url);
    ASSERT_TRUE(journal.setPosition(0, {}, {"identity", "since", {1, 0}}));
    JobStatus place;
    place.state = "scheduled";
    const std::string record(120'000, 'r');
    JournalEvent event;
    event.transition = "push";
    event.streamId = {2, 0};
    event.jobs = {{"a", place, "small"}, {"large", place, record}, {"z", place, "small"}};
    const auto written =
        journal.commit({0, {"identity", "since", {1, 0}}, {"identity", "since", {2, 0}}, {event}});
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(journal.countJobsInRedis(), 2U);
    EXPECT_EQ(journal.refused(1)->count, 1U);
    EXPECT_EQ(journal.rowsOf({"large"})->at(0).record, record);
}

}  // namespace
}  // namespace restante::journal
