#include "core/redis/client/byte_stream.h"

#include "core/redis/client/tls_session.h"

#include <cassert>
#include <cerrno>
#include <sys/socket.h>
#include <system_error>

namespace restante::redis {

namespace {

ByteStream::Transfer transferOf(ssize_t size, int& error) noexcept
{
    if (size >= 0) {
        return {ByteStream::Outcome::Moved, static_cast<std::size_t>(size)};
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
        return {ByteStream::Outcome::Later, 0};
    }
    error = errno;
    return {ByteStream::Outcome::Failed, 0};
}

}  // namespace

ByteStream::ByteStream(FileDescriptor socket) : socket_(std::move(socket)) {}

ByteStream::ByteStream(FileDescriptor socket, std::unique_ptr<TlsSession> session)
    : socket_(std::move(socket)),
      session_(std::move(session))
{
}

ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

ByteStream& ByteStream::operator=(ByteStream&& other) noexcept
{
    session_ = std::move(other.session_);  // before the socket that it speaks on
    socket_ = std::move(other.socket_);
    error_ = other.error_;
    return *this;
}

ByteStream::Transfer ByteStream::read(char* bytes, std::size_t size)
{
    assert(size >= kTlsRecordSize);
    if (session_) {
        return session_->read(bytes, size);
    }
    const auto bytesRead = ::recv(socket_.get(), bytes, size, 0);
    return bytesRead == 0 ? Transfer{Outcome::Ended, 0} : transferOf(bytesRead, error_);
}

ByteStream::Transfer ByteStream::write(const char* bytes, std::size_t size)
{
    if (session_) {
        return session_->write(bytes, size);
    }
    return transferOf(::send(socket_.get(), bytes, size, MSG_NOSIGNAL), error_);
}

std::string ByteStream::failure() const
{
    const auto error = tlsError();
    return error.isNone() ? std::generic_category().message(error_) : error.toString();
}

TlsError ByteStream::tlsError() const
{
    return session_ ? session_->error() : TlsError{};
}

}  // namespace restante::redis
