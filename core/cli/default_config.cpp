#include "core/cli/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace restante::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPackaged = "/etc/restante/restante.toml";
constexpr const char* kVariable = "RESTANTE_CONFIG";
constexpr std::string_view kStateDir = "state_dir=";

/// PREFIX/etc/restante/restante.toml of the program PREFIX/bin/restantectl, where the installation
/// puts it, if it is there; else the one of the package.
fs::path installedConfig()
{
    std::error_code problem;
    const auto program = fs::read_symlink("/proc/self/exe", problem);
    const auto own = program.parent_path().parent_path() / "etc/restante/restante.toml";
    // One that is out of this user's reach is there, too.
    const bool isThere = !problem && (access(own.c_str(), F_OK) == 0 || errno == EACCES);
    return isThere ? own : fs::path(kPackaged);
}

/// Whether --set says by itself whose store it is: a file of another daemon would only add what was
/// not meant.
bool namesStore(const std::vector<std::string>& overrides)
{
    return std::any_of(overrides.begin(), overrides.end(), [](std::string_view text) {
        return text.starts_with(kStateDir) && text.size() > kStateDir.size();
    });
}

}  // namespace

Result<void> applyDefaultConfig(Options& options)
{
    if (!options.redis.empty() || !options.config.empty()) {
        return {};
    }
    const char* named = std::getenv(kVariable);
    const bool isNamed = named != nullptr && *named != '\0';
    if (!isNamed && namesStore(options.overrides)) {
        return {};
    }
    const std::string path = isNamed ? fs::path(named) : installedConfig();
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
