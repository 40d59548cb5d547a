#include "core/config/config.h"

#include <cstdlib>
#include <string_view>

namespace restante {

namespace {
std::string_view environment(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : std::string_view{value};
}
}  // namespace

std::filesystem::path Config::stateDirectory() const
{
    return stateDir.empty() ? defaultStateDirectory() : stateDir;
}

std::filesystem::path defaultStateDirectory()
{
    // systemd lists several directories with colons; the first is ours.
    if (auto directories = environment("STATE_DIRECTORY"); !directories.empty()) {
        return directories.substr(0, directories.find(':'));
    }
    if (auto stateHome = environment("XDG_STATE_HOME"); !stateHome.empty()) {
        return std::filesystem::path(stateHome) / "restante";
    }
    if (auto home = environment("HOME"); !home.empty()) {
        return std::filesystem::path(home) / ".local/state/restante";
    }
    return "/var/lib/restante";
}

}  // namespace restante
