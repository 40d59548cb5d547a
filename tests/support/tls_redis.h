#pragma once

#include "core/redis/client/redis_url.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"

#include <cstdint>
#include <string>
#include <vector>

namespace restante::test {

/// A redis-server that speaks TLS on 127.0.0.1 (and RESP on its unix socket, for the test itself),
/// with certificates of an authority of its own. *One thread.*
class TlsRedis {
public:
    struct Settings {
        /// The names in its certificate.
        std::vector<std::string> names{"IP:127.0.0.1", "DNS:localhost"};
        std::chrono::hours validUntil{24 * 365};
        bool wantsCertificate = false;
        std::vector<std::string> extra;
    };

    TlsRedis() : TlsRedis(Settings{}) {}
    explicit TlsRedis(const Settings& settings);

    /// With the authority's certificate, without a client certificate.
    redis::RedisUrl url() const;
    std::uint16_t port() const noexcept { return port_; }
    RedisServer& server() noexcept { return server_; }
    const TestAuthority& authority() const noexcept { return authority_; }
    /// Issued by the authority to a client.
    TestAuthority::Files client() const { return authority_.issue("client", {"client", {}}); }
    std::filesystem::path directory() const { return directory_.path(); }

private:
    RedisServer::Settings serverSettings(const Settings& settings) const;

    TempDir directory_;
    TestAuthority authority_;
    std::uint16_t port_;
    RedisServer server_;
};

/// The server that all tests of a binary share, emptied by each call.
TlsRedis& sharedTlsRedis();

}  // namespace restante::test
