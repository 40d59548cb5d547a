#include "sipplugin/transport/tls/tls_contexts.h"

#include "core/base/handle_deleter.h"
#include "core/base/log.h"
#include "core/base/secret_file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "sipplugin/message/transport_address.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

namespace restante::sip {

namespace {

using CertificateHandle = std::unique_ptr<X509, HandleDeleter<X509_free>>;

std::string_view withoutLastDot(std::string_view host)
{
    return host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
}

bool isSameName(std::string_view a, std::string_view b)
{
    return equalIgnoringCase(withoutLastDot(a), withoutLastDot(b));
}

std::string_view textOfAsn1(const ASN1_STRING* text)
{
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
            static_cast<std::size_t>(ASN1_STRING_length(text))};
}

/// The host of a `sip:` URI without user; RFC 5922 section 7.1 takes no other.
std::optional<std::string_view> sipDomain(std::string_view uri)
{
    constexpr std::string_view kScheme = "sip:";
    if (!equalIgnoringCase(uri.substr(0, kScheme.size()), kScheme) ||
        uri.find('@') != std::string_view::npos) {
        return std::nullopt;
    }
    uri.remove_prefix(kScheme.size());
    return uri.substr(0, uri.find_first_of(";?:"));
}

/// The DNS and SIP URI names of subjectAltName; nothing when that cannot be read.
std::optional<std::vector<std::string>> subjectAltNames(const X509& certificate)
{
    constexpr int kAbsent = -1;  // what OpenSSL sets `critical` to; -2 if there are several
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
        const auto text = textOfAsn1(static_cast<const ASN1_STRING*>(value));
        if (const auto name = type == GEN_URI ? sipDomain(text) : std::optional{text}) {
            found.emplace_back(*name);
        }
    }
    return found;
}

/// RFC 5922 section 7.1: the common name counts only without a usable subjectAltName.
std::vector<std::string> subjectNames(const X509& certificate)
{
    auto names = subjectAltNames(certificate);
    if (!names || !names->empty()) {
        return names.value_or(std::vector<std::string>{});
    }
    const auto* subject = X509_get_subject_name(&certificate);
    const int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (index >= 0) {
        names->emplace_back(
            textOfAsn1(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index))));
    }
    return *names;
}

/// A warning this early leaves time to get a new certificate.
constexpr int kExpiryWarningSeconds = 14 * 24 * 3600;

tl::unexpected<Error> refused(const char* key, const std::string& file, const std::string& why)
{
    return invalid("cannot use {} {}: {}", key, file, why);
}

Result<void> checkReadable(const char* key, const std::string& file)
{
    if (::access(file.c_str(), R_OK) != 0) {
        return refused(key, file, std::strerror(errno));
    }
    return {};
}

/// A daemon cannot ask for a password, so an encrypted key is refused.
int refusePassword(char*, int, int, void*) noexcept
{
    return 0;
}

std::shared_ptr<SSL_CTX> newContext(const SSL_METHOD* method)
{
    std::shared_ptr<SSL_CTX> context{SSL_CTX_new(method), &SSL_CTX_free};
    if (!context) {
        return context;
    }
    SSL_CTX_set_default_passwd_cb(context.get(), &refusePassword);
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // Idle connections release their buffers; partial writes may continue from a moved buffer.
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return context;
}

void warnAboutDates(const SSL_CTX& context, const std::string& file)
{
    const auto* certificate = SSL_CTX_get0_certificate(&context);
    if (certificate == nullptr) {
        return;
    }
    const auto* end = X509_get0_notAfter(certificate);
    if (X509_cmp_current_time(end) < 0) {
        log::warning("tls", "the certificate in {} has expired: peers will refuse it", file);
    } else if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0) {
        log::warning("tls", "the certificate in {} is not valid yet: peers will refuse it", file);
    } else if (time_t warningTime = std::time(nullptr) + kExpiryWarningSeconds;
               X509_cmp_time(end, &warningTime) < 0) {
        log::warning("tls", "the certificate in {} expires within 14 days", file);
    }
}

Result<void> useCertificate(SSL_CTX& context, const TlsSettings& settings)
{
    if (settings.certificate.empty()) {
        return {};
    }
    const auto& keyFile = settings.key.empty() ? settings.certificate : settings.key;
    TRY(checkReadable("sip.tls.certificate", settings.certificate));
    const auto secret = TRY(readSecretFile("sip.tls.key", keyFile));
    if (SSL_CTX_use_certificate_chain_file(&context, settings.certificate.c_str()) != 1) {
        return refused("sip.tls.certificate", settings.certificate, takeTlsError());
    }
    // SSL_CTX_use_PrivateKey() compares the key with the certificate.
    const std::unique_ptr<BIO, HandleDeleter<BIO_free>> pem{
        BIO_new_mem_buf(secret.data(), static_cast<int>(secret.size()))};
    const std::unique_ptr<EVP_PKEY, HandleDeleter<EVP_PKEY_free>> privateKey{
        PEM_read_bio_PrivateKey(pem.get(), nullptr, refusePassword, nullptr)};
    if (!privateKey || SSL_CTX_use_PrivateKey(&context, privateKey.get()) != 1) {
        const bool isOfOtherCertificate =
            ERR_GET_REASON(ERR_peek_error()) == X509_R_KEY_VALUES_MISMATCH ||
            ERR_GET_REASON(ERR_peek_error()) == X509_R_KEY_TYPE_MISMATCH;
        const auto why = takeTlsError();
        return refused("sip.tls.key", keyFile,
                       isOfOtherCertificate
                           ? fmt::format("it is not the key of sip.tls.certificate {}",
                                         settings.certificate.string())
                           : why);
    }
    return {};
}

