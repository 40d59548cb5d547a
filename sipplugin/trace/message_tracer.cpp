#include "sipplugin/trace/message_tracer.h"

#include "core/base/file_descriptor.h"
#include "core/base/log.h"
#include "core/base/network.h"
#include "core/base/try.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/socket_name.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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
std::string packedAddress(const std::string& host)
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

/// Chunk types of HEP3, vendor 0.
enum class Chunk : std::uint16_t {
    IpFamily = 1,
    IpProtocol = 2,
    SourceIpv4 = 3,
    TargetIpv4 = 4,
    SourceIpv6 = 5,
    TargetIpv6 = 6,
    SourcePort = 7,
    TargetPort = 8,
    Seconds = 9,
    Microseconds = 10,
    ProtocolType = 11,
    Agent = 12,
    Payload = 15,
    Correlation = 17,
};

void addChunk(std::string& out, Chunk type, std::string_view value)
{
    constexpr std::size_t kChunkHeaderBytes = 6;
    addNumber<std::uint16_t>(out, 0);
    addNumber(out, static_cast<std::uint16_t>(type));
    addNumber(out, static_cast<std::uint16_t>(kChunkHeaderBytes + value.size()));
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
    const auto from = packedAddress(message.from.host);
    const auto to = packedAddress(message.to.host);
    const bool v6 = from.size() == 16 || to.size() == 16;
    addNumberChunk(out, Chunk::IpFamily, v6 ? kIpv6 : kIpv4);
    addNumberChunk(out, Chunk::IpProtocol, message.from.transport == Transport::Udp ? kUdp : kTcp);
    addChunk(out, v6 ? Chunk::SourceIpv6 : Chunk::SourceIpv4, v6 ? asIpv6(from) : from);
    addChunk(out, v6 ? Chunk::TargetIpv6 : Chunk::TargetIpv4, v6 ? asIpv6(to) : to);
    addNumberChunk(out, Chunk::SourcePort, message.from.port);
    addNumberChunk(out, Chunk::TargetPort, message.to.port);
}

constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;
constexpr std::uint32_t kRawIp = 101;
constexpr std::uint32_t kSnapLength = 65'535 + 40;
constexpr std::size_t kUdpHeader = 8;
constexpr std::size_t kIpv4Header = 20;
/// An IPv4 packet has a length of sixteen bits.
constexpr std::size_t kLargestUdpPayload = 65'535 - kIpv4Header - kUdpHeader;

/// The bytes of `values` in host byte order, as pcap has them.
template <std::size_t N>
std::string hostOrderBytes(const std::array<std::uint32_t, N>& values)
{
    return {reinterpret_cast<const char*>(values.data()), sizeof values};
}

