#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {

/// What the world can do to the store's keys and memory.
class StoreRefusals : public StoreFixture {
protected:
    static std::string bucketOf(const std::string& id)
    {
        return "rst:{s0}:j:" + id.substr(0, id.size() - 1);
    }
    void fillMemory() { send({"CONFIG", "SET", "maxmemory", "1"}); }
};

TEST_F(StoreRefusals, pushWritesNothingWhenAKeyIsOfAnotherType)
{
    for (const auto* key : {"rst:{s0}:due:pull:5:order", "rst:{s0}:events", "rst:{s0}:expiry"}) {
        send({"FLUSHALL"});
        send({"SET", key, "foreign"});
        auto job = order();
        job.expires = clock_.now() + 1h;
        const auto outcome = push(job);
        ASSERT_FALSE(outcome) << key;
        EXPECT_EQ(outcome.error().code, ErrorCode::Internal);
        EXPECT_EQ(number({"DBSIZE"}), 1) << key;
    }
}

TEST_F(StoreRefusals, pushIntoAMailboxWritesNothingWhenAKeyIsOfAnotherType)
{
    auto job = order();
    job.channel = Channel::Sip;
    job.recipient = "sip:bob@example.org";
    for (const auto* key : {"rst:{s0}:box:sip:bob@example.org", "rst:{s0}:held", "rst:{s0}:boxes",
                            "rst:{s0}:seq", "rst:{s0}:events"}) {
        send({"FLUSHALL"});
        send({"HSET", key, "a", "foreign"});
        const auto outcome = await<PushOutcome>([&](auto done) {
            store_->push({.job = job,
                          .due = clock_.now(),
                          .placement = Placement::Mailbox,
                          .onceKey = "call-1",
                          .onceFor = 1h},
                         done);
        });
        ASSERT_FALSE(outcome) << key;
        EXPECT_EQ(number({"DBSIZE"}), 1) << key;
    }
}

TEST_F(StoreRefusals, everyMoveLeavesTheJobWhereItIsWhenAKeyIsOfAnotherType)
{
    const auto job = order();
    ASSERT_TRUE(push(job));
    const auto claimed = claim()->at(0);
    for (const auto* key : {"dead", "past", "held", "trash", "events"}) {
        const std::string name = std::string("rst:{s0}:") + key;
        send({"DEL", name});
        send({"SET", name, "foreign"});
        EXPECT_FALSE(await<void>([&](auto done) {
            store_->bury({job.id, claimed.attempt, ""}, "no", done);
        })) << key;
        EXPECT_FALSE(await<void>([&](auto done) { store_->trash({job.id, "", ""}, done); })) << key;
        EXPECT_EQ(number({"ZCARD", "rst:{s0}:lease"}), 1) << key;
        send({"DEL", name});
    }
    EXPECT_TRUE(finish({job.id, claimed.attempt, ""}));
}

TEST_F(StoreRefusals, finishLeavesALimitedTopicAsItIsWhenTheSetOfMailboxesIsOfAnotherType)
{
    send({"HSET", "rst:{s0}:limits", "order", "1 0 1"});
    const auto job = order();
    ASSERT_TRUE(push(job));
    const auto claimed = claim(1);
    ASSERT_TRUE(claimed);
    ASSERT_EQ(claimed->size(), 1U);
    send({"ZADD", "rst:{s0}:parked:order", "1", "sip:bob@example.org"});
    send({"SET", "rst:{s0}:boxes", "foreign"});
    EXPECT_FALSE(finish({job.id, claimed->at(0).attempt, ""}));
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:lease"}), 1);
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:parked:order"}), 1) << "it would wait for ever";
}

TEST_F(StoreRefusals, claimsThatShareACallLeaseNothingWhenTheSetOfLanesIsOfAnotherType)
{
    ASSERT_TRUE(push(order()));
    send({"DEL", "rst:{s0}:lanes"});
    send({"SET", "rst:{s0}:lanes", "foreign"});
    int failed = 0;
    for (const auto& topics : {std::vector<std::string>{"order"}, std::vector<std::string>{}}) {
        store_->claim({Channel::Pull, topics, 1}, [&](const auto& claimed) {
            EXPECT_FALSE(claimed);
            ++failed;
        });
    }
    ASSERT_TRUE(runUntil([&] { return failed == 2; }));
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:lease"}), 0);
}

TEST_F(StoreRefusals, finishTrashAndPurgeWorkWhenTheServerIsOutOfMemory)
{
    RedisServer server;
    open(server, {});
    const auto finished = order();
    const auto trashed = order();
    const auto purged = order();
    for (const auto& job : {finished, trashed, purged}) {
        ASSERT_TRUE(push(job));
    }
    const auto claimed = claim(1)->at(0);
    fillMemory();
    EXPECT_EQ(push(order()).error().code, ErrorCode::Full);
    EXPECT_TRUE(finish({claimed.job.id, claimed.attempt, ""}));
    EXPECT_TRUE(await<void>([&](auto done) { store_->trash({trashed.id, "", ""}, done); }));
    EXPECT_TRUE(await<void>([&](auto done) { store_->purge({purged.id, "", ""}, done); }));
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:trash"}), 1);
}

