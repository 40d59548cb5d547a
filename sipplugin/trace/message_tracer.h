#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "sipplugin/message/listen_address.h"

#include <functional>
#include <memory>
#include <mutex>
#include <set>

namespace restante::sip {

/// One SIP message as it went over the wire, for whoever looks into a trace. *Value* that borrows.
struct TracedMessage {
    std::chrono::system_clock::time_point at;
    ListenAddress from;  ///< the transport of both ends is that of `from`
    ListenAddress to;
    std::string_view bytes;
    std::string_view callId;  ///< correlates them in Homer
};

/// HEP version 3 for Homer; `agent` tells it who captured it. *Pure function.*
std::string hepPacket(const TracedMessage& message, std::uint32_t agent);

/// What a pcap file begins with: nanoseconds, raw IP packets (LINKTYPE_RAW). *Pure function.*
std::string pcapHeader();

/// One message as a record with made-up IP and UDP headers, also for what went over TCP or TLS, so
/// that every reader sees it whole and in the clear; cut to what a datagram holds. *Pure function.*
std::string pcapRecord(const TracedMessage& message);

/// `sip.trace*`. *Value.*
struct TraceSettings {
    std::string to;                 ///< "" = off, "pcap:/path/file", "hep:udp:host:port"
    std::vector<std::string> only;  ///< addresses of record; empty = everybody
    std::uint32_t megabytes = 100;  ///< a file that is larger becomes FILE.1, and a new one begins
    std::string onDemandTarget{};   ///< where what is asked for goes while `to` is off

    friend bool operator==(const TraceSettings&, const TraceSettings&) = default;
};

/// What is traced when these addresses are asked for besides. *Pure function.*
TraceSettings withRequested(TraceSettings settings, const std::vector<std::string>& asked);

/// Writes SIP messages to a pcap file or sends them to Homer. Trouble never harms a message: it is
/// logged, once a second at most, and the trace has a gap. *Any thread.*
class MessageTracer {
public:
    /// Answers 0, or the errno of what went wrong.
    using Write = std::function<int(const TracedMessage&)>;

    /// Null when `settings.to` is empty. Invalid names what is allowed, Unavailable the file.
    static Result<std::unique_ptr<MessageTracer>> open(const TraceSettings& settings);

    /// Whether a message between these two is wanted; the URIs of From and To as they were written.
    bool wants(std::string_view from, std::string_view to) const;
    void trace(const TracedMessage& message);

private:
    MessageTracer(Write write, std::set<std::string> only)
        : only_(std::move(only)),
          write_(std::move(write))
    {
    }

    const std::set<std::string> only_;  ///< addresses of record; empty = everybody
    std::mutex mutex_;                  ///< guards the rest: records do not run into each other
    Write write_;
    std::chrono::steady_clock::time_point nextWarning_{};
};

}  // namespace restante::sip
