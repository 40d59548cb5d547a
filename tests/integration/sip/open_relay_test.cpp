// Whatever a request says, Restante delivers to users of its own domains only, and to them nothing
// that tells of the network which the message came through.

#include "core/job/job.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "tests/integration/sip/plugin_host.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using ::testing::Not;

const std::vector<std::string> kForbidden{"Route",
                                          "Record-Route",
                                          "Path",
                                          "Service-Route",
                                          "Contact",
                                          "Authorization",
                                          "Proxy-Authorization",
                                          "Proxy-Require-Not",
                                          "Proxy-Authenticate",
                                          "WWW-Authenticate",
                                          "P-Charging-Vector",
                                          "P-Charging-Function-Addresses",
                                          "P-Access-Network-Info",
                                          "P-Visited-Network-ID",
                                          "P-Preferred-Identity",
                                          "P-Served-User",
                                          "History-Info",
                                          "Diversion",
                                          "X-Internal-Route",
                                          "X-Debug"};

/// Alice and Bob at a plugin; Eve has a SIP server of her own, which nobody may be sent to.
class OpenRelay : public ::testing::Test {
protected:
    static PluginHost::Settings settings()
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        settings.sip.domain = {"ours.example"};
        return settings;
    }
    SipPhone phone(const std::string& user)
    {
        return SipPhone({user, "ours.example", host_.server()});
    }
    SipText messageTo(const std::string& requestUri)
    {
        auto message = alice_.message(bob_.aor(), "hello");
        message.startLine = "MESSAGE " + requestUri + " SIP/2.0";
        return message;
    }
    std::size_t stored()
    {
        std::size_t count = 0;
        host_.onThread([&](auto&, auto& inspector, auto done) {
            inspector.list({}, [&count, done](const Result<JobPage>& page) {
                count = page.value().jobs.size();
                done();
            });
        });
        return count;
    }
    /// Bob has all that was sent, and Eve has had nothing.
    void expectBobAlone(std::size_t messages)
    {
        ASSERT_EQ(bob_.registerFor(60s).status, 200);
        ASSERT_TRUE(bob_.receive(messages));
        eve_.work(Millis{0});
        EXPECT_TRUE(eve_.offered().empty());
    }
    std::string eve() { return eve_.socket().address(); }

    PluginHost host_{settings()};
    SipPhone alice_ = phone("alice");
    SipPhone bob_ = phone("bob");
    SipPhone eve_ = phone("eve");
};

}  // namespace

TEST_F(OpenRelay, refusesADomainThatIsNotOurs)
{
    for (const auto& uri :
         {"sip:bob@evil.example", "sip:bob@ours.example.evil.example", "sip:bob@xours.example",
          "sip:ours.example@evil.example", "sips:bob@evil.example", "sip:bob%40ours.example@evil",
          "sip:bob@evil.example;maddr=127.0.0.1", "sip:bob@[2001:db8::1]", "sip:bob@127.0.0.99"}) {
        EXPECT_EQ(alice_.ask(messageTo(uri)).status, 404) << uri;
    }
    for (const auto& uri :
         {"tel:+12125550100", "mailto:bob@ours.example", "http://ours.example/"}) {
        EXPECT_EQ(alice_.ask(messageTo(uri)).status, 416) << uri;
    }
    EXPECT_EQ(alice_.ask(messageTo("sip:bob@ours.example@" + eve())).status / 100, 4);
    EXPECT_EQ(stored(), 0U);
}

TEST_F(OpenRelay, goesNowhereThatAParameterOfTheRequestUriNames)
{
    const auto host = eve().substr(0, eve().find(':'));
    const std::vector<std::string> uris{
        "sip:bob@ours.example;maddr=" + host, "sip:bob@ours.example;maddr=" + eve() + ";lr",
        "sip:bob@ours.example;transport=tcp;received=" + eve(),
        "sip:bob@ours.example:" + eve().substr(eve().find(':') + 1),
        "sip:bob@ours.example?Route=%3Csip:" + eve() + ";lr%3E&Contact=%3Csip:" + eve() + "%3E"};
    for (const auto& uri : uris) {
        EXPECT_EQ(alice_.ask(messageTo(uri)).status, 202) << uri;
    }
    expectBobAlone(uris.size());
    for (const auto& message : bob_.received()) {
        EXPECT_EQ("<" + message.requestUri() + ">", bob_.contact());
        EXPECT_FALSE(message.has("Route"));
    }
}

