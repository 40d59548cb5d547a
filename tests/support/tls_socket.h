#pragma once

#include "core/base/clock.h"
#include "core/base/file_descriptor.h"
#include "tests/support/process.h"
#include "tests/support/sip_text.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace restante::test {

/// What one side of a TLS connection shows and believes. *Value.*
struct TlsSide {
    std::filesystem::path ca;           ///< empty: believes everybody
    std::filesystem::path certificate;  ///< empty: shows none
    std::filesystem::path key;
    int newest = 0;  ///< TLS1_1_VERSION and the like; 0 = what OpenSSL has
};

/// A certificate that names the loopback addresses, and the authority that has given it, for both
/// sides of every connection of a test; the files live as long as the process. Any thread.
std::shared_ptr<const TlsSide> loopbackTls();

/// A TLS connection that carries SIP. Each call waits up to kProcessTimeout. *One
/// thread.*
class TlsSocket {
public:
    enum class Role { Client, Server };

    /// To a server on 127.0.0.1; look at connected().
    TlsSocket(std::uint16_t port, const TlsSide& side);
    /// On a connection of TCP, the handshake included.
    TlsSocket(FileDescriptor connection, const TlsSide& side, Role role = Role::Server);
    TlsSocket(TlsSocket&&) noexcept;
    ~TlsSocket();

    /// The handshake is done, and both have believed each other.
    bool connected() const noexcept { return connected_; }
    bool isOver() const noexcept { return ended_; }  ///< as far as was read and written
    int descriptor() const noexcept { return fd_.get(); }
    std::string address() const;  ///< ours: "127.0.0.1:40000"
    std::string via() const;      ///< the value of a Via with a fresh branch
    void send(std::string_view bytes);
    /// The next message; nothing when none comes or the connection ends.
    std::optional<SipText> receive(Millis timeout = kProcessTimeout);
    /// The peer has ended the connection.
    bool ended(Millis timeout = kProcessTimeout);
    std::string peerName() const;  ///< the common name that the peer has shown

private:
    void shakeHands();
    bool wait(int result, Millis left);
    bool read(Millis timeout);

    std::shared_ptr<ssl_ctx_st> context_;
    FileDescriptor fd_;
    std::shared_ptr<ssl_st> ssl_;
    bool connected_ = false;
    bool ended_ = false;
    std::string buffer_;
};

/// A SIP server or device that is reached over TLS.
class TlsListener {
public:
    explicit TlsListener(TlsSide side);

    std::uint16_t port() const noexcept { return port_; }
    /// Whoever connects next; nothing when nobody does.
    std::optional<TlsSocket> accept(Millis timeout = kProcessTimeout);

private:
    TlsSide side_;
    FileDescriptor socket_;
    std::uint16_t port_ = 0;
};

}  // namespace restante::test
