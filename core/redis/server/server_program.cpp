#include "core/redis/server/server_program.h"

#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace restante::redis {

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

}  // namespace restante::redis
