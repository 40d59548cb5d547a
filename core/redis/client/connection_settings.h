#pragma once

#include "core/redis/client/connection.h"
#include "core/redis/client/redis_url.h"

#include <string>

namespace restante::redis {

/// *Value.*
struct Connection::Settings {
    RedisUrl url;
    Millis timeout{1'500};  ///< of one command; 503 must leave within 2 s
    Millis firstBackOff{50};
    Millis longestBackOff{1'000};
    std::string name = "restante";  ///< CLIENT SETNAME
};

}  // namespace restante::redis
