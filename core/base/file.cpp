#include "core/base/file.h"

#include "core/base/file_descriptor.h"

#include <array>
#include <cerrno>
#include <fcntl.h>

namespace restante {

std::optional<std::string> readAll(int descriptor, std::size_t most)
{
    std::string content;
    std::array<char, 4'096> piece{};
    while (content.size() <= most) {
        const auto got = ::read(descriptor, piece.data(), piece.size());
        if (got < 0 && errno != EINTR) {
            return std::nullopt;
        }
        if (got == 0) {
            break;
        }
        content.append(piece.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
    }
    return content;
}

std::optional<std::string> readFile(const std::filesystem::path& path)
{
    const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    return file ? readAll(file.get()) : std::nullopt;
}

}  // namespace restante
