#include "sipplugin/connection_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Reason = ConnectionLedger::Reason;
using Sighting = ConnectionLedger::Sighting;

PeerAddress peer(std::uint8_t lastByte, std::uint16_t port)
{
    PeerAddress address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, lastByte}, port};
    return address;
}

PeerAddress own(std::uint16_t port)
{
    return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1}, port};
}

TEST(ConnectionLedger, cutsTheNewestOfAnAddressThatHasTooMany)
{
    ConnectionLedger ledger({100, 2, 30s});
    EXPECT_THAT(ledger.admit({{5, peer(1, 1000), 0}, {6, peer(1, 1001), 0}}), IsEmpty());
    // The new one has got a lower descriptor than those that stay.
    const auto cut =
        ledger.admit({{4, peer(1, 1002), 0}, {5, peer(1, 1000), 0}, {6, peer(1, 1001), 0}});
    ASSERT_THAT(cut, SizeIs(1));
    EXPECT_EQ(cut.front().fd, 4);
    EXPECT_EQ(cut.front().reason, Reason::TooManyOfItsAddress);
}

TEST(ConnectionLedger, givesAPlaceBackWhenAConnectionHasGone)
{
    ConnectionLedger ledger({100, 1, 30s});
    EXPECT_THAT(ledger.admit({{5, peer(1, 1000), 0}}), IsEmpty());
    EXPECT_THAT(ledger.admit({{5, peer(1, 1001), 0}}), IsEmpty());
    EXPECT_EQ(ledger.size(), 1U);
}

TEST(ConnectionLedger, countsOtherAddressesAndThisMachineApart)
{
    ConnectionLedger ledger({100, 1, 30s});
    EXPECT_THAT(
        ledger.admit({{1, peer(1, 1), 0}, {2, peer(2, 1), 0}, {3, own(1), 0}, {4, own(2), 0}}),
        IsEmpty());
}

TEST(ConnectionLedger, countsANetworkOf64BitsAsOneAddressOfIpv6)
{
    const auto of = [](std::uint8_t network, std::uint8_t last) {
        return PeerAddress{{0x20, 1, 0xd, 0xb8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, last}, 5060};
    };
    ConnectionLedger ledger({100, 1, 30s});
    const auto cut = ledger.admit({{1, of(1, 1), 0}, {2, of(1, 2), 0}, {3, of(2, 1), 0}});
    ASSERT_THAT(cut, SizeIs(1));
    EXPECT_EQ(cut.front().fd, 2);
}

TEST(ConnectionLedger, cutsWhatIsTooMuchInAll)
{
    ConnectionLedger ledger({2, 100, 30s});
    const auto cut = ledger.admit({{1, own(1), 0}, {2, peer(2, 1), 0}, {3, own(3), 0}});
    ASSERT_THAT(cut, SizeIs(1));
    EXPECT_EQ(cut.front().reason, Reason::TooManyInAll);
}

class Flow : public ::testing::Test {
protected:
    /// After one more window, in which `bytes` have come.
    std::size_t cutAfterWindow(std::uint64_t bytes)
    {
        now_ += ConnectionLedger::kWindow;
        bytes_ += bytes;
        const std::vector<Sighting> seen{{7, peer(1, 1), bytes_}};
        ledger_.admit(seen);
        return ledger_.judge(seen, now_).size();
    }

    ConnectionLedger ledger_{{100, 100, 30s}};
    ConnectionLedger::Instant now_{1h};
    std::uint64_t bytes_ = 0;
};

TEST_F(Flow, isCutWhenAMessageDripsForTooLong)
{
    int windows = 0;
    while (cutAfterWindow(1) == 0) {
        ASSERT_LT(++windows, 20);
    }
    EXPECT_GE(windows * ConnectionLedger::kWindow, 30s);
}

TEST_F(Flow, isLeftAloneWhileMessagesEnd)
{
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(cutAfterWindow(100'000), 0U);
        ledger_.completed(peer(1, 1), now_);
    }
}

TEST_F(Flow, isLeftAloneWhenItIsAKeepAliveNowAndThen)
{
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(cutAfterWindow(i % 2 == 0 ? 4 : 0), 0U);
    }
}

}  // namespace
}  // namespace restante::sip
