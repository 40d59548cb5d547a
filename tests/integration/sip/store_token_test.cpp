#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/client/reply.h"
#include "sipplugin/message/loop_detector.h"
#include "sipplugin/message/store_token.h"
#include "sipplugin/sofia/su_loop.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace restante::sip::test {
namespace {

using namespace std::chrono_literals;

class StoreTokenTest : public ::testing::Test {
protected:
    StoreTokenTest()
    {
        while (!connection_.ready()) {
            loop_.turn(10ms);
        }
    }
    std::string read(StoreToken& text)
    {
        std::optional<Result<std::string>> told;
        text.read([&](Result<std::string> answer) { told = std::move(answer); });
        while (!told) {
            loop_.turn(10ms);
        }
        return told->value_or("");
    }

    restante::test::RedisServer server_;
    SuLoop loop_;
    redis::Connection connection_{loop_, {server_.url()}};
};

TEST_F(StoreTokenTest, isTheSameForAllWhoAsk)
{
    StoreToken one{connection_, "rst", "name", 8};
    StoreToken two{connection_, "rst", "name", 8};
    StoreToken other{connection_, "rst", "secret", 32};
    const auto text = read(one);
    EXPECT_EQ(text.size(), 16U);
    EXPECT_EQ(read(two), text);
    EXPECT_EQ(read(other).size(), 64U);
}

TEST_F(StoreTokenTest, comesBackToAStoreThatWasLost)
{
    StoreToken one{connection_, "rst", "name", 8};
    const auto text = read(one);
    server_.send({"FLUSHALL"});
    EXPECT_EQ(read(one), text);
    StoreToken newcomer{connection_, "rst", "name", 8};
    EXPECT_EQ(read(newcomer), text);
}

TEST_F(StoreTokenTest, givesWayToWhatAnotherHasMadeMeanwhile)
{
    StoreToken one{connection_, "rst", "name", 8};
    const auto text = read(one);
    server_.send({"FLUSHALL"});
    StoreToken newcomer{connection_, "rst", "name", 8};
    const auto made = read(newcomer);
    EXPECT_NE(made, text);
    EXPECT_EQ(read(one), made);
}

TEST_F(StoreTokenTest, isExactlyItsDigits)
{
    for (const auto* damaged :
         {"", "01234567", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg"}) {
        server_.send({"HSET", "rst:meta", "name", damaged});
        StoreToken one{connection_, "rst", "name", 8};
        EXPECT_EQ(read(one), "") << damaged;
        EXPECT_EQ(one.knownText(), "") << damaged;
    }
    server_.send({"HSET", "rst:meta", "name", "0123456789abcdef"});
    StoreToken one{connection_, "rst", "name", 8};
    EXPECT_EQ(read(one), "0123456789abcdef");
}

TEST(LoopDetectorTest, knowsTheStoreAsSoonAsRedisCanBeAsked)
{
    restante::test::RedisServer server;
    SuLoop loop;
    redis::Connection connection{loop, {server.url()}};
    auto token = storeToken(connection, "rst");
    ASSERT_FALSE(connection.ready()) << "it is asked too early, and refused";
    LoopDetector detector(loop, &token);
    ASSERT_TRUE(loop.runUntil([&] { return connection.ready(); }, 10s));
    // What is asked after it is answered after it.
    std::optional<bool> known;
    connection.command({"PING"},
                       [&](const Result<redis::Reply>&) { known = !detector.storeId().empty(); });
    ASSERT_TRUE(loop.runUntil([&] { return known.has_value(); }, 10s));
    EXPECT_TRUE(*known);
}

TEST(LoopDetectorTest, tellsDeliveriesOfOtherStoresBeforeRedisHasAnswered)
{
    restante::test::RedisServer server;
    SuLoop loop;
    redis::Connection connection{loop, {server.url()}};
    auto token = storeToken(connection, "rst", "0123456789abcdef");
    const LoopDetector detector(loop, &token);
    ReceivedRequest delivery;
    delivery.headers.emplace_back(kJobHeader, "job-1");
    delivery.headers.emplace_back(kStoreHeader, "fedcba9876543210");
    EXPECT_FALSE(detector.isOwnDelivery(delivery));
    delivery.headers.back() = {kStoreHeader, "0123456789abcdef"};
    EXPECT_TRUE(detector.isOwnDelivery(delivery));
}

}  // namespace
}  // namespace restante::sip::test
