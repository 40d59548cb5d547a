#include "tests/support/tls_redis.h"

#include "tests/support/free_port.h"

namespace restante::test {

TlsRedis::TlsRedis(const Settings& settings)
    : authority_(directory_.path(), "Test Authority"),
      port_(freePort()),
      server_(serverSettings(settings))
{
}

redis::RedisUrl TlsRedis::url() const
{
    redis::RedisUrl url;
    url.port = port_;
    url.tls = redis::RedisUrl::Tls{};
    url.tls->ca = authority_.file();
    return url;
}

RedisServer::Settings TlsRedis::serverSettings(const Settings& settings) const
{
    TestAuthority::CertificateRequest request{"redis", settings.names};
    request.validFrom = std::chrono::hours{-48};
    request.validUntil = settings.validUntil;
    const auto shown = authority_.issue("server", request);
    RedisServer::Settings server;
    server.extra = {"--tls-port",         std::to_string(port_),
                    "--tls-cert-file",    shown.certificate,
                    "--tls-key-file",     shown.key,
                    "--tls-ca-cert-file", authority_.file(),
                    "--tls-auth-clients", settings.wantsCertificate ? "yes" : "no"};
    server.extra.insert(server.extra.end(), settings.extra.begin(), settings.extra.end());
    return server;
}

TlsRedis& sharedTlsRedis()
{
    static TlsRedis redis;
    redis.server().send({"FLUSHALL"});
    redis.server().send({"SCRIPT", "FLUSH"});
    return redis;
}

}  // namespace restante::test
