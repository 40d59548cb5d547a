#include "sipplugin/inbound/sip_request_guard.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

ReceivedRequest from(Transport transport, std::string host, std::vector<std::string> names = {})
{
    ReceivedRequest request;
    request.transport = transport;
    request.sourceHost = std::move(host);
    request.certificateNames = std::move(names);
    return request;
}

struct Trusting {
    explicit Trusting(const std::string& text) : peers{TrustedPeer::parse(text).value()} {}
    bool include(const ReceivedRequest& request) const { return isFromOneOf(peers, request); }

    std::vector<TrustedPeer> peers;
};

}  // namespace

TEST(TrustedPeers, areKnownByTheirAddress)
{
    const Trusting peers("192.0.2.0/24");
    for (const auto transport : {Transport::Udp, Transport::Tcp, Transport::Tls}) {
        EXPECT_TRUE(peers.include(from(transport, "192.0.2.10")));
        EXPECT_FALSE(peers.include(from(transport, "192.0.3.10")));
    }
}

TEST(TrustedPeers, areKnownByTheirConnection)
{
    const Trusting peers("tcp:192.0.2.10");
    EXPECT_FALSE(peers.include(from(Transport::Udp, "192.0.2.10"))) << "whoever forges that";
    EXPECT_TRUE(peers.include(from(Transport::Tcp, "192.0.2.10")));
    EXPECT_TRUE(peers.include(from(Transport::Tls, "192.0.2.10")));
    EXPECT_FALSE(peers.include(from(Transport::Tcp, "192.0.2.11")));
    EXPECT_FALSE(Trusting("tls:192.0.2.10").include(from(Transport::Tcp, "192.0.2.10")));
    EXPECT_TRUE(Trusting("udp:192.0.2.10").include(from(Transport::Udp, "192.0.2.10")));
}

TEST(TrustedPeers, areKnownByTheirCertificate)
{
    const Trusting peers("tls:Proxy.example.org");
    EXPECT_TRUE(peers.include(
        from(Transport::Tls, "198.51.100.9", {"other.example.org", "proxy.example.org"})));
    EXPECT_TRUE(Trusting("tls:proxy.example.org.")
                    .include(from(Transport::Tls, "198.51.100.9", {"proxy.example.org"})));
    EXPECT_FALSE(peers.include(from(Transport::Tls, "198.51.100.9", {"example.org"})));
    EXPECT_FALSE(peers.include(from(Transport::Tls, "198.51.100.9")));
    EXPECT_FALSE(peers.include(from(Transport::Tcp, "198.51.100.9", {"proxy.example.org"})));
}

TEST(TrustedPeers, arePrintedAsTheyAreRead)
{
    for (const auto* text : {"10.0.0.0/8", "::1", "udp:192.0.2.1", "tcp:192.0.2.10", "tls:fd00::/8",
                             "tls:proxy.example.org"}) {
        EXPECT_EQ(TrustedPeer::parse(text)->toString(), text);
    }
    for (const auto* text : {"", "proxy.example.org", "tcp:proxy.example.org", "tls:", "tls:1.2.3",
                             "sctp:10.0.0.1", "tls:a b", "10.0.0.0/64"}) {
        EXPECT_FALSE(TrustedPeer::parse(text)) << text;
    }
}

}  // namespace restante::sip
