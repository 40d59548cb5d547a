// sip.devices = "all": each of somebody's devices gets each message.

#include "tests/support/eventually.h"
#include "tests/support/instance_phone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::test {
namespace {

using ::testing::ElementsAre;

Daemon::Settings settings(std::vector<std::string> more = {})
{
    more.emplace_back("sip.devices=all");
    more.emplace_back("sip.retry=0s,300ms,300ms,300ms");
    return {.set = std::move(more)};
}

void write(const Daemon& daemon, const std::vector<std::string>& texts)
{
    auto alice = phoneOf(daemon, "alice");
    for (const auto& text : texts) {
        ASSERT_EQ(alice.say(kBob, text), 202);
    }
}

}  // namespace

TEST(EveryDevice, getsWhatCameWhileAllWereAwayAndWhatComesLater)
{
    Daemon daemon(settings());
    write(daemon, {"one", "two"});
    auto phone = phoneOf(daemon, "bob");
    auto tablet = phoneOf(daemon, "bob");
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    ASSERT_TRUE(phone.receive(2));
    ASSERT_EQ(registerAs(tablet, "urn:uuid:tablet"), 200);
    ASSERT_TRUE(tablet.receive(2));
    write(daemon, {"three"});
    ASSERT_TRUE(workTogether({&phone, &tablet}, [&] {
        return phone.received().size() == 3 && tablet.received().size() == 3;
    }));
    EXPECT_THAT(phone.bodies(), ElementsAre("one", "two", "three"));
    EXPECT_THAT(tablet.bodies(), ElementsAre("one", "two", "three"));
    EXPECT_EQ(phone.offered()[0].header("Call-ID"), tablet.offered()[0].header("Call-ID"));
}

TEST(EveryDevice, doesNotGetAMessageAgainThatItHas)
{
    Daemon daemon(settings());
    auto phone = phoneOf(daemon, "bob");
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    write(daemon, {"one"});
    ASSERT_TRUE(phone.receive(1));
    // Not killed: what a crash may repeat is for fault.Flushers.
    ASSERT_EQ(daemon.stop(), 0);
    daemon.start();
    // The same device from another address is the same device.
    auto moved = phoneOf(daemon, "bob");
    ASSERT_EQ(registerAs(moved, "urn:uuid:phone"), 200);
    write(daemon, {"two"});
    ASSERT_TRUE(workTogether(
        {&phone, &moved}, [&] { return phone.received().size() + moved.received().size() == 2; }));
    EXPECT_TRUE(eventually([&] { return daemon.jobs()["leased"] == 0; }, kProcessTimeout));
    EXPECT_EQ(phone.offered().size() + moved.offered().size(), 2U);
}

TEST(EveryDevice, thatIsAwayHoldsUpNoOther)
{
    Daemon daemon(settings({"sip.answer_timeout=1s"}));
    auto silent = phoneOf(daemon, "bob");
    auto phone = phoneOf(daemon, "bob");
    bool answers = false;
    silent.answerWith([&](const SipText&) { return answers ? 200 : 0; });
    ASSERT_EQ(registerAs(silent, "urn:uuid:silent"), 200);
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    write(daemon, {"one", "two", "three"});
    ASSERT_TRUE(workTogether({&phone, &silent}, [&] { return phone.received().size() == 3; }));
    answers = true;
    ASSERT_TRUE(silent.receive(3)) << "it is tried again";
    EXPECT_THAT(phone.bodies(), ElementsAre("one", "two", "three"));
    EXPECT_THAT(silent.bodies(), ElementsAre("one", "two", "three"));
}

TEST(EveryDevice, mayRefuseWhatAnotherTakes)
{
    Daemon daemon(settings());
    auto phone = phoneOf(daemon, "bob");
    auto plain = phoneOf(daemon, "bob");
    plain.answerWith([](const SipText& message) { return message.body == "two" ? 415 : 200; });
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    ASSERT_EQ(registerAs(plain, "urn:uuid:plain"), 200);
    write(daemon, {"one", "two", "three"});
    ASSERT_TRUE(workTogether({&phone, &plain}, [&] {
        return phone.received().size() == 3 && plain.received().size() == 2;
    }));
    EXPECT_THAT(plain.bodies(), ElementsAre("one", "three"));
    EXPECT_TRUE(eventually([&] { return daemon.lastErrors().find("415") != std::string::npos; },
                           kProcessTimeout))
        << daemon.lastErrors();
    EXPECT_EQ(daemon.jobs()["dead"], 0U);
}

TEST(EveryDevice, hadItWhenItsLifetimeIsOverSoThatItIsDone)
{
    Daemon daemon(settings({"retention.done=1h"}));
    auto alice = phoneOf(daemon, "alice");
    auto phone = phoneOf(daemon, "bob");
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    auto had = alice.message(kBob, "had");
    ASSERT_EQ(alice.ask(had.set("Expires", "5")).status, 202);
    ASSERT_TRUE(phone.receive(1));
    ASSERT_EQ(phone.unregister().status, 200);
    auto missed = alice.message(kBob, "missed");
    ASSERT_EQ(alice.ask(missed.set("Expires", "1")).status, 202);
    EXPECT_TRUE(eventually(
        [&] {
            auto jobs = daemon.jobs();
            return jobs["done"] == 1 && jobs["dead"] == 1 && jobs["held"] == 0;
        },
        kProcessTimeout));
}

TEST(EveryDevice, withoutAnInstanceIsItsContact)
{
    Daemon daemon(settings());
    auto one = registeredPhone(daemon, "bob");
    auto other = registeredPhone(daemon, "bob");
    write(daemon, {"to both"});
    ASSERT_TRUE(workTogether({&one, &other}, [&] {
        return one.received().size() == 1 && other.received().size() == 1;
    }));
    EXPECT_TRUE(eventually(
        [&] {
            const auto held = daemon.control({"list", "--state", "held"}).output;
            return held.find("sip:bob@") != std::string::npos;
        },
        kProcessTimeout));
}

TEST(EveryDevice, doesNotFillAMailboxForEverWithWhatItHas)
{
    Daemon daemon(settings({"sip.mailbox.max_messages=3"}));
    auto phone = phoneOf(daemon, "bob");
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    auto alice = phoneOf(daemon, "alice");
    for (std::size_t i = 0; i < 10; ++i) {
        ASSERT_TRUE(workTogether({&alice, &phone}, [&] {
            return alice.say(kBob, "letter " + std::to_string(i)) == 202;
        }));
        ASSERT_TRUE(phone.receive(i + 1));
    }
    EXPECT_LE(daemon.jobsInAll(), 3U);
}

}  // namespace restante::test
