#pragma once

#include "core/config/config.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;
struct x509_st;

namespace restante::sip {

/// Whether the certificate that the peer has shown is one of the SIP server `host` (RFC 5922
/// section 7.2): a subjectAltName of type URI that is `sip:host` without a user part, or DNS that
/// is `host`; without any of these the common name. An address wants a subjectAltName of type IP.
/// No wildcards (RFC 5922 section 7.2). The chain is OpenSSL's to verify. *Pure function.*
bool showsIdentity(const ssl_st* ssl, std::string_view host);

/// The names that the peer's certificate is one of by the same rules, in lower case and without
/// addresses; none when it has shown none, or one that was not verified. *Pure function.*
std::vector<std::string> certifiedNames(const ssl_st* ssl);

/// The same of a certificate alone, whoever has signed it. One whose subjectAltName cannot be read,
/// or stands there twice, has no names: its common name must not stand in. *Pure functions.*
bool showsIdentity(x509_st& certificate, std::string_view host);
std::vector<std::string> namesIn(x509_st& certificate);

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
