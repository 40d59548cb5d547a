#pragma once

#include "core/base/result.h"
#include "sipplugin/trace/trace_settings.h"
#include "sipplugin/trace/traced_message.h"

#include <memory>
#include <string>

namespace restante::sip {

/// Writes SIP messages to a pcap file or sends them to Homer, for people who look for an error.
/// Trouble with the file or the receiver never harms a message: it is logged, once a second at
/// most, and the trace has a gap. *One loop.*
class MessageTracer {
public:
    /// Null when `settings.to` is empty. Invalid names what is allowed, Unavailable the file.
    static Result<std::unique_ptr<MessageTracer>> open(const TraceSettings& settings);
    ~MessageTracer();

    /// Whether a message between these two is wanted; the URIs of From and To as they were written.
    bool wants(std::string_view from, std::string_view to) const;
    void trace(const TracedMessage& message);

private:
    class Impl;
    explicit MessageTracer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::sip
