// How many messages wait (RFC 3842), as phones see it.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

using ::testing::HasSubstr;

class Summary : public ::testing::Test {
protected:
    Daemon daemon_{{.set = {"sip.mwi=true"}}};
};

SipText subscription(SipPhone& phone, const std::string& aor = kBob)
{
    auto request = phone.request("SUBSCRIBE", aor);
    request.set("Contact", phone.contact())
        .set("Event", "message-summary")
        .set("Accept", "application/simple-message-summary")
        .set("Expires", "600");
    return request;
}

/// The next SUBSCRIBE of a dialog that `answer` has made.
SipText refreshOf(const SipPhone::Outcome& answer, SipPhone& phone, const SipText& first)
{
    auto next = first;
    next.set("To", answer.response.header("To"))
        .set("CSeq", "7 SUBSCRIBE")
        .set("Via", phone.socket().via("z9hG4bK" + uniqueToken()));
    return next;
}

/// Whether the newest NOTIFY of the phone says so.
bool says(const SipPhone& phone, const std::string& text)
{
    for (auto one = phone.received().rbegin(); one != phone.received().rend(); ++one) {
        if (one->method() == "NOTIFY") {
            return one->toString().find(text) != std::string::npos;
        }
    }
    return false;
}

TEST_F(Summary, saysAtOnceHowManyMessagesWait)
{
    auto alice = phoneOf(daemon_, "alice");
    ASSERT_EQ(alice.say(kBob, "one"), 202);
    ASSERT_EQ(alice.say(kBob, "two"), 202);
    auto bob = phoneOf(daemon_, "bob");
    const auto answer = bob.ask(subscription(bob));
    ASSERT_EQ(answer.status, 200);
    EXPECT_EQ(answer.response.header("Expires"), "600");
    EXPECT_THAT(answer.response.header("Contact"), HasSubstr("sip:bob@127.0.0.1:"));
    ASSERT_TRUE(bob.workUntil([&] { return says(bob, "Text-Message: 2/0\r\n"); }));
    const auto& notify = bob.received()[0];
    EXPECT_THAT(notify.body, HasSubstr("Messages-Waiting: yes"));
    EXPECT_THAT(notify.header("Subscription-State"), HasSubstr("active;expires="));
    EXPECT_EQ(notify.header("From"), answer.response.header("To"));
    EXPECT_EQ(notify.header("Call-ID"), answer.response.header("Call-ID"));
}

TEST_F(Summary, saysWhenAMessageComesAndWhenNoneIsLeft)
{
    auto bob = phoneOf(daemon_, "bob");
    ASSERT_EQ(bob.ask(subscription(bob)).status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return says(bob, "Messages-Waiting: no"); }));
    auto alice = phoneOf(daemon_, "alice");
    ASSERT_EQ(alice.say(kBob, "hello"), 202);
    ASSERT_TRUE(bob.workUntil([&] { return says(bob, "Text-Message: 1/0"); }));
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    EXPECT_TRUE(bob.workUntil([&] { return says(bob, "Messages-Waiting: no"); }));
}

TEST(SummaryOfScheduledMessages, saysWhenOneHasBecomeDue)
{
    Daemon daemon({.set = {"sip.mwi=true", "sip.schedule_header=X-Deliver-At"}});
    auto bob = phoneOf(daemon, "bob");
    ASSERT_EQ(bob.ask(subscription(bob)).status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return says(bob, "Messages-Waiting: no"); }));
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.ask(alice.message(kBob, "later").set("X-Deliver-At", "1")).status, 202);
    ASSERT_TRUE(bob.workUntil([&] { return says(bob, "Messages-Waiting: yes"); }));
    EXPECT_TRUE(says(bob, "Text-Message: 1/0\r\n"));
}

TEST_F(Summary, isRefreshedAndEndedInItsDialog)
{
    auto bob = phoneOf(daemon_, "bob");
    const auto first = subscription(bob);
    const auto answer = bob.ask(first);
    ASSERT_EQ(answer.status, 200);
    ASSERT_TRUE(bob.receive(1));
    auto refresh = refreshOf(answer, bob, first);
    ASSERT_EQ(bob.ask(refresh).status, 200);
    ASSERT_TRUE(bob.receive(2));
    refresh.set("Via", bob.socket().via("z9hG4bK" + uniqueToken())).set("CSeq", "6 SUBSCRIBE");
    EXPECT_EQ(bob.ask(refresh).status, 500) << "a lower CSeq";
    refresh.set("Via", bob.socket().via("z9hG4bK" + uniqueToken()))
        .set("CSeq", "8 SUBSCRIBE")
        .set("Expires", "0");
    ASSERT_EQ(bob.ask(refresh).status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return says(bob, "Subscription-State: terminated"); }));
    refresh.set("Via", bob.socket().via("z9hG4bK" + uniqueToken())).set("CSeq", "9 SUBSCRIBE");
    EXPECT_EQ(bob.ask(refresh).status, 481);
}

TEST_F(Summary, isToldOnceWhenItIsOnlyAskedFor)
{
    auto bob = phoneOf(daemon_, "bob");
    ASSERT_EQ(bob.ask(subscription(bob).set("Expires", "0")).status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return says(bob, "Messages-Waiting: no"); }));
    EXPECT_TRUE(says(bob, "Subscription-State: terminated"));
}

TEST_F(Summary, endsForAPhoneThatDoesNotTakeIt)
{
    auto bob = phoneOf(daemon_, "bob");
    bob.answerWith([](const SipText&) { return 481; });
    const auto first = subscription(bob);
    const auto answer = bob.ask(first);
    ASSERT_EQ(answer.status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return !bob.offered().empty(); }));
    bob.answerWith({});
    auto refresh = refreshOf(answer, bob, first);
    EXPECT_EQ(bob.ask(refresh).status, 481);
}

TEST_F(Summary, isNobodyElsesBusiness)
{
    auto alice = phoneOf(daemon_, "alice");
    EXPECT_EQ(alice.ask(subscription(alice, kBob)).status, 403);
}

TEST_F(Summary, isNewAfterARestart)
{
    auto bob = phoneOf(daemon_, "bob");
    const auto first = subscription(bob);
    const auto answer = bob.ask(first);
    ASSERT_EQ(answer.status, 200);
    ASSERT_TRUE(bob.receive(1));
    daemon_.kill9();
    daemon_.start();
    EXPECT_EQ(bob.ask(refreshOf(answer, bob, first)).status, 481);
    EXPECT_EQ(bob.ask(subscription(bob)).status, 200);
}

TEST(SummaryOff, isTheDefault)
{
    Daemon daemon;
    auto bob = phoneOf(daemon, "bob");
    const auto answer = bob.ask(subscription(bob));
    EXPECT_EQ(answer.status, 405);
    EXPECT_EQ(answer.response.header("Allow"), "MESSAGE, OPTIONS, REGISTER");
}

}  // namespace
}  // namespace restante::test
