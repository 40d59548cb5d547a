#include "sipplugin/transport/connection_ledger.h"

#include <gtest/gtest.h>

#include <string>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;
using Refusal = ConnectionLedger::Refusal;

SocketName peer(int lastByte, std::uint16_t port)
{
    return socketNameOf("192.0.2." + std::to_string(lastByte), port);
}

SocketName own(std::uint16_t port)
{
    return socketNameOf("127.0.0.1", port);
}

TEST(ConnectionLedger, refusesTheNewestOfAnAddressThatHasTooMany)
{
    ConnectionLedger ledger({100, 2, 30s});
    EXPECT_FALSE(ledger.admit(peer(1, 1000)));
    EXPECT_FALSE(ledger.admit(peer(1, 1001)));
    EXPECT_EQ(ledger.admit(peer(1, 1002)), Refusal::TooManyPerAddress);
    EXPECT_EQ(ledger.size(), 2U);
}

TEST(ConnectionLedger, givesAPlaceBackWhenAConnectionHasGone)
{
    ConnectionLedger ledger({100, 1, 30s});
    EXPECT_FALSE(ledger.admit(peer(1, 1000)));
    ledger.release(peer(1, 1000));
    EXPECT_FALSE(ledger.admit(peer(1, 1001)));
    EXPECT_TRUE(ledger.admit(peer(1, 1002)));
    EXPECT_EQ(ledger.size(), 1U);
}

TEST(ConnectionLedger, countsOtherAddressesAndThisMachineApart)
{
    ConnectionLedger ledger({100, 1, 30s});
    for (const auto& one :
         {peer(1, 1), peer(2, 1), own(1), own(2), socketNameOf("::1", 1), socketNameOf("::1", 2)}) {
        EXPECT_FALSE(ledger.admit(one));
    }
}

TEST(ConnectionLedger, countsANetworkOf64BitsAsOneAddressOfIpv6)
{
    const auto of = [](int network, int last) {
        return socketNameOf("2001:db8:0:" + std::to_string(network) + "::" + std::to_string(last),
                            5060);
    };
    ConnectionLedger ledger({100, 1, 30s});
    EXPECT_FALSE(ledger.admit(of(1, 1)));
    EXPECT_TRUE(ledger.admit(of(1, 2)));
    EXPECT_FALSE(ledger.admit(of(2, 1)));
}

TEST(ConnectionLedger, refusesWhatIsTooMuchInAll)
{
    ConnectionLedger ledger({2, 100, 30s});
    EXPECT_FALSE(ledger.admit(own(1)));
    EXPECT_FALSE(ledger.admit(peer(2, 1)));
    EXPECT_EQ(ledger.admit(own(3)), Refusal::TooManyInTotal);
    ledger.release(own(1));
    EXPECT_FALSE(ledger.admit(own(3)));
}

}  // namespace
}  // namespace restante::sip
