#include "sipplugin/trace/pcap_format.h"

#include "sipplugin/trace/network_bytes.h"

#include <algorithm>
#include <chrono>

namespace restante::sip {

namespace {

constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;
constexpr std::uint32_t kRawIp = 101;
constexpr std::uint32_t kSnapLength = 65'535 + 40;
constexpr std::size_t kUdpHeader = 8;
constexpr std::size_t kIpv4Header = 20;
constexpr std::size_t kIpv6Header = 40;
constexpr std::uint8_t kUdp = 17;
/// An IPv4 packet has a length of sixteen bits.
constexpr std::size_t kMostBytes = 65'535 - kIpv4Header - kUdpHeader;

/// pcap is written in the order of the machine that writes it.
void addNative(std::string& out, std::uint32_t value)
{
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// RFC 1071, over a header of whole words.
std::uint16_t checksumOf(std::string_view header)
{
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i + 1 < header.size(); i += 2) {
        sum +=
            (static_cast<std::uint8_t>(header[i]) << 8U) | static_cast<std::uint8_t>(header[i + 1]);
    }
    while (sum > 0xffff) {
        sum = (sum & 0xffff) + (sum >> 16U);
    }
    return static_cast<std::uint16_t>(~sum);
}

std::string ipHeader(const std::string& from, const std::string& to, std::size_t payload)
{
    std::string header;
    if (from.size() == 16 || to.size() == 16) {
        addNumber<std::uint32_t>(header, 0x60000000);
        addNumber<std::uint16_t>(header, static_cast<std::uint16_t>(payload));
        addNumber<std::uint8_t>(header, kUdp);
        addNumber<std::uint8_t>(header, 64);
        return header + asIpv6(from) + asIpv6(to);
    }
    addNumber<std::uint16_t>(header, 0x4500);
    addNumber<std::uint16_t>(header, static_cast<std::uint16_t>(kIpv4Header + payload));
    addNumber<std::uint32_t>(header, 0x00004000);  // don't fragment
    addNumber<std::uint8_t>(header, 64);
    addNumber<std::uint8_t>(header, kUdp);
    addNumber<std::uint16_t>(header, 0);
    header += from + to;
    const auto sum = checksumOf(header);
    header[10] = static_cast<char>(sum >> 8U);
    header[11] = static_cast<char>(sum & 0xffU);
    return header;
}

}  // namespace

std::string pcapHeader()
{
    std::string out;
    addNative(out, kNanosecondMagic);
    const std::uint16_t version[2] = {2, 4};
    out.append(reinterpret_cast<const char*>(version), sizeof version);
    addNative(out, 0);
    addNative(out, 0);
    addNative(out, kSnapLength);
    addNative(out, kRawIp);
    return out;
}

std::string pcapRecord(const TracedMessage& message)
{
    const auto bytes = message.bytes.substr(0, kMostBytes);
    std::string packet = ipHeader(addressBytes(message.from.host), addressBytes(message.to.host),
                                  kUdpHeader + bytes.size());
    addNumber(packet, message.from.port);
    addNumber(packet, message.to.port);
    addNumber(packet, static_cast<std::uint16_t>(kUdpHeader + bytes.size()));
    addNumber<std::uint16_t>(packet, 0);  // no checksum
    packet += bytes;

    const auto since = message.at.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    std::string out;
    addNative(out, static_cast<std::uint32_t>(seconds.count()));
    addNative(out,
              static_cast<std::uint32_t>(
                  std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds).count()));
    addNative(out, static_cast<std::uint32_t>(packet.size()));
    addNative(out, static_cast<std::uint32_t>(packet.size() + message.bytes.size() - bytes.size()));
    return out + packet;
}

}  // namespace restante::sip
