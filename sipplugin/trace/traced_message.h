#pragma once

#include "core/base/clock.h"
#include "sipplugin/message/listen_address.h"

#include <chrono>
#include <string_view>

namespace restante::sip {

/// One SIP message as it went over the wire, for whoever looks into a trace. *Value* that borrows.
struct TracedMessage {
    std::chrono::system_clock::time_point at;
    ListenAddress from;  ///< the transport of both ends is that of `from`
    ListenAddress to;
    std::string_view bytes;
    std::string_view callId;  ///< correlates them in Homer
};

}  // namespace restante::sip
