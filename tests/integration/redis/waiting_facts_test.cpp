// What is known around a job that waits: for a message whether its recipient is registered.

#include "core/redis/store/waiting_facts.h"
#include "tests/integration/redis/store_fixture.h"

#include <fmt/format.h>

namespace restante::test {
namespace {

class WaitingFactsTest : public StoreFixture {
protected:
    void SetUp() override
    {
        StoreFixture::SetUp();
        inspector_ = std::make_unique<redis::RedisJobInspector>(
            loop_, *connection_, clock_, redis::RedisJobInspector::Settings{});
        message_.job.topic = "sip";
        message_.job.channel = Channel::Sip;
        message_.job.recipient = kBob;
        message_.state = JobState::Held;
        message_.due = clock_.now() + 1h;
    }
    void TearDown() override { inspector_.reset(); }

    WaitingFacts facts()
    {
        const auto told = [](const Done<std::vector<redis::DaemonView>>& done) {
            redis::DaemonView daemon;
            daemon.duties = {"sip"};
            done(std::vector{daemon});
        };
        const auto found = await<WaitingFacts>(
            [&](auto done) { redis::askWaitingFacts(*inspector_, told, message_, done); });
        EXPECT_TRUE(found) << found.error().message;
        return found.value_or(WaitingFacts{});
    }
    WaitingReason::Why why() { return whyItWaits(message_, facts(), clock_.now()).why; }
    /// As register.lua writes them.
    void bind(TimePoint expires) const
    {
        send({"HSET", "rst:{s0}:aor:" + kBob, "desk",
              fmt::format(R"({{"contact":"sip:d@192.0.2.1","updated_ms":{},"expires_ms":{}}})",
                          toEpochMs(clock_.now() - 1min), toEpochMs(expires))});
    }
    void remember(TimePoint until) const
    {
        send({"HSET", "rst:{s0}:seen:" + kBob, "desk",
              fmt::format("{} {} {} sip:d@192.0.2.1 Phone/1.0", toEpochMs(clock_.now() - 24h),
                          toEpochMs(until - 1h), toEpochMs(until))});
    }

    std::unique_ptr<redis::RedisJobInspector> inspector_;
    JobView message_;
};

TEST_F(WaitingFactsTest, tellThatTheRecipientIsRegistered)
{
    bind(clock_.now() + 1h);
    message_.lastError = "480 Temporarily Unavailable";
    EXPECT_EQ(facts().recipient, Reachability::Registered);
    EXPECT_EQ(facts().isChannelServed, true);
    EXPECT_EQ(why(), WaitingReason::Why::DeviceFailed);
}

TEST_F(WaitingFactsTest, tellSinceWhenTheRecipientHasNoDevice)
{
    const auto left = clock_.now() - 2h;
    remember(left);
    EXPECT_EQ(facts().recipient, Reachability::NoDevice);
    EXPECT_EQ(facts().recipientSince, left);
    EXPECT_EQ(why(), WaitingReason::Why::NoDevice);
}

TEST_F(WaitingFactsTest, leaveOpenWhetherAProxyKnowsSomebodyWhoNeverRegisteredHere)
{
    EXPECT_EQ(facts().recipient, Reachability::Unknown);
    EXPECT_EQ(why(), WaitingReason::Why::AwaitsRecipient);
}

TEST_F(WaitingFactsTest, ofAJobThatNoDeviceSetsGoingAreNotAboutItsRecipient)
{
    remember(clock_.now() - 2h);
    message_.heldOutsideMailbox = true;
    EXPECT_EQ(facts().recipient, Reachability::Unknown);
    message_.heldOutsideMailbox = false;
    message_.state = JobState::Scheduled;
    EXPECT_EQ(facts().recipient, Reachability::Unknown);
}

TEST_F(WaitingFactsTest, areToldWithoutTheRecipientWhenThatCannotBeRead)
{
    send({"SET", "rst:{s0}:aor:" + kBob, "spoilt"});
    const auto found = facts();
    EXPECT_EQ(found.recipient, Reachability::Unknown);
    EXPECT_TRUE(found.topic);
    EXPECT_EQ(found.isChannelServed, true);
}

}  // namespace
}  // namespace restante::test
