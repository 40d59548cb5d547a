#include "core/http/server/transport.h"

#include "core/base/handle_deleter.h"
#include "core/base/log.h"

#include <array>
#include <cerrno>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace restante::http {

namespace {

/// What one call to a socket has come to.
struct Attempt {
    enum class Status { Done, Later, Failed };
    Status status = Status::Done;
    std::size_t bytes = 0;
    Readiness needs = Readiness::None;  ///< Later: what it waits for
};

constexpr Readiness without(Readiness set, Readiness removed) noexcept
{
    return static_cast<Readiness>(static_cast<unsigned>(set) & ~static_cast<unsigned>(removed));
}

/// A connected socket, which does not block.
class PlainStream {
public:
    explicit PlainStream(FileDescriptor socket) : socket_(std::move(socket)) {}

    int fd() const noexcept { return socket_.get(); }
    Attempt handshake() noexcept { return {}; }
    Attempt read(char* buffer, std::size_t size) noexcept
    {
        return attemptOf(::recv(fd(), buffer, size, 0), Readiness::Readable);
    }
    Attempt write(std::string_view bytes) noexcept
    {
        return attemptOf(::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                         Readiness::Writable);
    }
    /// Whether a read may succeed though the socket is not readable.
    bool hasBuffered() const noexcept { return false; }
    void close() noexcept { socket_.close(); }

private:
    static Attempt attemptOf(ssize_t result, Readiness needs) noexcept
    {
        if (result >= 0) {
            return {Attempt::Status::Done, static_cast<std::size_t>(result)};
        }
        const bool isLater = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        return {isLater ? Attempt::Status::Later : Attempt::Status::Failed, 0, needs};
    }

    FileDescriptor socket_;
};

/// TLS on it, our side being the server's.
class TlsStream {
public:
    TlsStream(FileDescriptor socket, TlsContext context)
        : socket_(std::move(socket)),
          context_(std::move(context)),
          session_(SSL_new(context_.get()))
    {
        if (!session_ || SSL_set_fd(session_.get(), fd()) != 1) {
            throw std::system_error(ENOMEM, std::generic_category(), "a TLS session");
        }
        SSL_set_accept_state(session_.get());
    }

    int fd() const noexcept { return socket_.get(); }
    Attempt handshake() noexcept
    {
        ERR_clear_error();
        return attemptOf(SSL_do_handshake(session_.get()), 0);
    }
    Attempt read(char* buffer, std::size_t size) noexcept
    {
        ERR_clear_error();
        std::size_t bytes = 0;
        const int result = SSL_read_ex(session_.get(), buffer, size, &bytes);
        return attemptOf(result, bytes);
    }
    /// Some of them: what OpenSSL puts into a record, or into several.
    Attempt write(std::string_view bytes) noexcept
    {
        ERR_clear_error();
        std::size_t written = 0;
        const int result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &written);
        return attemptOf(result, written);
    }
    bool hasBuffered() const noexcept { return SSL_pending(session_.get()) > 0; }
    void close() noexcept { socket_.close(); }

private:
    Attempt attemptOf(int result, std::size_t bytes) const noexcept
    {
        if (result == 1) {
            return {Attempt::Status::Done, bytes};
        }
        switch (SSL_get_error(session_.get(), result)) {
        case SSL_ERROR_WANT_READ: return {Attempt::Status::Later, 0, Readiness::Readable};
        case SSL_ERROR_WANT_WRITE: return {Attempt::Status::Later, 0, Readiness::Writable};
        default: return {Attempt::Status::Failed};
        }
    }

    FileDescriptor socket_;
    TlsContext context_;
    std::unique_ptr<SSL, HandleDeleter<SSL_free>> session_;
};

/// The socket is watched for reading all the time, unless bytes come that nobody wants, so that a
/// request costs the loop no change of its watch.
template <class Stream>
class StreamTransport final : public Transport {
public:
    StreamTransport(EventLoop& loop, Stream stream)
        : loop_(loop),
          stream_(std::move(stream)),
          watch_(loop, stream_.fd(), watched_, [this](Readiness ready) { proceed(ready); }),
          soon_(loop)
    {
    }

