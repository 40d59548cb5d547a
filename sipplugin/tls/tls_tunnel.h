#pragma once

#include "core/base/event_loop.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"
#include "sipplugin/tls/tls_contexts.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace restante::sip {

/// The other end of a TLS connection.
struct TlsPeer {
    std::string host;  ///< an address literal, IPv6 without brackets
    std::uint16_t port = 0;
};

/// A TLS connection, and a plain one on 127.0.0.1 that leads to the SIP parser: what is read from
/// one is written to the other. The parser's side is opened when the handshake is done, and reading
/// stops while the other side does not take what was read. *One loop.*
class TlsTunnel {
public:
    struct Ends {
        FileDescriptor outside;  ///< non-blocking; it may still be connecting
        SslHandle ssl;
        std::string expected;  ///< whose certificate the peer must show; empty: it came to us
        std::uint16_t parserPort = 0;
    };
    struct Events {
        /// The parser is going to see a connection from 127.0.0.1 and this port.
        std::function<void(std::uint16_t)> joined;
        /// It is over: destroy it, but not from inside the call. Once.
        std::function<void(const std::string& why)> ended;
    };

    TlsTunnel(EventLoop& loop, Ends ends, Events events);
    TlsTunnel(const TlsTunnel&) = delete;
    TlsTunnel& operator=(const TlsTunnel&) = delete;
    /// At once, both ways.
    ~TlsTunnel();

private:
    /// What stands between being read on one side and being written on the other.
    class Buffer;
    enum class State { Connecting, Handshaking, Flowing, Ended };

    void turn();
    void finishConnecting();
    void shakeHands();
    void join();
    void pump();
    bool pumpIn();
    bool pumpOut();
    bool readOutside();
    bool writeOutside();
    void endOfPeer(bool canStillHear);
    void watch();
    void end(const std::string& why);
    std::string whyNotVerified() const;

    EventLoop& loop_;
    FileDescriptor outside_;
    SslHandle ssl_;
    std::string expected_;
    std::uint16_t parserPort_;
    Events events_;
    FileDescriptor inside_;
    State state_ = State::Connecting;
    std::unique_ptr<Buffer> in_;   ///< to the parser
    std::unique_ptr<Buffer> out_;  ///< to the peer
    bool peerEnded_ = false;
    bool peerHears_ = true;
    bool parserTold_ = false;  ///< that the peer sends nothing more
    bool parserEnded_ = false;
    Readiness readWants_ = Readiness::Readable;  ///< what OpenSSL waits for to go on reading
    Readiness writeWants_ = Readiness::None;
    Timer patience_;
    Watch outsideWatch_;
    Watch insideWatch_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace restante::sip
