// A slow or lopsided net between us and Redis: what we believe of its time, and that no job is
// given out before its delay is over.

#include "core/queue/delay_queue.h"
#include "core/redis/store/disciplined_clock.h"
#include "core/redis/store/redis_job_store.h"
#include "tests/support/delaying_proxy.h"
#include "tests/support/redis_fixture.h"

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <vector>

namespace restante::redis {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

struct Lopsided {
    const char* name;
    test::DelayingProxy::Delay delay;

    friend void PrintTo(const Lopsided& net, std::ostream* out) { *out << net.name; }
};

class SlowNet : public test::RedisFixture, public ::testing::WithParamInterface<Lopsided> {
protected:
    SlowNet() : proxy_(server_.tcpUrl().port, GetParam().delay) {}

    RedisUrl viaProxy() const
    {
        auto url = server_.tcpUrl();
        url.port = proxy_.port();
        return url;
    }
    /// What Redis' clock shows, asked on the direct way; no later than this.
    Millis redisNow() const
    {
        const auto reply = server_.send({"TIME"});
        const auto& parts = *reply.array();
        return Millis{std::stoll(*parts[0].text()) * 1'000 + std::stoll(*parts[1].text()) / 1'000};
    }

    test::RedisServer server_{
        test::RedisServer::Settings{.tcp = true, .extra = {}, .password = {}}};
    test::DelayingProxy proxy_;
};

TEST_P(SlowNet, leavesRedisBetweenTheBoundsOfTheClock)
{
    auto connection = connect(viaProxy());
    DisciplinedClock clock(loop_, *connection);
    ASSERT_TRUE(runUntil([&] { return clock.disciplined(); }));
    const auto begin = SteadyClock::now();
    ASSERT_TRUE(runUntil([&] {
        const auto now = clock.now().time_since_epoch();
        const auto shown = redisNow();
        const auto latest = clock.latest().time_since_epoch();
        EXPECT_LE(now, shown + 1ms) << "1 ms because Redis' milliseconds are cut off";
        EXPECT_GE(latest, shown);
        loop_.armTimer(1ms, [] {});
        return SteadyClock::now() - begin > 500ms;
    }));
}

TEST_P(SlowNet, makesNoJobEarlyThatWasPushedByASlowAnswer)
{
    constexpr Millis kDelay{1'000};
    auto connection = connect(viaProxy());
    DisciplinedClock clock(loop_, *connection);
    ASSERT_TRUE(runUntil([&] { return clock.disciplined(); }));
    RedisJobStore store(loop_, *connection, nullptr, clock, {});
    DelayQueue queue(store, clock, {});
    std::map<std::string, SteadyClock::time_point> pushed;
    for (int i = 0; i < 3; ++i) {
        PushOptions order;
        order.job.topic = "order";
        order.delay = kDelay;
        const auto begin = SteadyClock::now();
        const auto outcome =
            await<PushOutcome>([&](auto done) { queue.push(std::move(order), done); });
        ASSERT_TRUE(outcome) << outcome.error().message;
        pushed[outcome->id] = begin;
    }
    // From now on the answers are quick, and the clock learns what was wrong.
    proxy_.set({});
    auto quick = connect(server_.url());
    DisciplinedClock better(loop_, *quick);
    ASSERT_TRUE(runUntil([&] { return better.disciplined(); }));
    RedisJobStore other(loop_, *quick, nullptr, better, {});
    const auto takeBy = [&](RedisJobStore& by) {
        const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
            by.claim({Channel::Pull, {"order"}, 100}, done);
        });
        ASSERT_TRUE(claimed);
        for (const auto& one : *claimed) {
            EXPECT_GE(SteadyClock::now() - pushed.at(one.job.id), kDelay);
            pushed.erase(one.job.id);
        }
    };
    while (!pushed.empty() && !HasFatalFailure()) {
        takeBy(other);
        takeBy(store);
    }
}

TEST_P(SlowNet, isNotBelievedMoreAfterAReconnection)
{
    auto connection = connect(viaProxy());
    DisciplinedClock clock(loop_, *connection);
    ASSERT_TRUE(runUntil([&] { return clock.disciplined(); }));
    proxy_.cut();
    ASSERT_TRUE(runUntil([&] { return !connection->ready(); }));
    ASSERT_TRUE(runUntil([&] { return connection->ready(); }));
    const auto begin = SteadyClock::now();
    auto last = clock.now();
    ASSERT_TRUE(runUntil([&] {
        const auto now = clock.now();
        EXPECT_GE(now, last);
        last = now;
        EXPECT_LE(now.time_since_epoch(), redisNow() + 1ms);
        loop_.armTimer(1ms, [] {});
        return SteadyClock::now() - begin > 700ms;
    }));
}

INSTANTIATE_TEST_SUITE_P(Nets,
                         SlowNet,
                         ::testing::Values(Lopsided{"quick", {}},
                                           Lopsided{"slowAnswers", {.answers = 200ms}},
                                           Lopsided{"slowRequests", {.requests = 200ms}},
                                           Lopsided{"slowBothWays",
                                                    {.requests = 60ms, .answers = 140ms}},
                                           Lopsided{"jitter", {.jitter = 150ms}}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace restante::redis
