#pragma once

#include "sipplugin/trace/traced_message.h"

#include <string>

namespace restante::sip {

/// What a pcap file begins with: nanoseconds, raw IP packets (LINKTYPE_RAW). *Pure function.*
std::string pcapHeader();

/// One message as a record: an IP and a UDP header made up around it, also for what went over TCP
/// or TLS, so that every reader sees it in one piece and in the clear. What is longer than a
/// datagram can be is cut there and told by the record's original length. *Pure function.*
std::string pcapRecord(const TracedMessage& message);

}  // namespace restante::sip
