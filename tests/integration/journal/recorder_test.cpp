#include "tests/integration/journal/journal_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {

using testing::ElementsAre;

/// The recorder on each database.
class Recorder : public JournalFixture, public ::testing::WithParamInterface<SqlKind> {
protected:
    void SetUp() override
    {
        useDatabase(newDatabase(GetParam()));
        openQueue();
    }
};

TEST_P(Recorder, writesTheWholeLifeOfAJob)
{
    openJournal();
    const auto id = push(order());
    const auto claimed = claim();
    ASSERT_EQ(claimed.size(), 1U);
    auto failed = await<void>([&](auto done) {
        queue_->queue().fail(claimed[0], "busy: it's :no \\ \xff", std::move(done));
    });
    ASSERT_TRUE(failed);
    finish(claim().at(0));
    EXPECT_THAT(moves(id, 5), ElementsAre("push:>ready", "claim:ready>leased", "retry:leased>ready",
                                          "claim:ready>leased", "finish:leased>done"));
}

TEST_P(Recorder, namesWhoDidWhatAndWhy)
{
    openJournal();
    const auto id = push(order(), 1h);
    ASSERT_TRUE(act(&JobStore::trash, id));
    ASSERT_TRUE(act(&JobStore::restore, id));
    ASSERT_TRUE(act(&JobStore::purge, id));
    EXPECT_THAT(moves(id, 4), ElementsAre("push:>scheduled", "trash:scheduled>trashed",
                                          "restore:trashed>scheduled", "purge:scheduled>"));
    const auto rows = askHistory(id);
    ASSERT_TRUE(rows && rows->size() == 4);
    EXPECT_EQ(rows->at(1).actor, "olga");
    EXPECT_EQ(rows->at(1).reason, "test");
    EXPECT_THAT(rows->at(0).worker, testing::EndsWith("/" + std::to_string(::getpid())));
}

TEST_P(Recorder, keepsWhatWorkersTellOfTheirAttempts)
{
    openJournal();
    const auto id = push({.job = message("sip:bob@example.org"), .placement = Placement::Mailbox});
    const auto other =
        push({.job = message("sip:bob@example.org"), .placement = Placement::Mailbox});
    auto batch = claimMailbox("sip:bob@example.org");
    ASSERT_EQ(batch.size(), 2U);
    auto first = leaseOf(batch[0]);
    first.note = "attempt 1: 480 it's away \xff";
    auto second = leaseOf(batch[1]);
    second.note = std::string(kLongestNote - 1, 'x') + "\xc3\xa9";
    ASSERT_TRUE(await<void>([&](auto done) {
        queue_->store().hold({.lease = first, .nextAttempt = TimePoint{1ms}}, std::move(done));
    }));
    ASSERT_TRUE(
        await<std::uint64_t>([&](auto done) { queue_->store().finish(second, std::move(done)); }));
    first.note = "late: 200";
    ASSERT_TRUE(
        await<void>([&](auto done) { queue_->store().finishLate(first, std::move(done)); }));

    EXPECT_THAT(moves(id, 4), ElementsAre("push:>held", "claim:held>leased", "hold:leased>held",
                                          "finish:held>done"));
    const auto rows = askHistory(id).value();
    EXPECT_EQ(rows.at(1).note, "");
    EXPECT_EQ(rows.at(2).note, "attempt 1: 480 it's away ?");
    EXPECT_EQ(rows.at(3).note, "late: 200");
    ASSERT_THAT(moves(other, 3), testing::SizeIs(3));
    EXPECT_EQ(askHistory(other)->at(2).note, std::string(kLongestNote - 1, 'x'));
}

TEST_P(Recorder, knowsNothingOfAnUnknownJob)
{
    openJournal();
    EXPECT_EQ(askHistory("nobody").error().code, ErrorCode::NotFound);
}

TEST_P(Recorder, goesOnWhereTheOneBeforeEnded)
{
    openJournal();
    const auto id = push(order());
    ASSERT_THAT(moves(id, 1), testing::SizeIs(1));
    journal_.reset();
    const auto claimed = claim();
    openJournal();
    finish(claimed.at(0));
    EXPECT_THAT(moves(id, 3),
                ElementsAre("push:>ready", "claim:ready>leased", "finish:leased>done"));
}

TEST_P(Recorder, readsWhatIsInRedisWhenTheJournalIsNew)
{
    const auto id = push(order("caller's-1"), 1h);
    const auto mail =
        push({.job = message("sip:bob@example.org"), .placement = Placement::Mailbox});
    openJournal();
    // Both are lost, and come back from the journal alone.
    EXPECT_TRUE(eventually([&] {
        const auto its = recover({});
        return its && its->alreadyThere == 2;
    }));
    journal_.reset();
    loseRedis();
    openJournal();
    EXPECT_EQ(view(id)->state, JobState::Scheduled);
    EXPECT_EQ(view(id)->job.body, order().body);
    EXPECT_EQ(view(mail)->state, JobState::Held);
}

INSTANTIATE_TEST_SUITE_P(Database,
                         Recorder,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace restante::test
