#include "sipplugin/tls/tls_tunnel.h"

#include "sipplugin/tls/peer_identity.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace restante::sip {

namespace {

/// From the first packet to the end of the handshake: whoever needs longer holds a descriptor.
constexpr Millis kHandshake{10'000};

/// The largest record of TLS.
constexpr std::size_t kChunk = 16'384;

/// Then the others of this loop have their turn.
constexpr int kTurns = 16;

}  // namespace

class TlsTunnel::Buffer {
public:
    bool empty() const noexcept { return taken_ == held_.size(); }
    std::string_view rest() const noexcept { return std::string_view{held_}.substr(taken_); }
    void fill(const char* bytes, std::size_t size)
    {
        held_.assign(bytes, size);
        taken_ = 0;
    }
    void take(std::size_t size) noexcept
    {
        taken_ += size;
        if (empty()) {
            // An idle connection holds nothing.
            std::string{}.swap(held_);
            taken_ = 0;
        }
    }

private:
    std::string held_;
    std::size_t taken_ = 0;
};

TlsTunnel::TlsTunnel(EventLoop& loop, Ends ends, Events events)
    : loop_(loop),
      outside_(std::move(ends.outside)),
      ssl_(std::move(ends.ssl)),
      expected_(std::move(ends.expected)),
      parserPort_(ends.parserPort),
      events_(std::move(events)),
      in_(std::make_unique<Buffer>()),
      out_(std::make_unique<Buffer>()),
      patience_(loop)
{
    const int on = 1;
    ::setsockopt(outside_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto first = expected_.empty() ? Readiness::Readable : Readiness::Writable;
    state_ = expected_.empty() ? State::Handshaking : State::Connecting;
    outsideWatch_ = Watch(loop_, outside_.get(), first, [this](Readiness) { turn(); });
    patience_.arm(kHandshake, [this] { end("no TLS handshake within 10 s"); });
}

TlsTunnel::~TlsTunnel() = default;

void TlsTunnel::turn()
{
    if (state_ == State::Connecting) {
        finishConnecting();
    }
    if (state_ == State::Handshaking) {
        shakeHands();
    }
    if (state_ == State::Flowing) {
        pump();
    }
}

void TlsTunnel::finishConnecting()
{
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(outside_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        return end(fmt::format("cannot connect: {}", std::strerror(error)));
    }
    state_ = State::Handshaking;
}

void TlsTunnel::shakeHands()
{
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl_.get());
    if (done == 1) {
        if (!expected_.empty() && !showsIdentity(ssl_.get(), expected_)) {
            return end(fmt::format("its certificate is not one of {}", expected_));
        }
        return join();
    }
    switch (SSL_get_error(ssl_.get(), done)) {
    case SSL_ERROR_WANT_READ: outsideWatch_.change(Readiness::Readable); break;
    case SSL_ERROR_WANT_WRITE: outsideWatch_.change(Readiness::Writable); break;
    default: end(whyNotVerified());
    }
}

std::string TlsTunnel::whyNotVerified() const
{
    const auto verdict = SSL_get_verify_result(ssl_.get());
    if (verdict != X509_V_OK) {
        ERR_clear_error();
        return fmt::format("its certificate is not believed: {}",
                           X509_verify_cert_error_string(verdict));
    }
    const bool silent = ERR_peek_error() == 0;
    return "no TLS handshake: " + (silent ? "the peer hung up" : lastTlsError());
}

void TlsTunnel::join()
{
    inside_ = FileDescriptor{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* raw = reinterpret_cast<const sockaddr*>(&address);
    sockaddr_in own{};
    socklen_t size = sizeof own;
    if (!inside_ || ::bind(inside_.get(), raw, sizeof address) != 0 ||
        ::getsockname(inside_.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) {
        return end(fmt::format("no socket for a TLS connection: {}", std::strerror(errno)));
    }
    address.sin_port = htons(parserPort_);
    if (::connect(inside_.get(), raw, sizeof address) != 0 && errno != EINPROGRESS) {
        return end(fmt::format("the SIP parser takes no connection: {}", std::strerror(errno)));
    }
    const int on = 1;
    ::setsockopt(inside_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    patience_.cancel();
    state_ = State::Flowing;
    insideWatch_ = Watch(loop_, inside_.get(), Readiness::Readable, [this](Readiness) { turn(); });
    events_.joined(ntohs(own.sin_port));
}

void TlsTunnel::pump()
{
    for (int i = 0; i < kTurns; ++i) {
        const bool in = pumpIn();
        const bool out = pumpOut();
        if (state_ == State::Ended) {
            return;
        }
        if (!in && !out) {
            return watch();
        }
    }
    watch();
    // OpenSSL may hold bytes of which the socket knows nothing any more.
    loop_.post([this, alive = std::weak_ptr<int>{alive_}] {
        if (!alive.expired()) {
            turn();
        }
    });
}

bool TlsTunnel::pumpIn()
{
    bool moved = in_->empty() && !peerEnded_ && readOutside();
    if (!in_->empty()) {
        const auto rest = in_->rest();
        const auto sent = ::send(inside_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            in_->take(static_cast<std::size_t>(sent));
            moved = true;
        } else if (errno != EAGAIN && errno != ENOTCONN) {
            end("the SIP parser has closed");
            return false;
        }
    }
    if (in_->empty() && peerEnded_ && !std::exchange(parserTold_, true)) {
        ::shutdown(inside_.get(), SHUT_WR);
    }
    return moved;
}

bool TlsTunnel::readOutside()
{
    std::array<char, kChunk> chunk;
    ERR_clear_error();
    const int got = SSL_read(ssl_.get(), chunk.data(), static_cast<int>(chunk.size()));
    if (got > 0) {
        in_->fill(chunk.data(), static_cast<std::size_t>(got));
        return true;
    }
    switch (SSL_get_error(ssl_.get(), got)) {
    case SSL_ERROR_WANT_READ: readWants_ = Readiness::Readable; break;
    case SSL_ERROR_WANT_WRITE: readWants_ = Readiness::Writable; break;
    case SSL_ERROR_ZERO_RETURN: endOfPeer(true); break;
    default: endOfPeer(false);
    }
    return false;
}

/// What it has sent still reaches the parser, which ends its side then.
void TlsTunnel::endOfPeer(bool canStillHear)
{
    peerEnded_ = true;
    peerHears_ = canStillHear;
    readWants_ = Readiness::None;
}

bool TlsTunnel::pumpOut()
{
    if (state_ == State::Ended) {
        return false;
    }
    bool moved = false;
    if (out_->empty() && !parserEnded_) {
        std::array<char, kChunk> chunk;
        const auto got = ::recv(inside_.get(), chunk.data(), chunk.size(), 0);
        if (got > 0) {
            out_->fill(chunk.data(), static_cast<std::size_t>(got));
            moved = true;
        } else if (got == 0 || (errno != EAGAIN && errno != ENOTCONN)) {
            parserEnded_ = true;
        }
    }
    if (!out_->empty()) {
        moved = writeOutside() || moved;
    }
    if (parserEnded_ && out_->empty()) {
        if (peerHears_) {
            SSL_shutdown(ssl_.get());
        }
        end("closed");
    }
    return moved;
}

bool TlsTunnel::writeOutside()
{
    const auto rest = out_->rest();
    if (!peerHears_) {
        out_->take(rest.size());
        return true;
    }
    ERR_clear_error();
    const int sent = SSL_write(ssl_.get(), rest.data(), static_cast<int>(rest.size()));
    if (sent > 0) {
        writeWants_ = Readiness::None;
        out_->take(static_cast<std::size_t>(sent));
        return true;
    }
    switch (SSL_get_error(ssl_.get(), sent)) {
    case SSL_ERROR_WANT_READ: writeWants_ = Readiness::Readable; break;
    case SSL_ERROR_WANT_WRITE: writeWants_ = Readiness::Writable; break;
    default: endOfPeer(false);
    }
    return false;
}

void TlsTunnel::watch()
{
    auto outside = Readiness::None;
    if (in_->empty() && !peerEnded_) {
        outside = outside | readWants_;
    }
    if (!out_->empty()) {
        outside = outside | writeWants_;
    }
    outsideWatch_.change(outside);
    auto inside = Readiness::None;
    if (out_->empty() && !parserEnded_) {
        inside = inside | Readiness::Readable;
    }
    if (!in_->empty()) {
        inside = inside | Readiness::Writable;
    }
    insideWatch_.change(inside);
}

void TlsTunnel::end(const std::string& why)
{
    if (std::exchange(state_, State::Ended) == State::Ended) {
        return;
    }
    patience_.cancel();
    outsideWatch_.remove();
    insideWatch_.remove();
    events_.ended(why);
}

}  // namespace restante::sip