TEST_F(StoreRefusals, claimsWorkWhenTheServerIsOutOfMemorySoThatDeliveriesEmptyIt)
{
    RedisServer server;
    open(server, {});
    ASSERT_TRUE(push(order()));
    auto message = order();
    message.channel = Channel::Sip;
    message.recipient = "sip:bob@example.org";
    ASSERT_TRUE(await<PushOutcome>([&](auto done) {
        store_->push({.job = message, .due = clock_.now(), .placement = Placement::Mailbox}, done);
    }));
    fillMemory();
    EXPECT_EQ(claim()->size(), 1U);
    const auto mailbox = await<std::vector<ClaimedJob>>([&](auto done) {
        store_->claimMailbox({message.recipient, 1}, done);
    });
    ASSERT_TRUE(mailbox);
    ASSERT_EQ(mailbox->size(), 1U);
    EXPECT_TRUE(finish({message.id, mailbox->at(0).attempt, message.recipient}));
}

TEST_F(StoreRefusals, aClaimBuriesAJobWhoseRecordIsDamaged)
{
    const auto damaged = order();
    const auto sound = order();
    ASSERT_TRUE(push(damaged));
    ASSERT_TRUE(push(sound));
    const auto field = damaged.id.substr(damaged.id.size() - 1);
    const auto record = text({"HGET", bucketOf(damaged.id), field});
    send({"HSET", bucketOf(damaged.id), field, record + "\x08\x01x"});
    const auto claimed = claim();
    ASSERT_EQ(claimed->size(), 1U);
    EXPECT_EQ(claimed->at(0).job.id, sound.id);
    EXPECT_TRUE(runUntil([&] { return number({"ZCARD", "rst:{s0}:dead"}) == 1; }));
    EXPECT_THAT(text({"HGET", "rst:{s0}:error", damaged.id}), testing::HasSubstr("damaged"));
}

TEST_F(StoreRefusals, aRecordOfALaterFormatIsLeftAloneAndNamed)
{
    const auto job = order();
    ASSERT_TRUE(push(job));
    const auto field = job.id.substr(job.id.size() - 1);
    auto record = text({"HGET", bucketOf(job.id), field});
    record[0] = 2;
    send({"HSET", bucketOf(job.id), field, record});
    EXPECT_TRUE(claim()->empty());
    const auto purged = await<void>([&](auto done) { store_->purge({job.id, "", ""}, done); });
    ASSERT_FALSE(purged);
    EXPECT_THAT(purged.error().message, testing::HasSubstr("format"));
    EXPECT_EQ(number({"HEXISTS", bucketOf(job.id), field}), 1);
}

TEST_F(StoreRefusals, anIdWithoutARecordIsDropped)
{
    send({"ZADD", "rst:{s0}:due:pull:5:order", "1", "ghost"});
    const auto job = order();
    ASSERT_TRUE(push(job));
    ASSERT_EQ(claim()->size(), 1U);
    EXPECT_EQ(number({"EXISTS", "rst:{s0}:due:pull:5:order"}), 0);
}

TEST_F(StoreRefusals, aJobInNoSetIsExpectedInTheStateInWhichItIsShown)
{
    const auto job = order();
    ASSERT_TRUE(push(job));
    send({"ZREM", "rst:{s0}:due:pull:5:order", job.id});
    const auto trashFrom = [&](JobState state) {
        return await<void>([&](auto done) { store_->trash({job.id, "", "", {state}}, done); });
    };
    const auto refused = trashFrom(JobState::Dead);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("it is ready"));
    EXPECT_TRUE(trashFrom(JobState::Ready));
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:trash"}), 1);
}

TEST_F(StoreRefusals, anIdOfAnotherShardThanItsMailboxIsInvalid)
{
    open(sharedRedis(), {.shards = 3});
    auto job = order();
    job.channel = Channel::Sip;
    job.recipient = "sip:bob@example.org";
    job.id = ids_.generate((shardOfMailbox(job.recipient, 3) + 1) % 3);
    const auto outcome = push(job);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::Invalid);
    EXPECT_EQ(number({"DBSIZE"}), 0);
}

TEST_F(StoreRefusals, aMailboxWithoutARecipientIsInvalid)
{
    const auto outcome = await<PushOutcome>([&](auto done) {
        store_->push({.job = order(), .due = clock_.now(), .placement = Placement::Mailbox}, done);
    });
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::Invalid);
}

}  // namespace restante::test
