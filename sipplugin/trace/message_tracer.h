#pragma once

#include "core/base/result.h"
#include "sipplugin/trace/trace_format.h"

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace restante::sip {

/// `sip.trace*`. *Value.*
struct TraceSettings {
    std::string to;                 ///< "" = off, "pcap:/path/file", "hep:udp:host:port"
    std::vector<std::string> only;  ///< addresses of record; empty = everybody
    std::uint32_t megabytes = 100;  ///< a file that is larger becomes FILE.1, and a new one begins
    std::string spare{};            ///< where orders are written to while `to` is off

    friend bool operator==(const TraceSettings&, const TraceSettings&) = default;
};

/// What is traced when these addresses are asked for besides. *Pure function.*
TraceSettings withRequested(TraceSettings settings, const std::vector<std::string>& asked);

/// Writes SIP messages to a pcap file or sends them to Homer. Trouble never harms a message: it is
/// logged, once a second at most, and the trace has a gap. *One loop.*
class MessageTracer {
public:
    /// Null when `settings.to` is empty. Invalid names what is allowed, Unavailable the file.
    static Result<std::unique_ptr<MessageTracer>> open(const TraceSettings& settings);
    ~MessageTracer();

    /// Whether a message between these two is wanted; the URIs of From and To as they were written.
    bool wants(std::string_view from, std::string_view to) const;
    void trace(const TracedMessage& message);

private:
    class Sink;
    class PcapSink;
    class HepSink;
    MessageTracer(std::unique_ptr<Sink> sink, std::set<std::string> only);
    static Result<std::unique_ptr<Sink>> sinkOf(const TraceSettings& settings);

    std::unique_ptr<Sink> sink_;
    std::set<std::string> only_;  ///< addresses of record; empty = everybody
    std::chrono::steady_clock::time_point nextLine_{};
};

}  // namespace restante::sip
