#pragma once

#include "core/base/clock.h"
#include "core/base/file_descriptor.h"
#include "tests/support/sip_text.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::test {

struct TlsSide;
class TlsSocket;

enum class SipTransport { Udp, Tcp, Tls };

std::string_view name(SipTransport transport);  ///< "udp", "tcp", "tls"
inline std::ostream& operator<<(std::ostream& out, SipTransport transport)
{
    return out << name(transport);
}

/// Where a SIP server listens. *Value.*
struct SipServer {
    SipTransport transport = SipTransport::Udp;
    std::string host;  ///< an address literal, IPv6 without brackets
    std::uint16_t port = 0;
    /// The TLS settings of its peers, as clients and when it connects to them; TLS only.
    std::shared_ptr<const TlsSide> tls{};

    std::string hostPort() const;  ///< "127.0.0.1:5060", "[::1]:5060"
    std::string uri() const;       ///< "sip:127.0.0.1:5060", ";transport=tcp" behind it unless UDP
};

/// A socket that talks to one SIP server: a UDP socket, or a listener of TCP or TLS with the
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
    /// Switches to another server, such as one restarted at another port.
    void moveTo(SipServer server);
    const std::string& address() const noexcept { return localAddress_; }  ///< ours, as hostPort()
    std::string contact(std::string_view user) const;
    std::string via(std::string_view branch) const;

    /// False when the server cannot be reached (UDP never knows).
    bool send(std::string_view bytes);
    void answer(const Arrival& arrival, std::string_view bytes);
    /// The next message; drops anything that is no SIP message. With a zero `timeout` only what has
    /// come already.
    std::optional<Arrival> receive(Millis timeout);
    /// True once after the connection that send() made was closed by the server.
    bool takeDisconnected() noexcept { return std::exchange(disconnected_, false); }

private:
    struct Connection {
        FileDescriptor fd;               ///< of TCP
        std::string buffer;              ///< of TCP
        std::shared_ptr<TlsSocket> tls;  ///< in place of both
        bool hasEnded = false;

        int descriptor() const;
        bool send(std::string_view bytes) const;
    };

    bool connect();
    void accept();
    Connection* find(int descriptor);
    void pollOnce(Millis timeout);
    void takeDatagram();
    void takeBytes(Connection& connection);
    bool takePlain(Connection& connection);
    bool takeEncrypted(Connection& connection);
    void takeMessages(Connection& connection);

    SipServer server_;
    FileDescriptor socket_;  ///< of UDP, or the listener
    std::string localAddress_;
    std::vector<Connection> connections_;
    int outgoing_ = -1;  ///< the descriptor of the connection we made
    bool disconnected_ = false;
    std::deque<Arrival> arrived_;
};

}  // namespace restante::test