TEST_F(OpenRelay, followsNoRouteOfTheSender)
{
    for (const auto* name : {"Route", "Path", "Record-Route", "Service-Route", "Contact"}) {
        auto message = messageTo(bob_.aor());
        message.set(name, "<sip:" + eve() + ";lr>");
        EXPECT_EQ(alice_.ask(message).status, 202) << name;
    }
    expectBobAlone(5);
}

TEST_F(OpenRelay, deliversToTheRequestUriWhateverToSays)
{
    auto message = messageTo(bob_.aor());
    message.set("To", "<sip:eve@" + eve() + ">");
    EXPECT_EQ(alice_.ask(message).status, 202);
    expectBobAlone(1);
}

TEST_F(OpenRelay, relaysNothingTransientEither)
{
    auto message = messageTo("sip:eve@evil.example;maddr=" + eve());
    message.set("Expires", "0");
    EXPECT_EQ(alice_.ask(message).status, 404);
    auto routed = messageTo("sip:bob@ours.example;maddr=" + eve());
    routed.set("Expires", "0");
    routed.set("Route", "<sip:" + eve() + ";lr>");
    EXPECT_EQ(alice_.ask(routed).status, 480) << "bob has no device";
    eve_.work(Millis{0});
    EXPECT_TRUE(eve_.offered().empty());
}

TEST_F(OpenRelay, registersNobodyOfAnotherDomain)
{
    auto request = alice_.registration(60s);
    request.set("To", "<sip:alice@evil.example>");
    EXPECT_EQ(alice_.ask(request).status, 404);
}

TEST_F(OpenRelay, tellsADeviceNothingOfTheWayThatAMessageTook)
{
    auto message = messageTo(bob_.aor());
    message.headers.emplace_back("Via", "SIP/2.0/UDP inner.ours.example;branch=z9hG4bKinner");
    for (const auto& name : kForbidden) {
        const bool isDigest = name.find("Authori") != std::string::npos ||
                              name.find("Authenticate") != std::string::npos;
        message.headers.emplace_back(name, isDigest ? "Digest realm=\"secret.ours.example\""
                                                    : "<sip:secret.ours.example>");
    }
    message.set("Subject", "lunch");
    ASSERT_EQ(alice_.ask(message).status, 202);
    ASSERT_EQ(bob_.registerFor(60s).status, 200);
    ASSERT_TRUE(bob_.receive(1));

    const auto& received = bob_.received().front();
    EXPECT_EQ(received.header("Subject"), "lunch");
    EXPECT_EQ(received.all("Via").size(), 1U) << "ours alone";
    for (const auto& name : kForbidden) {
        EXPECT_FALSE(received.has(name)) << name;
    }
    for (const auto& [name, value] : received.headers) {
        EXPECT_THAT(value, Not(::testing::HasSubstr("secret.ours.example"))) << name;
        EXPECT_THAT(value, Not(::testing::HasSubstr("inner.ours.example"))) << name;
    }
}

TEST_F(OpenRelay, keepsThatPromiseForJobsThatWerePushed)
{
    Job job;
    job.topic = "sip";
    job.channel = Channel::Sip;
    job.recipient = bob_.aor();
    job.contentType = "text/plain";
    job.body = "by HTTP";
    for (const auto& name : kForbidden) {
        if (!name.starts_with("X-") && !isSenderHeader(name)) {
            job.headers.emplace_back(name, "<sip:secret.ours.example>");
        }
    }
    const auto isStored = [&](const Job& pushed) {
        bool stored = false;
        host_.onThread([&](auto& queue, auto&, auto done) {
            PushOptions order;
            order.job = pushed;
            queue.push(std::move(order), [&stored, done](const auto& outcome) {
                stored = outcome.has_value();
                done();
            });
        });
        return stored;
    };
    // Whoever pushes may not say who has sent it.
    for (const auto* name : {"From", "P-Asserted-Identity", "Identity"}) {
        auto forged = job;
        forged.headers.emplace_back(name, "<sip:secret.ours.example>");
        EXPECT_FALSE(isStored(forged)) << name;
    }
    ASSERT_TRUE(isStored(job));
    ASSERT_NO_FATAL_FAILURE(expectBobAlone(1));
    for (const auto& name : kForbidden) {
        EXPECT_FALSE(bob_.received().front().has(name)) << name;
    }
}

}  // namespace restante::test
