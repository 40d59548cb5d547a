// Where the server that tells of registrations is asked to send its NOTIFYs.

#include "tests/integration/sip/plugin_host.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <optional>
#include <string>

namespace restante::test {
namespace {

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

}  // namespace
}  // namespace restante::test
