#include "sipplugin/trace/hep_format.h"

#include "sipplugin/trace/network_bytes.h"

#include <chrono>

namespace restante::sip {

namespace {

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

}  // namespace restante::sip
