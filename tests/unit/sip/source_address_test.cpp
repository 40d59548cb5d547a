#include "sipplugin/message/received_request.h"
#include "sipplugin/message/socket_name.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string>

namespace restante::sip {
namespace {

bool isBehindNatWith(const std::string& sentBy, const std::string& host, std::uint16_t port)
{
    ReceivedRequest request;
    const auto via = "SIP/2.0/UDP " + sentBy + ";branch=z9hG4bK1";
    request.headers = {{"Via", via}};
    request.sourceHost = host;
    request.sourcePort = port;
    return isBehindNat(request);
}

TEST(SourceAddress, isThatOfTheViaHoweverItIsWritten)
{
    for (const auto* sentBy :
         {"[2001:db8::7]:5070", "[2001:DB8:0:0:0:0:0:7]:5070", "[2001:0db8::0007] : 5070"}) {
        EXPECT_FALSE(isBehindNatWith(sentBy, "2001:db8::7", 5070)) << sentBy;
        EXPECT_TRUE(isBehindNatWith(sentBy, "2001:db8::7", 5071)) << sentBy;
        EXPECT_TRUE(isBehindNatWith(sentBy, "2001:db8::8", 5070)) << sentBy;
    }
    EXPECT_FALSE(isBehindNatWith("[2001:DB8::7]", "2001:db8::7", 5060));
    EXPECT_FALSE(isBehindNatWith("192.0.2.7:5070", "192.0.2.7", 5070));
    EXPECT_FALSE(isBehindNatWith("192.0.2.7", "192.0.2.7", 5060));
    EXPECT_TRUE(isBehindNatWith("192.0.2.7", "192.0.2.7", 5070));
    EXPECT_TRUE(isBehindNatWith("192.168.1.7:5070", "192.0.2.7", 5070));
}

TEST(SourceAddress, isNotThatOfAViaThatCannotBeRead)
{
    for (const auto* sentBy : {"", "[", "[]", ":", "[2001:db8::7", "[2001:db8::7]5070"}) {
        EXPECT_TRUE(isBehindNatWith(sentBy, "2001:db8::7", 5070)) << sentBy;
    }
    EXPECT_TRUE(isBehindNatWith("[2001:db8::7", "2001:db8::7", 5060));
    ReceivedRequest none;
    none.sourceHost = "192.0.2.7";
    EXPECT_TRUE(isBehindNat(none));
}

TEST(SocketName, keepsTheLinkOfALocalAddressWithAnotherPort)
{
    SocketName name = socketNameOf("fe80::1", 5070);
    reinterpret_cast<sockaddr_in6*>(&name.storage)->sin6_scope_id = 3;
    const auto other = withPort(name, 5080);
    EXPECT_EQ(reinterpret_cast<const sockaddr_in6*>(&other.storage)->sin6_scope_id, 3U);
    EXPECT_EQ(addressOf(other, Transport::Udp).toString(), "udp:[fe80::1]:5080");
    EXPECT_EQ(other.length, name.length);
    EXPECT_EQ(addressOf(withPort(socketNameOf("192.0.2.7", 1), 5080), Transport::Udp).toString(),
              "udp:192.0.2.7:5080");
}

TEST(CanonicalHost, isOneTextForOneAddress)
{
    EXPECT_EQ(canonicalHost("2001:DB8:0::1"), "2001:db8::1");
    EXPECT_EQ(canonicalHost("192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(canonicalHost("example.com"), "example.com");
    EXPECT_EQ(canonicalHost(""), "");
}

}  // namespace
}  // namespace restante::sip
