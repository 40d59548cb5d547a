#include "tests/support/test_authority.h"

#include "core/base/handle_deleter.h"

#include <atomic>
#include <memory>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdexcept>

namespace restante::test {

namespace {

using File = std::unique_ptr<BIO, HandleDeleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, HandleDeleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, HandleDeleter<EVP_PKEY_free>>;

void checkOpenSsl(bool done, const std::string& what)
{
    if (!done) {
        throw std::runtime_error("OpenSSL cannot " + what);
    }
}

Key newKey()
{
    Key key{EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")};
    checkOpenSsl(key != nullptr, "make a key");
    return key;
}

void addExtension(X509* certificate, X509* issuer, int kind, const std::string& value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, HandleDeleter<X509_EXTENSION_free>> extension{
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str())};
    checkOpenSsl(extension && X509_add_ext(certificate, extension.get(), -1) == 1,
                 "add the extension " + value);
}

Certificate newCertificate(EVP_PKEY* key, const TestAuthority::CertificateRequest& request)
{
    static std::atomic<long> serial{1};
    Certificate certificate{X509_new()};
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
    const auto seconds = [](auto hours) {
        return static_cast<long>(std::chrono::seconds{hours}.count());
    };
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), seconds(request.validFrom));
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), seconds(request.validUntil));
    X509_set_pubkey(certificate.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(request.commonName.c_str()),
                               -1, -1, 0);
    return certificate;
}

TestAuthority::Files
write(const std::filesystem::path& directory, const std::string& name, X509* shown, EVP_PKEY* key)
{
    TestAuthority::Files files{directory / (name + ".pem"), directory / (name + ".key")};
    const File certificateFile{BIO_new_file(files.certificate.c_str(), "w")};
    const File keyFile{BIO_new_file(files.key.c_str(), "w")};
    checkOpenSsl(certificateFile && keyFile &&
                     PEM_write_bio_X509(certificateFile.get(), shown) == 1 &&
                     PEM_write_bio_PrivateKey(keyFile.get(), key, nullptr, nullptr, 0, nullptr,
                                              nullptr) == 1,
                 "write " + files.certificate.string());
    std::filesystem::permissions(files.key, std::filesystem::perms::owner_read |
                                                std::filesystem::perms::owner_write);
    return files;
}

}  // namespace

TestAuthority::TestAuthority(std::filesystem::path directory, const std::string& name)
    : directory_(std::move(directory)),
      name_(name)
{
    const auto key = newKey();
    const auto own = newCertificate(key.get(), {name, {}});
    X509_set_issuer_name(own.get(), X509_get_subject_name(own.get()));
    addExtension(own.get(), own.get(), NID_basic_constraints, "critical,CA:TRUE");
    addExtension(own.get(), own.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
    checkOpenSsl(X509_sign(own.get(), key.get(), EVP_sha256()) > 0, "sign");
    files_ = write(directory_, name, own.get(), key.get());
}

TestAuthority::Files TestAuthority::issue(const std::string& name,
                                          const CertificateRequest& request) const
{
    const File issuerFile{BIO_new_file(files_.certificate.c_str(), "r")};
    const File issuerKeyFile{BIO_new_file(files_.key.c_str(), "r")};
    const Certificate issuer{PEM_read_bio_X509(issuerFile.get(), nullptr, nullptr, nullptr)};
    const Key issuerKey{PEM_read_bio_PrivateKey(issuerKeyFile.get(), nullptr, nullptr, nullptr)};
    const auto key = newKey();
    const auto certificate = newCertificate(key.get(), request);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
    std::string names;
    for (const auto& alternative : request.alternativeNames) {
        names += (names.empty() ? "" : ",") + alternative;
    }
    if (!names.empty()) {
        addExtension(certificate.get(), issuer.get(), NID_subject_alt_name, names);
    }
    checkOpenSsl(X509_sign(certificate.get(), issuerKey.get(), EVP_sha256()) > 0, "sign");
    return write(directory_, name, certificate.get(), key.get());
}

}  // namespace restante::test
