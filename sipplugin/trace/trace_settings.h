#pragma once

#include <cstdint>
#include <string>
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

/// What is traced when, besides, somebody has asked for these addresses of record for a while.
/// *Pure function.*
TraceSettings withRequested(TraceSettings settings, const std::vector<std::string>& asked);

}  // namespace restante::sip
