#include "sipplugin/outbound/delivery_route.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

Binding
binding(std::string contact, std::string source, std::string transport, std::string flow = {})
{
    Binding made;
    made.contact = std::move(contact);
    made.source = std::move(source);
    made.transport = std::move(transport);
    made.flow = std::move(flow);
    return made;
}

TEST(OwnerOfAFlow, isTheDaemonOfAConnectionAndTheSocketOfADatagram)
{
    EXPECT_EQ(flowOwnerOf("5f3a/17"), "5f3a");
    EXPECT_EQ(flowOwnerOf("udp:192.0.2.1:5060"), "udp:192.0.2.1:5060");
    EXPECT_EQ(flowOwnerOf("udp:0.0.0.0:5060@a#192.0.2.1"), "udp:0.0.0.0:5060@a");
    EXPECT_EQ(flowOwnerOf("udp:[::]:5060@a#2001:db8::1"), "udp:[::]:5060@a");
}

TEST(DeliveryRoute, goesToTheContactThatRegisteredItself)
{
    const auto route =
        routeToDevice(binding("sip:bob@10.0.0.2:5062", "10.0.0.2:5062", "udp")).value();
    EXPECT_EQ(route.requestUri, "sip:bob@10.0.0.2:5062");
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5062");
    EXPECT_FALSE(route.neverChangesToTcp);
}

TEST(DeliveryRoute, goesToTheContactThatAThirdPartyHasRegistered)
{
    const auto route =
        routeToDevice(binding("sip:bob@198.51.100.9", "198.51.100.4:41000", "udp")).value();
    EXPECT_EQ(route.nextHop, "sip:198.51.100.9:5060");
    EXPECT_FALSE(route.neverChangesToTcp);
}

TEST(DeliveryRoute, goesToTheContactOfAHostThatRegistersFromAnotherPort)
{
    auto registered = binding("sip:bob@10.0.0.2:5062", "10.0.0.2:41000", "udp");
    registered.behindNat = true;  // its Via was careless
    const auto route = routeToDevice(registered).value();
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5062");
    EXPECT_FALSE(route.neverChangesToTcp);
}

TEST(DeliveryRoute, isTheFlowOverUdpOfADeviceThatHasAskedForIt)
{
    auto registered =
        binding("sip:bob@10.0.0.2:5062", "10.0.0.2:41000", "udp", "udp:192.0.2.1:5060");
    registered.instance = "urn:uuid:1";
    registered.regId = "1";
    const auto route = routeToDevice(registered).value();
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:41000;transport=udp") << "RFC 5626";
    EXPECT_TRUE(route.neverChangesToTcp) << "nobody listens for TCP at that port";
    registered.source = "10.0.0.2:5062";
    EXPECT_FALSE(routeToDevice(registered)->neverChangesToTcp);
    registered.source = "10.0.0.2:41000";
    registered.flow.clear();  // a proxy has brought it
    EXPECT_EQ(routeToDevice(registered)->nextHop, "sip:10.0.0.2:5062");
}

TEST(DeliveryRoute, goesToWhereTheRegisterCameFromBehindANat)
{
    auto registered = binding("sip:bob@192.168.1.7", "198.51.100.4:41000", "udp");
    registered.behindNat = true;
    const auto route = routeToDevice(registered).value();
    EXPECT_EQ(route.requestUri, "sip:bob@192.168.1.7");
    EXPECT_EQ(route.nextHop, "sip:198.51.100.4:41000;transport=udp");
    EXPECT_TRUE(route.neverChangesToTcp);
}

TEST(DeliveryRoute, takesTheTransportWithoutCase)
{
    const auto hopTo = [](const char* contact) {
        return routeToDevice(binding(contact, "10.0.0.2:41000", "udp")).value().nextHop;
    };
    EXPECT_EQ(hopTo("sip:bob@10.0.0.2:5062;transport=TLS"), "sip:10.0.0.2:5062;transport=tls");
    EXPECT_EQ(hopTo("sip:bob@10.0.0.2:5062;Transport=Tcp"), "sip:10.0.0.2:5062;transport=tcp");
    EXPECT_EQ(hopTo("sip:bob@10.0.0.2:5062;transport=UDP"), "sip:10.0.0.2:5062");
}

TEST(DeliveryRoute, keepsATransportThatIsNotSpokenHere)
{
    const auto route =
        routeToDevice(binding("sip:bob@10.0.0.2:5062;transport=ws", "10.0.0.2:1", "udp")).value();
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5062;transport=ws") << "never in clear instead";
}

TEST(DeliveryRoute, prefersTheConnectionThatATcpDeviceHasOpened)
{
    const auto route = routeToDevice(binding("sip:bob@10.0.0.2:5062;transport=tcp",
                                             "10.0.0.2:41000", "tcp", "d/1"))
                           .value();
    EXPECT_EQ(route.flow, "d/1");
    EXPECT_FALSE(route.onlyByFlow) << "it listens at its contact";
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5062;transport=tcp");
}

