#include "core/base/network.h"

#include <gtest/gtest.h>

namespace restante {
namespace {

Network network(std::string_view text)
{
    return Network::parse(text).value();
}

TEST(Network, containsWhatSharesItsPrefix)
{
    EXPECT_TRUE(network("10.0.0.0/8").contains("10.255.0.1"));
    EXPECT_FALSE(network("10.0.0.0/8").contains("11.0.0.1"));
    EXPECT_TRUE(network("192.0.2.128/25").contains("192.0.2.129"));
    EXPECT_FALSE(network("192.0.2.128/25").contains("192.0.2.127"));
    EXPECT_TRUE(network("fd00::/8").contains("fdff::1"));
    EXPECT_FALSE(network("fd00::/8").contains("fe00::1"));
    EXPECT_TRUE(network("0.0.0.0/0").contains("203.0.113.9"));
    EXPECT_FALSE(network("0.0.0.0/0").contains("2001:db8::1"));
}

TEST(Network, isOneAddressWithoutAPrefix)
{
    EXPECT_TRUE(network("::1").contains("::1"));
    EXPECT_FALSE(network("::1").contains("::2"));
    EXPECT_EQ(network("192.0.2.1").toString(), "192.0.2.1");
}

TEST(Network, takesAMappedAddressForTheIpv4AddressInIt)
{
    EXPECT_TRUE(network("10.0.0.0/8").contains("::ffff:10.1.2.3"));
}

TEST(Network, ofAllIpv6HasAllOfIpv4)
{
    EXPECT_TRUE(network("::/0").contains("203.0.113.9"));
    EXPECT_TRUE(network("::/0").covers(Network::allOfIpv4()));
    EXPECT_EQ(Network::allOfIpv4(), network("0.0.0.0/0"));
    EXPECT_FALSE(network("0.0.0.0/0").covers(network("::/0")));
    EXPECT_TRUE(network("10.0.0.0/8").covers(network("10.1.0.0/16")));
    EXPECT_FALSE(network("10.1.0.0/16").covers(network("10.0.0.0/8")));
    EXPECT_FALSE(network("10.0.0.0/8").covers(network("11.0.0.0/16")));
}

TEST(Network, isEverybodyWithAllOfIpv4OrAllThatIsPublicInIpv6)
{
    // The prefix of a mapped address is counted in 128 bits: of the third one nothing is left.
    for (const char* text : {"0.0.0.0/0", "::/0", "::ffff:10.0.0.0/8", "::/80", "::ffff:0:0/96",
                             "2000::/3", "2000::/2"}) {
        EXPECT_TRUE(network(text).isEverybody()) << text;
    }
    for (const char* text : {"10.0.0.0/8", "::ffff:10.0.0.0/104", "127.0.0.0/8", "::1", "fc00::/7",
                             "2001:db8::/32", "::/96", "0.0.0.0/8"}) {
        EXPECT_FALSE(network(text).isEverybody()) << text;
    }
}

TEST(Network, isCoveredByNetworksThatHaveAllOfItTogether)
{
    const auto coverOf = [](const Network& whole, std::vector<const char*> texts) {
        std::vector<Network> networks;
        for (const char* text : texts) {
            networks.push_back(network(text));
        }
        std::string found;
        for (const auto& part : whole.coverFrom(networks)) {
            found += part.toString() + " ";
        }
        return found;
    };
    const auto v4 = Network::allOfIpv4();
    EXPECT_EQ(coverOf(v4, {"128.0.0.0/1", "0.0.0.0/1"}), "0.0.0.0/1 128.0.0.0/1 ");
    EXPECT_EQ(coverOf(v4, {"0.0.0.0/2", "::1", "10.0.0.0/8", "128.0.0.0/1", "64.0.0.0/2"}),
              "0.0.0.0/2 64.0.0.0/2 128.0.0.0/1 ")
        << "what is not needed is left out";
    EXPECT_EQ(coverOf(v4, {"10.0.0.0/8", "::/0"}), "::/0 ");
    EXPECT_EQ(coverOf(v4, {}), "");
    EXPECT_EQ(coverOf(v4, {"0.0.0.0/1"}), "");
    EXPECT_EQ(coverOf(v4, {"0.0.0.0/1", "0.0.0.0/1"}), "");
    EXPECT_EQ(coverOf(v4, {"0.0.0.0/1", "128.0.0.0/2"}), "");
    EXPECT_EQ(coverOf(v4, {"2000::/4", "3000::/4"}), "");
    const auto v6 = Network::publicIpv6();
    EXPECT_EQ(coverOf(v6, {"2000::/4", "3000::/4", "0.0.0.0/1"}), "2000::/4 3000::/4 ");
    EXPECT_EQ(coverOf(v6, {"::/1", "8000::/1"}), "::/1 ");
    EXPECT_EQ(coverOf(v6, {"2000::/4", "0.0.0.0/0"}), "");
    EXPECT_EQ(coverOf(network("192.0.2.0/31"), {"192.0.2.0", "192.0.2.1"}), "192.0.2.0 192.0.2.1 ");
    EXPECT_EQ(coverOf(network("192.0.2.1"), {"192.0.2.0"}), "");
}

TEST(Network, containsNothingThatIsNoAddress)
{
    EXPECT_FALSE(network("0.0.0.0/0").contains("localhost"));
    EXPECT_FALSE(network("0.0.0.0/0").contains(""));
    EXPECT_FALSE(network("::/0").contains(std::string(100, '1')));
}

TEST(Network, dropsTheBitsBehindItsPrefix)
{
    EXPECT_EQ(network("10.1.2.3/8").toString(), "10.0.0.0/8");
    EXPECT_EQ(network("10.1.2.3/8"), network("10.0.0.0/8"));
    EXPECT_EQ(network("FD00:1::/16").toString(), "fd00::/16");
}

TEST(Network, refusesWhatIsNoNetwork)
{
    for (const char* text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129",
                             "10.0.0/8", "localhost", "10.0.0.0/8x"}) {
        EXPECT_FALSE(Network::parse(text)) << text;
    }
}

TEST(SocketAddress, readsBackWhatItPrints)
{
    for (const char* text : {"127.0.0.1:5060", "[::1]:0", "0.0.0.0:65535"}) {
        const auto address = SocketAddress::parse(text);
        ASSERT_TRUE(address) << text;
        EXPECT_EQ(address->toString(), text);
    }
}

TEST(SocketAddress, refusesNamesBarePortsAndUnbracketedIpv6)
{
    for (const char* text : {"", ":1", "localhost:1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                             "::1:5060", "[127.0.0.1]:1", "[::1]", "127.0.0.1:+1"}) {
        EXPECT_FALSE(SocketAddress::parse(text)) << text;
    }
}

TEST(SocketAddress, knowsLoopback)
{
    EXPECT_TRUE(SocketAddress::parse("127.9.9.9:1")->isLoopback());
    EXPECT_TRUE(SocketAddress::parse("[::1]:1")->isLoopback());
    EXPECT_FALSE(SocketAddress::parse("0.0.0.0:1")->isLoopback());
    EXPECT_FALSE(SocketAddress::parse("[::]:1")->isLoopback());
}

TEST(AnyAddress, isKnownInEverySpelling)
{
    for (const char* text : {"0.0.0.0", "::", "::0", "0::", "0:0:0:0:0:0:0:0", "::0.0.0.0"}) {
        EXPECT_TRUE(isAnyAddress(text)) << text;
    }
    for (const char* text : {"", "localhost", "127.0.0.1", "0.0.0.1", "::1", "1::"}) {
        EXPECT_FALSE(isAnyAddress(text)) << text;
    }
}

}  // namespace
}  // namespace restante
