// What people see of Restante: messages that wait, and how they arrive.

#include "tests/e2e/letters.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/sip_path.h"
#include "tests/support/tls_socket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace restante::test {

namespace {

std::string nameOfPath(const ::testing::TestParamInfo<SipPath>& info)
{
    return name(info.param);
}

bool isEmpty(const Daemon& daemon)
{
    return eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout);
}

}  // namespace

class MailboxOver : public ::testing::TestWithParam<SipPath> {
protected:
    void SetUp() override
    {
        if (!skipsWithout(GetParam())) {
            daemon_ = std::make_unique<Daemon>(Daemon::Settings{
                {},
                GetParam().host(),
                GetParam().transport == SipTransport::Tls ? loopbackTls() : nullptr});
        }
    }
    SipPhone phone(const std::string& user)
    {
        return phoneOf(*daemon_, user, GetParam().transport);
    }
    SipPhone registered(const std::string& user)
    {
        return registeredPhone(*daemon_, user, GetParam().transport);
    }

    std::unique_ptr<Daemon> daemon_;
};

TEST_P(MailboxOver, deliversWhatWasStoredWhenTheRecipientRegisters)
{
    auto alice = phone("alice");
    ASSERT_EQ(alice.say(kBob, "are you there?"), 202);
    EXPECT_TRUE(eventually([&] { return daemon_->jobs()["held"] == 1; }, kProcessTimeout));

    auto bob = registered("bob");
    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.received()[0].body, "are you there?");
    EXPECT_TRUE(isEmpty(*daemon_));
}

TEST_P(MailboxOver, deliversAtOnceToSomebodyWhoIsRegistered)
{
    auto bob = registered("bob");
    auto alice = phone("alice");
    ASSERT_EQ(alice.say(kBob, "now"), 202);
    ASSERT_TRUE(bob.receive(1));
    EXPECT_TRUE(isEmpty(*daemon_));
}

TEST_P(MailboxOver, deliversAHundredMessagesInOrder)
{
    auto alice = phone("alice");
    const auto texts = numbered(100);
    for (const auto& text : texts) {
        ASSERT_EQ(alice.say(kBob, text), 202);
    }

    auto bob = registered("bob");
    ASSERT_TRUE(bob.receive(texts.size()));
    EXPECT_EQ(bob.bodies(), texts);
    EXPECT_EQ(bob.offered().size(), texts.size());
    EXPECT_TRUE(isEmpty(*daemon_));
}

TEST_P(MailboxOver, keepsBodyAndEndToEndHeadersByteForByte)
{
    auto alice = phone("alice");
    auto message = alice.message(kBob, std::string("\0\x01\xff\r\n\r\nSIP/2.0 200 OK\r\n", 23));
    message.set("From", "\"Älice, at work\" <" + alice.aor() + ">;tag=a1")
        .set("Content-Type", "multipart/mixed; boundary=\"x y\"")
        .set("Subject", "the key")
        .set("Date", "Sat, 20 Nov 2032 08:00:00 GMT")
        .set("Expires", "100000000");
    ASSERT_EQ(alice.ask(message).status, 202);

    auto bob = registered("bob");
    ASSERT_TRUE(bob.receive(1));
    const auto& arrived = bob.received()[0];
    EXPECT_EQ(arrived.body, message.body);
    for (const auto* name : {"Content-Type", "Subject", "Date"}) {
        EXPECT_EQ(arrived.header(name), message.header(name));
    }
    EXPECT_TRUE(arrived.header("From").starts_with("\"Älice, at work\" <" + alice.aor() + ">"));
    EXPECT_FALSE(arrived.has("Contact"));
}

INSTANTIATE_TEST_SUITE_P(All, MailboxOver, ::testing::ValuesIn(kEveryPath), nameOfPath);

TEST(Mailbox, keepsAMessageOfFortyKilobytes)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice", SipTransport::Tcp);
    const std::string body(40'000, 'x');
    ASSERT_EQ(alice.say(kBob, body), 202);

    auto bob = registeredPhone(daemon, "bob", SipTransport::Tcp);
    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.received()[0].body, body);
}

TEST(Mailbox, survivesKill9OfTheDaemon)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.say(kBob, "before the crash"), 202);
    daemon.kill9();
    daemon.start();

    auto bob = registeredPhone(daemon, "bob");
    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.received()[0].body, "before the crash");
}

TEST(Mailbox, deliversAfterARestartWithoutANewRegistration)
{
    Daemon daemon;
    auto bob = registeredPhone(daemon, "bob");
    ASSERT_EQ(daemon.stop(), 0) << daemon.process().allOutput();
    daemon.start();

    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.say(kBob, "the binding is durable"), 202);
    EXPECT_TRUE(bob.receive(1));
}

TEST(Mailbox, keepsADuplicateOfOneRequestOnce)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice");
    auto message = alice.message(kBob, "once");
    ASSERT_EQ(alice.ask(message).status, 202);
    // The same transaction again, then the same request over another hop: a branch of its own.
    ASSERT_EQ(alice.ask(message).status, 202);
    message.set("Via", alice.socket().via("z9hG4bK" + uniqueToken()));
    ASSERT_EQ(alice.ask(message).status, 202);
    EXPECT_EQ(daemon.jobsInAll(), 1);
}

