#include "core/journal/recorder/journal_retention.h"
#include "core/journal/recovery/shard_comparison.h"
#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_schema.h"
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_thread.h"
#include "tests/integration/journal/journal_fixture.h"
#include "tests/support/logged.h"
#include "tests/support/no_random_numbers.h"

#include <gmock/gmock.h>

namespace restante::test {

using testing::ElementsAre;

/// A database that goes and comes back, while Redis goes on.
class Outage : public JournalFixture, public ::testing::WithParamInterface<SqlKind> {};

TEST_P(Outage, isWrittenWhenTheDatabaseIsBack)
{
    SqlServer sql(GetParam());
    useDatabase(sql.url("outage"));
    openQueue();
    openJournal();
    const auto id = push(order());
    ASSERT_THAT(moves(id, 1), testing::SizeIs(1));
    sql.kill9();
    const auto claimed = claim().at(0);
    const auto other = push(order(), 1h);
    sql.restart();
    finish(claimed);
    EXPECT_THAT(moves(id, 3),
                ElementsAre("push:>ready", "claim:ready>leased", "finish:leased>done"));
    EXPECT_THAT(moves(other, 1), ElementsAre("push:>scheduled"));
}

INSTANTIATE_TEST_SUITE_P(Database,
                         Outage,
                         ::testing::Values(SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

class Recording : public JournalFixture {
protected:
    void SetUp() override
    {
        useDatabase(newDatabase(SqlKind::Sqlite));
        openQueue();
    }
    journal::SqlJournal sql()
    {
        return journal::SqlJournal(journal::parseJournalUrl(url_).value());
    }
};

TEST_F(Recording, beginsAnewWhenMoreCameThanRedisKeeps)
{
    config_.journal.backlog = 1'000;
    openJournal();
    const auto finished = push(order("finished"));
    const auto living = push(order("living"), 1h);
    ASSERT_THAT(moves(living, 1), testing::SizeIs(1));
    journal_.reset();
    finish(claim().at(0));
    for (int i = 0; i < 1'500; ++i) {
        push(order("flood-" + std::to_string(i)), 1h);
    }
    openJournal();
    auto journal = sql();
    EXPECT_TRUE(eventually([&] { return journal.countJobsInRedis() == 1'501U; }, 20s));
    EXPECT_EQ(journal.rowsOf({finished})->at(0).status.state, "gone");
}

/// A job that was recorded, and ended in a gap: more came then than Redis keeps for the journal.
/// The journal is closed.
class Gap : public Recording {
protected:
    void SetUp() override
    {
        Recording::SetUp();
        config_.journal.backlog = 1'000;
        openJournal();
        finished_ = push(order("finished"));
        ASSERT_THAT(moves(finished_, 1), testing::SizeIs(1));
        journal_.reset();
        stored_.emplace(journal::parseJournalUrl(url_).value());
        finish(claim().at(0));
        for (int i = 0; i < 1'500; ++i) {
            push(order("flood-" + std::to_string(i)), 1h);
        }
    }

    /// Jobs that wait for an operator keep the gap from being closed.
    void openWithJobsLeftBehind()
    {
        ASSERT_TRUE(stored_->setFact(journal::leftBehindFact(0), "1"));
        openJournal();
        ASSERT_TRUE(eventually(
            [&] { return !stored_->fact(journal::gapFact(0)).value_or("").empty(); }, 20s));
    }
    bool isClosed() { return stored_->fact(journal::gapFact(0)) == ""; }
    std::string stateOfFinished() { return stored_->rowsOf({finished_})->at(0).status.state; }

    std::string finished_;
    std::optional<journal::SqlJournal> stored_;
};

TEST_F(Gap, bringsNothingBackWhileItIsBeingClosed)
{
    openJournal();
    auto outcome = recover({});  // while what is in Redis is being read
    while (!outcome) {
        ASSERT_EQ(outcome.error().code, ErrorCode::Unavailable);
        ASSERT_THAT(outcome.error().message, testing::HasSubstr("missed events"));
        outcome = recover({});
    }
    EXPECT_EQ(outcome->recovered, 0U);
    EXPECT_EQ(view(finished_).error().code, ErrorCode::NotFound);
    EXPECT_EQ(stateOfFinished(), "gone");
}

TEST_F(Gap, isClosedWhenTheOperatorHasRecovered)
{
    openWithJobsLeftBehind();
    const auto outcome = recover({});
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->recovered, 1U);  // nobody knows whether it was lost
    EXPECT_TRUE(eventually([&] { return isClosed(); }, 20s));
    const auto again = recover({});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->recovered, 0U);
}

TEST_F(Gap, isClosedAfterARestartToo)
{
    openWithJobsLeftBehind();
    journal_.reset();
    ASSERT_EQ(stateOfFinished(), "scheduled");
    ASSERT_TRUE(stored_->setFact(journal::leftBehindFact(0), ""));
    openJournal();
    EXPECT_TRUE(eventually([&] { return isClosed(); }, 20s));
    EXPECT_EQ(stateOfFinished(), "gone");
}

TEST_F(Recording, answersEveryRequestWhenItCannotBegin)
{
    {
        const NoRandomNumbers none;
        journal_ = newJournal();
    }
    const auto opened = open(*journal_);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(opened.error().message, testing::HasSubstr("random numbers"));
    EXPECT_EQ(askHistory("order-1").error().code, ErrorCode::Unavailable);
    EXPECT_EQ(recover({}).error().code, ErrorCode::Unavailable);
}

TEST_F(Recording, isTakenOverWithoutAGapOrADoubleRow)
{
    openJournal("first");
    auto second = newJournal("second");
    ASSERT_TRUE(open(*second));
    std::vector<std::string> ids;
    for (int i = 0; i < 50; ++i) {
        ids.push_back(push(order()));
        if (i == 25) {
            journal_ = std::move(second);  // the first gives up its lease
        }
        finish(claim().at(0));
    }
    for (const auto& id : ids) {
        EXPECT_THAT(moves(id, 3), testing::SizeIs(3)) << id;
    }
}

TEST_F(Recording, letsGoOfWhatIsCommitted)
{
    openJournal();
    for (int i = 0; i < 3'000; ++i) {
        push(order("job-" + std::to_string(i)), 1h);
    }
    EXPECT_TRUE(eventually(
        [&] {
            return *redis_->send({"XLEN", "rst:{s0}:events"}).integer() < 1'300;
        },
        10s));
}

TEST_F(Recording, addsNothingToTheEventsWhenNoJournalListens)
{
    push(order("order-1"), 1h);
    const auto events = redis_->send({"XRANGE", "rst:{s0}:events", "-", "+"});
    EXPECT_EQ(events.array()->at(0).array()->at(1).array()->size(), 6U);  // t, at, ids
}

TEST_F(Recording, deletesWhatEndedLongAgoWithItsHistory)
{
    openJournal();
    const auto finished = push(order("finished"));
    finish(claim().at(0));
    const auto living = push(order("living"), 1h);
    ASSERT_THAT(moves(living, 1), testing::SizeIs(1));
    auto journal = sql();
    const auto now = queue_->clock().now();
    ASSERT_EQ(journal.deleteOld("", 100, now - 1h), "");
    EXPECT_EQ(journal.history(finished)->size(), 3U);
    EXPECT_EQ(*journal.deletedUntilMs(), 0);
    ASSERT_EQ(journal.deleteOld("", 1, now + 1h), finished);
    EXPECT_EQ(*journal.deletedUntilMs(), toEpochMs(now + 1h));
    ASSERT_EQ(journal.deleteOld(finished, 100, now + 1h), "");
    EXPECT_TRUE(journal.history(finished)->empty());
    EXPECT_TRUE(journal.rowsOf({finished})->empty());
    EXPECT_EQ(journal.history(living)->size(), 1U);
    EXPECT_EQ(*journal.unknownOf({finished, living}), std::vector<std::string>{finished});
}

TEST_F(Recording, keepsWhatIsDoneAsLongAsRedisHasIt)
{
    openJournal();
    const auto finished = push(order("finished"));
    finish(claim().at(0));
    ASSERT_THAT(moves(finished, 3), testing::SizeIs(3));
    auto journal = sql();
    const auto now = queue_->clock().now();
    ASSERT_EQ(journal.deleteOld("", 100, now + 1h, 2h), "");
    EXPECT_EQ(journal.history(finished)->size(), 3U);
    ASSERT_EQ(journal.deleteOld("", 100, now + 1h, 30min), "");
    EXPECT_TRUE(journal.rowsOf({finished})->empty());
}

/// Counts how often it was asked.
class CountingClock final : public Clock {
public:
    TimePoint now() const noexcept override
    {
        ++asked_;
        return SystemClock().now() + std::chrono::hours(1);
    }
    int asked() const noexcept { return asked_; }

private:
    mutable std::atomic<int> asked_{0};
};

TEST_F(Recording, saysThatItMayNotDeleteWhatIsOld)
{
    openJournal();
    const auto finished = push(order("finished"));
    finish(claim().at(0));
    ASSERT_THAT(moves(finished, 3), testing::SizeIs(3));
    const auto url = journal::parseJournalUrl(url_).value();
    journal::SqlSession(url).execute(journal::SqlStatement(
        "CREATE TRIGGER kept BEFORE DELETE ON transition BEGIN SELECT RAISE(ABORT, 'no'); END"));
    journal::SqlThread thread(url);
    const CountingClock clock;
    const auto logged = loggedBy([&] {
        const auto retention =
            journal::startJournalRetention(loop_, clock, thread, Millis{1}, Millis{0});
        EXPECT_TRUE(runUntil([&] { return clock.asked() == 1; }));
        // Asked behind the deletion, and answered after it.
        EXPECT_TRUE(await<std::string>([&](auto done) {
            thread.ask<std::string>(
                loop_, [](auto& sql) { return sql.fact("shards"); }, std::move(done));
        }));
    });
    EXPECT_THAT(logged, testing::HasSubstr("cannot delete what is older than journal.retention"));
}

TEST_F(Recording, hasTheRecordOfARestoredJobWhoseRowItHadDeleted)
{
    config_.retention.done = 1h;
    openQueue();
    openJournal();
    const auto id = push(order("finished"));
    finish(claim().at(0));
    ASSERT_THAT(moves(id, 3), testing::SizeIs(3));
    auto journal = sql();
    const auto record = journal.rowsOf({id})->at(0).record;
    ASSERT_FALSE(record.empty());
    ASSERT_EQ(journal.deleteOld("", 100, queue_->clock().now() + 1h), "");
    ASSERT_TRUE(act(&JobStore::restore, id));
    ASSERT_TRUE(eventually([&] { return journal.countJobsInRedis() == 1U; }));
    EXPECT_EQ(journal.rowsOf({id})->at(0).record, record);
}

TEST_F(Recording, refusesADatabaseThatCannotBeOpened)
{
    useDatabase("sqlite:///nowhere/at/all/journal.db");
    const auto broken = newJournal();
    const auto opened = open(*broken);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, testing::HasSubstr("journal.url"));
}

TEST_F(Recording, refusesTablesOfALaterVersion)
{
    ASSERT_TRUE(sql().setFact("schema", "99"));
    EXPECT_THAT(sql().open().error().message, testing::HasSubstr("version 99"));
}

}  // namespace restante::test
