#include "core/cli/default_config.h"

#include "core/cli/command.h"

#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace restante::cli {

namespace {

constexpr const char* kPackaged = "/etc/restante/restante.toml";
constexpr const char* kVariable = "RESTANTE_CONFIG";

}  // namespace

Result<void> findConfig(Options& options)
{
    if (!options.redis.empty() || !options.config.empty()) {
        return {};
    }
    const char* named = std::getenv(kVariable);
    const bool isNamed = named != nullptr && *named != '\0';
    const std::string path = isNamed ? named : kPackaged;
    if (access(path.c_str(), R_OK) == 0) {
        options.config = path;
        return {};
    }
    const int problem = errno;
    if (problem == ENOENT && !isNamed) {
        return {};
    }
    if (problem == EACCES) {
        return failure(
            ErrorCode::Denied,
            fmt::format("{} says where the store is, and this user may not read it; run this as "
                        "root or as the daemon's user (sudo -u restante restantectl ...), or name "
                        "a store with --redis URL or --config FILE",
                        path));
    }
    return failure(ErrorCode::Invalid,
                   fmt::format("{}{} cannot be read: {}",
                               isNamed ? fmt::format("{}: ", kVariable) : std::string(), path,
                               std::generic_category().message(problem)));
}

}  // namespace restante::cli
