// What senders are told of their messages: receipts (RFC 5438) and notices in plain words.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace restante::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kAlice = Daemon::aor("alice");

/// A message from `phone` to bob that asks for these notifications.
SipText asking(SipPhone& phone, const std::string& wanted, const std::string& type = "text/plain")
{
    auto message = phone.message(kBob, "From: <im:alice@example.com>\r\n"
                                       "To: <im:bob@example.com>\r\n"
                                       "NS: imdn <urn:ietf:params:imdn>\r\n"
                                       "imdn.Message-ID: 34jk324j\r\n"
                                       "DateTime: 2006-04-04T12:16:49-05:00\r\n"
                                       "imdn.Disposition-Notification: " +
                                           wanted +
                                           "\r\n\r\n"
                                           "Content-Type: " +
                                           type + "\r\n\r\nHello World");
    message.set("Content-Type", "message/cpim");
    return message;
}

constexpr auto kAll = "processing, positive-delivery, negative-delivery";

/// The statuses of the receipts that came, in order.
std::vector<std::string> receiptsOf(const SipPhone& phone)
{
    std::vector<std::string> statuses;
    for (const auto& message : phone.received()) {
        const auto begin = message.body.find("<status><");
        if (begin != std::string::npos) {
            const auto word = begin + std::string{"<status><"}.size();
            statuses.push_back(message.body.substr(word, message.body.find('/', word) - word));
        }
    }
    return statuses;
}

/// Works for `phone` until the store has no more than the dead, so that nothing else can come.
void settle(const Daemon& daemon, SipPhone& phone)
{
    EXPECT_TRUE(phone.workUntil([&] { return daemon.jobsInAll() == daemon.jobs()["dead"]; }))
        << daemon.control({"list"}).output;
}

TEST(Receipts, sayThatAMessageIsStored)
{
    Daemon daemon;
    auto alice = registeredPhone(daemon, "alice");
    ASSERT_EQ(alice.ask(asking(alice, kAll)).status, 202);
    ASSERT_TRUE(alice.receive(1));
    const auto& receipt = alice.received()[0];
    EXPECT_THAT(receiptsOf(alice), ElementsAre("stored"));
    EXPECT_EQ(receipt.header("Content-Type"), "message/cpim");
    EXPECT_THAT(receipt.header("From"), HasSubstr(kBob));
    EXPECT_THAT(receipt.header("To"), HasSubstr(kAlice));
    EXPECT_THAT(receipt.body, HasSubstr("<message-id>34jk324j</message-id>"));
    EXPECT_TRUE(receipt.has("X-Restante-Job"));
}

TEST(Receipts, doNotRepeatARefusalThatTheSenderHasHadAsTheAnswer)
{
    Daemon daemon({.set = {"sip.live_timeout=20s"}});
    auto alice = registeredPhone(daemon, "alice");
    auto bob = registeredPhone(daemon, "bob");
    bob.answerWith([](const SipText&) { return 603; });
    const auto branch = alice.start(asking(alice, "negative-delivery"));
    ASSERT_TRUE(bob.workUntil([&] {
        alice.work(Millis{1});
        return alice.inFlight() == 0;
    }));
    EXPECT_EQ(alice.takeOutcome(branch)->status, 603);
    ASSERT_TRUE(eventually([&] { return daemon.jobs()["dead"] == 1; }, kProcessTimeout));
    // It dies more than a look of the daemon later, so that its receipt would be the second.
    auto later = asking(alice, "negative-delivery");
    later.startLine = "MESSAGE " + Daemon::aor("carol") + " SIP/2.0";
    later.set("To", "<" + Daemon::aor("carol") + ">").set("Expires", "4");
    ASSERT_EQ(alice.ask(later).status, 202);
    ASSERT_TRUE(alice.receive(1));
    settle(daemon, alice);
    EXPECT_THAT(receiptsOf(alice), ElementsAre("failed"));
    EXPECT_THAT(alice.received()[0].header("From"), HasSubstr("carol"));
}

