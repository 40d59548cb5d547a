#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "sipplugin/message/transport_address.h"

#include <functional>
#include <memory>
#include <mutex>
#include <set>

namespace restante::sip {

/// One SIP message as it was sent or received, for a trace. *Value* that borrows.
struct TracedMessage {
    std::chrono::system_clock::time_point time;
    TransportAddress from;  ///< the transport of both ends is that of `from`
    TransportAddress to;
    std::string_view bytes;
    std::string_view callId;  ///< correlates messages in Homer
};

/// A HEP version 3 packet for Homer; `agent` is the id of the capturing process. *Pure function.*
std::string hepPacket(const TracedMessage& message, std::uint32_t agent);

/// The header of a pcap file with nanoseconds and raw IP packets (LINKTYPE_RAW). *Pure function.*
std::string pcapHeader();

/// One message as a record with made-up IP and UDP headers, also when it was sent over TCP or TLS,
/// so that every reader shows it whole and decrypted; cut to the size of a datagram. *Pure
/// function.*
std::string pcapRecord(const TracedMessage& message);

/// `sip.trace*`. *Value.*
struct TraceSettings {
    std::string to;                 ///< "" = off, "pcap:/path/file", "hep:udp:address:port"
    std::vector<std::string> only;  ///< addresses of record; empty = everybody
    std::uint32_t megabytes = 100;  ///< a file that is larger becomes FILE.1, and a new one begins
    std::string onDemandTarget{};   ///< target of requested traces while `to` is off

    friend bool operator==(const TraceSettings&, const TraceSettings&) = default;
};

/// `settings` extended by these requested addresses. *Pure function.*
TraceSettings withRequested(TraceSettings settings, const std::vector<std::string>& requested);

/// Writes SIP messages to a pcap file or sends them to Homer. A failure leaves a gap in the trace
/// and is logged, once a second at most. *Any thread.*
class MessageTracer {
public:
    /// Returns 0, or an errno.
    using Writer = std::function<int(const TracedMessage&)>;

    /// Null when `settings.to` is empty. Invalid names the allowed forms, Unavailable the file.
    static Result<std::unique_ptr<MessageTracer>> open(const TraceSettings& settings);

    /// Whether to trace a message with these URIs of From and To, as written.
    bool wants(std::string_view from, std::string_view to) const;
    void trace(const TracedMessage& message);

private:
    MessageTracer(Writer write, std::set<std::string> only)
        : only_(std::move(only)),
          write_(std::move(write))
    {
    }

    const std::set<std::string> only_;  ///< addresses of record; empty = everybody
    std::mutex mutex_;                  ///< guards the rest: records do not run into each other
    Writer write_;
    std::chrono::steady_clock::time_point nextWarningTime_{};
};

}  // namespace restante::sip
