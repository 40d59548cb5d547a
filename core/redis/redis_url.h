#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace restante::redis {

/// Where a Redis is and how to enter it. *Value.*
struct RedisUrl {
    std::string host = "127.0.0.1";
    std::uint16_t port = 6379;
    std::string socketPath;  ///< unix socket; wins over host and port
    std::string user;        ///< ACL user, empty = default
    std::string password;
    std::uint32_t database = 0;

    /// Without the password, for logs and the ready line.
    std::string print() const;
};

/// "redis://[[user]:password@]host[:port][/db]", "unix:///path[?db=n&user=u&password=p]",
/// percent-encoding undone. Other schemes are refused by name.
Result<RedisUrl> parseRedisUrl(std::string_view url);

}  // namespace restante::redis