TEST(DeliveryRoute, dialsNoDeviceThatOnlyItsOwnConnectionReaches)
{
    auto ephemeral =
        binding("sip:bob@10.0.0.2:41000;transport=tcp", "10.0.0.2:41000", "tcp", "d/1");
    EXPECT_TRUE(routeToDevice(ephemeral)->onlyByFlow) << "the far end of the connection";
    ephemeral.flow.clear();
    EXPECT_FALSE(routeToDevice(ephemeral)->onlyByFlow) << "no flow is known: the contact is tried";
    auto natted = binding("sip:bob@192.168.0.9:5060;transport=tcp", "10.0.0.2:41000", "tcp", "d/1");
    natted.behindNat = true;
    EXPECT_TRUE(routeToDevice(natted)->onlyByFlow);
    auto outbound = binding("sip:bob@10.0.0.2:5062;transport=tcp", "10.0.0.2:41000", "tcp", "d/1");
    outbound.regId = "1";
    EXPECT_TRUE(routeToDevice(outbound)->onlyByFlow) << "RFC 5626";
    EXPECT_FALSE(routeToDevice(
                     binding("sip:bob@10.0.0.2:5062", "10.0.0.2:5062", "udp", "udp:127.0.0.1:5060"))
                     ->onlyByFlow);
}

TEST(DeliveryRoute, prefersTheConnectionThatATlsDeviceHasOpened)
{
    const auto route = routeToDevice(binding("sip:bob@10.0.0.2:5062;transport=tls",
                                             "10.0.0.2:41000", "tls", "d/1"))
                           .value();
    EXPECT_EQ(route.flow, "d/1");
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5062;transport=tls");
}

TEST(DeliveryRoute, reachesASipsContactNeverInTheClear)
{
    const auto route = routeToDevice(binding("sips:bob@phone.example.org;transport=tcp",
                                             "10.0.0.2:5060", "udp", "d/1"))
                           .value();
    EXPECT_EQ(route.nextHop, "sip:phone.example.org;transport=tls");
    EXPECT_TRUE(route.flow.empty());
}

TEST(DeliveryRoute, servesAContactThatNamesAnotherTransportAtTheContact)
{
    const auto route =
        routeToDevice(binding("sip:bob@10.0.0.2;transport=tcp", "10.0.0.2:5060", "udp", "d/1"))
            .value();
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5060;transport=tcp");
    EXPECT_TRUE(route.flow.empty());
}

TEST(DeliveryRoute, keepsTheBracketsOfIpv6)
{
    const auto route =
        routeToDevice(binding("sip:bob@[2001:db8::7]", "[2001:db8::7]:5060", "udp")).value();
    EXPECT_EQ(route.nextHop, "sip:[2001:db8::7]:5060");
    EXPECT_FALSE(route.neverChangesToTcp);
}

TEST(DeliveryRoute, followsThePathInItsOrder)
{
    auto registered = binding("sip:bob@10.0.0.2", "192.0.2.1:5060", "udp");
    registered.path = {"<sip:edge.example.com;lr>", "<sip:core.example.com;lr>"};
    const auto route = routeToDevice(registered).value();
    EXPECT_EQ(route.nextHop, "sip:edge.example.com;lr");
    EXPECT_EQ(route.routeSet, registered.path);
    EXPECT_EQ(route.requestUri, "sip:bob@10.0.0.2");
}

TEST(DeliveryRoute, dropsTheHeadersOfAContact)
{
    const auto route =
        routeToDevice(binding("sip:bob@10.0.0.2?Subject=x", "10.0.0.2:5060", "udp")).value();
    EXPECT_EQ(route.requestUri, "sip:bob@10.0.0.2");
}

TEST(DeliveryRoute, refusesAContactThatIsNoSipUri)
{
    EXPECT_FALSE(routeToDevice(binding("mailto:bob@example.com", "10.0.0.2:5060", "udp")));
}

TEST(RouteToDeviceThroughProxy, asksTheServerForThatContact)
{
    Binding binding;
    binding.contact = "sip:bob@192.0.2.1:5062;transport=tcp?Subject=x";
    binding.source = "10.0.0.1:5060";
    binding.transport = "udp";
    binding.behindNat = true;
    const auto route = routeToDeviceThroughProxy(binding, {"sip:10.0.0.1"});
    ASSERT_TRUE(route);
    EXPECT_EQ(route->requestUri, "sip:bob@192.0.2.1:5062;transport=tcp");
    EXPECT_EQ(route->nextHop, "sip:10.0.0.1");
    EXPECT_EQ(route->flow, "");
    EXPECT_FALSE(route->neverChangesToTcp);
    binding.contact = "tel:+4917012";
    EXPECT_FALSE(routeToDeviceThroughProxy(binding, {"sip:10.0.0.1"}));
}

TEST(DeliveryRoute, goesThroughTheProxyWithoutAPreloadedRoute)
{
    const auto route = routeThroughProxy("sip:bob@example.com",
                                         {"sip:10.0.0.1:5060;transport=tcp", "sip:10.0.0.2"});
    EXPECT_EQ(route.requestUri, "sip:bob@example.com");
    EXPECT_EQ(route.nextHop, "sip:10.0.0.1:5060;transport=tcp");
    EXPECT_EQ(route.otherHops, std::vector<std::string>{"sip:10.0.0.2"});
    EXPECT_TRUE(route.routeSet.empty());
}

}  // namespace
}  // namespace restante::sip
