#include "core/http/server/tls_context.h"

#include "core/base/handle_deleter.h"
#include "core/base/secret_file.h"
#include "core/base/try.h"

#include <cstring>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace restante::http {

namespace {

tl::unexpected<Error> refused(const char* key, const std::filesystem::path& file, const char* why)
{
    return invalid("cannot use {} {}: {}", key, file.string(), why);
}

/// Why the last call of OpenSSL has failed; the system's reason, if it had one.
const char* lastReason() noexcept
{
    if (const auto first = ERR_peek_error(); ERR_SYSTEM_ERROR(first)) {
        return std::strerror(ERR_GET_REASON(first));
    }
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason == nullptr ? "unknown error" : reason;
}

/// A daemon cannot ask for a password, so an encrypted key is refused.
int refusePassword(char*, int, int, void*) noexcept
{
    return 0;
}

}  // namespace

Result<TlsContext> loadTlsContext(const std::filesystem::path& certificate,
                                  const std::filesystem::path& key)
{
    ERR_clear_error();
    TlsContext context{SSL_CTX_new(TLS_server_method()), &SSL_CTX_free};
    if (!context) {
        return refused("http.tls.certificate", certificate, lastReason());
    }
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    // Who ends without a close_notify still gets the answers: where a request ends HTTP says.
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                           SSL_OP_IGNORE_UNEXPECTED_EOF);
    // An idle connection gives its buffers back: 10,000 of them would hold 340 MB. The rest of an
    // answer may be written from another place.
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
        return refused("http.tls.certificate", certificate, lastReason());
    }
    const auto secret = TRY(readSecretFile("http.tls.key", key));
    const std::unique_ptr<BIO, HandleDeleter<BIO_free_all>> memory{
        BIO_new_mem_buf(secret.data(), static_cast<int>(secret.size()))};
    const std::unique_ptr<EVP_PKEY, HandleDeleter<EVP_PKEY_free>> privateKey{
        PEM_read_bio_PrivateKey(memory.get(), nullptr, refusePassword, nullptr)};
    if (!privateKey) {
        return refused("http.tls.key", key, lastReason());
    }
    if (SSL_CTX_use_PrivateKey(context.get(), privateKey.get()) != 1 ||
        SSL_CTX_check_private_key(context.get()) != 1) {
        return invalid("http.tls.key {} is not the key of http.tls.certificate {}", key.string(),
                       certificate.string());
    }
    return context;
}

}  // namespace restante::http
