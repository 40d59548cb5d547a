// A Redis that becomes another one while a journal records it: emptied, rolled back, exchanged.

#include "core/journal/recovery/shard_comparison.h"
#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_statement.h"
#include "core/queue/topic.h"
#include "core/queue/topic_view.h"
#include "tests/integration/journal/journal_fixture.h"

#include <gmock/gmock.h>

#include <map>

namespace restante::test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Identity : public JournalFixture, public ::testing::WithParamInterface<SqlKind> {
protected:
    void SetUp() override
    {
        useDatabase(newDatabase(GetParam()));
        openQueue();
        openJournal();
    }

    /// Until the journal has all that has happened by now.
    void awaitJournal() { ASSERT_THAT(moves(push(order(), 100h), 1), testing::SizeIs(1)); }
    /// A queue as a daemon has it.
    std::unique_ptr<redis::RedisQueue> newGatedQueue()
    {
        auto queue = std::make_unique<redis::RedisQueue>(
            loop_, redis_->url(), config_, "gated", redis::RedisQueue::WakeUps::No,
            redis::RedisQueue::Confirms::Everything, redis::RedisQueue::Gated::Yes);
        EXPECT_TRUE(await<void>([&](auto done) {
            queue->awaitReady(redis::RedisQueue::Report::Silent, std::move(done));
        }));
        EXPECT_TRUE(await<void>([&](auto done) { queue->awaitServing(std::move(done)); }, 20s));
        return queue;
    }
    Result<PushOutcome> pushTo(redis::RedisQueue& queue, const Job& job, bool mailbox = false)
    {
        const PushOptions wanted{.job = job,
                                 .placement = mailbox ? Placement::Mailbox : Placement::Lane};
        return await<PushOutcome>([&](auto done) { queue.queue().push(wanted, std::move(done)); });
    }
    std::string letter(const std::string& body)
    {
        auto job = message(kBob);
        job.body = body;
        return push({.job = job, .placement = Placement::Mailbox});
    }
    std::vector<std::string> letters()
    {
        std::vector<std::string> bodies;
        for (const auto& job : claimMailbox(kBob)) {
            bodies.push_back(job.job.body);
        }
        return bodies;
    }
    bool returns(const std::string& id)
    {
        return eventually([&] { return view(id).has_value(); }, 20s);
    }
    std::string identity()
    {
        const auto reply = redis_->send({"HGET", "rst:{s0}:store", "identity"});
        return reply.text() != nullptr ? *reply.text() : std::string();
    }

    static constexpr auto kBob = "sip:bob@example.org";
};

TEST_P(Identity, bringsAnEmptiedStoreBackUnderARunningJournal)
{
    push(order("living-1"), 1h);
    push(order("finished-1"));
    finish(claim().at(0));
    push(order("trashed-1"), 1h);
    ASSERT_TRUE(act(&JobStore::trash, "trashed-1"));
    const auto due = view("living-1")->due;
    awaitJournal();
    const auto before = identity();
    redis_->send({"FLUSHALL"});
    ASSERT_TRUE(returns("living-1"));
    ASSERT_TRUE(returns("trashed-1"));
    EXPECT_EQ(view("living-1")->due, due);
    EXPECT_EQ(view("trashed-1")->state, JobState::Trashed);
    EXPECT_EQ(view("finished-1").error().code, ErrorCode::NotFound);
    EXPECT_TRUE(eventually([&] { return !identity().empty(); }, 10s));
    EXPECT_NE(identity(), before);
    // And the journal goes on with it: nothing is "gone", and what comes is recorded.
    EXPECT_THAT(moves("living-1", 2), ElementsAre("push:>scheduled", "recover:>scheduled"));
    awaitJournal();
    EXPECT_EQ(recover({})->recovered, 0U);
}

TEST_P(Identity, bringsItBackTwice)
{
    push(order("living-1"), 1h);
    awaitJournal();
    for (int round = 0; round < 2; ++round) {
        redis_->send({"FLUSHALL"});
        ASSERT_TRUE(returns("living-1")) << round;
        ASSERT_TRUE(eventually([&] { return !identity().empty(); }, 10s));
    }
    push(order("living-2"), 1h);
    awaitJournal();
    redis_->send({"FLUSHALL"});
    EXPECT_TRUE(returns("living-2"));
}

