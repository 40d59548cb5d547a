#pragma once

#include "core/base/result.h"
#include "core/config/config.h"
#include "core/redis/client/redis_url.h"

namespace restante::redis {

/// The Redis of a configuration: the one that `redis.url` names, with the password that
/// `redis.password_file` holds, or the socket of the embedded one. Invalid says what is wrong, and
/// shows no password.
Result<RedisUrl> redisUrlOf(const Config& config);

}  // namespace restante::redis
