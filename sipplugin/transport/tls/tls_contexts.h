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

/// Whether the peer's certificate is one of the SIP server `host` (RFC 5922 sections 7.1 and 7.2):
/// a subjectAltName of type URI that is `sip:host` without a user part, or DNS that is `host`;
/// without any of these the common name. An address needs a subjectAltName of type IP. No wildcards
/// (RFC 5922 section 7.2). OpenSSL verifies the chain. *Pure function.*
bool showsIdentity(const ssl_st* ssl, std::string_view host);

/// The names in the peer's certificate by the same rules, in lower case and without addresses; none
/// without a certificate, or when it was not verified. *Pure function.*
std::vector<std::string> verifiedPeerNames(const ssl_st* ssl);

/// The same for a certificate alone, whoever has signed it. One whose subjectAltName is malformed
/// or appears twice has no names: its common name must not replace them. *Pure functions.*
bool showsIdentity(x509_st& certificate, std::string_view host);
std::vector<std::string> certificateNames(x509_st& certificate);

/// Our certificate and the trusted authorities. *Value.*
using TlsSettings = Config::Sip::Tls;

struct SslReleaser {
    void operator()(ssl_st* ssl) const noexcept;
};
/// One TLS connection of OpenSSL.
using SslHandle = std::unique_ptr<ssl_st, SslReleaser>;

/// The TLS contexts made of the files of `sip.tls.*`, which are read once: TLS 1.2 and later, no
/// renegotiation. Connections keep what they need of it. *Value*, any thread.
class TlsContexts {
public:
    /// The error names the key of the configuration, the file and what is wrong with it. Logs a
    /// warning when the certificate is expired, not yet valid or about to expire.
    static Result<TlsContexts> read(const TlsSettings& settings);

    /// For an incoming connection.
    SslHandle makeServerHandle(int fd) const;
    /// For an outgoing connection. `name` is the host of the URI: sent as SNI unless an address.
    SslHandle makeClientHandle(int fd, const std::string& name) const;

private:
    std::shared_ptr<ssl_ctx_st> server_;
    std::shared_ptr<ssl_ctx_st> client_;
};

/// OpenSSL's text for the first error in this thread's error queue, which is cleared.
std::string takeTlsError();

}  // namespace restante::sip
