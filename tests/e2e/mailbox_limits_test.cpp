// How fast a mailbox is emptied, how much it takes, and what a sender is told who is over it.

#include "tests/e2e/letters.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void write(SipPhone& from, std::size_t count, const std::string& to = kBob)
{
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(from.say(to, "letter " + std::to_string(i)), 202);
    }
}

}  // namespace

TEST(MailboxWindow, letsSeveralMessagesBeUnderWay)
{
    Daemon daemon({{"sip.mailbox.window=4"}});
    auto alice = phoneOf(daemon, "alice");
    write(alice, 10);
    auto bob = phoneOf(daemon, "bob");
    bob.answerWith([](const SipText&) { return 0; });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return bob.offered().size() == 4; }));
    bob.workUntil([] { return false; }, 300ms);
    EXPECT_EQ(bob.offered().size(), 4U) << "the others wait for an answer";
}

TEST(MailboxWindow, keepsTheOrderInWhichMessagesLeave)
{
    Daemon daemon({{"sip.mailbox.window=8"}});
    auto alice = phoneOf(daemon, "alice");
    write(alice, 200);
    auto bob = registeredPhone(daemon, "bob", SipTransport::Tcp);
    ASSERT_TRUE(bob.receive(200));
    EXPECT_EQ(bob.bodies(), numbered(200));
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
}

TEST(MailboxWindow, losesNothingWhenTheDeviceGoesAwayInBetween)
{
    Daemon daemon({{"sip.mailbox.window=8", "sip.retry=0s,300ms,300ms,300ms"}});
    auto alice = phoneOf(daemon, "alice");
    write(alice, 100);
    auto bob = phoneOf(daemon, "bob");
    std::size_t offers = 0;
    bob.answerWith([&](const SipText&) { return ++offers % 25 == 0 ? 480 : 200; });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.receive(100));
    auto got = bob.bodies();
    auto sent = numbered(100);
    std::ranges::sort(got);
    std::ranges::sort(sent);
    EXPECT_EQ(got, sent);
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
}

class PoisonMessage : public ::testing::TestWithParam<const char*> {};

TEST_P(PoisonMessage, doesNotBlockTheRest)
{
    Daemon daemon({{std::string("sip.mailbox.window=") + GetParam()}});
    auto alice = phoneOf(daemon, "alice");
    write(alice, 20);
    auto bob = phoneOf(daemon, "bob");
    bob.answerWith([](const SipText& message) { return message.body == "letter 7" ? 415 : 200; });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.receive(19));
    EXPECT_TRUE(eventually(
        [&] {
            auto jobs = daemon.jobs();
            return jobs["dead"] == 1 && jobs["held"] == 0 && jobs["leased"] == 0;
        },
        kProcessTimeout));
    EXPECT_EQ(std::ranges::count_if(bob.offered(),
                                    [](const auto& one) { return one.body == "letter 7"; }),
              1)
        << "it is not offered again";
}

INSTANTIATE_TEST_SUITE_P(Window, PoisonMessage, ::testing::Values("1", "4"));

TEST(MailboxPace, leavesTimeBetweenTwoMessagesToOnePerson)
{
    Daemon daemon({{"sip.mailbox.pace=200ms"}});
    auto alice = phoneOf(daemon, "alice");
    write(alice, 4);
    auto bob = phoneOf(daemon, "bob");
    const auto begun = SteadyClock::now();
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.receive(4));
    EXPECT_GE(SteadyClock::now() - begun, 3 * 200ms - 50ms);
    EXPECT_EQ(bob.bodies(), numbered(4));
    ASSERT_EQ(alice.say(kBob, "late"), 202);
    ASSERT_TRUE(bob.receive(5)) << "also between two passes";
}

TEST(MailboxPace, holdsTheDaemonToARateForAllTogether)
{
    Daemon daemon({{"sip.limits.send_rate=20"}});
    auto alice = phoneOf(daemon, "alice");
    write(alice, 10);
    write(alice, 10, Daemon::aor("carol"));
    auto bob = phoneOf(daemon, "bob");
    auto carol = phoneOf(daemon, "carol");
    const auto begun = SteadyClock::now();
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_EQ(carol.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.workUntil([&] {
        carol.work(Millis{1});
        return bob.received().size() == 10 && carol.received().size() == 10;
    }));
    EXPECT_GE(SteadyClock::now() - begun, 19 * 50ms - 50ms);
    EXPECT_EQ(bob.bodies(), numbered(10));
    EXPECT_EQ(carol.bodies(), numbered(10));
}

