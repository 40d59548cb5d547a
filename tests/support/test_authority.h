#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace restante::test {

/// A certificate authority for tests, which issues certificates as PEM files in `directory`. *One
/// thread.*
class TestAuthority {
public:
    struct CertificateRequest {
        std::string commonName;
        std::vector<std::string>
            alternativeNames;              ///< "DNS:a.example", "IP:127.0.0.1", "URI:sip:a"
        std::chrono::hours validFrom{-1};  ///< from now
        std::chrono::hours validUntil{24 * 365};
    };
    struct Files {
        std::filesystem::path certificate;
        std::filesystem::path key;
    };

    TestAuthority(std::filesystem::path directory, const std::string& name);

    /// The authority's own certificate.
    std::filesystem::path file() const { return files_.certificate; }
    /// Writes NAME.pem and NAME.key, replacing existing ones.
    Files issue(const std::string& name, const CertificateRequest& request) const;

private:
    std::filesystem::path directory_;
    std::string name_;
    Files files_;
};

}  // namespace restante::test
