#pragma once

#include "core/base/handle_deleter.h"

#include <memory>
#include <openssl/x509.h>
#include <string>
#include <vector>

namespace restante::test {

using Certificate = std::unique_ptr<X509, HandleDeleter<X509_free>>;

/// What a certificate says of its owner. No text is looked at: it may be any bytes.
struct CertifiedTexts {
    std::string commonName;         ///< empty = none
    std::vector<std::string> dns;   ///< subjectAltName
    std::vector<std::string> uris;  ///< subjectAltName, behind those
    int times = 1;                  ///< that the extension stands there
};

/// One that nobody has signed and that has no key, to be looked at only.
Certificate certificateOf(const CertifiedTexts& texts);

}  // namespace restante::test