TEST(Receipts, sayThatAMessageIsDeliveredWhereTheDeviceDoesNot)
{
    Daemon daemon({.set = {"sip.receipts=delivered"}});
    auto alice = registeredPhone(daemon, "alice");
    ASSERT_EQ(alice.ask(asking(alice, kAll)).status, 202);
    auto bob = registeredPhone(daemon, "bob");
    ASSERT_TRUE(bob.receive(1));
    ASSERT_TRUE(alice.receive(1));
    EXPECT_THAT(receiptsOf(alice), ElementsAre("delivered"));
    settle(daemon, alice);
}

TEST(Receipts, sayThatAMessageIsDeliveredAlsoWhenTheDeviceAnswersLate)
{
    Daemon daemon(
        {.set = {"sip.receipts=delivered", "sip.answer_timeout=500ms", "sip.retry=0s,1h"}});
    auto alice = registeredPhone(daemon, "alice");
    auto bob = registeredPhone(daemon, "bob");
    bob.answerWith([](const SipText&) { return 0; });
    ASSERT_EQ(alice.ask(asking(alice, kAll)).status, 202);
    ASSERT_TRUE(bob.workUntil([&] { return daemon.lastErrors().find("408") != std::string::npos; }))
        << "the attempt is given up";
    ASSERT_TRUE(bob.socket().send(bob.offered().at(0).answer(200, "OK").toString()));
    ASSERT_TRUE(alice.receive(1));
    EXPECT_THAT(receiptsOf(alice), ElementsAre("delivered"));
    settle(daemon, alice);
    EXPECT_EQ(alice.received().size(), 1U);
}

TEST(Receipts, leaveTheDeliveryToTheDeviceByDefault)
{
    Daemon daemon;
    auto alice = registeredPhone(daemon, "alice");
    auto bob = registeredPhone(daemon, "bob");
    ASSERT_EQ(alice.ask(asking(alice, "positive-delivery")).status, 202);
    ASSERT_TRUE(bob.receive(1));
    settle(daemon, alice);
    EXPECT_THAT(receiptsOf(alice), IsEmpty());
}

TEST(Receipts, sayThatADeviceHasRefused)
{
    Daemon daemon;
    auto alice = registeredPhone(daemon, "alice");
    auto bob = registeredPhone(daemon, "bob");
    bob.answerWith([](const SipText&) { return 415; });
    ASSERT_EQ(alice.ask(asking(alice, "negative-delivery")).status, 202);
    ASSERT_TRUE(bob.workUntil([&] { return daemon.jobs()["dead"] == 1; }));
    ASSERT_TRUE(alice.receive(1));
    EXPECT_THAT(receiptsOf(alice), ElementsAre("failed"));
    settle(daemon, alice);
    EXPECT_EQ(alice.received().size(), 1U);
}

TEST(Receipts, sayThatAMessageHasExpired)
{
    Daemon daemon;
    auto alice = registeredPhone(daemon, "alice");
    ASSERT_EQ(alice.ask(asking(alice, "negative-delivery").set("Expires", "2")).status, 202);
    ASSERT_TRUE(alice.receive(1));
    EXPECT_THAT(receiptsOf(alice), ElementsAre("failed"));
}

TEST(Receipts, areNotForReceipts)
{
    Daemon daemon({.set = {"sip.receipts=stored,delivered,failed", "sip.notice=both"}});
    auto alice = registeredPhone(daemon, "alice");
    auto bob = registeredPhone(daemon, "bob");
    ASSERT_EQ(alice.ask(asking(alice, kAll, "message/imdn+xml")).status, 202);
    ASSERT_TRUE(bob.receive(1));
    settle(daemon, alice);
    EXPECT_THAT(alice.received(), IsEmpty());
}

TEST(Receipts, areNotSentTwiceWhenTheSenderRepeatsAfterACrash)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice");
    auto message = asking(alice, "processing");
    ASSERT_EQ(alice.ask(message).status, 202);
    daemon.kill9();
    daemon.start();
    message.set("Via", alice.socket().via("z9hG4bK" + uniqueToken()));
    ASSERT_EQ(alice.ask(message).status, 202);
    EXPECT_EQ(daemon.jobsInAll(), 2U) << "the message and one receipt";
    ASSERT_EQ(alice.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(alice.receive(1));
    EXPECT_THAT(receiptsOf(alice), ElementsAre("stored"));
}