TEST_P(Identity, refusesWhoKnewTheStoreUntilItIsBack)
{
    const auto gated = newGatedQueue();
    letter("one");
    ASSERT_THAT(moves(letter("two"), 1), testing::SizeIs(1));
    redis_->send({"FLUSHALL"});
    auto three = message(kBob);
    three.body = "three";
    const auto refused = pushTo(*gated, three, true);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
    EXPECT_FALSE(gated->serving());
    EXPECT_EQ(*redis_->send({"EXISTS", "rst:{s0}:boxes"}).integer(), 0);

    ASSERT_TRUE(loop_.runUntil([&] { return gated->serving().has_value(); }, 20s));
    ASSERT_TRUE(pushTo(*gated, three, true));
    EXPECT_THAT(letters(), ElementsAre("one", "two", "three"));
}

TEST_P(Identity, putsWhatOthersStoredMeanwhileBehindWhatComesBack)
{
    letter("one");
    ASSERT_THAT(moves(letter("two"), 1), testing::SizeIs(1));
    redis_->send({"FLUSHALL"});
    letter("three");  // by a program that knows nothing of journals
    ASSERT_TRUE(eventually([&] { return !identity().empty(); }, 20s));
    letter("four");
    EXPECT_THAT(letters(), ElementsAre("one", "two", "three", "four"));
}

TEST_P(Identity, goesOnWithTheArrivalNumbersOfAStoreThatHadNoneLeft)
{
    const auto last = letter("one");
    ASSERT_THAT(moves(last, 1), testing::SizeIs(1));
    for (const auto& job : claimMailbox(kBob)) {
        finish(job);
    }
    const auto number = std::stoull(*redis_->send({"GET", "rst:{s0}:seq"}).text());
    ASSERT_THAT(moves(last, 3), testing::SizeIs(3));
    redis_->send({"FLUSHALL"});
    ASSERT_TRUE(eventually([&] { return !identity().empty(); }, 20s));
    letter("two");
    EXPECT_GT(std::stoull(*redis_->send({"GET", "rst:{s0}:seq"}).text()), number);
}

TEST_P(Identity, isSharedOutAmongDaemons)
{
    const auto second = newJournal("second");
    ASSERT_TRUE(open(*second));
    const auto third = newJournal("third");
    ASSERT_TRUE(open(*third));
    for (int n = 0; n < 50; ++n) {
        push(order("job-" + std::to_string(n)), 1h);
    }
    awaitJournal();
    redis_->send({"FLUSHALL"});
    for (int n = 0; n < 50; ++n) {
        ASSERT_TRUE(returns("job-" + std::to_string(n))) << n;
    }
    EXPECT_THAT(moves("job-7", 2), ElementsAre("push:>scheduled", "recover:>scheduled"));
}

TEST_P(Identity, bringsBackOneShardOfThree)
{
    journal_.reset();
    config_.redis.shards = 3;
    redis_ = std::make_unique<RedisServer>();
    useDatabase(newDatabase(GetParam()));
    openQueue();
    openJournal();
    std::vector<std::string> ids;
    for (int n = 0; n < 30; ++n) {
        ids.push_back(push(order(), 1h));
    }
    for (const auto& id : ids) {
        ASSERT_THAT(moves(id, 1), testing::SizeIs(1));
    }
    const auto keys = redis_->send({"KEYS", "rst:{s1}:*"});
    for (const auto& key : *keys.array()) {
        redis_->send({"DEL", *key.text()});
    }
    for (const auto& id : ids) {
        ASSERT_TRUE(returns(id));
    }
    for (const auto& id : ids) {
        const std::size_t rows = shardOfId(id, 3) == 1 ? 2 : 1;
        EXPECT_THAT(moves(id, rows), testing::SizeIs(rows));
    }
}

TEST_P(Identity, keepsASecondStoreAwayFromAJournalWhoseStoreLives)
{
    push(order("living-1"), 1h);
    awaitJournal();
    const auto first = std::exchange(redis_, std::make_unique<RedisServer>());
    const auto second = newJournal("second");
    const auto opened = open(*second);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::Invalid);
    EXPECT_THAT(opened.error().message, HasSubstr("alive"));
    EXPECT_EQ(*redis_->send({"EXISTS", "rst:{s0}:j:living-"}).integer(), 0);
    // The first one is not disturbed.
    push(order("living-2"), 1h);
    EXPECT_THAT(moves("living-2", 1), ElementsAre("push:>scheduled"));
}

