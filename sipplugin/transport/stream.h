#pragma once

#include "core/base/event_loop.h"
#include "core/base/file_descriptor.h"
#include "sipplugin/transport/message_text.h"
#include "sipplugin/transport/sockets.h"
#include "sipplugin/transport/tls/tls_contexts.h"

#include <chrono>
#include <unordered_map>

namespace restante::sip {

/// A connection that carries SIP messages, over TCP or TLS. *One loop.*
class Stream : public std::enable_shared_from_this<Stream> {
public:
    using Id = std::uint64_t;
    using Instant = std::chrono::steady_clock::time_point;

    /// Told on the loop, never from inside send().
    class Owner {
    public:
        virtual ~Owner() = default;
        /// It is connected, and with TLS the peer is who it should be.
        virtual void opened(Stream& stream) = 0;
        virtual void received(Stream& stream, std::string message) = 0;
        /// Answer what can be answered of that head; the stream ends by itself then.
        virtual void rejected(Stream& stream, int status, std::string head) = 0;
        /// It is over, once. Also from inside send().
        virtual void closed(Stream& stream, const std::string& why) = 0;
    };
    struct Endpoints {
        Id id = 0;
        FileDescriptor socket;  ///< non-blocking; it may still be connecting
        SslHandle ssl;          ///< null: TCP
        ListenAddress peer;
        bool outgoing = false;  ///< we have made it
        std::string expected;   ///< whose certificate the peer must show; empty = nobody's
    };
    struct Limits {
        std::size_t largest = 0;     ///< message, in bytes
        Millis messageTime{30'000};  ///< from the first byte of a message to its last
        /// Unless something keeps it; more than the 120 s between keep-alives of RFC 5626.
        Millis idleTimeout{180'000};
    };

    Stream(EventLoop& loop, Owner& owner, Endpoints endpoints, Limits limits);

    /// To be called once it is in a shared_ptr.
    void begin();
    /// Queues it behind what has not left yet; false when there is no room, or no connection.
    bool send(std::string_view message);
    /// At once, whatever has not left.
    void end(const std::string& why);
    /// Ends it when it has lasted for too long in the state that it is in.
    void checkTimeouts(Instant now);
    /// No idle time-out ends it before, for that user's sake; of each user the last word counts.
    void keepUntil(const std::string& user, Instant until);
    /// A request that came by it waits for its answer, or does no more.
    void awaitAnswer() noexcept { ++unanswered_; }
    void answered();

    Id id() const noexcept { return endpoints_.id; }
    const ListenAddress& peer() const noexcept { return endpoints_.peer; }
    bool isOutgoing() const noexcept { return endpoints_.outgoing; }
    bool isOpen() const noexcept { return state_ == State::Open; }
    bool isLiving() const noexcept { return state_ < State::Finishing; }
    /// Our own end.
    ListenAddress local() const;
    /// certifiedNames() of a peer over TLS; none over TCP.
    const std::vector<std::string>& peerNames();

private:
    enum class State { Connecting, Handshaking, Open, Finishing, Ended };

    void handleReadiness();
    void finishConnecting();
    void handshake();
    void open();
    void read();
    /// How many bytes came; 0 when none are there, or no more will come.
    std::size_t readSome();
    std::size_t readTls(char* bytes, std::size_t size);
    void handlePieces();
    void finish();
    void handlePeerClosed();
    void flush();
    std::optional<std::size_t> write(std::string_view bytes);
    void watch();
    std::string whyHandshakeFailed() const;
    /// Whether the failed call only has to be repeated once the socket is ready for `wanted`
    /// (SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE).
    bool tlsWouldBlock(int result, Readiness& wanted) const;
    bool hasUnsent() const noexcept { return sent_ < unsent_.size(); }
    /// Nothing more is read before some of what was asked or answered has left.
    bool isFull() const noexcept;
    /// How many users keep it then.
    std::size_t removeExpiredKeepers(Instant now);

    EventLoop& loop_;
    Owner& owner_;
    Endpoints endpoints_;
    Limits limits_;
    State state_;
    StreamFramer framer_;
    std::string unsent_;
    std::size_t sent_ = 0;  ///< of unsent_
    std::size_t unanswered_ = 0;
    bool peerEnded_ = false;
    bool writeClosed_ = false;  ///< the peer knows that nothing follows
    bool hasMore_ = false;      ///< OpenSSL may hold bytes that the socket knows nothing of
    Readiness readWants_ = Readiness::Readable;  ///< what OpenSSL waits for to go on
    Readiness writeWants_ = Readiness::Writable;
    Instant began_;
    Instant lastActivity_;                                ///< the last byte, either way
    std::optional<Instant> messageBegan_;                 ///< when the one that has not ended began
    std::unordered_map<std::string, Instant> keptUntil_;  ///< by user
    std::optional<std::vector<std::string>> peerNames_;   ///< read when somebody asks first
    Watch watch_;
};

}  // namespace restante::sip