TEST(Receipts, ofAFailureSurviveKill9)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.ask(asking(alice, "negative-delivery").set("Expires", "1")).status, 202);
    daemon.kill9();
    daemon.start();
    ASSERT_TRUE(eventually([&] { return daemon.jobs()["held"] == 1 && daemon.jobs()["dead"] == 1; },
                           kProcessTimeout));
    daemon.kill9();  // told, and perhaps not noted that it was
    daemon.start();
    ASSERT_EQ(alice.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(alice.receive(1));
    settle(daemon, alice);
    EXPECT_THAT(receiptsOf(alice), ElementsAre("failed"));
}

TEST(Notices, tellOnceInPlainWordsThatMessagesHaveFailed)
{
    Daemon daemon({.set = {"sip.notice=failed"}});
    auto alice = registeredPhone(daemon, "alice");
    auto bob = registeredPhone(daemon, "bob");
    bob.answerWith([](const SipText&) { return 415; });
    ASSERT_EQ(alice.say(kBob, "one"), 202);
    ASSERT_EQ(alice.say(kBob, "two"), 202);
    ASSERT_TRUE(bob.workUntil([&] { return daemon.jobs()["dead"] == 2; }));
    ASSERT_TRUE(alice.receive(1));
    settle(daemon, alice);
    ASSERT_EQ(alice.received().size(), 1U);
    const auto& notice = alice.received()[0];
    EXPECT_THAT(notice.body, HasSubstr("Your message to " + kBob + " could not be delivered"));
    EXPECT_THAT(notice.body, HasSubstr("415"));
    EXPECT_EQ(notice.header("Auto-Submitted"), "auto-replied");
    EXPECT_THAT(notice.header("From"), HasSubstr(kBob));
}

TEST(Notices, tellThatAMessageIsKeptOnlyWhileItIs)
{
    Daemon daemon({.set = {"sip.notice=stored", "sip.notice_from=sip:post@restante.test"}});
    auto alice = registeredPhone(daemon, "alice");
    auto carol = registeredPhone(daemon, "carol");
    ASSERT_EQ(alice.say(carol.aor(), "there you are"), 202);
    ASSERT_TRUE(carol.receive(1));
    ASSERT_EQ(alice.say(kBob, "are you there?"), 202);
    ASSERT_TRUE(alice.receive(1));
    EXPECT_EQ(alice.received()[0].body,
              "Your message to " + kBob + " is kept until they can be reached.");
    EXPECT_THAT(alice.received()[0].header("From"), HasSubstr("sip:post@restante.test"));
}

/// Each believes that the other serves everybody, and sends what it has to tell there.
TEST(Notices, betweenTwoServersThatPointAtEachOtherComeToAnEnd)
{
    const std::vector<std::string> talkative{"sip.notice=both",
                                             "sip.receipts=stored,delivered,failed"};
    Daemon first({.set = talkative});
    auto settings = talkative;
    settings.push_back("sip.proxy=sip:" + first.udp().hostPort());
    settings.push_back("sip.domain=other.test");
    Daemon second({.set = settings});
    auto carol = SipPhone({"carol", kDomain, second.udp()});
    const auto to = std::string{"sip:dave@other.test"};
    auto message = carol.message(to, "hi");
    ASSERT_EQ(carol.ask(message.set("Expires", "2")).status, 202);
    ASSERT_TRUE(eventually([&] { return second.jobs()["dead"] == 1; }, kProcessTimeout));
    ASSERT_TRUE(eventually([&] { return first.jobs()["held"] == 1; }, kProcessTimeout))
        << "the notice for carol, who is a user of the first server";
    EXPECT_TRUE(eventually([&] { return second.jobsInAll() == 1; }, kProcessTimeout))
        << second.control({"list"}).output;
    EXPECT_EQ(first.jobsInAll(), 1U);
}

}  // namespace
}  // namespace restante::test
