// Whether a shard may be served, as the gate sees it and as the log says it.

#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/serving_gate.h"
#include "tests/integration/redis/store_fixture.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

namespace restante::test {
namespace {

using redis::ServingGate;
using testing::HasSubstr;
using testing::Not;

class ServingGateTest : public StoreFixture {
protected:
    ~ServingGateTest() override { stopCapture(); }

    void captureLog()
    {
        testing::internal::CaptureStderr();
        isCapturing_ = true;
    }
    std::string stopCapture()
    {
        return std::exchange(isCapturing_, false) ? testing::internal::GetCapturedStderr()
                                                  : std::string();
    }
    bool becomes(const ServingGate& gate, ServingGate::State state)
    {
        return runUntil([&] { return gate.state(0) == state; });
    }
    /// As after a comparison with the journal.
    void openShard() const
    {
        send({"EVAL",
              "local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') "
              "redis.call('DEL', 'rst:{s0}:store') "
              "redis.call('HSET', 'rst:{s0}:store', 'token', 'one', 'run', run) "
              "redis.call('SET', 'rst:{s0}:serving:one', '1')",
              "0"});
    }
    /// The gate gets an error instead of an answer.
    void spoilShard() const { send({"SET", "rst:{s0}:store", "no hash"}); }
    /// What a call of a queue is answered with.
    Result<redis::Reply> callOf(redis::ScriptQueue& queue)
    {
        return await<redis::Reply>(
            [&](auto done) { queue.add(redis::script("serving"), {}, {""}, std::move(done)); });
    }

private:
    bool isCapturing_ = false;
};

TEST_F(ServingGateTest, saysThatItIsServedAgainThoughItWasUnknownInBetween)
{
    captureLog();
    const ServingGate gate(loop_, *connection_, clock_, {.logsChanges = true});
    ASSERT_TRUE(becomes(gate, ServingGate::State::Closed));
    spoilShard();
    ASSERT_TRUE(becomes(gate, ServingGate::State::Unknown));
    openShard();
    ASSERT_TRUE(becomes(gate, ServingGate::State::Open));
    const auto log = stopCapture();
    EXPECT_THAT(log, HasSubstr("shard 0 is not served"));
    EXPECT_THAT(log, HasSubstr("shard 0 is served again"));
}

TEST_F(ServingGateTest, saysNothingOfAShardThatWasNeverClosed)
{
    openShard();
    captureLog();
    const ServingGate gate(loop_, *connection_, clock_, {.logsChanges = true});
    ASSERT_TRUE(becomes(gate, ServingGate::State::Open));
    spoilShard();
    ASSERT_TRUE(becomes(gate, ServingGate::State::Unknown));
    openShard();
    ASSERT_TRUE(becomes(gate, ServingGate::State::Open));
    EXPECT_THAT(stopCapture(), Not(HasSubstr("served")));
}

TEST_F(ServingGateTest, doesNotSayThatItHasNotAskedWhenAScriptIsRefused)
{
    openShard();
    ServingGate gate(loop_, *connection_, clock_, {.logsChanges = true});
    ASSERT_TRUE(becomes(gate, ServingGate::State::Open));
    captureLog();
    gate.onRefused(0);
    EXPECT_EQ(gate.state(0), ServingGate::State::Closed);
    EXPECT_THAT(gate.health().error().message, Not(HasSubstr("not been asked")));
    EXPECT_THAT(stopCapture(), HasSubstr("shard 0 is not served: Redis does not know"));
}

TEST_F(ServingGateTest, letsNoCallWaitWhileRedisRefusesToSay)
{
    ServingGate gate(loop_, *connection_, clock_, {});
    redis::ScriptQueue queue(loop_, *connection_, clock_,
                             {.shardPrefix = "rst:{s0}:", .gate = &gate});
    spoilShard();
    EXPECT_EQ(callOf(queue).error().code, ErrorCode::Unavailable);
    ASSERT_TRUE(gate.refusal(0));
    EXPECT_EQ(callOf(queue).error().message, gate.refusal(0)->message);
    openShard();
    ASSERT_TRUE(becomes(gate, ServingGate::State::Open));
    const auto reply = callOf(queue);
    EXPECT_TRUE(reply) << reply.error().message;
}

TEST_F(ServingGateTest, saysThatRedisIsBusyWhileAScriptBlocksIt)
{
    RedisServer server({.extra = {"--busy-reply-threshold", "10"}, .password = {}});
    const auto blocker = connect(server.url());
    const auto connection = connect(server.url());
    blocker->command({"EVAL", "while true do end", "0"}, [](const Result<redis::Reply>&) {});
    ASSERT_TRUE(eventually([&] { return isRefused(call(*connection, {"PING"}), "BUSY"); }));
    ServingGate gate(loop_, *connection, clock_, {});
    redis::ScriptQueue queue(loop_, *connection, clock_,
                             {.shardPrefix = "rst:{s0}:", .gate = &gate});
    EXPECT_EQ(callOf(queue).error().code, ErrorCode::Busy);
}

}  // namespace
}  // namespace restante::test
