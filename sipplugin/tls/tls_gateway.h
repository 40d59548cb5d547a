#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "sipplugin/sip_settings.h"
#include "sipplugin/tls/tls_tunnel.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::sip {

/// TLS for SIP in front of a parser that knows TCP only: takes TLS connections, makes them, and
/// leads each through a TlsTunnel to the parser's port on 127.0.0.1. sofia's own TLS never frees a
/// connection, sends no chain, and cannot read a new certificate. *One loop.*
class TlsGateway {
public:
    struct Settings {
        std::vector<ListenAddress> listen;
        TlsSettings tls;
        std::uint16_t parserPort = 0;
    };
    /// The port that tunnelled() knows it by, or why there is no connection.
    using Connected = std::function<void(const Result<std::uint16_t>&)>;

    /// The error names the file or the address, and what to do.
    static Result<std::unique_ptr<TlsGateway>> open(EventLoop& loop, Settings settings);
    TlsGateway(const TlsGateway&) = delete;
    TlsGateway& operator=(const TlsGateway&) = delete;
    ~TlsGateway();

    /// As bound: a port 0 has become a real one.
    const std::vector<ListenAddress>& listening() const noexcept;

    /// Who is behind the connection that the parser sees coming from 127.0.0.1:`inside`; null when
    /// it is none of ours.
    const TlsPeer* peerAt(std::uint16_t inside) const noexcept;
    /// The living connection with that peer, whoever made it, as the parser sees it.
    std::optional<std::uint16_t> tunnelTo(const std::string& peer) const;

    /// Gives a connection to `host` (an address literal) whose certificate is one of `name`: a
    /// living one or a new one. `connected` is called once, perhaps from inside the call; not at
    /// all when this is destroyed before.
    void connect(const ListenAddress& to, const std::string& name, Connected connected);

    /// New connections use what the files hold now, living ones go on. After a failure nothing has
    /// changed.
    Result<void> reload(const TlsSettings& settings);

private:
    class Impl;
    explicit TlsGateway(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::sip
