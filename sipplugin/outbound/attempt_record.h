#pragma once

#include "core/base/clock.h"
#include "sipplugin/message/sip_response_policy.h"

#include <cstdint>
#include <string>

namespace restante::sip {

/// One request of a delivery, as it is told in the job's history. *Value.*
struct AttemptRecord {
    std::uint32_t attempt = 1;
    TimePoint sent{};
    std::string target;    ///< the Request-URI
    std::string nextHop;   ///< where it went
    bool answered = true;  ///< false: nobody did, and the status was made here
};

/// "attempt 1: 2026-12-31T09:00:00.120Z sip:bob@10.0.0.7 480 Temporarily Unavailable (12 ms)" and a
/// line feed, at most 400 bytes; with ` via HOST:PORT` when it went elsewhere, and "(no answer,
/// ...". What a peer wrote cannot break the line. *Pure function.*
std::string printAttempt(const AttemptRecord& record, const DeviceAnswer& answer, Millis took);

}  // namespace restante::sip