Result<void> trustAuthorities(SSL_CTX& context, const TlsSettings& settings)
{
    if (settings.ca.empty()) {
        SSL_CTX_set_default_verify_paths(&context);
        return {};
    }
    TRY(checkReadable("sip.tls.ca", settings.ca));
    if (SSL_CTX_load_verify_locations(&context, settings.ca.c_str(), nullptr) != 1) {
        return refused("sip.tls.ca", settings.ca, takeTlsError());
    }
    return {};
}

int verifyModeOf(Config::ClientCertificates clients)
{
    switch (clients) {
    case Config::ClientCertificates::None: return SSL_VERIFY_NONE;
    case Config::ClientCertificates::Optional: return SSL_VERIFY_PEER;
    case Config::ClientCertificates::Required:
        return SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
    }
    return SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
}

/// Null when there is no memory.
SslHandle newHandle(SSL_CTX* context, int fd)
{
    SslHandle ssl{SSL_new(context)};
    if (ssl && SSL_set_fd(ssl.get(), fd) != 1) {
        ssl.reset();
    }
    return ssl;
}

}  // namespace

bool showsIdentity(const ssl_st* ssl, std::string_view host)
{
    const CertificateHandle certificate{SSL_get1_peer_certificate(ssl)};
    return certificate && showsIdentity(*certificate, host);
}

std::vector<std::string> verifiedPeerNames(const ssl_st* ssl)
{
    const CertificateHandle certificate{SSL_get1_peer_certificate(ssl)};
    if (!certificate || SSL_get_verify_result(ssl) != X509_V_OK) {
        return {};
    }
    return certificateNames(*certificate);
}

bool showsIdentity(x509_st& certificate, std::string_view host)
{
    if (host.empty()) {
        return false;
    }
    if (isAddressLiteral(host)) {
        return X509_check_ip_asc(&certificate, std::string{withoutBrackets(host)}.c_str(), 0) == 1;
    }
    return std::ranges::any_of(subjectNames(certificate),
                               [&](const std::string& name) { return isSameName(name, host); });
}

std::vector<std::string> certificateNames(x509_st& certificate)
{
    auto names = subjectNames(certificate);
    for (auto& name : names) {
        name = lowered(withoutLastDot(name));
    }
    return names;
}

void SslReleaser::operator()(ssl_st* ssl) const noexcept
{
    SSL_free(ssl);
}

std::string takeTlsError()
{
    const auto code = ERR_get_error();
    ERR_clear_error();
    const auto* reason = ERR_reason_error_string(code);
    return reason == nullptr ? "not what a PEM file should hold" : reason;
}

Result<TlsContexts> TlsContexts::read(const TlsSettings& settings)
{
    TlsContexts contexts;
    contexts.server_ = newContext(TLS_server_method());
    contexts.client_ = newContext(TLS_client_method());
    if (!contexts.server_ || !contexts.client_) {
        return failure(ErrorCode::Internal, "OpenSSL makes no TLS context: " + takeTlsError());
    }
    for (auto* context : {contexts.server_.get(), contexts.client_.get()}) {
        TRY(useCertificate(*context, settings));
        TRY(trustAuthorities(*context, settings));
    }
    warnAboutDates(*contexts.server_, settings.certificate);
    SSL_CTX_set_verify(contexts.server_.get(), verifyModeOf(settings.verify), nullptr);
    if (settings.verify != Config::ClientCertificates::None) {
        SSL_CTX_set_client_CA_list(contexts.server_.get(),
                                   SSL_load_client_CA_file(settings.ca.c_str()));
        // A resumed session would not present its certificate again.
        SSL_CTX_set_session_cache_mode(contexts.server_.get(), SSL_SESS_CACHE_OFF);
        SSL_CTX_set_options(contexts.server_.get(), SSL_OP_NO_TICKET);
    }
    SSL_CTX_set_verify(contexts.client_.get(), SSL_VERIFY_PEER, nullptr);
    return contexts;
}

SslHandle TlsContexts::makeServerHandle(int fd) const
{
    auto ssl = newHandle(server_.get(), fd);
    if (ssl) {
        SSL_set_accept_state(ssl.get());
    }
    return ssl;
}

SslHandle TlsContexts::makeClientHandle(int fd, const std::string& name) const
{
    auto ssl = newHandle(client_.get(), fd);
    if (ssl && !isAddressLiteral(name)) {
        // What SSL_set_tlsext_host_name() does, less its old-style cast.
        SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 const_cast<char*>(name.c_str()));
    }
    if (ssl) {
        SSL_set_connect_state(ssl.get());
    }
    return ssl;
}

}  // namespace restante::sip
