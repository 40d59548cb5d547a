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

/// One message as a HEP version 3 packet, as Homer's heplify-server takes it: addresses, ports,
/// transport, time in microseconds, the bytes, and Call-ID as the correlation id. `agent` tells
/// Homer who captured it. *Pure function.*
std::string hepPacket(const TracedMessage& message, std::uint32_t agent);

/// What a pcap file begins with: nanoseconds, raw IP packets (LINKTYPE_RAW). *Pure function.*
std::string pcapHeader();

/// One message as a record: an IP and a UDP header made up around it, also for what went over TCP
/// or TLS, so that every reader sees it in one piece and in the clear. What is longer than a
/// datagram can be is cut there and told by the record's original length. *Pure function.*
std::string pcapRecord(const TracedMessage& message);

}  // namespace restante::sip
