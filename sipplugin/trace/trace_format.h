#pragma once

#include "core/base/clock.h"
#include "sipplugin/message/listen_address.h"

#include <string>

namespace restante::sip {

/// One SIP message as it went over the wire, for whoever looks into a trace. *Value* that borrows.
struct TracedMessage {
    std::chrono::system_clock::time_point at;
    ListenAddress from;  ///< the transport of both ends is that of `from`
    ListenAddress to;
    std::string_view bytes;
    std::string_view callId;  ///< correlates them in Homer
};

/// One message as a HEP version 3 packet for Homer's heplify-server, correlated by Call-ID. `agent`
/// tells Homer who captured it. *Pure function.*
std::string hepPacket(const TracedMessage& message, std::uint32_t agent);

/// What a pcap file begins with: nanoseconds, raw IP packets (LINKTYPE_RAW). *Pure function.*
std::string pcapHeader();

/// One message as a record with made-up IP and UDP headers, also for what went over TCP or TLS, so
/// that every reader sees it whole and in the clear; cut to what a datagram holds. *Pure function.*
std::string pcapRecord(const TracedMessage& message);

}  // namespace restante::sip
