#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
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

}  // namespace
}  // namespace restante::sip::test
