#include "sipplugin/trace/message_tracer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace restante::sip {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::uint32_t nativeAt(const std::string& text, std::size_t at)
{
    std::uint32_t value = 0;
    std::memcpy(&value, text.data() + at, sizeof value);
    return value;
}

std::uint32_t shortAt(const std::string& text, std::size_t at)
{
    return (static_cast<std::uint8_t>(text.at(at)) * 256U) +
           static_cast<std::uint8_t>(text.at(at + 1));
}

TracedMessage tracedMessage(const char* from, const char* to, std::string_view bytes)
{
    using namespace std::chrono_literals;
    return {std::chrono::system_clock::time_point{7s + 5us},
            {Transport::Udp, from, 5070},
            {Transport::Udp, to, 5060},
            bytes,
            "a@b"};
}

constexpr std::size_t kRecordHeader = 16;

TEST(PcapRecord, hasAnIpv4HeaderWhoseChecksumIsRight)
{
    const auto record = pcapRecord(tracedMessage("192.0.2.1", "192.0.2.2", "hello"));
    EXPECT_EQ(nativeAt(record, 0), 7U);
    EXPECT_EQ(nativeAt(record, 4), 5'000U);
    ASSERT_EQ(nativeAt(record, 8), record.size() - kRecordHeader);
    const auto packet = record.substr(kRecordHeader);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < 20; i += 2) {
        sum += shortAt(packet, i);
    }
    EXPECT_EQ((sum & 0xffffU) + (sum >> 16U), 0xffffU);  // RFC 1071: all of it, checksum included
    EXPECT_EQ(packet.substr(12, 8), std::string("\xc0\0\x02\x01\xc0\0\x02\x02", 8));
    EXPECT_EQ(shortAt(packet, 20), 5070U);
    EXPECT_EQ(shortAt(packet, 22), 5060U);
    EXPECT_EQ(shortAt(packet, 24), 8U + 5U);
    EXPECT_EQ(packet.substr(28), "hello");
}

TEST(PcapRecord, hasAnIpv6HeaderWhenOneEndIsIpv6)
{
    const auto packet =
        pcapRecord(tracedMessage("192.0.2.1", "2001:db8::2", "hi")).substr(kRecordHeader);
    EXPECT_EQ(packet.at(0), 0x60);
    EXPECT_EQ(shortAt(packet, 4), 8U + 2U);
    EXPECT_EQ(packet.substr(8, 16),
              std::string(10, '\0') + "\xff\xff\xc0" + std::string(1, '\0') + "\x02\x01");
    EXPECT_EQ(packet.substr(24, 2), "\x20\x01");
    EXPECT_EQ(packet.substr(48), "hi");
}

TEST(PcapRecord, isCutAtWhatADatagramHoldsAndSaysSo)
{
    const std::string large(100'000, 'x');
    const auto record = pcapRecord(tracedMessage("192.0.2.1", "192.0.2.2", large));
    EXPECT_EQ(nativeAt(record, 8), 65'535U);
    EXPECT_EQ(nativeAt(record, 12), 28U + large.size());
    EXPECT_EQ(shortAt(record, kRecordHeader + 2), 65'535U);
}

TEST(HepPacket, fitsADatagramWhateverIsTraced)
{
    const std::string large(100'000, 'x');
    auto one = tracedMessage("2001:db8::1", "2001:db8::2", large);
    one.callId = large;
    const auto packet = hepPacket(one, 1);
    EXPECT_LE(packet.size(), 65'507U);
    EXPECT_EQ(shortAt(packet, 4), packet.size());
}

TEST(TraceSettings, areLeftAloneWhenNobodyIsAskedForOrEverybodyIsTraced)
{
    const TraceSettings some{"pcap:/t", {"sip:a@a"}, 1, "pcap:/spare"};
    const TraceSettings everybody{"pcap:/t", {}, 1, "pcap:/spare"};
    EXPECT_EQ(withRequested(some, {}), some);
    EXPECT_EQ(withRequested(everybody, {"sip:b@b"}), everybody);
}

TEST(TraceSettings, takeWhoIsAskedForBesides)
{
    const auto both = withRequested({"pcap:/t", {"sip:a@a"}, 1, "pcap:/spare"}, {"sip:b@b"});
    EXPECT_EQ(both.to, "pcap:/t");
    EXPECT_THAT(both.only, ElementsAre("sip:a@a", "sip:b@b"));
}

TEST(TraceSettings, takeOnlyWhoIsAskedForWhileTheyAreOff)
{
    const auto asked = withRequested({"", {"sip:a@a"}, 1, "pcap:/spare"}, {"sip:b@b"});
    EXPECT_EQ(asked.to, "pcap:/spare");
    EXPECT_THAT(asked.only, ElementsAre("sip:b@b"));
    EXPECT_THAT(withRequested({"", {}, 1, "pcap:/spare"}, {}).to, IsEmpty());
}

}  // namespace
}  // namespace restante::sip
