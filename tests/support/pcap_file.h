#pragma once

#include "tests/support/eventually.h"
#include "tests/support/file_content.h"
#include "tests/support/process.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

/// A small reader of the pcap files that sip.trace writes, independent of the writer.
namespace restante::test {

/// One packet of a pcap file.
struct Packet {
    std::uint16_t from = 0;
    std::uint16_t to = 0;
    std::string source;  ///< "127.0.0.1"
    std::string bytes;
};

inline std::uint16_t shortAt(const std::string& text, std::size_t at)
{
    return static_cast<std::uint16_t>((static_cast<std::uint8_t>(text[at]) << 8U) |
                                      static_cast<std::uint8_t>(text[at + 1]));
}

inline std::uint32_t nativeAt(const std::string& text, std::size_t at)
{
    std::uint32_t value = 0;
    std::memcpy(&value, text.data() + at, sizeof value);
    return value;
}

inline std::string formatIpv4(const std::string& bytes)
{
    std::string text;
    for (const char byte : bytes) {
        text += (text.empty() ? "" : ".") + std::to_string(static_cast<std::uint8_t>(byte));
    }
    return text;
}

/// The packets of a file, which must be IPv4.
inline std::vector<Packet> packetsOf(const std::filesystem::path& file)
{
    const auto text = contentOf(file);
    std::vector<Packet> packets;
    constexpr std::size_t kFileHeader = 24;
    constexpr std::size_t kRecordHeader = 16;
    constexpr std::size_t kIpAndUdp = 28;
    for (std::size_t at = kFileHeader; at + kRecordHeader <= text.size();) {
        const auto size = nativeAt(text, at + 8);
        const auto packet = text.substr(at + kRecordHeader, size);
        EXPECT_EQ(packet.at(0), 0x45);
        EXPECT_EQ(shortAt(packet, 2), size);
        packets.push_back({shortAt(packet, 20), shortAt(packet, 22),
                           formatIpv4(packet.substr(12, 4)), packet.substr(kIpAndUdp)});
        at += kRecordHeader + size;
    }
    return packets;
}

/// Waits, because an answer is written to the file only after it was sent.
inline bool waitForPackets(const std::filesystem::path& file, std::size_t count)
{
    return eventually([&] { return packetsOf(file).size() >= count; }, kProcessTimeout);
}

inline std::vector<std::string> textsOf(const std::vector<Packet>& packets)
{
    std::vector<std::string> texts;
    for (const auto& packet : packets) {
        texts.push_back(packet.bytes);
    }
    return texts;
}

}  // namespace restante::test
