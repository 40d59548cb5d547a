#include "sipplugin/inbound/message_receiver.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/message/network.h"
#include "sipplugin/message/transport_address.h"
#include "tests/support/manual_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::sip {
namespace {

Result<std::vector<Network>> networksOf(const std::vector<std::string>& texts)
{
    std::vector<Network> networks;
    for (const auto& text : texts) {
        const auto network = Network::parse(text);
        if (!network) {
            return tl::unexpected(network.error());
        }
        networks.push_back(*network);
    }
    return networks;
}

TEST(Networks, containWhatTheirPrefixCovers)
{
    const auto networks = networksOf({"10.0.0.0/9", "192.0.2.7", "2001:db8::/33", "::1"});
    ASSERT_TRUE(networks) << networks.error().message;
    EXPECT_TRUE(anyContains(*networks, "10.127.255.255"));
    EXPECT_FALSE(anyContains(*networks, "10.128.0.0"));
    EXPECT_TRUE(anyContains(*networks, "192.0.2.7"));
    EXPECT_TRUE(anyContains(*networks, "::ffff:192.0.2.7"));
    EXPECT_FALSE(anyContains(*networks, "192.0.2.8"));
    EXPECT_TRUE(anyContains(*networks, "2001:db8:7fff::1"));
    EXPECT_FALSE(anyContains(*networks, "2001:db8:8000::1"));
    EXPECT_FALSE(anyContains(*networks, "no address"));
}

TEST(Networks, ofNoPrefixLengthAreEveryAddressOfTheFamily)
{
    const auto networks = networksOf({"0.0.0.0/0"});
    ASSERT_TRUE(networks) << networks.error().message;
    EXPECT_TRUE(anyContains(*networks, "203.0.113.1"));
    EXPECT_FALSE(anyContains(*networks, "2001:db8::1"));
}

TEST(Networks, nameTheTextThatIsNone)
{
    for (const std::string text : {"10.0.0.0/33", "::/129", "host", "10.0.0.0/", "10.0.0.0/x"}) {
        const auto networks = networksOf({"127.0.0.1", text});
        ASSERT_FALSE(networks) << text;
        EXPECT_THAT(networks.error().message, ::testing::HasSubstr(text));
    }
}

TEST(TransportAddress, isPrintedWithBracketsAroundIPv6)
{
    EXPECT_EQ((TransportAddress{Transport::Tcp, "::1", 5070}.toString()), "tcp:[::1]:5070");
}

TEST(LocalDomains, areTheConfiguredOnesTheSocketsAndLocalhost)
{
    const LocalDomains domains{
        {"Example.COM"},
        {{Transport::Udp, "192.0.2.1", 5060}, {Transport::Udp, "2001:db8::1", 5060}}};
    EXPECT_TRUE(domains.contains("example.com"));
    EXPECT_TRUE(domains.contains("localhost"));
    EXPECT_TRUE(domains.contains("192.0.2.1"));
    EXPECT_TRUE(domains.contains("[2001:db8::1]"));
    EXPECT_FALSE(domains.contains("example.org"));
    EXPECT_FALSE(domains.contains("127.0.0.1"));
}

TEST(LocalDomains, ofEverySocketAreAllAddressesOfTheMachine)
{
    const LocalDomains domains{{}, {{Transport::Udp, "0.0.0.0", 5060}}};
    EXPECT_TRUE(domains.contains("127.0.0.1"));
}

TEST(SenderRateLimiter, holdsEachSenderToItsRate)
{
    test::ManualClock clock;
    SenderRateLimiter pace{clock, 2};
    EXPECT_TRUE(pace.tryAcquire("alice"));
    EXPECT_TRUE(pace.tryAcquire("alice"));
    EXPECT_FALSE(pace.tryAcquire("alice"));
    EXPECT_TRUE(pace.tryAcquire("bob"));
    clock.advance(Millis{500});
    EXPECT_TRUE(pace.tryAcquire("alice"));
    EXPECT_FALSE(pace.tryAcquire("alice"));
}

TEST(SenderRateLimiter, ofZeroIsNone)
{
    test::ManualClock clock;
    SenderRateLimiter pace{clock, 0};
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(pace.tryAcquire("alice"));
    }
}

}  // namespace
}  // namespace restante::sip
