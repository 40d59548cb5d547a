#include "core/base/service_manager.h"

#include "core/base/file_descriptor.h"
#include "core/base/text.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Not libsystemd: the protocol is a datagram, and the library would be one more dependency.

namespace restante {

namespace {

std::string takeEnvironment(const char* variable)
{
    const char* value = std::getenv(variable);
    std::string text = value == nullptr ? "" : value;
    ::unsetenv(variable);
    return text;
}

}  // namespace

ServiceManager::ServiceManager(EventLoop& loop)
    : socket_(takeEnvironment("NOTIFY_SOCKET")),
      feedTimer_(loop)
{
    const auto microseconds =
        wholeNumber<std::uint64_t>(takeEnvironment("WATCHDOG_USEC")).value_or(0);
    const auto process = takeEnvironment("WATCHDOG_PID");
    if (process.empty() || wholeNumber<pid_t>(process) == ::getpid()) {
        feedInterval_ = Millis{static_cast<Millis::rep>(microseconds / 2'000U)};
    }
}

void ServiceManager::notifyReady(std::string_view status)
{
    send("READY=1\nSTATUS=" + std::string(status));
    if (!socket_.empty() && feedInterval_ > Millis{0} && !feedTimer_.armed()) {
        feedWatchdog();
    }
}

void ServiceManager::feedWatchdog()
{
    send("WATCHDOG=1");
    feedTimer_.arm(feedInterval_, [this] { feedWatchdog(); });
}

void ServiceManager::send(const std::string& message) const noexcept
{
    sockaddr_un address{};
    if (socket_.empty() || socket_.size() >= sizeof address.sun_path) {
        return;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket_.data(), socket_.size());
    if (socket_.front() == '@') {
        address.sun_path[0] = '\0';  // an abstract name
    }
    const FileDescriptor sender{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    // A lost datagram does no harm: the watchdog's next one follows, or systemd notices.
    [[maybe_unused]] const auto sent =
        ::sendto(sender.get(), message.data(), message.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size()));
}

}  // namespace restante
