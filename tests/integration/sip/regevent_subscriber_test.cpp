// The server that tells of registrations: where it is asked to send its NOTIFYs, and what these
// lead to.

#include "core/queue/delay_queue.h"
#include "tests/integration/sip/plugin_host.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/logged.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace restante::test {
namespace {

constexpr auto kWatched = "sip:bob@localhost";

/// With a proxy that is not there.
PluginHost::Settings watching(const SipSocket& registrar, const redis::RedisUrl& redis)
{
    auto settings = PluginHost::settings();
    settings.redis = redis;
    settings.sip.proxy = {fmt::format("sip:127.0.0.1:{}", freePort())};
    settings.sip.regevent = "sip:" + registrar.address();
    settings.sip.retry = RetrySchedule::parse("0s,1h").value();
    return settings;
}

/// The next request of that method; with an empty one, the next answer.
std::optional<SipSocket::Arrival> nextOf(const std::string& method, SipSocket& registrar)
{
    std::optional<SipSocket::Arrival> arrival;
    const bool has = eventually([&] {
        arrival = registrar.receive(Millis{20});
        return arrival && arrival->message.method() == method;
    });
    return has ? arrival : std::nullopt;
}

/// One that says that they are registered.
SipText
notifyIn(const SipSocket& registrar, const SipText& subscribe, const SipText& answer, int number)
{
    SipText notify;
    notify.startLine = "NOTIFY sip:restante@" + registrar.server().hostPort() + " SIP/2.0";
    notify.headers = {{"Via", registrar.via("z9hG4bK" + uniqueToken())},
                      {"Max-Forwards", "70"},
                      {"From", answer.header("To")},
                      {"To", subscribe.header("From")},
                      {"Call-ID", subscribe.header("Call-ID")},
                      {"CSeq", fmt::format("{} NOTIFY", number)},
                      {"Contact", "<sip:" + registrar.address() + ">"},
                      {"Event", "reg"},
                      {"Subscription-State", "active;expires=600"},
                      {"Content-Type", "application/reginfo+xml"}};
    notify.body = fmt::format("<reginfo><registration aor=\"{}\" state=\"active\">"
                              "<contact state=\"active\"/></registration></reginfo>",
                              kWatched);
    return notify;
}

TEST(RegEventSubscriber, tellsANamedServerTheAddressThatLeadsToIt)
{
    SipSocket registrar{SipServer{SipTransport::Udp, "127.0.0.1", 9}};
    const auto port = registrar.address().substr(registrar.address().rfind(':') + 1);
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.sip.listen = {{true, true, {"0.0.0.0", 0}}};
    settings.sip.proxy = {fmt::format("sip:127.0.0.1:{}", freePort())};  // nobody is there
    settings.sip.regevent = "sip:localhost:" + port;
    settings.sip.retry = RetrySchedule::parse("0s,1h").value();
    const PluginHost host(settings);
    const SipServer us{SipTransport::Udp, "127.0.0.1", host.server().port};
    registrar.moveTo(us);
    SipPhone alice({"alice", "localhost", us});
    ASSERT_EQ(alice.say("sip:bob@localhost", "hello"), 202);

    std::optional<SipSocket::Arrival> asked;
    ASSERT_TRUE(eventually([&] { return (asked = registrar.receive(Millis{20})).has_value(); },
                           Millis{30'000}));
    EXPECT_EQ(asked->message.method(), "SUBSCRIBE");
    EXPECT_EQ(asked->message.header("Contact"),
              fmt::format("<sip:restante@127.0.0.1:{}>", us.port));
    registrar.answer(*asked, asked->message.answer(200, "OK").set("Expires", "3600").toString());
}

TEST(RegEventSubscriber, complainsOnceASecondOfMailboxesThatCannotBeReleased)
{
    RedisServer redis;
    SipSocket registrar{SipServer{SipTransport::Udp, "127.0.0.1", 9}};
    PluginHost host(watching(registrar, redis.url()));
    registrar.moveTo(host.server());
    SipPhone alice({"alice", "localhost", host.server()});
    ASSERT_EQ(alice.say(kWatched, "hello"), 202);
    const auto asked = nextOf("SUBSCRIBE", registrar);
    ASSERT_TRUE(asked);
    const auto answer = asked->message.answer(200, "OK").set("Expires", "3600");
    registrar.answer(*asked, answer.toString());

    redis.kill9();
    constexpr int kNotifies = 50;
    int accepted = 0;
    const auto begun = std::chrono::steady_clock::now();
    const auto lines = loggedBy([&] {
        for (int number = 1; number <= kNotifies; ++number) {
            registrar.send(notifyIn(registrar, asked->message, answer, number).toString());
            const auto answered = nextOf("", registrar);
            accepted += answered && answered->message.status() == 200 ? 1 : 0;
        }
        // Answered after the releases before it.
        host.onThread([](auto& queue, auto& /*inspector*/, auto done) {
            queue.store().releaseMailbox(kWatched, [done](const auto& /*released*/) { done(); });
        });
    });
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);

    EXPECT_EQ(accepted, kNotifies);
    int complaints = 0;
    for (auto at = lines.find("not released"); at != std::string::npos;
         at = lines.find("not released", at + 1)) {
        ++complaints;
    }
    EXPECT_GE(complaints, 1) << lines;
    EXPECT_LE(complaints, seconds.count() + 2) << lines;
}

}  // namespace
}  // namespace restante::test
