#include "tests/support/made_certificate.h"

#include <openssl/x509v3.h>
#include <stdexcept>

namespace restante::test {

namespace {

using Names = std::unique_ptr<GENERAL_NAMES, HandleDeleter<GENERAL_NAMES_free>>;

void checkMade(bool done)
{
    if (!done) {
        throw std::runtime_error("OpenSSL cannot make the certificate");
    }
}

void add(GENERAL_NAMES& names, int type, const std::string& text)
{
    auto* name = GENERAL_NAME_new();
    auto* value = ASN1_IA5STRING_new();
    checkMade(name != nullptr && value != nullptr &&
              ASN1_STRING_set(value, text.data(), static_cast<int>(text.size())) == 1);
    GENERAL_NAME_set0_value(name, type, value);
    checkMade(sk_GENERAL_NAME_push(&names, name) > 0);
}

}  // namespace

Certificate certificateOf(const CertificateTexts& texts)
{
    Certificate certificate{X509_new()};
    const Names names{GENERAL_NAMES_new()};
    checkMade(certificate && names && X509_set_version(certificate.get(), X509_VERSION_3) == 1);
    if (!texts.commonName.empty()) {
        checkMade(X509_NAME_add_entry_by_NID(
                      X509_get_subject_name(certificate.get()), NID_commonName, V_ASN1_UTF8STRING,
                      reinterpret_cast<const unsigned char*>(texts.commonName.data()),
                      static_cast<int>(texts.commonName.size()), -1, 0) == 1);
    }
    for (const auto& text : texts.dns) {
        add(*names, GEN_DNS, text);
    }
    for (const auto& text : texts.uris) {
        add(*names, GEN_URI, text);
    }
    const bool any = sk_GENERAL_NAME_num(names.get()) > 0;
    for (int i = 0; any && i < texts.times; ++i) {
        checkMade(X509_add1_ext_i2d(certificate.get(), NID_subject_alt_name, names.get(), 0,
                                    X509V3_ADD_APPEND) == 1);
    }
    return certificate;
}

}  // namespace restante::test
