#pragma once

#include "core/base/clock.h"
#include "core/base/file_descriptor.h"
#include "tests/support/sip_text.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::test {

enum class SipTransport { Udp, Tcp };

inline std::ostream& operator<<(std::ostream& out, SipTransport transport)
{
    return out << (transport == SipTransport::Udp ? "udp" : "tcp");
}

/// Where a SIP server listens. *Value.*
struct SipServer {
    SipTransport transport = SipTransport::Udp;
    std::string host;  ///< an address literal, IPv6 without brackets
    std::uint16_t port = 0;

    std::string hostPort() const;  ///< "127.0.0.1:5060", "[::1]:5060"
};

/// A plain socket that talks to one SIP server: a UDP socket, or a TCP listener with the
/// connections that were made to it and one that it makes itself. *One thread.*
class SipSocket {
public:
    /// A message, and the connection to answer it on.
    struct Arrival {
        SipText message;
        int connection = -1;
        std::uint16_t from = 0;  ///< the port of a datagram: several servers may send to us
    };

    explicit SipSocket(SipServer server);

    const SipServer& server() const noexcept { return server_; }
    /// From now on it talks to this one: the server was started anew at another port.
    void moveTo(SipServer server);
    const std::string& address() const noexcept { return local_; }  ///< ours, as hostPort()
    std::string contact(std::string_view user) const;
    std::string via(std::string_view branch) const;

    /// False when the server cannot be reached (TCP only: UDP never knows).
    bool send(std::string_view bytes);
    void answer(const Arrival& arrival, std::string_view bytes);
    /// What is no SIP message is dropped. Zero `patience` takes only what has come already.
    std::optional<Arrival> receive(Millis patience);
    /// True once after the connection that send() made was closed by the server.
    bool takeDisconnected() noexcept { return std::exchange(disconnected_, false); }

private:
    struct Connection {
        FileDescriptor fd;
        std::string buffer;
    };

    bool connect();
    void wait(Millis patience);
    void takeDatagram();
    void takeBytes(Connection& connection);
    void takeMessages(Connection& connection);

    SipServer server_;
    FileDescriptor socket_;  ///< of UDP, or TCP's listener
    std::string local_;
    std::vector<Connection> connections_;
    int outgoing_ = -1;  ///< the descriptor of the connection we made
    bool disconnected_ = false;
    std::deque<Arrival> arrived_;
};

}  // namespace restante::test
