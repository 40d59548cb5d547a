#include "core/redis/server/server_defaults.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <unistd.h>

namespace restante::redis {

namespace {

constexpr std::uint64_t kLeastMemory = 64ULL << 20U;

/// The number in a file of a control group; the largest where there is none, or "max".
std::uint64_t readLimit(const std::string& path)
{
    std::ifstream file(path);
    std::uint64_t limit = 0;
    return file >> limit ? limit : std::numeric_limits<std::uint64_t>::max();
}

/// The lowest limit of this process's control group and its ancestors (version 2), or of version 1.
std::uint64_t cgroupLimit()
{
    std::ifstream groups("/proc/self/cgroup");
    auto least = readLimit("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    for (std::string line; std::getline(groups, line);) {
        if (!line.starts_with("0::")) {
            continue;
        }
        for (auto group = line.substr(3);; group.resize(group.rfind('/'))) {
            least = std::min(least, readLimit("/sys/fs/cgroup" + group + "/memory.max"));
            if (group.find('/') == std::string::npos) {
                break;
            }
        }
    }
    return least;
}

}  // namespace

std::string serverProgram()
{
    if (const char* named = std::getenv("RESTANTE_REDIS_SERVER");
        named != nullptr && *named != '\0') {
        return named;
    }
    return !isProgram("redis-server") && isProgram("valkey-server") ? "valkey-server"
                                                                    : "redis-server";
}

bool isProgram(const std::string& name)
{
    if (name.find('/') != std::string::npos) {
        return ::access(name.c_str(), X_OK) == 0;
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (::access((folder + "/" + name).c_str(), X_OK) == 0) {
            return true;
        }
    }
    return false;
}

std::size_t defaultMemoryLimit()
{
    const auto pages = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
    const auto total = pages * static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
    return static_cast<std::size_t>(std::max(std::min(total, cgroupLimit()) / 2, kLeastMemory));
}

}  // namespace restante::redis
