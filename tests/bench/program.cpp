#include "tests/bench/program.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

namespace restante::bench {

namespace {

bool startable(const std::filesystem::path& file)
{
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::string whyNotStartable(const std::string& program)
{
    if (program.find('/') != std::string::npos) {
        std::error_code ignored;
        if (startable(program)) {
            return {};
        }
        return std::filesystem::exists(program, ignored)
                   ? fmt::format("'{}' is not a program that we may start", program)
                   : fmt::format("there is no '{}'", program);
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (startable(std::filesystem::path(folder.empty() ? "." : folder) / program)) {
            return {};
        }
    }
    return fmt::format("there is no '{}' in PATH", program);
}

}  // namespace restante::bench
