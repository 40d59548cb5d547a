#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <string>

namespace restante::bench {

enum class Transport { Udp, Tcp };

/// A load of MESSAGEs with a bounded number of unanswered ones.
struct SipLoad {
    Transport transport = Transport::Udp;
    std::uint16_t port = 0;  ///< on 127.0.0.1
    std::string domain = "127.0.0.1";
    std::uint32_t messages = 50'000;
    std::uint32_t inFlight = 64;
    std::uint32_t recipients = 5'000;
    std::size_t bodyBytes = 256;
};

struct SipLoadResult {
    std::uint32_t accepted = 0;  ///< answers of 202
    std::uint32_t refused = 0;   ///< other final answers
    std::uint32_t resent = 0;    ///< UDP requests sent again after 500 ms of silence
    double seconds = 0;
    double p99Ms = 0;  ///< from a message's first sending to its final answer
    double acceptedPerSecond() const { return seconds > 0 ? accepted / seconds : 0; }
};

/// One MESSAGE of the flood, with `via` ("UDP") as the transport in its Via.
std::string
messageText(const SipLoad& load, std::uint32_t number, const char* via, std::uint16_t localPort);

/// Runs the flood on the calling thread and returns when every message has its final answer.
/// Throws std::runtime_error when the peer is silent for 20 s.
SipLoadResult runSipLoad(const SipLoad& load);

}  // namespace restante::bench