TEST(MailboxQuota, refusesTheMessageThatMakesItTooManyBytes)
{
    Daemon daemon({{"sip.mailbox.max_bytes=10000"}});
    auto alice = phoneOf(daemon, "alice");
    const std::string half(4'000, 'x');
    ASSERT_EQ(alice.say(kBob, half), 202);
    ASSERT_EQ(alice.say(kBob, half), 202);
    const auto refused = alice.ask(alice.message(kBob, half));
    EXPECT_EQ(refused.status, 480);
    EXPECT_THAT(refused.response.header("Warning"), HasSubstr("full"));
    EXPECT_EQ(alice.say(kBob, "a short one fits"), 202);
    EXPECT_EQ(alice.say(Daemon::aor("carol"), half), 202) << "others have their own";
    EXPECT_EQ(daemon.jobsInAll(), 4U);

    auto bob = registeredPhone(daemon, "bob");
    ASSERT_TRUE(bob.receive(3));
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 1; }, kProcessTimeout));
    ASSERT_EQ(bob.unregister().status, 200);
    EXPECT_EQ(alice.say(kBob, half), 202) << "it has room again";
    EXPECT_EQ(alice.say(kBob, half), 202);
    EXPECT_EQ(alice.say(kBob, half), 480);
}

TEST(MailboxQuota, refusesTheMessageThatMakesThemTooManyInAllAsOneForLater)
{
    Daemon daemon({{"sip.limits.total_messages=3"}});
    auto alice = phoneOf(daemon, "alice");
    write(alice, 2);
    EXPECT_EQ(alice.say(Daemon::aor("carol"), "third"), 202);
    const auto refused = alice.ask(alice.message(Daemon::aor("dave"), "fourth"));
    EXPECT_EQ(refused.status, 503);
    EXPECT_TRUE(refused.response.has("Retry-After"));
    EXPECT_EQ(daemon.jobsInAll(), 3U);
}

TEST(MailboxQuota, refusesTheMessageThatMakesThemTooMany)
{
    Daemon daemon({{"sip.mailbox.max_messages=2"}});
    auto alice = phoneOf(daemon, "alice");
    write(alice, 2);
    const auto refused = alice.ask(alice.message(kBob, "third"));
    EXPECT_EQ(refused.status, 480);
    EXPECT_THAT(refused.response.header("Warning"), HasSubstr("full"));
    EXPECT_EQ(daemon.jobsInAll(), 2U);
}

/// Fills the mailboxes of `people` with `each` messages, many under way at a time.
void fill(const Daemon& daemon, std::size_t people, std::size_t each)
{
    auto alice = phoneOf(daemon, "alice", SipTransport::Tcp);
    for (std::size_t i = 0; i < people * each; ++i) {
        const auto to = Daemon::aor("u" + std::to_string(i % people));
        alice.start(alice.message(to, std::string(200, 'x')));
        ASSERT_TRUE(alice.workUntil([&] { return alice.inFlight() < 64; }));
    }
    ASSERT_TRUE(alice.workUntil([&] { return alice.inFlight() == 0; }));
}

TEST(MemoryBudget, boundsWhatADaemonHasInHand)
{
    constexpr std::size_t kPeople = 100;
    constexpr std::size_t kEach = 100;
    Daemon daemon({{"sip.limits.flush_memory=4194304", "journal.mode=off"}});
    fill(daemon, kPeople, kEach);
    const auto before = daemon.residentKilobytes();
    // Devices that do not answer: each pass keeps what it has claimed.
    std::vector<SipPhone> phones;
    for (std::size_t i = 0; i < kPeople; ++i) {
        phones.push_back(phoneOf(daemon, "u" + std::to_string(i)));
        phones.back().answerWith([](const SipText&) { return 0; });
        ASSERT_EQ(phones.back().registerFor(kRegistration).status, 200);
    }
    std::size_t offered = 0;
    for (auto& phone : phones) {
        phone.workUntil([&] { return !phone.offered().empty(); }, 20ms);
        offered += phone.offered().size();
    }
    EXPECT_GT(offered, 20U) << "passes were under way";
    auto jobs = daemon.jobs();
    EXPECT_LT(jobs["leased"], 1'500U) << "4 MB are some 850 messages";
    // All 10,000 take 47 MB; the allocator has its own mind about the rest.
    EXPECT_LT(daemon.residentKilobytes(), before + 32'000);
}

}  // namespace restante::test
