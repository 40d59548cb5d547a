#include "sipplugin/trace/trace_format.h"

#include <arpa/inet.h>
#include <chrono>

namespace restante::sip {

namespace {

/// Appends a number in network byte order.
template <class Number>
void addNumber(std::string& out, Number value)
{
    for (std::size_t left = sizeof value; left > 0; --left) {
        out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * (left - 1)));
    }
}

/// The 4 or 16 bytes of an address literal; those of 0.0.0.0 for anything else.
std::string addressBytes(const std::string& host)
{
    std::string bytes(sizeof(in6_addr), '\0');
    if (inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) {
        return bytes;
    }
    bytes.assign(sizeof(in_addr), '\0');
    inet_pton(AF_INET, host.c_str(), bytes.data());
    return bytes;
}

/// The same in 16 bytes, IPv4 as ::ffff:a.b.c.d.
std::string asIpv6(const std::string& bytes)
{
    return bytes.size() == sizeof(in6_addr) ? bytes : std::string(10, '\0') + "\xff\xff" + bytes;
}

constexpr std::uint8_t kIpv4 = 2;
constexpr std::uint8_t kIpv6 = 10;
constexpr std::uint8_t kSip = 1;
constexpr std::uint8_t kUdp = 17;
constexpr std::uint8_t kTcp = 6;

/// The generic vendor's chunks.
enum class Chunk : std::uint16_t {
    Family = 1,
    Protocol = 2,
    SourceIpv4 = 3,
    TargetIpv4 = 4,
    SourceIpv6 = 5,
    TargetIpv6 = 6,
    SourcePort = 7,
    TargetPort = 8,
    Seconds = 9,
    Microseconds = 10,
    Payload = 11,
    Agent = 12,
    Bytes = 15,
    Correlation = 17,
};

void addChunk(std::string& out, Chunk type, std::string_view value)
{
    constexpr std::size_t kHead = 6;
    addNumber<std::uint16_t>(out, 0);
    addNumber(out, static_cast<std::uint16_t>(type));
    addNumber(out, static_cast<std::uint16_t>(kHead + value.size()));
    out += value;
}

template <class Number>
void addNumberChunk(std::string& out, Chunk type, Number value)
{
    std::string bytes;
    addNumber(bytes, value);
    addChunk(out, type, bytes);
}

void addAddresses(std::string& out, const TracedMessage& message)
{
    const auto from = addressBytes(message.from.host);
    const auto to = addressBytes(message.to.host);
    const bool v6 = from.size() == 16 || to.size() == 16;
    addNumberChunk(out, Chunk::Family, v6 ? kIpv6 : kIpv4);
    addNumberChunk(out, Chunk::Protocol, message.from.transport == Transport::Udp ? kUdp : kTcp);
    addChunk(out, v6 ? Chunk::SourceIpv6 : Chunk::SourceIpv4, v6 ? asIpv6(from) : from);
    addChunk(out, v6 ? Chunk::TargetIpv6 : Chunk::TargetIpv4, v6 ? asIpv6(to) : to);
    addNumberChunk(out, Chunk::SourcePort, message.from.port);
    addNumberChunk(out, Chunk::TargetPort, message.to.port);
}

}  // namespace

std::string hepPacket(const TracedMessage& message, std::uint32_t agent)
{
    // The lengths of a chunk and of the packet have sixteen bits, and a datagram has fewer.
    constexpr std::size_t kMostBytes = 64'000;
    constexpr std::size_t kMostOfCallId = 512;
    std::string chunks;
    addAddresses(chunks, message);
    const auto since = message.at.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    addNumberChunk(chunks, Chunk::Seconds, static_cast<std::uint32_t>(seconds.count()));
    addNumberChunk(
        chunks, Chunk::Microseconds,
        static_cast<std::uint32_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(since - seconds).count()));
    addNumberChunk(chunks, Chunk::Payload, kSip);
    addNumberChunk(chunks, Chunk::Agent, agent);
    addChunk(chunks, Chunk::Correlation, message.callId.substr(0, kMostOfCallId));
    addChunk(chunks, Chunk::Bytes, message.bytes.substr(0, kMostBytes));
    std::string out{"HEP3"};
    addNumber(out, static_cast<std::uint16_t>(out.size() + sizeof(std::uint16_t) + chunks.size()));
    return out + chunks;
}

namespace {

constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;
constexpr std::uint32_t kRawIp = 101;
constexpr std::uint32_t kSnapLength = 65'535 + 40;
constexpr std::size_t kUdpHeader = 8;
constexpr std::size_t kIpv4Header = 20;
constexpr std::size_t kIpv6Header = 40;
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
