#include "core/redis/client/connection.h"
#include "sipplugin/message/shared_text.h"
#include "sipplugin/sofia/su_loop.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace restante::sip::test {
namespace {

using namespace std::chrono_literals;

class SharedTextTest : public ::testing::Test {
protected:
    SharedTextTest()
    {
        while (!connection_.ready()) {
            loop_.turn(10ms);
        }
    }
    std::string read(SharedText& text)
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

TEST_F(SharedTextTest, isTheSameForAllWhoAsk)
{
    SharedText one{connection_, "rst", "name", 8};
    SharedText two{connection_, "rst", "name", 8};
    SharedText other{connection_, "rst", "secret", 32};
    const auto text = read(one);
    EXPECT_EQ(text.size(), 16U);
    EXPECT_EQ(read(two), text);
    EXPECT_EQ(read(other).size(), 64U);
}

TEST_F(SharedTextTest, comesBackToAStoreThatWasLost)
{
    SharedText one{connection_, "rst", "name", 8};
    const auto text = read(one);
    server_.send({"FLUSHALL"});
    EXPECT_EQ(read(one), text);
    SharedText newcomer{connection_, "rst", "name", 8};
    EXPECT_EQ(read(newcomer), text);
}

TEST_F(SharedTextTest, givesWayToWhatAnotherHasMadeMeanwhile)
{
    SharedText one{connection_, "rst", "name", 8};
    const auto text = read(one);
    server_.send({"FLUSHALL"});
    SharedText newcomer{connection_, "rst", "name", 8};
    const auto made = read(newcomer);
    EXPECT_NE(made, text);
    EXPECT_EQ(read(one), made);
}

}  // namespace
}  // namespace restante::sip::test
