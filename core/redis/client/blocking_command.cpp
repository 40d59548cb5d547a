#include "core/redis/client/blocking_command.h"

#include "core/base/await_descriptor.h"
#include "core/base/file_descriptor.h"
#include "core/redis/client/reply_reader.h"
#include "core/redis/client/request.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace restante::redis {

namespace {

tl::unexpected<Error> unreachable(const std::filesystem::path& socket, const std::string& why)
{
    return failure(ErrorCode::Unavailable, "redis unix://" + socket.string() + ": " + why);
}

}  // namespace

Result<Reply> blockingCommand(const std::filesystem::path& socket,
                              std::initializer_list<std::string_view> command,
                              Millis timeout)
{
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket.native().size() >= sizeof address.sun_path) {
        return unreachable(socket, "the path is too long for a unix socket (107 bytes)");
    }
    std::memcpy(address.sun_path, socket.c_str(), socket.native().size() + 1);
    const FileDescriptor fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!fd ||
        ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return unreachable(socket, formatSystemError(errno));
    }
    std::string request;
    appendRequest(request, {command.begin(), command.size()});
    if (::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size())) {
        return unreachable(socket, formatSystemError(errno));
    }
    ReplyReader reader;
    std::array<char, 16U << 10U> bytes{};
    while (awaitDescriptor(fd.get(), POLLIN, deadline)) {
        const auto size = ::recv(fd.get(), bytes.data(), bytes.size(), 0);
        if (size <= 0) {
            return unreachable(socket, size == 0 ? "closed by Redis" : formatSystemError(errno));
        }
        reader.feed(bytes.data(), static_cast<std::size_t>(size));
        if (auto reply = reader.next()) {
            return std::move(*reply);
        }
        if (!reader.protocolError().empty()) {
            return unreachable(socket, reader.protocolError());
        }
    }
    return unreachable(socket, "no answer within " + std::to_string(timeout.count()) + " ms");
}

}  // namespace restante::redis
