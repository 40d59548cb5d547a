#pragma once

#include "core/base/result.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

/// The address of a Redis or a sentinel. *Value.*
struct NodeAddress {
    std::string host;
    std::uint16_t port = 6379;

    std::string toString() const;  ///< "h:6379", "[::1]:6379"
    friend auto operator<=>(const NodeAddress&, const NodeAddress&) = default;
};

/// The address of a Redis, with TLS settings and credentials. *Value.*
struct RedisUrl {
    /// How TLS is spoken; its files are PEM, by their absolute paths.
    struct Tls {
        enum class Verify { Yes, No };
        std::string ca;           ///< trusted authorities; empty = those of the system
        std::string certificate;  ///< client certificate, for a server that requires one
        std::string key;          ///< of `certificate`
        std::string serverName;   ///< the name in the server's certificate; empty = the host
        Verify verify = Verify::Yes;

        friend bool operator==(const Tls&, const Tls&) = default;
    };
    using Sentinel = NodeAddress;

    std::string host = "127.0.0.1";
    std::uint16_t port = 6379;
    std::string socketPath;  ///< unix socket; wins over host and port
    std::string user;        ///< ACL user, empty = default
    std::string password;
    std::uint32_t database = 0;
    std::optional<Tls> tls;  ///< none = plain; also used with the sentinels
    std::vector<Sentinel>
        sentinels;       ///< not empty: they are asked for `master`; host and port are unused
    std::string master;  ///< the name the sentinels have for it
    std::string sentinelUser;
    std::string sentinelPassword;
    std::vector<NodeAddress> nodes;  ///< some nodes of a Redis Cluster, which know all others

    /// Without the passwords, for logs and the ready line.
    std::string toString() const;
    /// "redis.example.org:6379", or the path of the socket; with sentinels "mymaster of a:26379,
    /// ...", by the name of `master`; of a cluster "the cluster of a:6379, ...".
    std::string location() const;
};

/// The forms of a URL that parseRedisUrl() reads, to end a sentence with; without the options that
/// may follow.
inline constexpr std::string_view kRedisUrlForms =
    "redis[s]://[[user]:password@]host[:port][/db], "
    "redis[s]+sentinel://[[user]:password@]host[:port],.../master[/db], "
    "redis[s]+cluster://[[user]:password@]host[:port],... or unix:///path";

/// A URL of one of kRedisUrlForms, percent-encoding undone. Options follow a '?': of a unix socket
/// db, user, password; with rediss ca, cert, key (files), sni, verify=off; with sentinels,
/// sentinel_user and sentinel_password say who asks them. Other schemes are refused by name, and so
/// is a control character, but for a percent-encoded one of a password.
Result<RedisUrl> parseRedisUrl(std::string_view url);

/// "h:6379", "[::1]:6379".
std::string formatAddress(std::string_view host, std::uint16_t port);
/// All addresses, joined by `separator`.
std::string formatAddresses(const std::vector<NodeAddress>& addresses, std::string_view separator);

}  // namespace restante::redis