    void handshake(Handler handler) override
    {
        if (begin(handshake_, std::move(handler), Readiness::Readable)) {
            proceedSoon();
        }
    }
    void read(char* buffer, std::size_t size, Handler handler) override
    {
        buffer_ = buffer;
        bufferSize_ = size;
        if (begin(read_, std::move(handler), Readiness::Readable) && stream_.hasBuffered()) {
            proceedSoon();
        }
    }
    std::size_t writeNow(std::string_view bytes) noexcept override
    {
        std::size_t written = 0;
        if (!isClosed_) {
            writeSome(bytes, written);  // write() finds an error again
        }
        return written;
    }
    void write(std::string_view bytes, Handler handler) override
    {
        output_ = bytes;
        writtenBytes_ = 0;
        begin(write_, std::move(handler), Readiness::Writable);
    }
    void finish() noexcept override
    {
        // Over TLS without a close_notify: an answer says its length or is chunked, but for a
        // stream to a client of HTTP/1.0.
        ::shutdown(stream_.fd(), SHUT_WR);
    }
    void close() noexcept override
    {
        isClosed_ = true;
        watch_.remove();
        soon_.cancel();
        stream_.close();
        for (auto* operation : {&handshake_, &read_, &write_}) {
            if (operation->handler) {
                failLater(std::exchange(operation->handler, nullptr));
            }
        }
    }

private:
    /// One that is under way has a handler.
    struct Operation {
        Handler handler;
        Readiness needs = Readiness::None;
    };
    /// One that has ended, unless its handler is empty.
    struct Ending {
        Handler handler;
        Attempt attempt;

        void tell() const
        {
            if (handler) {
                handler(attempt.status == Attempt::Status::Done, attempt.bytes);
            }
        }
    };

    bool begin(Operation& operation, Handler handler, Readiness needs)
    {
        if (isClosed_) {
            failLater(std::move(handler));
            return false;
        }
        operation = {std::move(handler), needs};
        watchFor(watched_ | needs);
        return true;
    }
    void failLater(Handler handler)
    {
        loop_.post([handler = std::move(handler)] { handler(false, 0); });
    }
    void proceedSoon()
    {
        soon_.arm(Millis{0}, [this] { proceed(Readiness::None); });
    }

    /// Tries what is under way. The handlers come last, because they may destroy this.
    void proceed(Readiness ready)
    {
        const auto unwanted = without(ready, needs());
        const std::array endings{
            ended(handshake_, [this] { return stream_.handshake(); }),
            ended(write_, [this] { return writeSome(output_, writtenBytes_); }),
            ended(read_, [this] { return stream_.read(buffer_, bufferSize_); })};
        const auto kept = without(without(watched_, unwanted), Readiness::Writable);
        watchFor(kept | needs());
        for (const auto& ending : endings) {
            ending.tell();
        }
    }
    template <class Try>
    Ending ended(Operation& operation, const Try& attempt)
    {
        if (!operation.handler) {
            return {};
        }
        const Attempt result = attempt();
        if (result.status == Attempt::Status::Later) {
            operation.needs = result.needs;
            return {};
        }
        return {std::exchange(operation.handler, nullptr), result};
    }
    /// As much of `bytes` behind the first `written` as the system takes.
    Attempt writeSome(std::string_view bytes, std::size_t& written) noexcept
    {
        while (written < bytes.size()) {
            const auto attempt = stream_.write(bytes.substr(written));
            if (attempt.status != Attempt::Status::Done) {
                return attempt;
            }
            written += attempt.bytes;
        }
        return {Attempt::Status::Done, written};
    }

    Readiness needs() const noexcept
    {
        const auto of = [](const Operation& operation) {
            return operation.handler ? operation.needs : Readiness::None;
        };
        return of(handshake_) | of(write_) | of(read_);
    }
    void watchFor(Readiness wanted)
    {
        if (wanted == watched_) {
            return;
        }
        watched_ = wanted;
        try {
            watch_.change(wanted);
        } catch (const std::system_error& error) {
            log::warning("http", "a connection is closed: {}", error.what());
            close();
        }
    }

    EventLoop& loop_;
    Stream stream_;
    Readiness watched_ = Readiness::Readable;
    Watch watch_;
    Timer soon_;
    Operation handshake_;
    Operation read_;
    Operation write_;
    char* buffer_ = nullptr;  ///< of read_
    std::size_t bufferSize_ = 0;
    std::string_view output_;  ///< of write_
    std::size_t writtenBytes_ = 0;
    bool isClosed_ = false;
};

}  // namespace

std::unique_ptr<Transport> Transport::make(EventLoop& loop, FileDescriptor socket, TlsContext tls)
{
    if (tls) {
        return std::make_unique<StreamTransport<TlsStream>>(
            loop, TlsStream(std::move(socket), std::move(tls)));
    }
    return std::make_unique<StreamTransport<PlainStream>>(loop, PlainStream(std::move(socket)));
}

}  // namespace restante::http
