// Reminders as people use them: the command line, the daemon, and a phone.

#include "core/base/timestamp.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace restante::test {
namespace {

using ::testing::HasSubstr;

Daemon::Settings everySecond()
{
    Daemon::Settings settings;
    settings.set = {"reminder.min_interval=1s"};
    return settings;
}

void remind(const Daemon& daemon, std::vector<std::string> words)
{
    words.insert(words.begin(), {"remind", kBob});
    const auto made = daemon.control(std::move(words));
    ASSERT_EQ(made.status, 0) << made.errors;
}

/// What restantectl prints about the jobs of a biz key in a state.
std::string listed(const Daemon& daemon, const std::string& state)
{
    return daemon.control({"list", "--state", state, "--json"}).output;
}

}  // namespace

TEST(Reminder, comesAgainAndAgainUntilItIsCancelled)
{
    Daemon daemon(everySecond());
    auto bob = registeredPhone(daemon, "bob");
    remind(daemon, {"--every", "1s", "--text", "drink some water", "--biz-key", "water"});
    ASSERT_TRUE(bob.receive(3));
    EXPECT_EQ(bob.received()[0].body, "drink some water");
    const auto cancelled = daemon.control({"remind", "--cancel", "water"});
    ASSERT_EQ(cancelled.status, 0) << cancelled.errors;
    EXPECT_THAT(listed(daemon, "scheduled"), HasSubstr("\"jobs\":[]"));
    EXPECT_EQ(daemon.control({"remind", "--cancel", "water"}).status, 1);
}

TEST(Reminder, isFoundByItsKeyInTheMailboxOfTheNameThatItReallyHas)
{
    Daemon daemon;
    const auto made = daemon.control({"remind", "sip:bob@RESTANTE.test:5060", "--in", "100ms",
                                      "--text", "tea is ready", "--biz-key", "tea"});
    ASSERT_EQ(made.status, 0) << made.errors;
    ASSERT_TRUE(eventually([&] { return daemon.jobs()["held"] == 1; }, kProcessTimeout));
    EXPECT_THAT(listed(daemon, "held"), HasSubstr(kBob));
    const auto cancelled = daemon.control({"remind", "--cancel", "tea"});
    EXPECT_EQ(cancelled.status, 0) << cancelled.errors;
    EXPECT_EQ(daemon.jobs()["held"], 0U);
}

TEST(Reminder, goesOnAfterTheDaemonWasKilled)
{
    Daemon daemon(everySecond());
    remind(daemon, {"--every", "1s", "--text", "tick", "--id", "ticks"});
    {
        auto bob = registeredPhone(daemon, "bob");
        ASSERT_TRUE(bob.receive(2));
    }
    daemon.kill9();
    daemon.start();
    auto bob = registeredPhone(daemon, "bob");
    ASSERT_TRUE(bob.receive(5));
    // A message's Call-ID is made of its job's id: each occurrence came once to this phone.
    std::set<std::string> calls;
    for (const auto& message : bob.received()) {
        calls.insert(message.header("Call-ID"));
    }
    EXPECT_EQ(calls.size(), bob.received().size());
}

TEST(Reminder, comesAtEveryOffsetBeforeAnEvent)
{
    Daemon daemon;
    auto bob = registeredPhone(daemon, "bob");
    const auto event = formatRfc3339(SystemClock{}.now() + std::chrono::seconds{3});
    remind(daemon, {"--before", event, "--offsets", "1h,2s,1s,0s", "--text", "it begins"});
    ASSERT_TRUE(bob.receive(3));
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
}

TEST(Reminder, saysHowToCancelItInWordsThatTheShellLeavesAlone)
{
    Daemon daemon;
    const std::string key = "it's $(reboot) \"`x`";
    const auto made = daemon.control(
        {"remind", kBob, "--every", "daily", "--in", "1h", "--text", "x", "--biz-key", key});
    ASSERT_EQ(made.status, 0) << made.errors;
    EXPECT_THAT(made.output, HasSubstr("cancel with: restantectl remind --cancel "
                                       "'it'\\''s $(reboot) \"`x`'\n"));
}

TEST(Reminder, showsItsNextTimesWithoutStoringAnything)
{
    Daemon daemon;
    const auto shown =
        daemon.control({"remind", kBob, "--every", "FREQ=DAILY;COUNT=2", "--at", "2032-03-27 09:00",
                        "--zone", "Europe/Berlin", "--text", "x", "--preview", "5"});
    ASSERT_EQ(shown.status, 0) << shown.errors;
    EXPECT_THAT(shown.output, HasSubstr("2032-03-27T08:00:00.000Z"));
    EXPECT_THAT(shown.output, HasSubstr("2032-03-28T07:00:00.000Z"));
    EXPECT_EQ(daemon.jobsInAll(), 0U);
}

}  // namespace restante::test
