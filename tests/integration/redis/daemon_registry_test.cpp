// Who is alive, by what daemons write into the store.

#include "core/base/version.h"
#include "core/redis/store/daemon_registry.h"
#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

#include <optional>

namespace restante::test {
namespace {

using redis::DaemonHeartbeat;
using redis::DaemonView;
using testing::ElementsAre;
using testing::IsEmpty;

/// The heartbeats of a test come when it turns the loop; the store's time is the test's.
class DaemonRegistryTest : public StoreFixture {
protected:
    DaemonHeartbeat::Settings
    loopOf(std::string daemon, std::string loop, std::vector<std::string> duties)
    {
        return {"rst", std::move(daemon), std::move(loop), std::move(duties), 20ms};
    }
    std::vector<DaemonView> daemons()
    {
        const auto answer = await<std::vector<DaemonView>>(
            [&](auto done) { redis::readDaemons(*connection_, "rst", clock_.now(), done); });
        EXPECT_TRUE(answer) << answer.error().message;
        return answer.value_or(std::vector<DaemonView>{});
    }
    /// Turns the loop until the store knows so many that live.
    bool live(std::size_t count)
    {
        return runUntil([&] {
            const auto found = daemons();
            return static_cast<std::size_t>(
                       std::count_if(found.begin(), found.end(),
                                     [](const auto& one) { return one.isLiving(); })) == count;
        });
    }
    void leave(DaemonHeartbeat& heartbeat)
    {
        EXPECT_TRUE(await<void>([&](auto done) { heartbeat.leave(done); }));
    }
};

TEST_F(DaemonRegistryTest, knowsNobodyInAnEmptyStore)
{
    EXPECT_THAT(daemons(), IsEmpty());
}

TEST_F(DaemonRegistryTest, tellsWhoIsThereAndWhatItDoes)
{
    const auto began = clock_.now();
    DaemonHeartbeat main(loop_, *connection_, clock_, loopOf("vm/1", "main", {"sip", "upkeep"}));
    DaemonHeartbeat courier(loop_, *connection_, clock_, loopOf("vm/1", "courier", {"webhook"}));
    ASSERT_TRUE(runUntil([&] { return number({"HLEN", "rst:{s0}:daemons"}) == 2; }));
    clock_.advance(3s);
    ASSERT_TRUE(runUntil([&] {
        const auto found = daemons();
        return !found.empty() && found[0].seen == clock_.now();
    }));
    const auto found = daemons();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].name, "vm/1");
    EXPECT_EQ(found[0].version, version());
    EXPECT_EQ(found[0].since, began);
    EXPECT_THAT(found[0].duties, testing::UnorderedElementsAre("sip", "upkeep", "webhook"));
    EXPECT_THAT(found[0].silentDuties, IsEmpty());
    EXPECT_TRUE(found[0].delivers());
    EXPECT_FALSE(found[0].draining);
}

TEST_F(DaemonRegistryTest, aLoopThatHangsIsSilentThoughTheOthersTurn)
{
    DaemonHeartbeat main(loop_, *connection_, clock_, loopOf("vm/1", "main", {"upkeep"}));
    std::optional<DaemonHeartbeat> courier(std::in_place, loop_, *connection_, clock_,
                                           loopOf("vm/1", "courier", {"webhook"}));
    ASSERT_TRUE(runUntil([&] { return number({"HLEN", "rst:{s0}:daemons"}) == 2; }));
    courier.reset();  // it says nothing any more
    clock_.advance(redis::kHeartbeatLife);
    ASSERT_TRUE(runUntil([&] {
        const auto found = daemons();
        return !found.empty() && !found[0].duties.empty();
    }));
    const auto found = daemons();
    EXPECT_THAT(found[0].duties, ElementsAre("upkeep"));
    EXPECT_THAT(found[0].silentDuties, ElementsAre("webhook"));
    EXPECT_FALSE(found[0].delivers());
}

TEST_F(DaemonRegistryTest, oneThatHangsIsNotTakenForLivingButToldOf)
{
    std::optional<DaemonHeartbeat> hangs(std::in_place, loop_, *connection_, clock_,
                                         loopOf("vm/1", "main", {"sip"}));
    ASSERT_TRUE(live(1));
    hangs.reset();
    const auto seen = daemons()[0].seen;
    clock_.advance(redis::kHeartbeatLife - 1ms);
    EXPECT_TRUE(daemons()[0].isLiving());
    clock_.advance(1ms);
    const auto found = daemons();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_FALSE(found[0].isLiving());
    EXPECT_FALSE(found[0].delivers());
    EXPECT_EQ(found[0].seen, seen);
}