/// The message's time in whole seconds, and the fraction in `Unit`.
template <class Unit>
std::pair<std::uint32_t, std::uint32_t> timeOf(const TracedMessage& message)
{
    const auto sinceEpoch = message.time.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(sinceEpoch);
    return {
        static_cast<std::uint32_t>(seconds.count()),
        static_cast<std::uint32_t>(std::chrono::duration_cast<Unit>(sinceEpoch - seconds).count())};
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

std::string ipHeader(const std::string& from, const std::string& to, std::size_t payloadBytes)
{
    std::string header;
    if (from.size() == 16 || to.size() == 16) {
        addNumber<std::uint32_t>(header, 0x60000000);
        addNumber<std::uint16_t>(header, static_cast<std::uint16_t>(payloadBytes));
        addNumber<std::uint8_t>(header, kUdp);
        addNumber<std::uint8_t>(header, 64);
        return header + asIpv6(from) + asIpv6(to);
    }
    addNumber<std::uint16_t>(header, 0x4500);
    addNumber<std::uint16_t>(header, static_cast<std::uint16_t>(kIpv4Header + payloadBytes));
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

constexpr std::string_view kPcapScheme = "pcap:";
constexpr std::string_view kHepScheme = "hep:udp:";

tl::unexpected<Error> writeError(const std::string& to, int reason)
{
    return failure(ErrorCode::Unavailable, "cannot write sip.trace = \"{}\": {}", to,
                   std::strerror(reason));
}

}  // namespace

std::string hepPacket(const TracedMessage& message, std::uint32_t agent)
{
    // The lengths of a chunk and of the packet have sixteen bits, and a datagram is shorter still.
    constexpr std::size_t kMostOfMessage = 64'000;
    constexpr std::size_t kMostOfCallId = 512;
    std::string chunks;
    addAddresses(chunks, message);
    const auto [seconds, microseconds] = timeOf<std::chrono::microseconds>(message);
    addNumberChunk(chunks, Chunk::Seconds, seconds);
    addNumberChunk(chunks, Chunk::Microseconds, microseconds);
    addNumberChunk(chunks, Chunk::ProtocolType, kSip);
    addNumberChunk(chunks, Chunk::Agent, agent);
    addChunk(chunks, Chunk::Correlation, message.callId.substr(0, kMostOfCallId));
    addChunk(chunks, Chunk::Payload, message.bytes.substr(0, kMostOfMessage));
    std::string out{"HEP3"};
    addNumber(out, static_cast<std::uint16_t>(out.size() + sizeof(std::uint16_t) + chunks.size()));
    return out + chunks;
}

std::string pcapHeader()
{
    constexpr auto kVersion = std::bit_cast<std::uint32_t>(std::array<std::uint16_t, 2>{2, 4});
    return hostOrderBytes<6>({kNanosecondMagic, kVersion, 0, 0, kSnapLength, kRawIp});
}

std::string pcapRecord(const TracedMessage& message)
{
    const auto bytes = message.bytes.substr(0, kLargestUdpPayload);
    std::string packet = ipHeader(packedAddress(message.from.host), packedAddress(message.to.host),
                                  kUdpHeader + bytes.size());
    addNumber(packet, message.from.port);
    addNumber(packet, message.to.port);
    addNumber(packet, static_cast<std::uint16_t>(kUdpHeader + bytes.size()));
    addNumber<std::uint16_t>(packet, 0);  // no checksum
    packet += bytes;

    const auto [seconds, nanoseconds] = timeOf<std::chrono::nanoseconds>(message);
    const auto size = static_cast<std::uint32_t>(packet.size());
    const auto cutBytes = static_cast<std::uint32_t>(message.bytes.size() - bytes.size());
    return hostOrderBytes<4>({seconds, nanoseconds, size, size + cutBytes}) + packet;
}

TraceSettings withRequested(TraceSettings settings, const std::vector<std::string>& requested)
{
    const bool tracesEverybody = !settings.to.empty() && settings.only.empty();
    if (requested.empty() || tracesEverybody) {
        return settings;
    }
    if (settings.to.empty()) {
        settings.to = settings.onDemandTarget;
        settings.only.clear();
    }
    settings.only.insert(settings.only.end(), requested.begin(), requested.end());
    return settings;
}

namespace {

class PcapFile {
public:
    PcapFile(std::string path, std::uint64_t maxBytes) : path_(std::move(path)), maxBytes_(maxBytes)
    {
    }

    /// Continues the file of an earlier run. Returns 0 or errno; after an error no file is open.
    int open()
    {
        FileDescriptor file{::open(
            path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
            S_IRUSR | S_IWUSR)};
        struct stat status {};
        if (!file || ::fstat(file.get(), &status) != 0) {
            return errno;
        }
        // It holds message bodies, which only the owner may read.
        ::fchmod(file.get(), S_IRUSR | S_IWUSR);
        file_ = std::move(file);
        size_ = static_cast<std::uint64_t>(status.st_size);
        const int error = size_ == 0 ? append(pcapHeader()) : 0;
        if (error != 0) {
            file_.close();  // records without a header could not be read
        }
        return error;
    }

    int write(const TracedMessage& message)
    {
        const auto record = pcapRecord(message);
        if (file_ && size_ + record.size() > maxBytes_) {
            // A file that cannot be renamed is not written beyond its limit; one that somebody has
            // moved away is done.
            if (::rename(path_.c_str(), (path_ + ".1").c_str()) != 0 && errno != ENOENT) {
                return errno;
            }
            file_.close();
        }
        // Tried again with each message: the cause of the failure may pass.
        if (const int error = file_ ? 0 : open(); error != 0) {
            return error;
        }
        return append(record);
    }

private:
    int append(const std::string& bytes)
    {
        const auto written = ::write(file_.get(), bytes.data(), bytes.size());
        if (written == static_cast<ssize_t>(bytes.size())) {
            size_ += bytes.size();
            return 0;
        }
        const int error = written < 0 ? errno : ENOSPC;
        if (written > 0) {
            // A partial record would make the following ones unreadable.
            [[maybe_unused]] const int cut = ::ftruncate(file_.get(), static_cast<off_t>(size_));
        }
        return error;
    }

    std::string path_;
    std::uint64_t maxBytes_;
    std::uint64_t size_ = 0;
    FileDescriptor file_;
};

Result<MessageTracer::Writer> openTrace(const TraceSettings& settings)
{
    const std::string_view to = settings.to;
    if (to.starts_with(kPcapScheme)) {
        if (settings.to == settings.onDemandTarget) {
            // The directory of this default target may not exist yet.
            std::error_code ignored;
            const std::filesystem::path file{to.substr(kPcapScheme.size())};
            std::filesystem::create_directories(file.parent_path(), ignored);
        }
        const auto file = std::make_shared<PcapFile>(std::string{to.substr(kPcapScheme.size())},
                                                     std::uint64_t{settings.megabytes} * 1'000'000);
        if (const int error = file->open(); error != 0) {
            return writeError(settings.to, error);
        }
        return [file](const TracedMessage& message) { return file->write(message); };
    }
    const auto address = SocketAddress::parse(to.substr(std::min(to.size(), kHepScheme.size())));
    if (!to.starts_with(kHepScheme) || !address) {
        return invalid("sip.trace = \"{}\" is not allowed; write pcap:/path/to/file or "
                       "hep:udp:ADDRESS:PORT",
                       settings.to);
    }
    const auto name = socketNameOf(address->host, address->port);
    const auto socket = std::make_shared<const FileDescriptor>(
        ::socket(name.family(), SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!*socket || ::connect(socket->get(), name.raw(), name.length) != 0) {
        return writeError(settings.to, errno);
    }
    return [socket](const TracedMessage& message) {
        const auto packet = hepPacket(message, static_cast<std::uint32_t>(::getpid()));
        const auto sent = ::send(socket->get(), packet.data(), packet.size(), MSG_NOSIGNAL);
        return sent < 0 ? errno : 0;
    };
}

}  // namespace

Result<std::unique_ptr<MessageTracer>> MessageTracer::open(const TraceSettings& settings)
{
    if (settings.to.empty()) {
        return std::unique_ptr<MessageTracer>{};
    }
    auto write = TRY(openTrace(settings));
    std::set<std::string> only;
    for (const auto& address : settings.only) {
        const auto aor = canonicalAor(address);
        if (!aor) {
            return invalid("sip.trace_only: " + aor.error().message);
        }
        only.insert(*aor);
    }
    return std::unique_ptr<MessageTracer>(new MessageTracer(std::move(write), std::move(only)));
}

bool MessageTracer::wants(std::string_view from, std::string_view to) const
{
    if (only_.empty()) {
        return true;
    }
    for (const auto uri : {from, to}) {
        if (const auto aor = canonicalAor(uri); aor && only_.contains(*aor)) {
            return true;
        }
    }
    return false;
}

void MessageTracer::trace(const TracedMessage& message)
{
    const std::lock_guard lock(mutex_);
    const int error = write_(message);
    const auto now = std::chrono::steady_clock::now();
    if (error != 0 && now >= nextWarningTime_) {
        nextWarningTime_ = now + std::chrono::seconds{1};
        log::warning("trace", "messages are missing in the trace: {}", std::strerror(error));
    }
}

}  // namespace restante::sip
