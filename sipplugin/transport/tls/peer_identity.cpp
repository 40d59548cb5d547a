#include "sipplugin/transport/tls/peer_identity.h"

#include "core/base/handle_deleter.h"
#include "core/base/text.h"
#include "sipplugin/message/listen_address.h"

#include <algorithm>
#include <memory>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace restante::sip {

namespace {

using CertificateHandle = std::unique_ptr<X509, HandleDeleter<X509_free>>;

std::string_view withoutLastDot(std::string_view host)
{
    return host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
}

bool sameName(std::string_view a, std::string_view b)
{
    return equalIgnoringCase(withoutLastDot(a), withoutLastDot(b));
}

std::string_view textOf(const ASN1_STRING* text)
{
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
            static_cast<std::size_t>(ASN1_STRING_length(text))};
}

/// The host of a `sip:` URI without user; RFC 5922 section 7.1 takes no other.
std::optional<std::string_view> sipDomain(std::string_view uri)
{
    constexpr std::string_view kScheme = "sip:";
    if (!sameName(uri.substr(0, kScheme.size()), kScheme) ||
        uri.find('@') != std::string_view::npos) {
        return std::nullopt;
    }
    uri.remove_prefix(kScheme.size());
    return uri.substr(0, uri.find_first_of(";?:"));
}

/// What the certificate says of itself in subjectAltName, less what is no identity of SIP's;
/// nothing when that cannot be read.
std::optional<std::vector<std::string>> alternatives(const X509& certificate)
{
    constexpr int kAbsent = -1;  // of `critical`; -2 = more than once
    int critical = 0;
    const std::unique_ptr<GENERAL_NAMES, HandleDeleter<GENERAL_NAMES_free>> names{
        static_cast<GENERAL_NAMES*>(
            X509_get_ext_d2i(&certificate, NID_subject_alt_name, &critical, nullptr))};
    std::vector<std::string> found;
    if (!names) {
        return critical == kAbsent ? std::optional{found} : std::nullopt;
    }
    for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
        int type = 0;
        const void* value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &type);
        if (type != GEN_DNS && type != GEN_URI) {
            continue;
        }
        const auto text = textOf(static_cast<const ASN1_STRING*>(value));
        if (const auto name = type == GEN_URI ? sipDomain(text) : std::optional{text}) {
            found.emplace_back(*name);
        }
    }
    return found;
}

/// As they are written there. RFC 5922 section 7.1: the common name counts only where nothing else
/// does.
std::vector<std::string> writtenNames(const X509& certificate)
{
    auto names = alternatives(certificate);
    if (!names || !names->empty()) {
        return names.value_or(std::vector<std::string>{});
    }
    const auto* subject = X509_get_subject_name(&certificate);
    const int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (index >= 0) {
        names->emplace_back(textOf(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index))));
    }
    return *names;
}

}  // namespace

bool showsIdentity(const ssl_st* ssl, std::string_view host)
{
    const CertificateHandle certificate{SSL_get1_peer_certificate(ssl)};
    return certificate && showsIdentity(*certificate, host);
}

std::vector<std::string> certifiedNames(const ssl_st* ssl)
{
    const CertificateHandle certificate{SSL_get1_peer_certificate(ssl)};
    if (!certificate || SSL_get_verify_result(ssl) != X509_V_OK) {
        return {};
    }
    return namesIn(*certificate);
}

bool showsIdentity(x509_st& certificate, std::string_view host)
{
    if (host.empty()) {
        return false;
    }
    if (isAddressLiteral(host)) {
        return X509_check_ip_asc(&certificate, std::string{withoutBrackets(host)}.c_str(), 0) == 1;
    }
    return std::ranges::any_of(writtenNames(certificate),
                               [&](const std::string& name) { return sameName(name, host); });
}

std::vector<std::string> namesIn(x509_st& certificate)
{
    auto names = writtenNames(certificate);
    for (auto& name : names) {
        name = lowered(withoutLastDot(name));
    }
    return names;
}

}  // namespace restante::sip
