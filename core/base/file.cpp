#include "core/base/file.h"

#include "core/base/file_descriptor.h"

#include <array>
#include <cerrno>
#include <fcntl.h>

namespace restante {

std::optional<std::string> readAll(int descriptor, std::size_t sizeLimit)
{
    std::string content;
    std::array<char, 4'096> buffer{};
    while (content.size() <= sizeLimit) {
        const auto bytesRead = ::read(descriptor, buffer.data(), buffer.size());
        if (bytesRead < 0 && errno != EINTR) {
            return std::nullopt;
        }
        if (bytesRead == 0) {
            break;
        }
        content.append(buffer.data(), bytesRead < 0 ? 0 : static_cast<std::size_t>(bytesRead));
    }
    return content;
}

std::optional<std::string> readFile(const std::filesystem::path& path)
{
    const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    return file ? readAll(file.get()) : std::nullopt;
}

}  // namespace restante
