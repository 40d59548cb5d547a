#include "tests/integration/journal/journal_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {

/// journal.mode = "durable", on a database that can be taken away.
class Durable : public JournalFixture {
protected:
    void SetUp() override
    {
        sql_ = std::make_unique<SqlServer>(SqlKind::Postgresql);
        useDatabase(sql_->url("durable"));
        config_.journal.mode = Config::JournalMode::Durable;
        openQueue();
        openJournal();
        // Its word that it records has yet to come.
        ASSERT_TRUE(eventually([&] { return tryPush("first").has_value(); }, 30s));
    }

    Result<PushOutcome> tryPush(const std::string& id)
    {
        return await<PushOutcome>([&](auto done) {
            queue_->queue().push({.job = order(id), .delay = 1h}, std::move(done));
        });
    }

    std::unique_ptr<SqlServer> sql_;
};

TEST_F(Durable, answersWhenTheJournalHasIt)
{
    ASSERT_TRUE(tryPush("order-1"));
    // Asked once: it is there already.
    const auto rows = askHistory("order-1");
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->at(0).transition, "push");
    ASSERT_TRUE(act(&JobStore::purge, "order-1"));
    EXPECT_EQ(askHistory("order-1")->size(), 2U);
}

TEST_F(Durable, refusesWhatTheJournalCannotTakeAndStoresNothingOnceItKnows)
{
    ASSERT_TRUE(tryPush("before"));
    sql_->kill9();
    const auto first = tryPush("caught");
    EXPECT_EQ(first.error().code, ErrorCode::Unavailable);
    // As soon as the journal has said that it is down, nothing reaches Redis.
    int number = 0;
    EXPECT_TRUE(eventually(
        [&] {
            const auto id = "refused-" + std::to_string(++number);
            const auto refused = tryPush(id);
            return !refused && refused.error().code == ErrorCode::Unavailable && !view(id);
        },
        30s));

    sql_->restart();
    EXPECT_TRUE(eventually([&] { return tryPush("after").has_value(); }, 60s));
    EXPECT_THAT(moves("caught", 1), testing::SizeIs(1));
}

TEST_F(Durable, endsAnAttemptInAnyCase)
{
    const auto pushed = await<PushOutcome>(
        [&](auto done) { queue_->queue().push({.job = order("order-1")}, std::move(done)); });
    ASSERT_TRUE(pushed) << pushed.error().message;
    const auto claimed = claim().at(0);
    sql_->kill9();
    const auto finished =
        await<void>([&](auto done) { queue_->queue().finish(leaseOf(claimed), std::move(done)); });
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, ErrorCode::Unavailable);
    const auto gone = view("order-1");
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().code, ErrorCode::NotFound);
    sql_->restart();
    // The database recovers first, and the journal tries again only now and then.
    EXPECT_TRUE(eventually([&] { return isRecorded(); }, 60s));
    EXPECT_THAT(moves("order-1", 3), testing::SizeIs(3));
}

}  // namespace restante::test
