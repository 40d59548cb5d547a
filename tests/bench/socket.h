#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace restante::bench {

/// Owns a descriptor. *Value, move only.*
class Socket {
public:
    explicit Socket(int fd) noexcept : fd_(fd) {}
    Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Socket& operator=(Socket&&) = delete;
    ~Socket();
    int get() const noexcept { return fd_; }

private:
    int fd_;
};

/// Connected to 127.0.0.1:`port`; port 0 leaves a UDP socket unconnected, bound to a free port.
/// Both throw std::system_error.
Socket udpSocket(std::uint16_t port);
Socket tcpSocket(std::uint16_t port);
std::uint16_t localPort(int fd);
void sendAll(int fd, std::string_view bytes);

}  // namespace restante::bench
