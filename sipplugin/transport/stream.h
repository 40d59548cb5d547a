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

    /// Called on the loop; onOpened() also from inside begin(), and onClosed() from inside whatever
    /// writes or ends: send(), removeUnanswered(), checkTimeouts(), end().
    class Owner {
    public:
        virtual ~Owner() = default;
        /// It is connected, and with TLS the handshake is done, certificates verified as its
        /// context asks.
        virtual void onOpened(Stream& stream) = 0;
        virtual void onMessage(Stream& stream, std::string message) = 0;
        /// The head of a message that is refused with `status`, for an answer; the stream then ends
        /// by itself.
        virtual void onRejected(Stream& stream, int status, std::string head) = 0;
        /// It has ended; called once.
        virtual void onClosed(Stream& stream, const std::string& why) = 0;
    };
    /// What a connection is made of.
    struct Parts {
        Id id = 0;
        FileDescriptor socket;  ///< non-blocking; it may still be connecting
        SslHandle ssl;          ///< null: TCP
        TransportAddress peer;
        bool outgoing = false;     ///< we have opened it
        std::string expectedHost;  ///< the host of the peer's certificate; empty = any
    };
    struct Limits {
        std::size_t maxMessage = 0;  ///< bytes
        Millis messageTime{30'000};  ///< from the first byte of a message to its last
        /// Unless keepUntil() extends it; more than the 120 s between keep-alives of RFC 5626.
        Millis idleTimeout{180'000};
    };

    Stream(EventLoop& loop, Owner& owner, Parts parts, Limits limits);

    /// To be called once it is in a shared_ptr.
    void begin();
    /// Queues it behind unsent bytes; false when there is no room, or no connection.
    bool send(std::string_view message);
    /// Ends it at once; unsent bytes are lost.
    void end(const std::string& why);
    /// Ends it when the handshake, a message, the peer's reading or its silence takes too long. The
    /// time by which this check is `late` does not count.
    void checkTimeouts(Instant now, Instant::duration late);
    /// Disables the idle time-out until then for that user; a later call replaces the user's time.
    void keepUntil(const std::string& user, Instant until);
    /// A request that came by it waits for its answer, or waits no more.
    void addUnanswered() noexcept { ++unanswered_; }
    void removeUnanswered();

    Id id() const noexcept { return parts_.id; }
    const TransportAddress& peer() const noexcept { return parts_.peer; }
    bool isOutgoing() const noexcept { return parts_.outgoing; }
    bool isOpen() const noexcept { return state_ == State::Open; }
    bool isLiving() const noexcept { return state_ < State::Finishing; }
    /// The address of our end.
    TransportAddress localAddress() const;
    /// verifiedPeerNames() of a peer over TLS; none over TCP.
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
    void updateWatch();
    std::string handshakeFailure() const;
    /// Whether the failed call only has to be repeated once the socket is ready for `wanted`
    /// (SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE).
    bool tlsWouldBlock(int result, Readiness& wanted) const;
    bool hasUnsent() const noexcept { return sentBytes_ < unsent_.size(); }
    /// Whether reading pauses because of unsent bytes or unanswered requests.
    bool isReadingPaused() const noexcept;
    /// Returns how many users remain.
    std::size_t removeExpiredUsers(Instant now);

    EventLoop& loop_;
    Owner& owner_;
    Parts parts_;
    Limits limits_;
    State state_;
    StreamFramer framer_;
    std::string unsent_;
    std::size_t sentBytes_ = 0;  ///< of unsent_
    std::size_t unanswered_ = 0;
    bool peerClosed_ = false;
    bool writeClosed_ = false;      ///< our side is shut down
    bool mayHaveBuffered_ = false;  ///< OpenSSL may hold bytes that it has read already
    Readiness readWants_ = Readiness::Readable;  ///< the readiness that OpenSSL waits for to read
    Readiness writeWants_ = Readiness::Writable;
    Instant stateBegan_;  ///< of Connecting and Handshaking together: when the first of them began
    Instant lastActivity_;                 ///< time of the last byte in either direction
    std::optional<Instant> messageBegan_;  ///< of an incomplete message
    std::unordered_map<std::string, Instant> keepUntilByUser_;  ///< by user
    std::optional<std::vector<std::string>> peerNames_;         ///< read at the first call
    Watch watch_;
};

}  // namespace restante::sip
