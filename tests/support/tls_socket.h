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

/// The TLS settings of one side of a connection. *Value.*
struct TlsSide {
    std::filesystem::path ca;           ///< empty: accepts every certificate
    std::filesystem::path certificate;  ///< empty: presents none
    std::filesystem::path key;
    int newest = 0;  ///< highest version, such as TLS1_1_VERSION; 0 = OpenSSL's
};

/// A certificate for the loopback addresses and its authority, for both sides of every connection
/// of a test; the files live as long as the process. Any thread.
std::shared_ptr<const TlsSide> loopbackTls();

/// A TLS connection that carries SIP. Each call waits up to kProcessTimeout. *One
/// thread.*
class TlsSocket {
public:
    enum class Role { Client, Server };

    /// Connects to a server on 127.0.0.1; connected() tells whether that worked.
    TlsSocket(std::uint16_t port, const TlsSide& side);
    /// Performs the handshake on an existing TCP connection.
    TlsSocket(FileDescriptor connection, const TlsSide& side, Role role = Role::Server);
    TlsSocket(TlsSocket&&) noexcept;
    ~TlsSocket();

    /// Whether the handshake succeeded.
    bool connected() const noexcept { return connected_; }
    bool isOver() const noexcept { return ended_; }  ///< as noticed by reading or writing
    int descriptor() const noexcept { return fd_.get(); }
    std::string address() const;  ///< ours: "127.0.0.1:40000"
    std::string via() const;      ///< the value of a Via with a fresh branch
    void send(std::string_view bytes);
    /// The next message; nothing when none comes or the connection ends.
    std::optional<SipText> receive(Millis timeout = kProcessTimeout);
    /// Reads until the connection ends; false when it does not within `timeout`.
    bool ended(Millis timeout = kProcessTimeout);
    std::string peerName() const;  ///< the common name of the peer's certificate

private:
    void performHandshake();
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
    /// The next connection; nothing when none comes.
    std::optional<TlsSocket> accept(Millis timeout = kProcessTimeout);

private:
    TlsSide side_;
    FileDescriptor socket_;
    std::uint16_t port_ = 0;
};

}  // namespace restante::test
