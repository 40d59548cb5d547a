#pragma once

#include "core/base/event_loop.h"
#include "core/base/interface.h"
#include "core/base/network.h"
#include "core/base/result.h"
#include "core/http/server/tls_context.h"
#include "core/http/server/transport.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace restante::http {

/// Listens on one address. *One loop.*
class Acceptor : public Interface {
public:
    struct AcceptedConnection {
        std::unique_ptr<Transport> transport;
        std::string address;       ///< of the client, numeric
        std::string localAddress;  ///< ours, numeric
        bool secure = false;       ///< over TLS
    };
    using Handler = std::function<void(AcceptedConnection)>;

    /// The error says who may have the port already.
    static Result<std::unique_ptr<Acceptor>>
    open(EventLoop& loop, const SocketAddress& address, PortSharing sharing = PortSharing::Alone);

    virtual std::uint16_t port() const noexcept = 0;
    /// Accepts connections until stop() or its end.
    virtual void start(Handler handler) = 0;
    /// Sets the TLS context of connections accepted from now on.
    virtual void setTls(TlsContext tls) = 0;
    virtual void stop() noexcept = 0;
};

}  // namespace restante::http
