#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/dialer.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/tls_greeting.h"
#include "core/redis/client/wire.h"

#include <memory>

namespace restante::redis {

/// Opens a wire to the host or the socket of a URL: dials, and greets when it wants TLS. Calls
/// `done` once, later, unless it is destroyed before. It has no time-out: the caller destroys it,
/// and stage() says what it has been waiting for. *One loop.*
class WireDialer {
public:
    enum class Stage { Dialling, Greeting };

    WireDialer(EventLoop& loop, const RedisUrl& url, Done<Wire> done);
    WireDialer(const WireDialer&) = delete;
    WireDialer& operator=(const WireDialer&) = delete;

    Stage stage() const noexcept { return greeting_ ? Stage::Greeting : Stage::Dialling; }

private:
    void dialled(Result<FileDescriptor> socket);
    void answer(Result<Wire> outcome);

    EventLoop& loop_;
    RedisUrl url_;
    Done<Wire> done_;
    std::unique_ptr<TlsGreeting> greeting_;
    std::unique_ptr<Dialer> dialer_;
};

}  // namespace restante::redis