TEST_P(Identity, refusesAStoreThatHasAJournalOfItsOwn)
{
    push(order("living-1"), 1h);
    awaitJournal();
    journal_.reset();
    const auto url = url_;
    useDatabase(newDatabase(GetParam()));
    loseRedis();
    openJournal();  // another store, another journal
    push(order("other-1"), 1h);
    awaitJournal();
    journal_.reset();
    useDatabase(url);
    const auto wrong = newJournal();
    const auto opened = open(*wrong);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::Invalid);
    EXPECT_THAT(opened.error().message, HasSubstr("restantectl recover --adopt"));
    EXPECT_EQ(view("living-1").error().code, ErrorCode::NotFound);
    EXPECT_TRUE(view("other-1"));
}

TEST_P(Identity, readsPositionsOfBeforeThereWereIdentities)
{
    push(order("living-1"), 1h);
    push(order("finished-1"));
    finish(claim().at(0));
    awaitJournal();
    journal_.reset();
    // As it was written then, by the owner with spaces in its name.
    {
        journal::SqlJournal sql(journal::parseJournalUrl(url_).value());
        const auto position = sql.position(0).value().value();
        ASSERT_TRUE(sql.setFact("position.0", ""));
        const std::string since = "1700000000000.the only daemon";
        ASSERT_TRUE(sql.setFact("cursor.0", since + " " + position.cursor.toString()));
        redis_->send({"HSET", "rst:{s0}:journal", "since", since});
        redis_->send({"DEL", "rst:{s0}:store"});
    }
    openJournal();
    EXPECT_FALSE(identity().empty());
    EXPECT_THAT(moves("living-1", 1), ElementsAre("push:>scheduled")) << "not read anew";
    awaitJournal();
    redis_->send({"FLUSHALL"});
    EXPECT_TRUE(returns("living-1"));
    EXPECT_EQ(view("finished-1").error().code, ErrorCode::NotFound);
}

