#pragma once

#include "core/base/handle_deleter.h"

#include <memory>
#include <openssl/x509.h>
#include <string>
#include <vector>

namespace restante::test {

using Certificate = std::unique_ptr<X509, HandleDeleter<X509_free>>;

/// The names in a certificate. They are not checked and may be any bytes.
struct CertificateTexts {
    std::string commonName;         ///< empty = none
    std::vector<std::string> dns;   ///< subjectAltName
    std::vector<std::string> uris;  ///< subjectAltName, behind those
    int times = 1;                  ///< how often the extension is added
};

/// A certificate without signature and key, for parsing only.
Certificate certificateOf(const CertificateTexts& texts);

}  // namespace restante::test
