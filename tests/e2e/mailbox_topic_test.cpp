// Pauses and limits of the topic "sip", as people with phones see them.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

class MailboxTopic : public ::testing::Test {
protected:
    bool isParked()
    {
        return eventually(
            [this] {
                return *redis_.send({"ZCARD", "rst:{s0}:parked:sip"}).integer() == 1;
            },
            kProcessTimeout);
    }
    static std::vector<std::string> bodiesOf(const SipPhone& phone)
    {
        std::vector<std::string> bodies;
        for (const auto& message : phone.received()) {
            bodies.push_back(message.body);
        }
        return bodies;
    }

    RedisServer redis_;
    Daemon daemon_{{.set = {"redis.url=" + redis_.url().toString()}}};
};

TEST_F(MailboxTopic, keepsItsMessagesWhilePausedAndDeliversThemInOrderWhenResumed)
{
    ASSERT_EQ(daemon_.control({"pause", "sip", "--reason", "proxy is down"}).status, 0);
    auto bob = registeredPhone(daemon_, "bob");
    auto alice = phoneOf(daemon_, "alice");
    ASSERT_EQ(alice.say(Daemon::aor("bob"), "one"), 202);
    ASSERT_EQ(alice.say(Daemon::aor("bob"), "two"), 202);
    ASSERT_TRUE(isParked());
    EXPECT_EQ(daemon_.jobs()["held"], 2U);
    EXPECT_TRUE(bob.received().empty());

    ASSERT_EQ(daemon_.control({"resume", "sip"}).status, 0);
    ASSERT_TRUE(bob.receive(2));
    EXPECT_EQ(bodiesOf(bob), (std::vector<std::string>{"one", "two"}));
}

TEST_F(MailboxTopic, keepsTheRateOfItsTopic)
{
    ASSERT_EQ(daemon_.control({"limit", "sip", "--rate", "5/s"}).status, 0);
    auto bob = registeredPhone(daemon_, "bob");
    auto alice = phoneOf(daemon_, "alice");
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::string> sent;
    for (int i = 0; i < 6; ++i) {
        sent.push_back("letter " + std::to_string(i));
        ASSERT_EQ(alice.say(Daemon::aor("bob"), sent.back()), 202);
    }
    ASSERT_TRUE(bob.receive(6));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 5 * 200ms - 50ms);
    EXPECT_EQ(bodiesOf(bob), sent);
}

TEST_F(MailboxTopic, servesEveryRecipientUnderAConcurrencyOfOne)
{
    auto alice = phoneOf(daemon_, "alice");
    for (const auto* user : {"bob", "carol", "dave"}) {
        ASSERT_EQ(alice.say(Daemon::aor(user), "hello " + std::string(user)), 202);
        ASSERT_EQ(alice.say(Daemon::aor(user), "and again"), 202);
    }
    ASSERT_EQ(daemon_.control({"limit", "sip", "--concurrency", "1"}).status, 0);
    for (const auto* user : {"bob", "carol", "dave"}) {
        auto phone = registeredPhone(daemon_, user);
        EXPECT_TRUE(phone.receive(2)) << user;
    }
}

}  // namespace
}  // namespace restante::test
