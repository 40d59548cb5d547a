// JsSIP, what browsers speak SIP with: over a WebSocket to Debian's Kamailio, Restante behind it.

#include "tests/support/eventually.h"
#include "tests/support/kamailio_pair.h"
#include "tests/support/node_packages.h"
#include "tests/support/real_peers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace restante::test {

namespace {

using nlohmann::json;

/// Beyond ASCII and over several lines, so that whatever touches it shows.
constexpr auto kTextOfSeveralLines = "the key is under the doormat, Grüße ✓\r\n\r\n\tbob's";
constexpr auto kType = "text/plain;charset=utf-8";

/// A JsSIP user agent in Node.js; tests/e2e/jssip/phone.js says what it prints and takes.
class Browser {
public:
    Browser(const NodePackages& packages, const std::string& url, const std::string& user)
        : process_({{"node", (sourceDirectory() / "tests/e2e/jssip/phone.js").string(), url,
                     Daemon::aor(user)},
                    {{"NODE_PATH", (packages.folder / "node_modules").string()},
                     {"NODE_EXTRA_CA_CERTS", loopbackTls()->ca.string()}},
                    packages.folder})
    {
    }

    bool isRegistered() { return process_.waitForLine("registered").has_value(); }
    /// The first message that has come; null when none does.
    json received()
    {
        const std::string mark = "received ";
        const auto line = process_.waitForLine(mark);
        return line ? json::parse(line->substr(mark.size())) : json();
    }
    /// What was answered to it.
    std::string say(const std::string& to, const std::string& type, const std::string& text)
    {
        process_.write(json{{"to", to}, {"type", type}, {"text", text}}.dump() + "\n");
        return process_.waitForLine("answered ").value_or("not answered");
    }
    /// Un-registers and ends.
    bool hangUp()
    {
        process_.write("quit\n");
        return process_.waitForExit() == 0;
    }
    std::string log() const { return process_.allOutput(); }

private:
    Process process_;
};

/// With UDP between the two servers the browser's WebSocket is plain, with TLS it is over TLS too.
class BehindKamailioOverWebSocket : public ::testing::TestWithParam<SipTransport> {
protected:
    void SetUp() override { ASSERT_EQ(packages_.missing, ""); }
    std::string logs() { return pair_.logs(); }
    Browser browser(const std::string& user) const
    {
        const bool secure = GetParam() == SipTransport::Tls;
        const auto server = pair_.kamailio.server(secure ? SipTransport::Tls : SipTransport::Tcp);
        return {packages_, (secure ? "wss://" : "ws://") + server.hostPort(), user};
    }

    NodePackages packages_{"node-jssip",
                           {"jssip@3.13.8", "ws@8.18.0", "debug@4.4.3", "events@3.3.0", "ms@2.1.3",
                            "sdp-transform@2.15.0"}};
    // Delivered by a hint or not at all: the retries would come after the test.
    KamailioPair pair_{{GetParam(), {"sip.retry=0s,10m"}, {"WITH_WEBSOCKET"}}};
};

}  // namespace

TEST_P(BehindKamailioOverWebSocket, aBrowserGetsWhatWasStoredWhileItWasAway)
{
    auto alice = pair_.phone("alice");
    auto message = alice.message(Daemon::aor("bob"), kTextOfSeveralLines);
    message.set("From", "\"Älice\" <" + alice.aor() + ">;tag=a1")
        .set("Content-Type", kType)
        .set("Subject", "the key");
    ASSERT_EQ(alice.ask(message).status, 202) << logs();
    ASSERT_TRUE(eventually([&] { return pair_.restante.jobs()["held"] == 1; }, kProcessTimeout))
        << logs();

    auto bob = browser("bob");
    ASSERT_TRUE(bob.isRegistered()) << bob.log() << logs();
    EXPECT_EQ(bob.received(), (json{{"from", alice.aor()},
                                    {"name", "Älice"},
                                    {"type", kType},
                                    {"subject", "the key"},
                                    {"text", kTextOfSeveralLines}}))
        << bob.log() << logs();
    EXPECT_TRUE(eventually([&] { return pair_.restante.jobsInAll() == 0; }, kProcessTimeout))
        << logs();
    EXPECT_TRUE(bob.hangUp()) << bob.log();

    // Its connection is gone, and so is its contact.
    EXPECT_EQ(alice.say(Daemon::aor("bob"), "good night"), 202) << logs();
}

TEST_P(BehindKamailioOverWebSocket, aBrowserWritesToSomebodyAwayAndAnotherPhoneGetsIt)
{
    auto alice = browser("alice");
    ASSERT_TRUE(alice.isRegistered()) << alice.log() << logs();
    EXPECT_EQ(alice.say(Daemon::aor("bob"), kType, kTextOfSeveralLines), "answered 202") << logs();
    ASSERT_TRUE(eventually([&] { return pair_.restante.jobs()["held"] == 1; }, kProcessTimeout))
        << logs();
    EXPECT_TRUE(alice.hangUp()) << alice.log();

    auto bob = pair_.registered("bob");
    ASSERT_TRUE(bob.receive(1)) << logs();
    EXPECT_EQ(bob.received()[0].body, kTextOfSeveralLines);
    EXPECT_EQ(bob.received()[0].header("Content-Type"), kType);
    EXPECT_NE(bob.received()[0].header("From").find(Daemon::aor("alice")), std::string::npos);
    EXPECT_TRUE(bob.workUntil([&] { return pair_.restante.jobsInAll() == 0; })) << logs();
}

TEST_P(BehindKamailioOverWebSocket, aBrowserIsReadByBaresipOnceThatIsBack)
{
    auto alice = browser("alice");
    ASSERT_TRUE(alice.isRegistered()) << alice.log() << logs();
    ASSERT_EQ(alice.say(Daemon::aor("bob"), "text/plain", "Grüße ✓"), "answered 202") << logs();
    ASSERT_TRUE(eventually([&] { return pair_.restante.jobs()["held"] == 1; }, kProcessTimeout))
        << logs();

    const auto bob = makePhone(Brand::Baresip, {"bob", "alice", pair_.kamailio.udp()});
    EXPECT_TRUE(bob->shows("alice", "Grüße ✓")) << bob->log() << logs();
    bob->hangUp();
}

INSTANTIATE_TEST_SUITE_P(All,
                         BehindKamailioOverWebSocket,
                         ::testing::Values(SipTransport::Udp, SipTransport::Tls),
                         [](const auto& one) {
                             return std::string(one.param == SipTransport::Tls ? "wss" : "ws");
                         });

}  // namespace restante::test
