// Messages that say when they are to be delivered (sip.schedule_header).

#include "core/base/timestamp.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr auto kHeader = "X-Deliver-At";
/// The daemon goes by Redis's clock, which it knows to some milliseconds on a busy machine.
constexpr Millis kClockSlack{50};

Daemon::Settings scheduling(std::vector<std::string> more = {})
{
    more.push_back(std::string{"sip.schedule_header="} + kHeader);
    return {.set = std::move(more)};
}

SipText scheduled(SipPhone& phone, const std::string& when, const std::string& body = "later")
{
    auto message = phone.message(kBob, body);
    message.set(kHeader, when);
    return message;
}

nlohmann::json onlyJob(const Daemon& daemon)
{
    auto listed = nlohmann::json::parse(daemon.control({"list", "--json"}).output, nullptr, false);
    return listed.is_object() && listed["jobs"].size() == 1 ? listed["jobs"][0] : listed;
}

TEST(ScheduledMessage, isDeliveredAtItsTimeAndNotBefore)
{
    Daemon daemon(scheduling());
    auto bob = registeredPhone(daemon, "bob");
    auto alice = phoneOf(daemon, "alice");
    const auto asked = SystemClock{}.now();
    ASSERT_EQ(alice.ask(scheduled(alice, "5")).status, 202);
    ASSERT_EQ(alice.say(kBob, "now"), 202);

    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.received()[0].body, "now");
    ASSERT_TRUE(bob.receive(2));
    EXPECT_GE(SystemClock{}.now(), asked + 5s - kClockSlack);
    EXPECT_EQ(bob.received()[1].body, "later");
    EXPECT_FALSE(bob.received()[1].has(kHeader));
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
}

TEST(ScheduledMessage, waitsInTheMailboxOfSomebodyWhoIsOfflineThen)
{
    Daemon daemon(scheduling());
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.ask(scheduled(alice, "1")).status, 202);
    EXPECT_TRUE(eventually([&] { return daemon.jobs()["held"] == 1; }, kProcessTimeout));
    auto bob = registeredPhone(daemon, "bob");
    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.received()[0].body, "later");
}

TEST(ScheduledMessage, survivesKill9OfTheDaemon)
{
    Daemon daemon(scheduling());
    auto alice = phoneOf(daemon, "alice");
    const auto due = SystemClock{}.now() + 2s;
    ASSERT_EQ(alice.ask(scheduled(alice, formatRfc3339(due))).status, 202);
    daemon.kill9();
    daemon.start();
    auto bob = registeredPhone(daemon, "bob");
    ASSERT_TRUE(bob.receive(1));
    EXPECT_GE(SystemClock{}.now(), due - kClockSlack);
    EXPECT_EQ(bob.received()[0].body, "later");
}

TEST(ScheduledMessage, thatIsSentAgainIsStoredOnce)
{
    Daemon daemon(scheduling());
    auto alice = phoneOf(daemon, "alice");
    auto message = scheduled(alice, "3600");
    ASSERT_EQ(alice.ask(message).status, 202);
    // Past the memory of the transport: another branch, the same request.
    message.set("Via", alice.socket().via("z9hG4bK" + uniqueToken()));
    ASSERT_EQ(alice.ask(message).status, 202);
    EXPECT_EQ(daemon.jobsInAll(), 1U);
}

TEST(ScheduledMessage, livesFromItsTimeOn)
{
    Daemon daemon(scheduling({"sip.mailbox.keep=1h"}));
    auto alice = phoneOf(daemon, "alice");
    const auto asked = SystemClock{}.now();
    ASSERT_EQ(alice.ask(scheduled(alice, "7200")).status, 202);
    const auto job = onlyJob(daemon);
    EXPECT_EQ(job.value("state", ""), "scheduled");
    EXPECT_GE(fromEpochMs(job.value("expires_ms", std::int64_t{0})), asked + 3h - kClockSlack);
}

