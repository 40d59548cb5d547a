#include "core/redis/client/wire.h"

#include "core/redis/client/tls_session.h"

#include <cassert>
#include <cerrno>
#include <sys/socket.h>
#include <system_error>

namespace restante::redis {

namespace {

Wire::Transfer transferOf(ssize_t size, int& error) noexcept
{
    if (size >= 0) {
        return {Wire::Outcome::Moved, static_cast<std::size_t>(size)};
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
        return {Wire::Outcome::Later, 0};
    }
    error = errno;
    return {Wire::Outcome::Failed, 0};
}

}  // namespace

Wire::Wire(FileDescriptor socket) : socket_(std::move(socket)) {}

Wire::Wire(FileDescriptor socket, std::unique_ptr<TlsSession> session)
    : socket_(std::move(socket)),
      session_(std::move(session))
{
}

Wire::Wire(Wire&&) noexcept = default;
Wire::~Wire() = default;

Wire& Wire::operator=(Wire&& other) noexcept
{
    session_ = std::move(other.session_);  // before the socket that it speaks on
    socket_ = std::move(other.socket_);
    error_ = other.error_;
    return *this;
}

Wire::Transfer Wire::read(char* bytes, std::size_t size)
{
    assert(size >= kRecord);
    if (session_) {
        return session_->read(bytes, size);
    }
    const auto got = ::recv(socket_.get(), bytes, size, 0);
    return got == 0 ? Transfer{Outcome::Ended, 0} : transferOf(got, error_);
}

Wire::Transfer Wire::write(const char* bytes, std::size_t size)
{
    if (session_) {
        return session_->write(bytes, size);
    }
    return transferOf(::send(socket_.get(), bytes, size, MSG_NOSIGNAL), error_);
}

std::string Wire::failure() const
{
    const auto fault = tlsFault();
    return fault.isNone() ? std::generic_category().message(error_) : fault.print();
}

TlsFault Wire::tlsFault() const
{
    return session_ ? session_->fault() : TlsFault{};
}

}  // namespace restante::redis
