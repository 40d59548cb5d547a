// What must not be stored, and what must not hurt: each input is answered clearly, leaves nothing
// behind and finds the daemon alive afterwards.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <fstream>

namespace restante::test {

namespace {

class BadInput : public ::testing::Test {
protected:
    explicit BadInput(std::vector<std::string> set = {}) : daemon_({std::move(set)}) {}

    void expectAlive()
    {
        auto phone = phoneOf(daemon_, "carol");
        EXPECT_EQ(phone.ask(phone.request("OPTIONS", "sip:" + daemon_.udp().hostPort())).status,
                  200);
        EXPECT_TRUE(daemon_.process().running());
    }
    void expectUntouched()
    {
        expectAlive();
        EXPECT_EQ(daemon_.jobsInAll(), 0);
    }

    Daemon daemon_;
    SipPhone alice_ = phoneOf(daemon_, "alice");
};

class SmallLimits : public BadInput {
protected:
    SmallLimits() : BadInput({"limits.body=1000", "sip.mailbox.max_messages=3"}) {}
};

/// The header that a request needs, with something wrong in its place.
struct BadHeader {
    const char* name;
    const char* value;  ///< nullptr = the header is missing
};

std::ostream& operator<<(std::ostream& out, const BadHeader& wrong)
{
    return out << wrong.name << ": " << (wrong.value != nullptr ? wrong.value : "(missing)");
}

class WrongHeader : public BadInput, public ::testing::WithParamInterface<BadHeader> {};

}  // namespace

TEST_P(WrongHeader, isAnswered400)
{
    auto message = alice_.message(kBob, "x");
    const auto& wrong = GetParam();
    if (wrong.value == nullptr) {
        message.remove(wrong.name);
    } else {
        message.set(wrong.name, wrong.value);
    }
    EXPECT_EQ(alice_.ask(message).status, 400);
    expectUntouched();
}

INSTANTIATE_TEST_SUITE_P(All,
                         WrongHeader,
                         ::testing::Values(BadHeader{"From", nullptr},
                                           BadHeader{"To", nullptr},
                                           BadHeader{"Call-ID", nullptr},
                                           BadHeader{"CSeq", nullptr},
                                           BadHeader{"CSeq", "1 OPTIONS"},
                                           BadHeader{"CSeq", "4294967296000 MESSAGE"},
                                           BadHeader{"From", "<sip:unclosed"},
                                           BadHeader{"To", "\"unclosed <sip:x@restante.test>"}));

TEST_F(BadInput, thatIsNoSipAtAllIsDropped)
{
    const std::vector<std::string> inputs{
        std::string(1, '\0'),
        "\r\n\r\n",
        "MESSAGE",
        "MESSAGE sip:bob@restante.test SIP/2.0",
        "MESSAGE sip:bob@restante.test SIP/2.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        std::string(60'000, 'A'),
        std::string(60'000, '\n'),
        "MESSAGE sip:bob@restante.test SIP/2.0\r\nVia: SIP/2.0/UDP\r\n" + std::string(9'000, ':'),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
    };
    for (const auto& input : inputs) {
        SipSocket datagrams(daemon_.udp());
        datagrams.send(input);
        SipSocket stream(daemon_.tcp());
        stream.send(input);
    }
    expectUntouched();
}

TEST_F(BadInput, overTheSizeOfAnyMessageIsRefusedOnTcp)
{
    auto phone = phoneOf(daemon_, "alice", SipTransport::Tcp);
    // 413, or the connection is closed over it.
    EXPECT_GE(phone.say(kBob, std::string(1'000'000, 'x')), 400);
    expectUntouched();
}

TEST_F(BadInput, withEndlessHeadersIsRefused)
{
    auto message = alice_.message(kBob, "x");
    for (int i = 0; i < 1'500; ++i) {
        message.headers.emplace_back("X-Padding", std::string(30, 'p'));
    }
    auto phone = phoneOf(daemon_, "alice", SipTransport::Tcp);
    message.set("Via", phone.socket().via("z9hG4bK" + uniqueToken()));
    const auto status = phone.ask(message).status;
    EXPECT_TRUE(status >= 400 || status == 202) << status;
    expectAlive();
}

TEST_F(SmallLimits, refuseABodyThatIsAByteTooLong)
{
    EXPECT_EQ(alice_.say(kBob, std::string(1'001, 'x')), 413);
    expectUntouched();
    EXPECT_EQ(alice_.say(kBob, std::string(1'000, 'x')), 202);
    EXPECT_EQ(daemon_.jobsInAll(), 1);
}

TEST_F(SmallLimits, refuseAMessageToAFullMailboxWithTheReason)
{
    for (const auto* text : {"1", "2", "3"}) {
        ASSERT_EQ(alice_.say(kBob, text), 202);
    }
    const auto refused = alice_.ask(alice_.message(kBob, "4"));
    EXPECT_EQ(refused.status, 480);
    EXPECT_NE(refused.response.header("Warning").find("mailbox is full"), std::string::npos);
    EXPECT_EQ(alice_.say(Daemon::aor("carol"), "another mailbox"), 202);

    auto bob = registeredPhone(daemon_, "bob");
    ASSERT_TRUE(bob.receive(3));
    EXPECT_EQ(bob.bodies(), (std::vector<std::string>{"1", "2", "3"}));
    ASSERT_TRUE(eventually([&] { return daemon_.jobs()["held"] == 1; }, kProcessTimeout));
    ASSERT_EQ(bob.unregister().status, 200);
    EXPECT_EQ(alice_.say(kBob, "5"), 202);
}

TEST_F(BadInput, toAnUnknownDomainIsAnswered404AndNeverRelayed)
{
    // Somebody who would gladly take it, at an address that is not the daemon's.
    SipPhone elsewhere({"bob", "elsewhere.test", {SipTransport::Udp, "127.0.0.2", 9}});
    const auto there = "sip:bob@" + elsewhere.socket().address();
    EXPECT_EQ(alice_.say(there, "x"), 404);
    EXPECT_EQ(alice_.say("sip:bob@elsewhere.test", "x"), 404);
    auto routed = alice_.message("sip:bob@elsewhere.test", "x");
    routed.set("Route", "<" + there + ";lr>");
    EXPECT_EQ(alice_.ask(routed).status, 404);
    auto registration = alice_.request("REGISTER", "sip:elsewhere.test");
    registration.set("To", "<sip:bob@elsewhere.test>").set("Contact", alice_.contact());
    EXPECT_EQ(alice_.ask(registration).status, 404);

    expectUntouched();
    EXPECT_FALSE(elsewhere.receive(1, Millis{1}));
    EXPECT_TRUE(elsewhere.offered().empty());
}

TEST_F(BadInput, withExpiresZeroIsNotStored)
{
    auto message = alice_.message(kBob, "now or never");
    message.set("Expires", "0");
    EXPECT_EQ(alice_.ask(message).status, 480);
    expectUntouched();
}

TEST_F(BadInput, withExpiresZeroReachesOnlyWhoIsThere)
{
    auto bob = registeredPhone(daemon_, "bob");
    auto message = alice_.message(kBob, "now or never");
    message.set("Expires", "0");
    const auto branch = alice_.start(message);
    ASSERT_TRUE(bob.receive(1));
    ASSERT_TRUE(alice_.workUntil([&] { return alice_.outcomes().contains(branch); }));
    EXPECT_EQ(alice_.outcomes().at(branch).status, 200);
    expectUntouched();
}

TEST_F(BadInput, thatHasExpiredIsNotStored)
{
    auto message = alice_.message(kBob, "yesterday's news");
    message.set("Date", "Fri, 20 Nov 2020 08:00:00 GMT").set("Expires", "3600");
    EXPECT_EQ(alice_.ask(message).status, 480);
    expectUntouched();
}

TEST_F(BadInput, ofIsComposingIsNotStored)
{
    auto message = alice_.message(kBob, "<isComposing><state>active</state></isComposing>");
    message.set("Content-Type", "application/im-iscomposing+xml");
    EXPECT_EQ(alice_.ask(message).status, 480);
    expectUntouched();
}

TEST_F(BadInput, ofIsComposingBringsBackTheDevicesAnswer)
{
    auto bob = registeredPhone(daemon_, "bob");
    bob.answerWith([](const SipText&) { return 486; });
    auto message = alice_.message(kBob, "<isComposing><state>active</state></isComposing>");
    message.set("Content-Type", "application/im-iscomposing+xml");
    const auto branch = alice_.start(message);
    ASSERT_TRUE(bob.workUntil([&] { return bob.offered().size() == 1; }));
    ASSERT_TRUE(alice_.workUntil([&] { return alice_.outcomes().contains(branch); }));
    EXPECT_EQ(alice_.outcomes().at(branch).status, 486);
    expectUntouched();
}

TEST_F(BadInput, thatMayHopNoFurtherIsAnswered483)
{
    auto message = alice_.message(kBob, "x");
    message.set("Max-Forwards", "0");
    EXPECT_EQ(alice_.ask(message).status, 483);
    expectUntouched();
}

TEST_F(BadInput, thatNeedsAnUnknownExtensionIsAnswered420)
{
    auto message = alice_.message(kBob, "x");
    message.set("Require", "telepathy");
    const auto answer = alice_.ask(message);
    EXPECT_EQ(answer.status, 420);
    EXPECT_EQ(answer.response.header("Unsupported"), "telepathy");
    expectUntouched();
}

TEST_F(BadInput, ofAnotherMethodIsAnswered405WithWhatIsAllowed)
{
    const auto answer = alice_.ask(alice_.request("SUBSCRIBE", kBob));
    EXPECT_EQ(answer.status, 405);
    EXPECT_NE(answer.response.header("Allow").find("MESSAGE"), std::string::npos);
    expectUntouched();
}

TEST_F(BadInput, ofAForeignSchemeIsAnswered416)
{
    EXPECT_EQ(alice_.say("tel:+4930123456", "x"), 416);
    expectUntouched();
}

TEST_F(BadInput, inARegistrationIsRefusedWithTheReason)
{
    auto tooShort = alice_.request("REGISTER", "sip:" + std::string(kDomain));
    tooShort.set("To", "<" + alice_.aor() + ">")
        .set("Contact", alice_.contact())
        .set("Expires", "5");
    const auto answer = alice_.ask(tooShort);
    EXPECT_EQ(answer.status, 423);
    EXPECT_TRUE(answer.response.has("Min-Expires"));

    auto starred = alice_.request("REGISTER", "sip:" + std::string(kDomain));
    starred.set("To", "<" + alice_.aor() + ">").set("Contact", "*").set("Expires", "600");
    EXPECT_EQ(alice_.ask(starred).status, 400);
    expectUntouched();
}

TEST_F(BadInput, inMassLeavesTheMemoryFlat)
{
    // Every kind once more than the caches hold first, so that only a leak grows afterwards.
    const auto flood = [this](int rounds) {
        for (int i = 0; i < rounds; ++i) {
            alice_.start(alice_.message("sip:bob@elsewhere.test", std::string(800, 'x')));
            alice_.socket().send("MESSAGE sip:bob@restante.test SIP/2.0\r\n\r\n");
            auto noFrom = alice_.message(kBob, "x");
            alice_.start(noFrom.remove("From"));
            ASSERT_TRUE(alice_.workUntil([this] { return alice_.inFlight() < 50; }));
        }
        ASSERT_TRUE(alice_.workUntil([this] { return alice_.inFlight() == 0; }));
    };
    flood(5'000);
    const auto before = daemon_.residentKilobytes();
    flood(5'000);
    // A kilobyte each would be 10 MB.
    EXPECT_LT(daemon_.residentKilobytes(), before + 3'000);
    expectUntouched();
}

TEST(BadConfiguration, isRefusedWithFileLineAndWhatIsAllowed)
{
    const TempDir directory;
    const std::string file = directory / "bad.toml";
    std::ofstream(file) << "[sip]\n\nretry = \"soon\"\n[redis]\nshards = 0\n";
    const auto told = run({{builtProgram("restanted"), "--config", file}, {}, {}});
    EXPECT_NE(told.status, 0);
    EXPECT_NE(told.errors.find(file + ":3"), std::string::npos) << told.errors;
    EXPECT_NE(told.errors.find(file + ":5"), std::string::npos) << told.errors;
    EXPECT_NE(told.errors.find("sip.retry"), std::string::npos) << told.errors;
    EXPECT_NE(told.errors.find("1 to 1024"), std::string::npos) << told.errors;
    EXPECT_TRUE(told.output.empty()) << told.output;
}

}  // namespace restante::test
