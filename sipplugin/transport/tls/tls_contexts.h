#pragma once

#include "core/config/config.h"

#include <memory>

struct ssl_ctx_st;
struct ssl_st;

namespace restante::sip {

/// What we show over TLS and whom we believe. *Value.*
using TlsSettings = Config::Sip::Tls;

struct SslReleaser {
    void operator()(ssl_st* ssl) const noexcept;
};
/// One TLS connection of OpenSSL.
using SslHandle = std::unique_ptr<ssl_st, SslReleaser>;

/// What the files of `sip.tls.*` hold, read once: TLS 1.2 and later, no renegotiation. The
/// connections that began with it keep what they need of it. *Value*, any thread.
class TlsContexts {
public:
    /// The error names the key of the configuration, the file and what is wrong with it. Of a
    /// certificate that is expired, not yet valid or about to expire a warning is logged.
    static Result<TlsContexts> read(const TlsSettings& settings);

    /// For a connection that was made to us.
    SslHandle newServer(int fd) const;
    /// For one that we make. `name` is the host of the URI: sent as SNI when it is a name.
    SslHandle newClient(int fd, const std::string& name) const;

private:
    std::shared_ptr<ssl_ctx_st> server_;
    std::shared_ptr<ssl_ctx_st> client_;
};

/// OpenSSL's own words for the last error of this thread, which is forgotten.
std::string lastTlsError();

}  // namespace restante::sip