TEST_F(DaemonRegistryTest, whoWritesForgetsTheLongSilent)
{
    {
        DaemonHeartbeat gone(loop_, *connection_, clock_, loopOf("vm/1", "main", {"sip"}));
        ASSERT_TRUE(live(1));
    }
    clock_.advance(1h);
    DaemonHeartbeat other(loop_, *connection_, clock_, loopOf("vm/2", "main", {"sip"}));
    ASSERT_TRUE(live(1));
    EXPECT_EQ(daemons().size(), 2U) << "after an hour it is still told of";
    clock_.advance(1ms);
    ASSERT_TRUE(runUntil([&] { return daemons().size() == 1; }));
    EXPECT_EQ(daemons()[0].name, "vm/2");
}

TEST_F(DaemonRegistryTest, aLoopThatHangsIsToldOfAsLongAsItsDaemonLives)
{
    DaemonHeartbeat main(loop_, *connection_, clock_, loopOf("vm/1", "main", {"upkeep"}));
    {
        DaemonHeartbeat courier(loop_, *connection_, clock_,
                                loopOf("vm/1", "courier", {"webhook"}));
        ASSERT_TRUE(runUntil([&] { return number({"HLEN", "rst:{s0}:daemons"}) == 2; }));
    }
    clock_.advance(5h);
    ASSERT_TRUE(live(1));
    const auto found = daemons();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found[0].duties, ElementsAre("upkeep"));
    EXPECT_THAT(found[0].silentDuties, ElementsAre("webhook"));
}

TEST_F(DaemonRegistryTest, aLoopOfAnEarlierProcessOfItsNameIsForgotten)
{
    {
        DaemonHeartbeat courier(loop_, *connection_, clock_,
                                loopOf("vm/1", "courier", {"webhook"}));
        ASSERT_TRUE(live(1));
    }
    clock_.advance(1s);
    DaemonHeartbeat main(loop_, *connection_, clock_, loopOf("vm/1", "main", {"upkeep"}));
    ASSERT_TRUE(runUntil([&] { return number({"HLEN", "rst:{s0}:daemons"}) == 2; }));
    clock_.advance(1h);
    EXPECT_TRUE(runUntil([&] { return number({"HLEN", "rst:{s0}:daemons"}) == 1; }));
    EXPECT_THAT(daemons()[0].silentDuties, IsEmpty());
}

TEST_F(DaemonRegistryTest, oneThatEndsIsGoneAtOnceWithAllItsLoops)
{
    DaemonHeartbeat main(loop_, *connection_, clock_, loopOf("vm/1", "main", {"sip"}));
    DaemonHeartbeat neighbour(loop_, *connection_, clock_, loopOf("vm/12", "main", {"sip"}));
    {
        DaemonHeartbeat courier(loop_, *connection_, clock_,
                                loopOf("vm/1", "courier", {"webhook"}));
        ASSERT_TRUE(runUntil([&] { return number({"HLEN", "rst:{s0}:daemons"}) == 3; }));
    }
    leave(main);
    const auto found = daemons();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].name, "vm/12");
}

TEST_F(DaemonRegistryTest, saysThatItDrains)
{
    DaemonHeartbeat main(loop_, *connection_, clock_, loopOf("vm/1", "main", {"sip"}));
    ASSERT_TRUE(live(1));
    main.drain();
    ASSERT_TRUE(runUntil([&] { return daemons()[0].draining; }));
    EXPECT_FALSE(daemons()[0].delivers());
    EXPECT_TRUE(daemons()[0].isLiving());
}

TEST_F(DaemonRegistryTest, comesAgainInAStoreThatWasEmptied)
{
    DaemonHeartbeat main(loop_, *connection_, clock_, loopOf("vm/1", "main", {"sip"}));
    ASSERT_TRUE(live(1));
    send({"FLUSHALL"});
    EXPECT_TRUE(live(1));
}

TEST_F(DaemonRegistryTest, isSeenWhenItStartsOnARedisWithoutMemory)
{
    const RedisServer full;
    open(full, {});
    full.send({"CONFIG", "SET", "maxmemory", "1"});
    DaemonHeartbeat main(loop_, *connection_, clock_, loopOf("vm/1", "main", {"sip"}));
    EXPECT_TRUE(live(1));
}

TEST_F(DaemonRegistryTest, leavesOutWhatItDoesNotUnderstand)
{
    send(
        {"HSET", "rst:{s0}:daemons", "vm/1 main", "yesterday", "alone", "1 1 0 0.1.0 sip", "", ""});
    EXPECT_THAT(daemons(), IsEmpty());
}

}  // namespace
}  // namespace restante::test