/// Each records a shard; the one of the other shard shows that the store is alive, which is this
/// one.
TEST_P(Identity, isNoForeignOneToADaemonThatRecordsAnotherShard)
{
    journal_.reset();
    config_.redis.shards = 2;
    redis_ = std::make_unique<RedisServer>();
    useDatabase(newDatabase(GetParam()));
    openQueue();
    openJournal("first");
    const auto second = newJournal("second");
    ASSERT_TRUE(open(*second));
    std::vector<std::string> ids;
    for (int n = 0; n < 20; ++n) {
        ids.push_back(push(order(), 1h));
    }
    for (const auto& id : ids) {
        ASSERT_THAT(moves(id, 1), testing::SizeIs(1));
    }
    const auto ends = std::to_string(toEpochMs(queue_->clock().now()) + 600'000);
    redis_->send({"EVAL",
                  "redis.call('FLUSHALL') "
                  "redis.call('HSET', 'rst:{s0}:journal', 'owner', 'first', 'until', ARGV[1]) "
                  "redis.call('HSET', 'rst:{s1}:journal', 'owner', 'second', 'until', ARGV[1])",
                  "0", ends});
    for (const auto& id : ids) {
        ASSERT_TRUE(eventually([&] { return view(id).has_value(); }, 30s)) << id;
    }
    const auto phase = redis_->send({"HGET", "rst:{s1}:store", "phase"});
    EXPECT_TRUE(phase.text() == nullptr || *phase.text() != "foreign");
}

INSTANTIATE_TEST_SUITE_P(Database,
                         Identity,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

/// A Redis that comes back as it was some time ago.
class RollBack : public Identity {
protected:
    /// What it has now is what it will have after rollBack().
    void keepSnapshot()
    {
        awaitJournal();
        redis_->send({"SAVE"});
    }
    void rollBack()
    {
        awaitJournal();
        redis_->kill9();
        redis_->restart();
        queue_.reset();
        openQueue();
    }
    /// As by `journal.retention`, much later.
    void deleteAllThatHasEnded()
    {
        awaitJournal();
        journal::SqlJournal sql(journal::parseJournalUrl(url_).value());
        const auto deleted = sql.deleteOld("", 10'000, queue_->clock().now() + 1h);
        ASSERT_TRUE(deleted) << deleted.error().message;
        ASSERT_EQ(*deleted, "");
    }
    bool isTrashed(const std::string& id)
    {
        return eventually(
            [&] {
                const auto seen = view(id);
                return seen && seen->state == JobState::Trashed;
            },
            20s);
    }
};

TEST_P(RollBack, letsStandWhatWasAcknowledged)
{
    push(order("finished-1"), 0ms);
    push(order("trashed-1"), 1h);
    push(order("purged-1"), 1h);
    push(order("later-1"), 1h);
    push(order("same-1"), 1h);
    letter("one");
    keepSnapshot();

    finish(claim().at(0));
    ASSERT_TRUE(act(&JobStore::trash, "trashed-1"));
    ASSERT_TRUE(act(&JobStore::purge, "purged-1"));
    const auto later = fromEpochMs(toEpochMs(queue_->clock().now()) + 7'200'000);
    ASSERT_TRUE(await<void>([&](auto done) {
        queue_->store().reschedule({"later-1", "olga", "test"}, NewTime{.due = later}, done);
    }));
    push(order("pushed-1"), 1h);
    letter("two");
    rollBack();

    ASSERT_TRUE(returns("pushed-1"));
    ASSERT_TRUE(eventually([&] { return !view("finished-1").has_value(); }, 20s));
    EXPECT_EQ(view("finished-1").error().code, ErrorCode::NotFound);
    EXPECT_EQ(view("trashed-1")->state, JobState::Trashed);
    EXPECT_EQ(view("purged-1").error().code, ErrorCode::NotFound);
    EXPECT_EQ(view("later-1")->due, later);
    EXPECT_EQ(view("same-1")->state, JobState::Scheduled);
    letter("three");
    EXPECT_THAT(letters(), ElementsAre("one", "two", "three"));
    EXPECT_TRUE(claim().empty()) << "nothing finished is given out again";
    // The journal goes on, and what was not touched has no new row.
    EXPECT_THAT(moves("same-1", 1), ElementsAre("push:>scheduled"));
    awaitJournal();
}

/// Else it would be kept by the time at which it was due: too long, or not at all.
TEST_P(RollBack, keepsWhatIsDoneFromWhenItHasEnded)
{
    config_.retention.done = 1h;
    journal_.reset();
    openQueue();
    openJournal();
    const auto id = push({.job = message(kBob), .delay = 5h, .placement = Placement::Mailbox});
    keepSnapshot();
    const auto claimed = claimMailbox(kBob);
    ASSERT_EQ(claimed.size(), 1U);
    finish(claimed.front());
    const auto kept = view(id);
    ASSERT_TRUE(kept);
    ASSERT_EQ(kept->state, JobState::Done);
    rollBack();
    ASSERT_TRUE(eventually(
        [&] {
            const auto seen = view(id);
            return seen && seen->state == JobState::Done;
        },
        20s));
    EXPECT_EQ(view(id)->due, kept->due);
}

/// Else what was finished would be given out again; and nothing tells it from a job that is wanted.
TEST_P(RollBack, trashesWhatEndedSoLongAgoThatTheJournalHasDeletedIt)
{
    push(order("finished-1"));
    push(order("purged-1"), 1h);
    push(order("same-1"), 1h);
    const auto letterId = letter("one");
    keepSnapshot();
    finish(claim().at(0));
    finish(claimMailbox(kBob).at(0));
    ASSERT_TRUE(act(&JobStore::purge, "purged-1"));
    deleteAllThatHasEnded();
    push(order("pushed-1"), 1h);
    rollBack();

    EXPECT_TRUE(isTrashed("finished-1"));
    EXPECT_NE(view("finished-1")->lastError.find("journal.retention"), std::string::npos);
    EXPECT_TRUE(isTrashed("purged-1"));
    EXPECT_TRUE(isTrashed(letterId));
    ASSERT_TRUE(returns("pushed-1"));
    awaitJournal();
    EXPECT_EQ(view("same-1")->state, JobState::Scheduled);
    EXPECT_TRUE(claim().empty());
    EXPECT_TRUE(letters().empty());
    // Nothing is lost: it is restored to where it was.
    ASSERT_TRUE(act(&JobStore::restore, "finished-1"));
    ASSERT_TRUE(act(&JobStore::restore, letterId));
    ASSERT_TRUE(act(&JobStore::restore, "purged-1"));
    EXPECT_THAT(claim(), testing::SizeIs(1));
    EXPECT_THAT(letters(), ElementsAre("one"));
    EXPECT_EQ(view("purged-1")->state, JobState::Scheduled);
}

TEST_P(RollBack, trashesTheSameInACopyOfBeforeTheStoreHadAnIdentity)
{
    journal_.reset();
    redis_ = std::make_unique<RedisServer>();
    useDatabase(newDatabase(GetParam()));
    openQueue();
    push(order("finished-1"));
    push(order("same-1"), 1h);
    redis_->send({"SAVE"});
    ASSERT_TRUE(identity().empty());
    openJournal();
    awaitJournal();  // it has read what was there before
    finish(claim().at(0));
    deleteAllThatHasEnded();
    rollBack();

    EXPECT_TRUE(isTrashed("finished-1"));
    ASSERT_TRUE(eventually([&] { return !identity().empty(); }, 20s));
    EXPECT_EQ(view("same-1")->state, JobState::Scheduled);
    EXPECT_TRUE(claim().empty());
}

/// What came after the roll-back, before it was noticed, is unknown to the journal, too.
TEST_P(RollBack, leavesWhatCameSinceAlsoWhenTheJournalHasDeletedWhatEnded)
{
    push(order("finished-1"));
    keepSnapshot();
    finish(claim().at(0));
    deleteAllThatHasEnded();
    journal_.reset();
    redis_->kill9();
    redis_->restart();
    queue_.reset();
    openQueue();
    push(order("since-1"), 1h);
    openJournal();
    EXPECT_TRUE(isTrashed("finished-1"));
    EXPECT_EQ(view("since-1")->state, JobState::Scheduled);
}

TEST_P(RollBack, letsTheNewestPausesAndLimitsStand)
{
    auto& store = queue_->store();
    const TopicAction order{"order", "olga", "the shop is down"};
    const TopicAction other{"other", "olga", "stock-taking"};
    ASSERT_TRUE(await<void>([&](auto done) { store.pauseTopic(order, done); }));
    ASSERT_TRUE(await<void>([&](auto done) { store.limitTopic(other, {7, {}}, done); }));
    keepSnapshot();

    ASSERT_TRUE(await<void>([&](auto done) { store.resumeTopic(order, done); }));
    ASSERT_TRUE(await<void>([&](auto done) { store.limitTopic(order, {2, {}}, done); }));
    ASSERT_TRUE(await<void>([&](auto done) { store.limitTopic(other, {}, done); }));
    ASSERT_TRUE(await<void>([&](auto done) { store.pauseTopic(other, done); }));
    const auto last = push(this->order("last-1"), 1h);
    rollBack();

    ASSERT_TRUE(returns(last));
    std::map<std::string, TopicView> seen;
    const auto topics = await<std::vector<TopicView>>(
        [&](auto done) { queue_->inspector().topics(std::move(done)); });
    for (const auto& view : topics.value()) {
        seen.insert_or_assign(view.topic, view);
    }
    EXPECT_FALSE(seen.at("order").pause);
    EXPECT_EQ(seen.at("order").limits.concurrency, 2U);
    ASSERT_TRUE(seen.at("other").pause);
    EXPECT_EQ(seen.at("other").pause->reason, "stock-taking");
    EXPECT_EQ(seen.at("other").limits, TopicLimits{});
}

TEST_P(RollBack, servesNobodyBeforeTheJournalHasBeenAsked)
{
    const auto gated = newGatedQueue();
    push(order("finished-1"));
    keepSnapshot();
    finish(claim().at(0));
    awaitJournal();
    redis_->kill9();
    redis_->restart();
    // As often as it can: the finished job is never given out.
    EXPECT_TRUE(eventually(
        [&] {
            const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
                gated->queue().claim({Channel::Pull, {"order"}, 10}, std::move(done));
            });
            EXPECT_TRUE(!claimed || claimed->empty());
            return claimed.has_value();
        },
        20s));
    EXPECT_EQ(view("finished-1").error().code, ErrorCode::NotFound);
}

TEST_P(RollBack, goesBackToAnEarlierListening)
{
    push(order("finished-1"));
    keepSnapshot();
    journal_.reset();
    // As a daemon without a journal does, before one with it records again.
    redis_->send({"DEL", "rst:{s0}:journal"});
    openJournal();
    finish(claim().at(0));
    push(order("pushed-1"), 1h);
    rollBack();
    ASSERT_TRUE(returns("pushed-1"));
    EXPECT_TRUE(eventually([&] { return !view("finished-1").has_value(); }, 20s));
}

/// As at an upgrade, or when a journal was switched on after the snapshot; or when the snapshot was
/// made while the store was being brought back.
TEST_P(RollBack, letsTheNewestStandInACopyOfBeforeTheStoreHadAnIdentity)
{
    journal_.reset();
    redis_ = std::make_unique<RedisServer>();
    useDatabase(newDatabase(GetParam()));
    openQueue();
    push(order("finished-1"));
    push(order("trashed-1"), 1h);
    push(order("same-1"), 1h);
    letter("one");
    push(order("unheard-1"), 1h);
    ASSERT_TRUE(await<void>([&](auto done) {
        queue_->store().pauseTopic({"resumed", "olga", "the shop is down"}, done);
    }));
    redis_->send({"SAVE"});
    ASSERT_TRUE(identity().empty());
    openJournal();
    finish(claim().at(0));
    ASSERT_TRUE(act(&JobStore::trash, "trashed-1"));
    ASSERT_TRUE(await<void>([&](auto done) {
        queue_->store().resumeTopic({"resumed", "olga", "it is up"}, done);
    }));
    letter("two");
    push(order("pushed-1"), 1h);
    rollBack();

    ASSERT_TRUE(returns("pushed-1"));
    ASSERT_TRUE(eventually([&] { return !view("finished-1").has_value(); }, 20s));
    EXPECT_EQ(view("finished-1").error().code, ErrorCode::NotFound);
    ASSERT_TRUE(eventually([&] { return !identity().empty(); }, 20s));
    EXPECT_EQ(view("trashed-1")->state, JobState::Trashed);
    EXPECT_EQ(view("same-1")->state, JobState::Scheduled);
    EXPECT_TRUE(view("unheard-1"));
    EXPECT_TRUE(claim().empty()) << "nothing finished is given out again";
    EXPECT_EQ(*redis_->send({"EXISTS", "rst:{s0}:paused"}).integer(), 0);
    letter("three");
    EXPECT_THAT(letters(), ElementsAre("one", "two", "three"));
    EXPECT_EQ(recover({})->recovered, 0U);
}

TEST_P(RollBack, goesBackToATimeWithoutAListening)
{
    push(order("finished-1"));
    awaitJournal();
    journal_->dropRequestsOf(loop_);
    journal_.reset();
    redis_->send({"SAVE"});
    openJournal();
    finish(claim().at(0));
    push(order("pushed-1"), 1h);
    rollBack();
    ASSERT_TRUE(returns("pushed-1"));
    EXPECT_TRUE(eventually([&] { return !view("finished-1").has_value(); }, 20s));
    EXPECT_THAT(moves("pushed-1", 1), testing::Not(testing::Contains(HasSubstr(":>gone"))));
}

/// Whoever was bringing it back died behind the last job.
TEST_P(RollBack, isServedWhenTheJournalHasWhatWasLeftOfABringingBack)
{
    awaitJournal();
    const auto shut = std::vector<std::string>{
        "EVAL",
        "local s = 'rst:{s0}:store' "
        "redis.call('DEL', 'rst:{s0}:serving:' .. redis.call('HGET', s, 'token')) "
        "redis.call('HDEL', s, 'token') redis.call('HSET', s, 'phase', 'rolled_back')",
        "0"};
    journal_.reset();
    pushMany(20'000);
    redis_->send(shut);
    openJournal();
    EXPECT_TRUE(isRecorded());
}

/// So that the recorder shows another one, on an empty Redis, that the store lives.
TEST_P(RollBack, isTheStoreOfTheJournalWhileItIsBroughtForward)
{
    keepSnapshot();
    push(order("pushed-1"), 1h);
    awaitJournal();
    journal_.reset();
    redis_->kill9();
    redis_->restart();
    queue_.reset();
    openQueue();
    const auto fact = [this](const std::string& key, const std::string& name) {
        return *redis_->send({"HGET", "rst:{s0}:" + key, name}).text();
    };
    redis_->send({"HSET", "rst:{s0}:journal", "owner", "test"});
    journal::ShardComparison::Shard shard;
    shard.facts.identity = fact("store", "identity");
    shard.facts.listenToken = fact("journal", "since");
    shard.cursorInRedis = redis::StreamId::parse(fact("journal", "cursor")).value();
    journal::RecordingSettings settings;
    settings.owner = "test";
    settings.process = "test";

    journal::SqlThread sql(journal::parseJournalUrl(url_).value());
    const journal::JournalContext context{loop_, queue_->clock(), sql, queue_->connection()};
    const auto comparison = journal::ShardComparison::of(context, settings);
    EXPECT_FALSE(comparison->isStoreEstablished());
    bool isEstablishedWhileClosed = false;
    const auto agreement = await<journal::ShardComparison::Agreement>(
        [&](auto done) {
            comparison->run(
                shard,
                [&](const std::string& /*token*/) {
                    isEstablishedWhileClosed = comparison->isStoreEstablished();
                },
                std::move(done));
        },
        20s);
    ASSERT_TRUE(agreement) << agreement.error().message;
    EXPECT_EQ(agreement->outcome, journal::ShardComparison::ComparisonOutcome::Restored);
    EXPECT_TRUE(isEstablishedWhileClosed);
    EXPECT_TRUE(view("pushed-1"));
}

TEST_P(RollBack, isNoticedAtTheNextStart)
{
    push(order("finished-1"));
    push(order("trashed-1"), 1h);
    keepSnapshot();
    finish(claim().at(0));
    ASSERT_TRUE(act(&JobStore::trash, "trashed-1"));
    awaitJournal();
    journal_.reset();
    redis_->kill9();
    redis_->restart();
    queue_.reset();
    openQueue();
    openJournal();
    EXPECT_EQ(view("finished-1").error().code, ErrorCode::NotFound);
    EXPECT_EQ(view("trashed-1")->state, JobState::Trashed);
}

/// Every position that the journal has stood at, seen by a trigger.
class PositionAfterRollBack : public RollBack {
protected:
    void watchPositions()
    {
        auto session = newSession();
        session.execute("CREATE TABLE seen_position (value TEXT)");
        for (const std::string moment : {"INSERT", "UPDATE"}) {
            session.execute("CREATE TRIGGER seen_at_" + moment + " AFTER " + moment +
                            " ON journal_meta WHEN NEW.name = 'position.0' BEGIN INSERT INTO "
                            "seen_position VALUES (NEW.value); END");
        }
    }
    std::vector<redis::StreamId> positions()
    {
        std::vector<redis::StreamId> seen;
        for (const auto& row :
             newSession().query(journal::SqlStatement("SELECT value FROM seen_position"), 1)) {
            const auto& text = row.front();
            seen.push_back(*redis::StreamId::parse(text.substr(text.rfind(' ') + 1)));
        }
        return seen;
    }

private:
    journal::SqlSession newSession()
    {
        return journal::SqlSession(journal::parseJournalUrl(url_).value());
    }
};

/// Else a Redis that falls back to the same snapshot once more would agree with it.
TEST_P(PositionAfterRollBack, neverStandsBeforeWhatWasRecorded)
{
    push(order("trashed-1"), 1h);
    keepSnapshot();
    ASSERT_TRUE(act(&JobStore::trash, "trashed-1"));
    push(order("pushed-1"), 1h);
    awaitJournal();
    const auto before =
        journal::SqlJournal(journal::parseJournalUrl(url_).value()).position(0).value()->cursor;
    watchPositions();
    rollBack();
    ASSERT_TRUE(returns("pushed-1"));
    awaitJournal();
    const auto seen = positions();
    ASSERT_FALSE(seen.empty());
    EXPECT_THAT(seen, testing::Each(testing::Ge(before)));
}

TEST_P(PositionAfterRollBack, goesOnWhereAllThatWasBroughtForwardHasEnded)
{
    push(order("finished-1"));
    keepSnapshot();
    finish(claim().at(0));
    ASSERT_TRUE(eventually([&] { return isRecorded(); }, 20s));
    const auto before =
        journal::SqlJournal(journal::parseJournalUrl(url_).value()).position(0).value()->cursor;
    watchPositions();
    redis_->kill9();
    redis_->restart();
    queue_.reset();
    openQueue();
    ASSERT_TRUE(eventually([&] { return !view("finished-1").has_value(); }, 20s));
    ASSERT_TRUE(eventually([&] { return !positions().empty(); }, 20s));
    EXPECT_THAT(positions(), testing::Each(testing::Ge(before)));
    awaitJournal();
}

INSTANTIATE_TEST_SUITE_P(Database,
                         PositionAfterRollBack,
                         ::testing::Values(SqlKind::Sqlite),
                         [](const auto& test) { return std::string(name(test.param)); });

INSTANTIATE_TEST_SUITE_P(Database,
                         RollBack,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace restante::test