TEST(Mailbox, keepsADuplicateOnceAlsoAcrossARestart)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice");
    const auto message = alice.message(kBob, "once");
    ASSERT_EQ(alice.ask(message).status, 202);
    daemon.kill9();
    daemon.start();
    ASSERT_EQ(alice.ask(message).status, 202);
    EXPECT_EQ(daemon.jobsInAll(), 1);
}

TEST(Mailbox, doesNotDeliverADuplicateOfWhatWasDelivered)
{
    Daemon daemon;
    auto bob = registeredPhone(daemon, "bob");
    auto alice = phoneOf(daemon, "alice");
    const auto message = alice.message(kBob, "once");
    ASSERT_EQ(alice.ask(message).status, 202);
    ASSERT_TRUE(bob.receive(1));
    ASSERT_TRUE(isEmpty(daemon));

    ASSERT_EQ(alice.ask(message).status, 202);
    EXPECT_EQ(daemon.jobsInAll(), 0);
    ASSERT_EQ(alice.say(kBob, "another"), 202);
    ASSERT_TRUE(bob.receive(2));
    EXPECT_EQ(bob.bodies(), (std::vector<std::string>{"once", "another"}));
}

TEST(Mailbox, holdsAgainOnceTheRecipientHasUnregistered)
{
    Daemon daemon;
    auto bob = registeredPhone(daemon, "bob");
    ASSERT_EQ(bob.unregister().status, 200);
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.say(kBob, "you were quick"), 202);
    EXPECT_TRUE(eventually([&] { return daemon.jobs()["held"] == 1; }, kProcessTimeout));
    EXPECT_TRUE(bob.offered().empty());
}

TEST(Mailbox, reachesTheDeviceThatAnswersWhenAnotherIsGone)
{
    Daemon daemon({{"sip.retry=exponential(base=300ms,cap=1s,jitter=0,attempts=60)"}});
    auto there = registeredPhone(daemon, "bob");
    auto gone = registeredPhone(daemon, "bob");
    gone.answerWith([](const SipText&) { return 480; });

    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.say(kBob, "to whoever is there"), 202);
    EXPECT_TRUE(there.workUntil([&] {
        gone.receive(1, Millis{1});
        return there.received().size() == 1;
    }));
    EXPECT_TRUE(isEmpty(daemon));
}

TEST(Mailbox, offersAgainWhatADeviceCouldNotTakeAndKeepsTheOrder)
{
    Daemon daemon({{"sip.retry=0s,300ms,300ms,300ms,300ms,300ms"}});
    auto alice = phoneOf(daemon, "alice");
    const auto texts = numbered(5);
    for (const auto& text : texts) {
        ASSERT_EQ(alice.say(kBob, text), 202);
    }

    auto bob = phoneOf(daemon, "bob");
    std::size_t asked = 0;
    bob.answerWith([&asked](const SipText&) { return ++asked <= 2 ? 480 : 200; });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.receive(texts.size()));
    EXPECT_EQ(bob.bodies(), texts);
    EXPECT_EQ(bob.offered()[0].header("Call-ID"), bob.received()[0].header("Call-ID"));
}

TEST(Mailbox, buriesWhatIsRefusedForGoodAndGoesOn)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice");
    for (const auto* text : {"first", "unwanted", "last"}) {
        ASSERT_EQ(alice.say(kBob, text), 202);
    }
    auto bob = phoneOf(daemon, "bob");
    bob.answerWith([](const SipText& message) { return message.body == "unwanted" ? 603 : 200; });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.receive(2));
    EXPECT_EQ(bob.bodies(), (std::vector<std::string>{"first", "last"}));
    EXPECT_TRUE(eventually([&] { return daemon.jobs()["dead"] == 1; }, kProcessTimeout));
    EXPECT_NE(daemon.lastErrors().find("603"), std::string::npos) << daemon.lastErrors();
}

TEST(Mailbox, letsAMessageExpireWhileItWaits)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice");
    auto message = alice.message(kBob, "lunch?");
    message.set("Expires", "1");
    ASSERT_EQ(alice.ask(message).status, 202);
    EXPECT_TRUE(eventually([&] { return daemon.jobs()["dead"] == 1; }, kProcessTimeout));

    auto bob = registeredPhone(daemon, "bob");
    ASSERT_EQ(alice.say(kBob, "dinner?"), 202);
    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"dinner?"});
}

TEST(Mailbox, deliversAReminderAtItsTime)
{
    Daemon daemon;
    auto bob = registeredPhone(daemon, "bob");
    const auto made = daemon.control({"remind", kBob, "--in", "500ms", "--text", "tea is ready"});
    ASSERT_EQ(made.status, 0) << made.errors;
    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.received()[0].body, "tea is ready");
}

}  // namespace restante::test
