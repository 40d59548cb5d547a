#pragma once

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace restante::sip
