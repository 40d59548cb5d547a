// A proxy that asks for our credentials.

#include "tests/integration/sip/plugin_host.h"
#include "tests/support/eventually.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_login.h"
#include "tests/support/sip_phone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const SipLogin kUs{"restante", "open sesame"};

/// A proxy that answers what a test wants, and sees what comes.
class ProxyLogin : public ::testing::Test {
protected:
    struct Seen {
        std::string authorization;
        std::string proxyAuthorization;
        std::string cseq;
        std::string callId;
        std::string branch;
        std::string uri;
    };
    using Policy = std::function<SipText(const SipText&)>;

    PluginHost::Settings settings()
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        settings.sip.retry = RetrySchedule::parse("0s,200ms,200ms,200ms").value();
        settings.sip.proxy = {"sip:" + proxy_.address()};
        settings.sip.proxyLogin = {kUs.user, kUs.password, {"proxy.example"}, {}};
        return settings;
    }
    void begin(const PluginHost::Settings& settings)
    {
        host_ = std::make_unique<PluginHost>(settings);
        proxy_.moveTo(host_->server());
        alice_ =
            std::make_unique<SipPhone>(SipPhone::Account{"alice", "localhost", host_->server()});
    }
    void begin() { begin(settings()); }
    void write(const std::string& body) { ASSERT_EQ(alice_->say("sip:bob@localhost", body), 202); }
    /// Answers requests by `policy` until `count` have come; retransmissions get the same answer.
    void serve(std::size_t count, const Policy& policy)
    {
        const auto enough = [&] {
            while (const auto arrival = proxy_.receive(Millis{20})) {
                const auto& request = arrival->message;
                if (!served_.contains(request.method())) {
                    continue;
                }
                const auto branch = request.branch();
                if (!answers_.contains(branch)) {
                    seen_.push_back({request.header("Authorization"),
                                     request.header("Proxy-Authorization"), request.header("CSeq"),
                                     request.header("Call-ID"), branch, request.requestUri()});
                    answers_[branch] = policy(request).toString();
                }
                proxy_.answer(*arrival, answers_[branch]);
            }
            return seen_.size() >= count;
        };
        ASSERT_TRUE(eventually(enough, Millis{30'000})) << seen_.size() << " came";
    }
    SipText asked(const SipText& request, const std::string& more, int status = 407) const
    {
        auto answer = request.answer(status, "Who Are You");
        answer.set(status == 407 ? "Proxy-Authenticate" : "WWW-Authenticate",
                   "Digest realm=\"proxy.example\", nonce=\"" + nonce_ + "\", " + more);
        return answer;
    }
    /// Whether the credentials are right for the nonce of now.
    bool isRight(const std::string& header, const SipText& request) const
    {
        const auto nc = parameterOf(header, "nc");
        const auto count = nc.empty() ? 0U : static_cast<unsigned>(std::stoul(nc, nullptr, 16));
        const auto expected =
            kUs.response({"proxy.example", nonce_, parameterOf(header, "cnonce")}, request, count);
        return parameterOf(header, "nonce") == nonce_ &&
               parameterOf(header, "response") == expected;
    }
    Policy askingFor(const std::string& more)
    {
        return [this, more](const SipText& request) {
            return isRight(request.header("Proxy-Authorization"), request)
                       ? request.answer(200, "OK")
                       : asked(request, more);
        };
    }

    // Talks to the plugin once there is one.
    SipSocket proxy_{SipServer{SipTransport::Udp, "127.0.0.1", 9}};
    std::unique_ptr<PluginHost> host_;
    std::unique_ptr<SipPhone> alice_;
    std::map<std::string, std::string> answers_;
    std::vector<Seen> seen_;
    std::string nonce_ = "nonce-1";
    std::set<std::string> served_{"MESSAGE"};  ///< methods
};

}  // namespace

TEST_F(ProxyLogin, answersTheChallengeAndUsesItsNonceAgain)
{
    begin();
    for (const auto* body : {"one", "two", "three"}) {
        write(body);
    }
    ASSERT_NO_FATAL_FAILURE(serve(4, askingFor("algorithm=SHA-256, qop=\"auth\"")));
    EXPECT_EQ(seen_[0].proxyAuthorization, "");
    EXPECT_EQ(parameterOf(seen_[1].proxyAuthorization, "nc"), "00000001");
    EXPECT_EQ(parameterOf(seen_[2].proxyAuthorization, "nc"), "00000002");
    EXPECT_EQ(parameterOf(seen_[3].proxyAuthorization, "nc"), "00000003");
    EXPECT_EQ(seen_[1].callId, seen_[0].callId);
    EXPECT_NE(seen_[1].cseq, seen_[0].cseq);
    EXPECT_NE(seen_[1].branch, seen_[0].branch);
}

TEST_F(ProxyLogin, answersTheChallengeToASubscriptionForRegistrations)
{
    auto wanted = settings();
    wanted.sip.regevent = wanted.sip.proxy.front();
    wanted.sip.retry = RetrySchedule::parse("0s,1h").value();
    begin(wanted);
    served_.insert("SUBSCRIBE");
    write("one");
    ASSERT_NO_FATAL_FAILURE(serve(3, [this](const SipText& request) {
        if (request.method() == "MESSAGE") {
            return request.answer(480, "Temporarily Unavailable");
        }
        if (!isRight(request.header("Proxy-Authorization"), request)) {
            return asked(request, "algorithm=SHA-256, qop=\"auth\"");
        }
        return request.answer(200, "OK").set("Expires", "3600");
    }));
    EXPECT_EQ(seen_[1].proxyAuthorization, "");
    EXPECT_EQ(seen_[1].cseq, "1 SUBSCRIBE");
    EXPECT_EQ(parameterOf(seen_[2].proxyAuthorization, "nc"), "00000001");
    EXPECT_EQ(seen_[2].cseq, "2 SUBSCRIBE");
    EXPECT_EQ(seen_[2].callId, seen_[1].callId);
}

TEST_F(ProxyLogin, givesItsCredentialsToNoOtherServerThatTellsOfRegistrations)
{
    SipSocket other{SipServer{SipTransport::Udp, "127.0.0.1", 9}};
    auto wanted = settings();
    wanted.sip.regevent = "sip:" + other.address();
    wanted.sip.retry = RetrySchedule::parse("0s,1h").value();
    begin(wanted);
    write("one");
    ASSERT_NO_FATAL_FAILURE(
        serve(1, [](const SipText& request) { return request.answer(480, "Later"); }));
    int subscribed = 0;
    ASSERT_TRUE(eventually(
        [&] {
            while (const auto arrival = other.receive(Millis{20})) {
                EXPECT_FALSE(arrival->message.has("Proxy-Authorization"));
                other.answer(*arrival, asked(arrival->message, "algorithm=MD5").toString());
                ++subscribed;
            }
            return subscribed >= 1;
        },
        Millis{30'000}));
}

TEST_F(ProxyLogin, takesANewNonceWhenTheOldOneIsStale)
{
    begin();
    write("one");
    ASSERT_NO_FATAL_FAILURE(serve(2, askingFor("algorithm=SHA-256, qop=\"auth\"")));
    nonce_ = "nonce-2";
    write("two");
    ASSERT_NO_FATAL_FAILURE(serve(4, askingFor("algorithm=SHA-256, qop=\"auth\", stale=true")));
    EXPECT_EQ(parameterOf(seen_[2].proxyAuthorization, "nonce"), "nonce-1");
    EXPECT_EQ(parameterOf(seen_[3].proxyAuthorization, "nonce"), "nonce-2");
}

TEST_F(ProxyLogin, givesUpWhenItsPasswordIsRefusedAndTriesAgainAtTheNextAttempt)
{
    begin();
    write("one");
    const auto never = [this](const SipText& request) {
        return asked(request, "algorithm=SHA-256, qop=\"auth\", stale=false");
    };
    ASSERT_NO_FATAL_FAILURE(serve(4, never));
    EXPECT_EQ(seen_[0].proxyAuthorization, "");
    EXPECT_NE(seen_[1].proxyAuthorization, "");
    EXPECT_NE(seen_[1].cseq, seen_[2].cseq);
    std::map<std::string, int> cseqs;
    for (const auto& one : seen_) {
        ++cseqs[one.cseq];
    }
    EXPECT_EQ(cseqs.size(), 4U) << "no two requests look like copies of one";
}

TEST_F(ProxyLogin, doesNotRunInCirclesWhenEveryNonceIsStale)
{
    auto once = settings();
    once.sip.retry = RetrySchedule::parse("0s,1h").value();
    begin(once);
    write("one");
    ASSERT_NO_FATAL_FAILURE(serve(3, [this](const SipText& request) {
        return asked(request, "algorithm=SHA-256, qop=\"auth\", stale=true");
    }));
    ASSERT_EQ(alice_->say("sip:carol@localhost", "two"), 202);
    ASSERT_NO_FATAL_FAILURE(
        serve(4, [](const SipText& request) { return request.answer(200, "OK"); }));
    EXPECT_EQ(seen_[2].uri, "sip:bob@localhost");
    EXPECT_EQ(seen_[3].uri, "sip:carol@localhost") << "no fourth request for bob came before";
}

TEST_F(ProxyLogin, answersAProxyAndAServerBehindIt)
{
    begin();
    write("one");
    const std::string more = "algorithm=SHA-256, qop=\"auth\"";
    ASSERT_NO_FATAL_FAILURE(serve(3, [&](const SipText& request) {
        if (!isRight(request.header("Proxy-Authorization"), request)) {
            return asked(request, more);
        }
        return isRight(request.header("Authorization"), request) ? request.answer(202, "Accepted")
                                                                 : asked(request, more, 401);
    }));
    EXPECT_NE(seen_[2].authorization, "");
    EXPECT_NE(seen_[2].proxyAuthorization, "");
}

TEST_F(ProxyLogin, tellsNothingToWhoeverNamesAnotherRealm)
{
    begin();
    write("one");
    ASSERT_NO_FATAL_FAILURE(serve(3, [](const SipText& request) {
        auto answer = request.answer(401, "Who Are You");
        answer.set("WWW-Authenticate", "Digest realm=\"evil.example\", nonce=\"n\", qop=\"auth\"");
        return answer;
    }));
    for (const auto& one : seen_) {
        EXPECT_EQ(one.authorization + one.proxyAuthorization, "");
    }
}

TEST_F(ProxyLogin, withoutAUserTakesTheChallengeForAnAnswer)
{
    auto none = settings();
    none.sip.proxyLogin = {};
    begin(none);
    write("one");
    ASSERT_NO_FATAL_FAILURE(serve(2, askingFor("algorithm=SHA-256, qop=\"auth\"")));
    for (const auto& one : seen_) {
        EXPECT_EQ(one.proxyAuthorization, "");
    }
}

TEST(DeviceLogin, isNotAnsweredWithTheProxysPassword)
{
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.sip.retry = RetrySchedule::parse("0s,200ms,200ms").value();
    settings.sip.proxyLogin = {kUs.user, kUs.password, {"localhost", "proxy.example"}, {}};
    PluginHost host(settings);
    SipPhone alice({"alice", "localhost", host.server()});
    SipPhone bob({"bob", "localhost", host.server()});
    bob.answerWith([](const SipText&) { return 401; });
    ASSERT_EQ(alice.say(bob.aor(), "hello"), 202);
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return bob.offered().size() >= 2; }));
    for (const auto& request : bob.offered()) {
        EXPECT_FALSE(request.has("Authorization"));
        EXPECT_FALSE(request.has("Proxy-Authorization"));
    }
}

}  // namespace restante::test
