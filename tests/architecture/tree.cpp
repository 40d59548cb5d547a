#include "tests/architecture/tree.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace restante::architecture {

namespace {
std::filesystem::path environmentPath(const char* variable)
{
    const char* value = std::getenv(variable);
    if (value == nullptr) {
        throw std::runtime_error(std::string(variable) + " is not set: run this through ctest");
    }
    return value;
}
}  // namespace

std::filesystem::path sourceRoot()
{
    return environmentPath("RESTANTE_SOURCE_DIR");
}
std::filesystem::path buildRoot()
{
    return environmentPath("RESTANTE_BUILD_DIR");
}

std::vector<std::string> filesBelow(std::string_view folder,
                                    const std::vector<std::string>& extensions)
{
    std::vector<std::string> found;
    const std::filesystem::path root = sourceRoot() / folder;
    if (!std::filesystem::exists(root)) {
        return found;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (std::ranges::count(extensions, entry.path().extension().string()) > 0) {
            found.push_back(entry.path().lexically_relative(sourceRoot()).string());
        }
    }
    std::ranges::sort(found);
    return found;
}

std::vector<std::string> sources()
{
    std::vector<std::string> all;
    for (const char* folder : {"core", "sipplugin", "gui", "tests"}) {
        std::ranges::copy(filesBelow(folder, {".h", ".cpp", ".c"}), std::back_inserter(all));
    }
    return all;
}

std::string contentOf(const std::string& file)
{
    std::ifstream stream(sourceRoot() / file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    if (!stream) {
        throw std::runtime_error("cannot read " + file);
    }
    return content.str();
}

std::vector<std::string> linesOf(const std::string& file)
{
    std::vector<std::string> lines;
    std::istringstream stream(contentOf(file));
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> includesOf(const std::string& file)
{
    static const std::regex kInclude(R"(^\s*#\s*include\s*(["<][^">]+[">]))");
    std::vector<std::string> includes;
    for (const std::string& line : linesOf(file)) {
        std::smatch match;
        // The whole tree is read a dozen times; a search for a word is a hundred times quicker.
        if (line.find("include") != std::string::npos && std::regex_search(line, match, kInclude)) {
            includes.push_back(match[1]);
        }
    }
    return includes;
}

std::string outputOf(const std::string& command)
{
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) {
        throw std::runtime_error("cannot run " + command);
    }
    std::string output;
    std::array<char, 65'536> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
        output.append(buffer.data(), count);
    }
    if (::pclose(pipe) != 0) {
        throw std::runtime_error(command + " failed:\n" + output);
    }
    return output;
}

}  // namespace restante::architecture
