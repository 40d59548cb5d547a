#include "sipplugin/transport/stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <utility>

namespace restante::sip {

namespace {

using std::chrono::steady_clock;

/// From the first packet to the end of the handshake: a slow peer would hold a descriptor.
constexpr Millis kHandshakeTimeout{10'000};
/// How long nothing may come in the middle of a message.
constexpr Millis kStalledTimeout{5'000};
/// How long nothing may go in either direction while something waits to be sent.
constexpr Millis kUnsentTimeout{32'000};
/// How long a connection that we close still reads: closing with unread bytes would reset it before
/// the peer has read our last answer.
constexpr Millis kFinishTimeout{2'000};

/// Reading pauses at these: the peer does not read itself, or sends requests too fast.
constexpr std::size_t kReadLimitUnsent = 256UL << 10U;
constexpr std::size_t kReadLimitUnanswered = 100;
/// send() refuses a message that would exceed it.
constexpr std::size_t kMostUnsent = 8UL << 20U;

/// The most users (keepUntil()) that are remembered for one connection: these suffice to keep it.
constexpr std::size_t kMostKeptUsers = 1'000;

/// The largest record of TLS.
constexpr std::size_t kReadSize = 16'384;
/// Limited, so that other work of the loop is not delayed.
constexpr int kReadsPerTurn = 8;

/// TCP keep-alive: the kernel probes whether the peer is still there, on connections that may be
/// silent for an hour.
void setSocketOptions(int fd)
{
    const int on = 1;
    constexpr int kIdleSeconds = 120;
    constexpr int kIntervalSeconds = 15;
    constexpr int kProbes = 4;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof kIdleSeconds);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kIntervalSeconds, sizeof kIntervalSeconds);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
}

}  // namespace

Stream::Stream(EventLoop& loop, Owner& owner, Parts parts, Limits limits)
    : loop_(loop),
      owner_(owner),
      parts_(std::move(parts)),
      limits_(limits),
      state_(parts_.outgoing ? State::Connecting : State::Handshaking),
      framer_(limits.maxMessage),
      stateBegan_(steady_clock::now()),
      lastActivity_(stateBegan_)
{
    setSocketOptions(parts_.socket.get());
}

void Stream::begin()
{
    const auto first = parts_.outgoing ? Readiness::Writable : Readiness::Readable;
    watch_ = Watch(loop_, parts_.socket.get(), first, [this](Readiness) {
        const auto keep = shared_from_this();
        handleReadiness();
    });
    if (!parts_.outgoing && parts_.ssl == nullptr) {
        open();
    }
}

const std::vector<std::string>& Stream::peerNames()
{
    if (!peerNames_) {
        peerNames_ = parts_.ssl ? verifiedPeerNames(parts_.ssl.get()) : std::vector<std::string>{};
    }
    return *peerNames_;
}

TransportAddress Stream::localAddress() const
{
    return addressOf(localSocketName(parts_.socket.get()), parts_.peer.transport);
}

void Stream::keepUntil(const std::string& user, Instant until)
{
    const auto now = steady_clock::now();
    if (until <= now) {
        keepUntilByUser_.erase(user);
        return;
    }
    const bool hasRoom =
        keepUntilByUser_.size() < kMostKeptUsers || keepUntilByUser_.contains(user);
    if (hasRoom || removeExpiredUsers(now) < kMostKeptUsers) {
        keepUntilByUser_.insert_or_assign(user, until);
    }
}

std::size_t Stream::removeExpiredUsers(Instant now)
{
    std::erase_if(keepUntilByUser_, [now](const auto& one) { return one.second <= now; });
    return keepUntilByUser_.size();
}

void Stream::handleReadiness()
{
    if (state_ == State::Connecting) {
        finishConnecting();
    }
    if (state_ == State::Handshaking) {
        handshake();
    }
    if (state_ == State::Open || state_ == State::Finishing) {
        flush();
    }
    if (state_ == State::Open || state_ == State::Finishing) {
        read();
    }
    if (state_ != State::Ended) {
        updateWatch();
    }
}

void Stream::finishConnecting()
{
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(parts_.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        return end(fmt::format("cannot connect: {}", std::strerror(error)));
    }
    state_ = State::Handshaking;
}

void Stream::handshake()
{
    if (parts_.ssl == nullptr) {
        return open();
    }
    ERR_clear_error();
    const int result = SSL_do_handshake(parts_.ssl.get());
    if (result == 1) {
        if (!parts_.expectedHost.empty() && !showsIdentity(parts_.ssl.get(), parts_.expectedHost)) {
            return end(fmt::format("its certificate is not one of {}", parts_.expectedHost));
        }
        return open();
    }
    if (!tlsWouldBlock(result, readWants_)) {
        end(handshakeFailure());
    }
}

bool Stream::tlsWouldBlock(int result, Readiness& wanted) const
{
    const int error = SSL_get_error(parts_.ssl.get(), result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        wanted = error == SSL_ERROR_WANT_READ ? Readiness::Readable : Readiness::Writable;
        return true;
    }
    return false;
}

std::string Stream::handshakeFailure() const
{
    const auto verdict = SSL_get_verify_result(parts_.ssl.get());
    if (verdict != X509_V_OK) {
        ERR_clear_error();
        return fmt::format("its certificate is not believed: {}",
                           X509_verify_cert_error_string(verdict));
    }
    const bool silent = ERR_peek_error() == 0;
    return "no TLS handshake: " + (silent ? "the peer hung up" : takeTlsError());
}

void Stream::open()
{
    state_ = State::Open;
    readWants_ = Readiness::Readable;
    lastActivity_ = steady_clock::now();
    owner_.onOpened(*this);
}

void Stream::read()
{
    mayHaveBuffered_ = false;
    for (int i = 0; i < kReadsPerTurn; ++i) {
        if (peerClosed_ || isReadingPaused()) {
            return;
        }
        if (readSome() == 0) {
            return;
        }
        if (state_ == State::Open) {
            handlePieces();
        }
        if (state_ == State::Ended) {
            return;
        }
    }
    mayHaveBuffered_ = parts_.ssl != nullptr && SSL_pending(parts_.ssl.get()) > 0;
}

std::size_t Stream::readSome()
{
    std::array<char, kReadSize> bytes;
    std::size_t bytesRead = 0;
    if (parts_.ssl != nullptr) {
        bytesRead = readTls(bytes.data(), bytes.size());
    } else {
        const auto read = ::recv(parts_.socket.get(), bytes.data(), bytes.size(), 0);
        if (read == 0 || (read < 0 && errno != EAGAIN && errno != EINTR)) {
            handlePeerClosed();
        }
        bytesRead = read > 0 ? static_cast<std::size_t>(read) : 0;
    }
    if (bytesRead > 0) {
        lastActivity_ = steady_clock::now();
        if (state_ == State::Open) {
            framer_.add({bytes.data(), bytesRead});
        }
    }
    return bytesRead;
}

std::size_t Stream::readTls(char* bytes, std::size_t size)
{
    ERR_clear_error();
    const int bytesRead = SSL_read(parts_.ssl.get(), bytes, static_cast<int>(size));
    if (bytesRead > 0) {
        return static_cast<std::size_t>(bytesRead);
    }
    if (SSL_get_error(parts_.ssl.get(), bytesRead) == SSL_ERROR_ZERO_RETURN) {
        handlePeerClosed();
    } else if (!tlsWouldBlock(bytesRead, readWants_)) {
        end("the peer hung up");
    }
    return 0;
}

void Stream::handlePieces()
{
    using Kind = StreamFramer::Piece::Kind;
    while (state_ == State::Open) {
        auto piece = framer_.next();
        switch (piece.kind) {
        case Kind::Incomplete:
            messageBegan_ = framer_.isMidMessage()
                                ? std::optional{messageBegan_.value_or(lastActivity_)}
                                : std::nullopt;
            return;
        case Kind::Message:
            messageBegan_.reset();
            owner_.onMessage(*this, std::move(piece.bytes));
            break;
        case Kind::Ping: send("\r\n"); break;
        case Kind::Refused:
            owner_.onRejected(*this, piece.status, std::move(piece.bytes));
            return finish();
        case Kind::Junk: return finish();
        }
    }
}

/// From now on bytes that come are discarded, so that what we have sent arrives.
void Stream::finish()
{
    if (state_ != State::Open) {
        return;
    }
    state_ = State::Finishing;
    stateBegan_ = steady_clock::now();
    flush();
}

/// A peer that has closed its side may still wait for answers.
void Stream::handlePeerClosed()
{
    peerClosed_ = true;
    readWants_ = Readiness::None;
    if (state_ != State::Open || (unanswered_ == 0 && !hasUnsent())) {
        end("the peer hung up");
    }
}

bool Stream::isReadingPaused() const noexcept
{
    return unsent_.size() - sentBytes_ > kReadLimitUnsent || unanswered_ >= kReadLimitUnanswered;
}

void Stream::removeUnanswered()
{
    const auto keep = shared_from_this();
    --unanswered_;
    if (state_ == State::Open || state_ == State::Finishing) {
        flush();
        // The socket is not readable for bytes that OpenSSL has read already.
        mayHaveBuffered_ = mayHaveBuffered_ || (!isReadingPaused() && parts_.ssl != nullptr &&
                                                SSL_pending(parts_.ssl.get()) > 0);
        updateWatch();
    }
}

bool Stream::send(std::string_view message)
{
    const auto keep = shared_from_this();  // it may end, and its owner release it
    if (state_ == State::Ended || writeClosed_ ||
        unsent_.size() - sentBytes_ + message.size() > kMostUnsent) {
        return false;
    }
    unsent_.append(message);
    if (state_ == State::Open || state_ == State::Finishing) {
        flush();
    }
    updateWatch();
    return state_ != State::Ended;
}

void Stream::flush()
{
    const auto keep = shared_from_this();
    while (hasUnsent()) {
        const auto wrote = write(std::string_view{unsent_}.substr(sentBytes_));
        if (!wrote) {
            return end("the peer hung up");
        }
        if (*wrote == 0) {
            return;
        }
        sentBytes_ += *wrote;
        lastActivity_ = steady_clock::now();
        // The buffer must not grow when the peer never takes all of it.
        if (sentBytes_ > kReadLimitUnsent && sentBytes_ >= unsent_.size() / 2) {
            unsent_.erase(0, std::exchange(sentBytes_, 0));
        }
    }
    std::string{}.swap(unsent_);
    sentBytes_ = 0;
    if (peerClosed_ && unanswered_ == 0) {
        return end("the peer hung up");
    }
    if (state_ == State::Finishing && unanswered_ == 0 && !std::exchange(writeClosed_, true)) {
        if (parts_.ssl != nullptr) {
            SSL_shutdown(parts_.ssl.get());
        }
        ::shutdown(parts_.socket.get(), SHUT_WR);
    }
}

/// How many bytes were written, 0 when none can be; nothing when the connection is broken.
std::optional<std::size_t> Stream::write(std::string_view bytes)
{
    bytes = bytes.substr(0, std::size_t{1} << 20U);
    if (parts_.ssl == nullptr) {
        const auto wrote = ::send(parts_.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (wrote >= 0) {
            return static_cast<std::size_t>(wrote);
        }
        return errno == EAGAIN || errno == EINTR ? std::optional<std::size_t>{0} : std::nullopt;
    }
    // After WANT_... the same bytes are written again, but the buffer may have moved and grown.
    ERR_clear_error();
    const int wrote = SSL_write(parts_.ssl.get(), bytes.data(), static_cast<int>(bytes.size()));
    if (wrote > 0) {
        writeWants_ = Readiness::Writable;
        return static_cast<std::size_t>(wrote);
    }
    return tlsWouldBlock(wrote, writeWants_) ? std::optional<std::size_t>{0} : std::nullopt;
}

void Stream::updateWatch()
{
    auto wanted = Readiness::None;
    switch (state_) {
    case State::Connecting: wanted = Readiness::Writable; break;
    case State::Handshaking: wanted = readWants_; break;
    case State::Open:
    case State::Finishing:
        if (!peerClosed_ && !isReadingPaused()) {
            wanted = wanted | readWants_;
        }
        if (hasUnsent()) {
            wanted = wanted | writeWants_;
        }
        break;
    case State::Ended: return;
    }
    watch_.change(wanted);
    if (std::exchange(mayHaveBuffered_, false)) {
        loop_.post([weak = weak_from_this()] {
            if (const auto self = weak.lock(); self && self->state_ != State::Ended) {
                self->handleReadiness();
            }
        });
    }
}

void Stream::checkTimeouts(Instant now, Instant::duration late)
{
    // What began meanwhile has its usual time.
    stateBegan_ = std::min(stateBegan_ + late, now);
    lastActivity_ = std::min(lastActivity_ + late, now);
    if (messageBegan_) {
        messageBegan_ = std::min(*messageBegan_ + late, now);
    }
    switch (state_) {
    case State::Connecting:
    case State::Handshaking:
        if (now - stateBegan_ > kHandshakeTimeout) {
            end(state_ == State::Connecting ? "cannot connect within 10 s"
                                            : "no TLS handshake within 10 s");
        }
        break;
    case State::Open:
        if (messageBegan_ && isReadingPaused()) {
            messageBegan_ = now;  // the pause in reading is ours
        }
        if (messageBegan_ && now - *messageBegan_ > limits_.messageTime) {
            end("its message took over sip.limits.message_time");
        } else if (messageBegan_ &&
                   now - std::max(lastActivity_, *messageBegan_) > kStalledTimeout) {
            end("its message stands still");
        } else if (hasUnsent() && now - lastActivity_ > kUnsentTimeout) {
            end("it does not take what is sent");
        } else if (now - lastActivity_ > limits_.idleTimeout && unanswered_ == 0 &&
                   removeExpiredUsers(now) == 0) {
            end("it is silent");
        }
        break;
    case State::Finishing:
        if (now - stateBegan_ > kFinishTimeout) {
            end("closed");
        }
        break;
    case State::Ended: break;
    }
}

void Stream::end(const std::string& why)
{
    if (std::exchange(state_, State::Ended) == State::Ended) {
        return;
    }
    const auto keep = weak_from_this().lock();
    watch_.remove();
    if (parts_.ssl != nullptr && SSL_is_init_finished(parts_.ssl.get()) == 1) {
        ERR_clear_error();
        SSL_shutdown(parts_.ssl.get());
    }
    parts_.ssl.reset();
    parts_.socket.close();
    owner_.onClosed(*this, why);
}

}  // namespace restante::sip
