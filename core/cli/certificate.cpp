#include "core/cli/certificate.h"

#include "core/base/handle_deleter.h"

#include <fmt/format.h>
#include <memory>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace restante::cli {

namespace {

using File = std::unique_ptr<BIO, HandleDeleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, HandleDeleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, HandleDeleter<EVP_PKEY_free>>;

File open(const std::filesystem::path& path)
{
    return File{BIO_new_file(path.c_str(), "r")};
}

/// restanted has nobody to ask for a password either.
int noPassword(char*, int, int, void*) noexcept
{
    return 0;
}

}  // namespace

Result<std::chrono::hours> certificateExpiry(const std::filesystem::path& certificate,
                                             const std::filesystem::path& key)
{
    const auto certificateFile = open(certificate);
    const auto keyFile = open(key);
    const Certificate shown{
        certificateFile ? PEM_read_bio_X509(certificateFile.get(), nullptr, nullptr, nullptr)
                        : nullptr};
    const Key secret{keyFile ? PEM_read_bio_PrivateKey(keyFile.get(), nullptr, &noPassword, nullptr)
                             : nullptr};
    ERR_clear_error();
    if (!shown) {
        return failure(ErrorCode::Invalid,
                       fmt::format("{} holds no certificate in PEM format", certificate.string()));
    }
    if (!secret) {
        return failure(
            ErrorCode::Invalid,
            fmt::format("{} holds no private key in PEM format without a password", key.string()));
    }
    if (X509_check_private_key(shown.get(), secret.get()) != 1) {
        ERR_clear_error();
        return failure(ErrorCode::Invalid,
                       fmt::format("{} is not the key of {}", key.string(), certificate.string()));
    }
    int days = 0;
    int seconds = 0;
    ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(shown.get()));
    return std::chrono::hours{days * 24 + seconds / 3600 - (seconds < 0 || days < 0 ? 1 : 0)};
}

}  // namespace restante::cli
