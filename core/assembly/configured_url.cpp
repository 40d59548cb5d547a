#include "core/assembly/configured_url.h"

#include "core/base/secret_file.h"

namespace restante::redis {

Result<RedisUrl> redisUrlOf(const Config& config)
{
    const auto& file = config.redis.passwordFile;
    if (config.redis.url.empty()) {
        if (!file.empty()) {
            return failure(ErrorCode::Invalid, "redis.password_file is for a Redis that redis.url "
                                               "names; the embedded one has no password");
        }
        RedisUrl url;
        url.socketPath = config.stateDirectory() / "redis" / "redis.sock";
        return url;
    }
    auto url = parseRedisUrl(config.redis.url);
    if (!url || file.empty()) {
        return url;
    }
    if (!url->password.empty()) {
        return failure(ErrorCode::Invalid, "redis.password_file and redis.url both have a "
                                           "password; take it out of redis.url");
    }
    auto password = readSecret("redis.password_file", file);
    if (!password) {
        return tl::unexpected(password.error());
    }
    url->password = std::move(*password);
    return url;
}

}  // namespace restante::redis
