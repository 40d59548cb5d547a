#include "sipplugin/delivery_route.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

Binding binding(std::string contact, std::string source, std::string transport)
{
    Binding made;
    made.contact = std::move(contact);
    made.source = std::move(source);
    made.transport = std::move(transport);
    return made;
}

TEST(DeliveryRoute, goesToTheContactThatRegisteredItself)
{
    const auto route =
        routeToDevice(binding("sip:bob@10.0.0.2:5062", "10.0.0.2:5062", "udp")).value();
    EXPECT_EQ(route.requestUri, "sip:bob@10.0.0.2:5062");
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5062");
    EXPECT_FALSE(route.behindNat);
}

TEST(DeliveryRoute, goesToTheContactThatAThirdPartyHasRegistered)
{
    const auto route =
        routeToDevice(binding("sip:bob@198.51.100.9", "198.51.100.4:41000", "udp")).value();
    EXPECT_EQ(route.nextHop, "sip:198.51.100.9:5060");
    EXPECT_FALSE(route.behindNat);
}

TEST(DeliveryRoute, goesToTheContactOfAHostThatRegistersFromAnotherPort)
{
    auto registered = binding("sip:bob@10.0.0.2:5062", "10.0.0.2:41000", "udp");
    registered.behindNat = true;  // its Via was careless
    const auto route = routeToDevice(registered).value();
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5062");
    EXPECT_FALSE(route.behindNat);
}

TEST(DeliveryRoute, goesToWhereTheRegisterCameFromBehindANat)
{
    auto registered = binding("sip:bob@192.168.1.7", "198.51.100.4:41000", "udp");
    registered.behindNat = true;
    const auto route = routeToDevice(registered).value();
    EXPECT_EQ(route.requestUri, "sip:bob@192.168.1.7");
    EXPECT_EQ(route.nextHop, "sip:198.51.100.4:41000;transport=udp");
    EXPECT_TRUE(route.behindNat);
}

TEST(DeliveryRoute, prefersTheConnectionThatATcpDeviceHasOpened)
{
    const auto route =
        routeToDevice(binding("sip:bob@10.0.0.2:5062;transport=tcp", "10.0.0.2:41000", "tcp"))
            .value();
    EXPECT_EQ(route.connection, "10.0.0.2:41000");
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5062;transport=tcp");
}

TEST(DeliveryRoute, prefersTheConnectionThatATlsDeviceHasOpened)
{
    const auto route =
        routeToDevice(binding("sip:bob@10.0.0.2:5062;transport=tls", "10.0.0.2:41000", "tls"))
            .value();
    EXPECT_EQ(route.connection, "10.0.0.2:41000");
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5062;transport=tls");
}

TEST(DeliveryRoute, reachesASipsContactNeverInTheClear)
{
    const auto route =
        routeToDevice(binding("sips:bob@phone.example.org;transport=tcp", "10.0.0.2:5060", "udp"))
            .value();
    EXPECT_EQ(route.nextHop, "sip:phone.example.org;transport=tls");
    EXPECT_TRUE(route.connection.empty());
}

TEST(DeliveryRoute, servesAContactThatNamesAnotherTransportAtTheContact)
{
    const auto route =
        routeToDevice(binding("sip:bob@10.0.0.2;transport=tcp", "10.0.0.2:5060", "udp")).value();
    EXPECT_EQ(route.nextHop, "sip:10.0.0.2:5060;transport=tcp");
    EXPECT_TRUE(route.connection.empty());
}

TEST(DeliveryRoute, keepsTheBracketsOfIpv6)
{
    const auto route =
        routeToDevice(binding("sip:bob@[2001:db8::7]", "[2001:db8::7]:5060", "udp")).value();
    EXPECT_EQ(route.nextHop, "sip:[2001:db8::7]:5060");
    EXPECT_FALSE(route.behindNat);
}

TEST(DeliveryRoute, followsThePathInItsOrder)
{
    auto registered = binding("sip:bob@10.0.0.2", "192.0.2.1:5060", "udp");
    registered.path = {"<sip:edge.example.com;lr>", "<sip:core.example.com;lr>"};
    const auto route = routeToDevice(registered).value();
    EXPECT_EQ(route.nextHop, "sip:edge.example.com;lr");
    EXPECT_EQ(route.routes, registered.path);
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
    const auto route = routeToDeviceThroughProxy(binding, "sip:10.0.0.1");
    ASSERT_TRUE(route);
    EXPECT_EQ(route->requestUri, "sip:bob@192.0.2.1:5062;transport=tcp");
    EXPECT_EQ(route->nextHop, "sip:10.0.0.1");
    EXPECT_EQ(route->connection, "");
    EXPECT_FALSE(route->behindNat);
    binding.contact = "tel:+4917012";
    EXPECT_FALSE(routeToDeviceThroughProxy(binding, "sip:10.0.0.1"));
}

TEST(DeliveryRoute, goesThroughTheProxyWithoutAPreloadedRoute)
{
    const auto route = routeThroughProxy("sip:bob@example.com", "sip:10.0.0.1:5060;transport=tcp");
    EXPECT_EQ(route.requestUri, "sip:bob@example.com");
    EXPECT_EQ(route.nextHop, "sip:10.0.0.1:5060;transport=tcp");
    EXPECT_TRUE(route.routes.empty());
}

}  // namespace
}  // namespace restante::sip