TEST(ScheduledMessage, isRefusedWithTheReasonWhenItCouldNotBeDeliveredThen)
{
    Daemon daemon(scheduling({"sip.schedule_horizon=1h"}));
    auto alice = phoneOf(daemon, "alice");
    const auto expectRefusal = [&](const SipText& message, const std::string& why) {
        const auto answer = alice.ask(message);
        EXPECT_EQ(answer.status, 400) << why;
        EXPECT_THAT(answer.response.header("Warning"), HasSubstr(why));
    };
    expectRefusal(scheduled(alice, "soon"), "cannot be read");
    expectRefusal(scheduled(alice, "3601"), "further ahead than 1h");
    expectRefusal(scheduled(alice, "600").set("Expires", "599"), "expires before X-Deliver-At");
    expectRefusal(scheduled(alice, "600").set("Expires", "0"), "not kept");
    EXPECT_EQ(daemon.jobsInAll(), 0U);
}

TEST(ScheduledMessage, isRefusedAboveTheSendersShare)
{
    Daemon daemon(scheduling({"sip.schedule_per_sender=2"}));
    auto alice = phoneOf(daemon, "alice");
    auto last = scheduled(alice, "3600", "two");
    ASSERT_EQ(alice.ask(scheduled(alice, "3600", "one")).status, 202);
    ASSERT_EQ(alice.ask(last).status, 202);
    EXPECT_EQ(alice.ask(scheduled(alice, "3600", "three")).status, 480);
    last.set("Via", alice.socket().via("z9hG4bK" + uniqueToken()));
    EXPECT_EQ(alice.ask(last).status, 202) << "a repetition is none more";
    auto carol = phoneOf(daemon, "carol");
    EXPECT_EQ(carol.ask(scheduled(carol, "3600", "mine")).status, 202);
    EXPECT_EQ(daemon.jobsInAll(), 3U);
}

TEST(ScheduledMessage, isRefusedAboveTheSendersShareAlsoWithACallIdThatIsPending)
{
    Daemon daemon(scheduling({"sip.schedule_per_sender=2"}));
    auto alice = phoneOf(daemon, "alice");
    auto message = scheduled(alice, "3600");
    int requests = 0;
    const auto say = [&](const std::string& body) {
        message.body = body;
        message.set("CSeq", std::to_string(++requests) + " MESSAGE")
            .set("Via", alice.socket().via("z9hG4bK" + uniqueToken()));
        return alice.ask(message).status;
    };
    ASSERT_EQ(say("one"), 202);
    ASSERT_EQ(say("two"), 202);
    EXPECT_EQ(say("three"), 480);
    EXPECT_EQ(daemon.jobsInAll(), 2U);
    int status = 202;
    while (status == 202 && requests < 10) {
        status = say("two");
    }
    EXPECT_EQ(status, 480) << "what looks like a repetition has a limit, too";
    EXPECT_LE(daemon.jobsInAll(), 4U);
}

TEST(ScheduledMessage, isRefusedAboveTheSendersShareAlsoWhenManyComeTogether)
{
    Daemon daemon(scheduling({"sip.schedule_per_sender=3"}));
    auto alice = phoneOf(daemon, "alice");
    std::vector<std::string> branches;
    for (int i = 0; i < 20; ++i) {
        branches.push_back(alice.start(scheduled(alice, "3600", std::to_string(i))));
    }
    ASSERT_TRUE(alice.workUntil([&] { return alice.inFlight() == 0; }));
    std::map<int, int> answers;
    for (const auto& branch : branches) {
        ++answers[alice.takeOutcome(branch)->status];
    }
    EXPECT_EQ(answers, (std::map<int, int>{{202, 3}, {480, 17}}));
    EXPECT_EQ(daemon.jobsInAll(), 3U);
}

