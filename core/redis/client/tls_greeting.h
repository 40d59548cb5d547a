#pragma once

#include "core/base/event_loop.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/tls_session.h"
#include "core/redis/client/wire.h"

#include <tl/expected.hpp>

#include <functional>
#include <memory>
#include <string>

namespace restante::redis {

/// A wire with TLS, and who is at its other end. *Value.*
struct GreetedWire {
    Wire wire;
    TlsPeer peer;
};

/// Makes a wire with TLS of a connected socket without ever blocking the loop. Calls `done` once,
/// later, unless it is destroyed before. It has no time-out: the caller destroys it. *One loop.*
class TlsGreeting {
public:
    using Outcome = tl::expected<GreetedWire, TlsFault>;
    using Told = std::function<void(Outcome)>;

    /// `host` is whom the certificate must name, unless `tls` names somebody else.
    TlsGreeting(EventLoop& loop,
                FileDescriptor socket,
                const RedisUrl::Tls& tls,
                const std::string& host,
                Told done);
    TlsGreeting(const TlsGreeting&) = delete;
    TlsGreeting& operator=(const TlsGreeting&) = delete;

private:
    void step();
    void answer(Outcome outcome);

    Told done_;
    FileDescriptor socket_;
    std::unique_ptr<TlsSession> session_;  // goes before the socket
    Watch watch_;
};

}  // namespace restante::redis
