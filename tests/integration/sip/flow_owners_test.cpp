// Which daemon of a store is taken for living by the others.

#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "sipplugin/delivery/flow_owners.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace restante::sip::test {
namespace {

using restante::test::answerOf;

constexpr Millis kLife{300};

/// A daemon, as far as others know it: it lives while its loop is turned.
struct Owner {
    explicit Owner(const redis::RedisUrl& url, Millis life = kLife)
        : commands(loop, {.url = url}),
          owners(loop, commands, url, "rst", life)
    {
        owners.listen({"here"},
                      [this](const MailboxHandover& handover) { heard = handover.recipient; });
        EXPECT_TRUE(loop.runUntil([this] { return commands.ready(); }, restante::test::kTimeout));
    }

    EpollLoop loop;
    redis::Connection commands;
    FlowOwners owners;
    std::string heard;
};

class FlowOwnersTest : public restante::test::LoopFixture {
protected:
    FlowOwnersTest()
    {
        runUntil([this] { return commands_.ready(); });
    }

    bool isLiving()
    {
        return await<bool>([this](auto done) { owners_.isAlive("here", std::move(done)); }).value();
    }
    /// While the owner's loop turns, or does not.
    bool becomes(bool living, Owner* turned)
    {
        return runUntil([&] {
            if (turned != nullptr) {
                turned->loop.runUntil([] { return false; }, Millis{5});
            }
            return isLiving() == living;
        });
    }

    restante::test::RedisServer server_;
    redis::Connection commands_{loop_, {.url = server_.url()}};
    FlowOwners owners_{loop_, commands_, server_.url(), "rst", kLife};
};

TEST_F(FlowOwnersTest, liveWhileTheyGiveASign)
{
    EXPECT_FALSE(isLiving());
    Owner owner{server_.url()};
    EXPECT_TRUE(becomes(true, &owner));
    const auto end = std::chrono::steady_clock::now() + 3 * kLife;
    while (std::chrono::steady_clock::now() < end) {
        owner.loop.runUntil([] { return false; }, Millis{20});
        ASSERT_TRUE(isLiving());
    }
    owner.owners.stop();
    EXPECT_TRUE(becomes(false, &owner));
}

TEST_F(FlowOwnersTest, thatHangAreNotTakenForLiving)
{
    Owner owner{server_.url()};
    ASSERT_TRUE(becomes(true, &owner));
    // Redis still holds its subscription.
    EXPECT_TRUE(becomes(false, nullptr));
    EXPECT_TRUE(becomes(true, &owner)) << "it goes on";
}

TEST_F(FlowOwnersTest, thatEndWithoutAWordAreNotTakenForLiving)
{
    std::optional<Owner> owner{std::in_place, server_.url(), Millis{60'000}};
    ASSERT_TRUE(becomes(true, &*owner));
    owner.reset();
    ASSERT_TRUE(becomes(false, nullptr));
}

TEST_F(FlowOwnersTest, liveAgainInAStoreThatWasEmptied)
{
    Owner owner{server_.url()};
    ASSERT_TRUE(becomes(true, &owner));
    server_.send({"FLUSHALL"});
    EXPECT_TRUE(becomes(true, &owner));
}

TEST_F(FlowOwnersTest, liveOnWhenRedisHasNoMemoryLeft)
{
    Owner owner{server_.url()};
    ASSERT_TRUE(becomes(true, &owner));
    server_.send({"CONFIG", "SET", "maxmemory", "1"});
    const auto end = std::chrono::steady_clock::now() + 3 * kLife;
    while (std::chrono::steady_clock::now() < end) {
        owner.loop.runUntil([] { return false; }, Millis{20});
        ASSERT_TRUE(isLiving());
    }
}

TEST_F(FlowOwnersTest, thatStartWhenRedisHasNoMemoryLeftLiveToo)
{
    server_.send({"CONFIG", "SET", "maxmemory", "1"});
    Owner owner{server_.url()};
    EXPECT_TRUE(becomes(true, &owner));
}

TEST_F(FlowOwnersTest, hearOfAMailbox)
{
    Owner owner{server_.url()};
    ASSERT_TRUE(becomes(true, &owner));
    owners_.tell("here", {"sip:bob@example.com", true});
    EXPECT_TRUE(runUntil([&] {
        owner.loop.runUntil([] { return false; }, Millis{5});
        return !owner.heard.empty();
    }));
    EXPECT_EQ(owner.heard, "sip:bob@example.com");
}

}  // namespace
}  // namespace restante::sip::test
