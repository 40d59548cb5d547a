// Who is traced because somebody has asked for it in the store.

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "sipplugin/trace/trace_follower.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace restante::sip::test {
namespace {

class TraceFollowerTest : public restante::test::LoopFixture {
protected:
    int reads() const
    {
        const auto told = server_.send({"INFO", "commandstats"});
        const auto statistics = told.textOrEmpty();
        const std::string_view mark = "cmdstat_zrangebyscore:calls=";
        const auto at = statistics.find(mark);
        return at == std::string_view::npos
                   ? 0
                   : leadingNumber<int>(statistics.substr(at + mark.size()));
    }

    restante::test::RedisServer server_;
    redis::Connection commands_{loop_, {.url = server_.url()}};
    SystemClock clock_;
};

TEST_F(TraceFollowerTest, readsAgainAfterARefusal)
{
    const std::string key = "rst:{s0}:traces";
    server_.send({"SET", key, "foreign"});
    std::vector<std::string> traced;
    const TraceFollower follower{{loop_, clock_, commands_},
                                 server_.url(),
                                 "rst",
                                 [&](const auto& addresses) { traced = addresses; }};
    // Its connections are reasons for two reads, or three.
    ASSERT_TRUE(runUntil([&] { return reads() >= 5; }));
    // Nobody publishes that it can be read now.
    server_.send({"DEL", key});
    const auto until = std::to_string(toEpochMs(clock_.now() + std::chrono::hours{1}));
    server_.send({"ZADD", key, until, "sip:bob@example.org"});
    EXPECT_TRUE(runUntil([&] { return !traced.empty(); }));
}

}  // namespace
}  // namespace restante::sip::test
