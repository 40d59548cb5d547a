// Which event the calls wait for that have to be confirmed by the journal: their own, told by their
// script, so that nobody asks Redis for the end of the stream.

#include "core/redis/store/commit_watch.h"
#include "core/redis/store/stream_id.h"
#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::test {
namespace {

using redis::AppendedEvent;
using redis::StreamId;

/// Confirms at once, and keeps what it was asked to wait for.
class InstantWatch final : public redis::CommitWatch {
public:
    bool isDown(std::uint32_t /*shard*/) const override { return false; }
    bool isDown() const override { return false; }
    void await(std::uint32_t /*shard*/,
               const std::optional<AppendedEvent>& event,
               Done<void> done) override
    {
        awaited.push_back(event);
        done({});
    }

    std::vector<std::optional<AppendedEvent>> awaited;
};

class AwaitedEvent : public StoreFixture {
protected:
    void SetUp() override
    {
        watch_ = std::make_shared<InstantWatch>();
        open(sharedRedis(), {.confirms = redis::Confirms::Everything, .journal = watch_});
        send({"FLUSHALL"});
        send({"HSET", "rst:{s0}:journal", "backlog", "1000000"});
    }
    void TearDown() override { send({"FLUSHALL"}); }

    std::optional<StreamId> newestEvent() const
    {
        const auto entries = send({"XREVRANGE", "rst:{s0}:events", "+", "-", "COUNT", "1"});
        return StreamId::parse(entries.at(0).at(0).textOrEmpty());
    }
    /// The call succeeds, appends an event and waits for that one.
    template <class T>
    void expectOwnEvent(const std::string& name, std::function<void(Done<T>)> call)
    {
        const auto before = newestEvent();
        watch_->awaited.clear();
        const auto result = await<T>(std::move(call));
        ASSERT_TRUE(result) << name << ": " << result.error().message;
        ASSERT_EQ(watch_->awaited.size(), 1U) << name;
        ASSERT_TRUE(watch_->awaited.front()) << name << " does not know its event";
        EXPECT_EQ(watch_->awaited.front()->id, newestEvent()) << name;
        EXPECT_NE(watch_->awaited.front()->id, before) << name;
    }
    void expectOwnEventOfAction(const std::string& name,
                                void (redis::RedisJobStore::*action)(OperatorAction, Done<void>),
                                const std::string& id)
    {
        expectOwnEvent<void>(name, [&](auto done) {
            ((*store_).*action)({.id = id, .actor = "ann"}, std::move(done));
        });
    }
    Job message()
    {
        Job job = order();
        job.channel = Channel::Sip;
        job.topic = "sip";
        job.recipient = kBob;
        return job;
    }
    Lease leaseOfNewOrder()
    {
        const auto job = order();
        EXPECT_TRUE(push(job));
        EXPECT_TRUE(claim());
        return {.id = job.id, .attempt = 1};
    }

    std::shared_ptr<InstantWatch> watch_;
};

}  // namespace

TEST_F(AwaitedEvent, isThatOfTheCallWhenAJobIsStored)
{
    expectOwnEvent<PushOutcome>("push", [&](auto done) {
        store_->push({.job = order(), .due = clock_.now()}, std::move(done));
    });
    auto named = order();
    expectOwnEvent<PushOutcome>("push one by one", [&](auto done) {
        store_->push({.job = named, .due = clock_.now(), .replace = true}, std::move(done));
    });
    const PushRequest toMailbox{
        .job = message(), .due = clock_.now(), .placement = Placement::Mailbox};
    expectOwnEvent<PushOutcome>("push_mailbox",
                                [&](auto done) { store_->push(toMailbox, std::move(done)); });
    PushRequest replacing = toMailbox;
    replacing.job.id = ids_.generate(0);
    replacing.replace = true;
    expectOwnEvent<PushOutcome>("push_mailbox one by one",
                                [&](auto done) { store_->push(replacing, std::move(done)); });
    ImportRequest import;
    import.view.job = order();
    import.view.state = JobState::Scheduled;
    import.view.due = clock_.now() + 1h;
    expectOwnEvent<PushOutcome>("import",
                                [&](auto done) { store_->importJob(import, std::move(done)); });
}

TEST_F(AwaitedEvent, isThatOfTheCallWhenAnAttemptEnds)
{
    auto lease = leaseOfNewOrder();
    expectOwnEvent<std::uint64_t>("finish",
                                  [&](auto done) { store_->finish(lease, std::move(done)); });
    lease = leaseOfNewOrder();
    expectOwnEvent<void>("finish_late",
                         [&](auto done) { store_->finishLate(lease, std::move(done)); });
    lease = leaseOfNewOrder();
    expectOwnEvent<void>("retry", [&](auto done) {
        store_->retry({.lease = lease, .due = clock_.now() + 1h}, std::move(done));
    });
    lease = leaseOfNewOrder();
    expectOwnEvent<void>("bury",
                         [&](auto done) { store_->bury(lease, "no use", std::move(done)); });
    lease = leaseOfNewOrder();
    expectOwnEvent<void>("hold",
                         [&](auto done) { store_->hold({.lease = lease}, std::move(done)); });
}

TEST_F(AwaitedEvent, isThatOfTheCallWhenAnOperatorMovesAJob)
{
    const auto job = order();
    ASSERT_TRUE(push(job, 1h));
    expectOwnEvent<void>("reschedule", [&](auto done) {
        store_->reschedule({.id = job.id, .actor = "ann"}, {.due = clock_.now() + 2h},
                           std::move(done));
    });
    expectOwnEventOfAction("run_now", &redis::RedisJobStore::runNow, job.id);
    expectOwnEvent<void>("hold", [&](auto done) {
        store_->hold({.lease = {.id = job.id, .actor = "ann"}}, std::move(done));
    });
    expectOwnEventOfAction("release", &redis::RedisJobStore::release, job.id);
    expectOwnEventOfAction("trash", &redis::RedisJobStore::trash, job.id);
    expectOwnEventOfAction("restore", &redis::RedisJobStore::restore, job.id);
    expectOwnEventOfAction("purge", &redis::RedisJobStore::purge, job.id);
}

/// The event of the first push may not be committed yet, and its id is not known here.
TEST_F(AwaitedEvent, isUnknownToACallThatAppendsNone)
{
    const auto job = order();
    ASSERT_TRUE(push(job));
    watch_->awaited.clear();
    const auto again = push(job);
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(watch_->awaited.size(), 1U);
    EXPECT_FALSE(watch_->awaited.front());
}

TEST_F(AwaitedEvent, isUnknownWhileNoJournalListens)
{
    send({"DEL", "rst:{s0}:journal"});
    ASSERT_TRUE(push(order()));
    ASSERT_EQ(watch_->awaited.size(), 1U);
    EXPECT_FALSE(watch_->awaited.front());
}

/// Those of one call have one event, whichever of them appended it.
TEST_F(AwaitedEvent, isSharedByTheCallsThatWentOutTogether)
{
    const auto known = order();
    ASSERT_TRUE(push(known));
    watch_->awaited.clear();
    int answers = 0;
    for (const auto& job : {known, order(), order()}) {
        store_->push({.job = job, .due = clock_.now()}, [&answers](const auto& outcome) {
            EXPECT_TRUE(outcome) << outcome.error().message;
            ++answers;
        });
    }
    ASSERT_TRUE(runUntil([&] { return answers == 3; }));
    ASSERT_EQ(watch_->awaited.size(), 3U);
    for (const auto& event : watch_->awaited) {
        ASSERT_TRUE(event);
        EXPECT_EQ(event->id, newestEvent());
    }
}

}  // namespace restante::test