TEST(ScheduledMessage, givesItsPlaceBackWhenItIsDeliveredOrCalledBack)
{
    Daemon daemon(scheduling({"sip.schedule_per_sender=2"}));
    auto bob = registeredPhone(daemon, "bob");
    auto alice = phoneOf(daemon, "alice");
    const auto last = scheduled(alice, "3600");
    ASSERT_EQ(alice.ask(scheduled(alice, "1")).status, 202);
    ASSERT_EQ(alice.ask(last).status, 202);
    ASSERT_EQ(alice.ask(scheduled(alice, "3600")).status, 480);
    ASSERT_TRUE(bob.receive(1));
    ASSERT_TRUE(eventually([&] { return daemon.jobsInAll() == 1; }, kProcessTimeout));
    EXPECT_EQ(alice.ask(scheduled(alice, "3600")).status, 202);
    ASSERT_EQ(alice.ask(scheduled(alice, "3600")).status, 480);
    ASSERT_EQ(daemon.control({"delete", "--biz-key", last.header("Call-ID"), "--yes"}).status, 0);
    EXPECT_EQ(alice.ask(scheduled(alice, "3600")).status, 202);
}

TEST(ScheduledMessage, countsForWhatItsMailboxMayHold)
{
    Daemon daemon(scheduling({"sip.mailbox.max_messages=2"}));
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.ask(scheduled(alice, "3600")).status, 202);
    ASSERT_EQ(alice.say(kBob, "now"), 202);
    const auto refused = alice.ask(scheduled(alice, "3600"));
    EXPECT_EQ(refused.status, 480);
    EXPECT_THAT(refused.response.header("Warning"), HasSubstr("full"));
    EXPECT_EQ(alice.say(kBob, "now"), 480);
    EXPECT_EQ(alice.say(Daemon::aor("carol"), "now"), 202) << "others have their own";
    EXPECT_EQ(daemon.jobsInAll(), 3U);

    auto bob = registeredPhone(daemon, "bob");
    ASSERT_TRUE(bob.receive(1));
    ASSERT_TRUE(eventually([&] { return daemon.jobsInAll() == 2; }, kProcessTimeout));
    EXPECT_EQ(alice.ask(scheduled(alice, "3600")).status, 202) << "there is room again";
}

TEST(ScheduledMessage, countsForTheBytesOfItsMailbox)
{
    Daemon daemon(scheduling({"sip.mailbox.max_bytes=10000"}));
    auto alice = phoneOf(daemon, "alice");
    const std::string half(4'000, 'x');
    ASSERT_EQ(alice.ask(scheduled(alice, "3600", half)).status, 202);
    ASSERT_EQ(alice.ask(scheduled(alice, "3600", half)).status, 202);
    EXPECT_EQ(alice.ask(scheduled(alice, "3600", half)).status, 480);
    EXPECT_EQ(alice.say(kBob, half), 480);
    EXPECT_EQ(alice.say(kBob, "a short one fits"), 202);
}

TEST(ScheduledMessage, countsForWhatMayWaitInAll)
{
    Daemon daemon(scheduling({"sip.limits.total_messages=2"}));
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.ask(scheduled(alice, "3600")).status, 202);
    ASSERT_EQ(alice.ask(scheduled(alice, "3600")).status, 202);
    const auto refused = alice.ask(scheduled(alice, "3600"));
    EXPECT_EQ(refused.status, 503);
    EXPECT_TRUE(refused.response.has("Retry-After"));
    EXPECT_EQ(alice.say(Daemon::aor("carol"), "now"), 503);
}

TEST(ScheduledMessage, isCalledBackByItsCallId)
{
    Daemon daemon(scheduling());
    auto alice = phoneOf(daemon, "alice");
    const auto message = scheduled(alice, "3600");
    ASSERT_EQ(alice.ask(message).status, 202);
    const auto trashed =
        daemon.control({"delete", "--biz-key", message.header("Call-ID"), "--yes"});
    EXPECT_EQ(trashed.status, 0) << trashed.errors;
    EXPECT_EQ(daemon.jobs()["trashed"], 1U);
}

TEST(ScheduledMessage, isAnOrdinaryOneWhereSchedulingIsOff)
{
    Daemon daemon;
    auto bob = registeredPhone(daemon, "bob");
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.ask(scheduled(alice, "not even a time")).status, 202);
    EXPECT_TRUE(bob.receive(1));
}

}  // namespace
}  // namespace restante::test
