#include "core/base/connection_ledger.h"

#include <gtest/gtest.h>

#include <string>

namespace restante {
namespace {

const std::string kOwn = "127.0.0.1";

std::string peer(int lastByte)
{
    return "192.0.2." + std::to_string(lastByte);
}

TEST(ConnectionLedger, refusesTheNewestOfAnAddressThatHasTooMany)
{
    ConnectionLedger ledger({100, 2});
    EXPECT_FALSE(ledger.admit(peer(1)));
    EXPECT_FALSE(ledger.admit(peer(1)));
    EXPECT_EQ(ledger.admit(peer(1)), ConnectionLedger::Refusal::TooManyPerAddress);
    EXPECT_EQ(ledger.size(), 2U);
}

TEST(ConnectionLedger, givesAPlaceBackWhenAConnectionHasGone)
{
    ConnectionLedger ledger({100, 1});
    EXPECT_FALSE(ledger.admit(peer(1)));
    ledger.release(peer(1));
    EXPECT_FALSE(ledger.admit(peer(1)));
    EXPECT_TRUE(ledger.admit(peer(1)));
    EXPECT_EQ(ledger.size(), 1U);
}

TEST(ConnectionLedger, countsOtherAddressesAndThisMachineApart)
{
    ConnectionLedger ledger({100, 1});
    for (const auto& one : {peer(1), peer(2), kOwn, kOwn, std::string("::1"), std::string("::1")}) {
        EXPECT_FALSE(ledger.admit(one));
    }
}

TEST(ConnectionLedger, countsANetworkOf64BitsAsOneAddressOfIpv6)
{
    const auto of = [](int network, int last) {
        return "2001:db8:0:" + std::to_string(network) + "::" + std::to_string(last);
    };
    ConnectionLedger ledger({100, 1});
    EXPECT_FALSE(ledger.admit(of(1, 1)));
    EXPECT_TRUE(ledger.admit(of(1, 2)));
    EXPECT_FALSE(ledger.admit(of(2, 1)));
}

TEST(ConnectionLedger, refusesWhatIsTooMuchInAll)
{
    ConnectionLedger ledger({2, 100});
    EXPECT_FALSE(ledger.admit(kOwn));
    EXPECT_FALSE(ledger.admit(peer(2)));
    EXPECT_EQ(ledger.admit(kOwn), ConnectionLedger::Refusal::TooManyInTotal);
    ledger.release(kOwn);
    EXPECT_FALSE(ledger.admit(kOwn));
}

}  // namespace
}  // namespace restante
