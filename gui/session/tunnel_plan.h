#pragma once

#include "core/base/clock.h"
#include "core/redis/client/redis_url.h"
#include "gui/session/link_problem.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::gui {

/// A machine that a connection goes through by ssh. *Value.*
struct JumpHost {
    std::string user;        ///< empty = as ssh is configured
    std::string host;        ///< a name, an address, or what ssh's configuration calls it
    std::uint16_t port = 0;  ///< 0 = as ssh is configured

    std::string toString() const;
};

/// *Pure functions*: what is asked of OpenSSH, and what its words mean. docs/decisions/0017 says
/// why it is asked in this way.

/// "[user@]host[:port]", an IPv6 address in brackets. Nothing that ssh, or a shell that it starts,
/// could take for anything but a name: letters, digits and ._- (of users also @ and +), not
/// beginning with a hyphen.
std::optional<JumpHost> parseJumpHost(std::string_view text);

/// An absolute path without what ssh expands or splits at, and without what cannot be seen.
bool isPlainPath(std::string_view path);
/// The same, or one below "~/".
bool isKeyFile(std::string_view file);

/// From a socket here through the jump host to a Redis. *Value.*
struct TunnelPlan {
    JumpHost jump;
    std::string keyFile;  ///< empty = as ssh is configured
    std::string target;   ///< as ssh writes it: "redis.internal:6379", "/run/redis.sock"
    Millis timeout{5'000};
};

/// The tunnel that a profile asks for. The problem says which part of it cannot be.
tl::expected<TunnelPlan, LinkProblem> planTunnel(const std::string& jumpHost,
                                                 const std::string& keyFile,
                                                 const redis::RedisUrl& url,
                                                 Millis timeout);

/// What ssh prints once the tunnel is open.
inline constexpr std::string_view kTunnelIsOpen = "restante: the tunnel is open";

/// Program and arguments; the tunnel begins at `socket`, an absolute path.
std::vector<std::string> sshCommand(const TunnelPlan& plan, const std::string& socket);

/// Why ssh gave up, by all that it has said.
LinkProblem jumpProblemOf(std::string_view output, const TunnelPlan& plan);

/// Why the jump host did not get to `plan.target`, by what ssh said last about it; none when it
/// said nothing.
LinkProblem targetProblemOf(std::string_view output, const TunnelPlan& plan);

}  // namespace restante::gui
