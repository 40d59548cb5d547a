#include "core/base/host_and_pid.h"

#include <array>
#include <fmt/format.h>
#include <unistd.h>

namespace restante {

std::string hostAndPid()
{
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return fmt::format("{}/{}", host.data(), ::getpid());
}

}  // namespace restante
