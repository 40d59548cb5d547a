#include "core/http/server/connection.h"

#include "core/base/log.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/status.hpp>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace restante::http {

namespace {

/// Most requests fit; what fills it makes it grow. Each parked poll keeps one.
constexpr std::size_t kFirstRead = 4'096;
constexpr std::size_t kLargestRead = 65'536;
/// What a client may send ahead of the answers it waits for.
constexpr std::size_t kReadAhead = 65'536;
/// How much of a refused body is read away, so that its sender gets to see the refusal.
constexpr std::size_t kMostDiscarded = 64 * 1'024 * 1'024;
/// For the other side to close, too.
constexpr Millis kCloseTimeout{2'000};

/// How the end of an answer's body is found.
enum class Framing { Length, Chunked, UntilClose };

struct AnswerFrame {
    Framing framing = Framing::Length;
    bool keepAlive = true;
    bool bodyless = false;  ///< HEAD: the header of the body, without it
};

/// RFC 9110 section 6.6.1, in the fixed form of section 5.6.7. Made once a second.
std::string_view date()
{
    thread_local std::time_t made = 0;
    thread_local std::array<char, 40> text{};
    thread_local std::size_t size = 0;
    if (const auto now = std::time(nullptr); now != made) {
        std::tm fields{};
        gmtime_r(&now, &fields);
        // No locale has been set, so the names are English.
        size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &fields);
        made = now;
    }
    return {text.data(), size};
}

/// A value from elsewhere must not become a header of its own.
void appendHeader(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ");
    std::transform(value.begin(), value.end(), std::back_inserter(out),
                   [](char c) { return c == '\r' || c == '\n' || c == '\0' ? ' ' : c; });
    out.append("\r\n");
}

bool mayHaveBody(int status)
{
    return status >= 200 && status != 204 && status != 304;
}

/// Appends status line, headers and body (RFC 9112) to `out`.
void appendAnswer(std::string& out, const Response& response, AnswerFrame frame)
{
    const auto reason = boost::beast::http::obsolete_reason(
        boost::beast::http::int_to_status(static_cast<unsigned>(response.status)));
    fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                   std::string_view(reason.data(), reason.size()), date());
    for (const auto& header : response.headers) {
        appendHeader(out, header.name, header.value);
    }
    if (!frame.keepAlive) {
        out.append("Connection: close\r\n");
    }
    if (!mayHaveBody(response.status)) {
        out.append("\r\n");
        return;
    }
    if (!response.contentType.empty()) {
        appendHeader(out, "Content-Type", response.contentType);
    }
    if (frame.framing == Framing::Length) {
        fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", response.body.size());
    } else if (frame.framing == Framing::Chunked) {
        out.append("Transfer-Encoding: chunked\r\n");
    }
    out.append("\r\n");
    if (!frame.bodyless) {
        out.append(response.body);
    }
}

/// Appends one chunk; an empty one would end the body and is left out.
void appendChunk(std::string& out, std::string_view piece)
{
    if (!piece.empty()) {
        fmt::format_to(std::back_inserter(out), "{:x}\r\n", piece.size());
        out.append(piece).append("\r\n");
    }
}

}  // namespace

/// A connection's request while its handler works on it. *One loop.*
class ConnectionCall final : public HttpCall {
public:
    using Values = std::vector<std::pair<std::string, std::string>>;

    ConnectionCall(std::shared_ptr<Connection> connection, Request request, Values values)
        : connection_(std::move(connection)),
          request_(std::move(request)),
          values_(std::move(values))
    {
    }
    ~ConnectionCall() override
    {
        if (!answered_) {
            if (!closed_) {
                log::error("http", "{} {} was not answered", request_.method, request_.path);
            }
            connection_->respond(
                *this, problem(500, "Internal error", "the request was not answered"), {});
        }
        connection_->endStream(*this);
    }

    const Request& request() const noexcept override { return request_; }
    std::string_view pathValue(std::string_view name) const noexcept override
    {
        const auto found = std::find_if(values_.begin(), values_.end(),
                                        [&](const auto& pair) { return pair.first == name; });
        return found == values_.end() ? std::string_view{} : std::string_view(found->second);
    }
    void respond(Response response, std::function<void()> lost) override
    {
        if (std::exchange(answered_, true)) {
            log::error("http", "{} {} was answered twice", request_.method, request_.path);
            return;
        }
        whenClosed_ = nullptr;
        connection_->respond(*this, std::move(response), std::move(lost));
    }
    bool beginStream(std::string contentType) override
    {
        answered_ = true;
        return connection_->beginStream(*this, std::move(contentType));
    }
    void send(std::string piece) override { connection_->send(*this, piece); }
    std::size_t backlog() const noexcept override { return connection_->backlog(); }
    void endStream() override
    {
        whenClosed_ = nullptr;
        connection_->endStream(*this);
    }
    void onClosed(std::function<void()> handler) override
    {
        if (closed_) {
            connection_->loop_.post(std::move(handler));
        } else {
            whenClosed_ = std::move(handler);
        }
    }
    bool closed() const noexcept override { return closed_; }

    /// The client has gone: told once, later.
    void close(EventLoop& loop)
    {
        if (!std::exchange(closed_, true)) {
            if (auto tell = std::exchange(whenClosed_, nullptr)) {
                loop.post(std::move(tell));
            }
        }
    }
    bool isAnswered() const noexcept { return answered_; }

private:
    std::shared_ptr<Connection> connection_;
    Request request_;
    Values values_;
    std::function<void()> whenClosed_;
    bool answered_ = false;
    bool closed_ = false;
};

Connection::~Connection() = default;

void Connection::start()
{
    setDeadline(settings_.request);
    peer_.transport->handshake([self = shared_from_this()](bool ok, std::size_t) {
        if (!ok || self->phase_ == Phase::Closed) {
            return self->close();
        }
        self->setDeadline(self->settings_.idle);
        self->read();
    });
}

void Connection::drain()
{
    draining_ = true;
    if (phase_ == Phase::Reading && !inRequest_) {
        return close();
    }
    // Whoever streams ends it: only they know whether it is complete.
    if (const auto call = current(); call && phase_ == Phase::Streaming) {
        call->close(loop_);
    }
}

void Connection::close() noexcept
{
    if (std::exchange(phase_, Phase::Closed) == Phase::Closed) {
        return;
    }
    const auto self = shared_from_this();
    peer_.transport->close();
    deadline_.reset();
    peerGone();
    if (auto lost = std::exchange(onUndelivered_, nullptr)) {
        loop_.post(std::move(lost));
    }
    ended_(*this);
}

void Connection::checkDeadline(Moment now)
{
    if (!deadline_ || now < *deadline_) {
        return;
    }
    if (phase_ != Phase::Reading || !inRequest_) {
        return close();
    }
    refuse(refusal(Dialect::V1, 408, "Request timeout", "the request took too long to arrive"),
           false);
}

void Connection::read()
{
    const bool full = phase_ != Phase::Lingering && input_.size() >= kReadAhead;
    if (reading_ || peerGone_ || phase_ == Phase::Closed || full) {
        return;
    }
    if (incoming_.empty()) {
        incoming_.resize(kFirstRead);
    }
    reading_ = true;
    peer_.transport->read(incoming_.data(), incoming_.size(),
                          [self = shared_from_this()](bool ok, std::size_t bytes) {
                              self->reading_ = false;
                              self->received(ok, bytes);
                          });
}

void Connection::received(bool ok, std::size_t bytes)
{
    if (phase_ == Phase::Closed) {
        return;
    }
    if (!ok || bytes == 0) {
        return peerGone();
    }
    if (phase_ == Phase::Lingering) {
        discarded_ += bytes;
        return discarded_ > kMostDiscarded ? close() : read();
    }
    input_.append(incoming_.data(), bytes);
    if (bytes == incoming_.size() && bytes < kLargestRead) {
        incoming_.resize(bytes * 2);
    } else if (bytes < kFirstRead && incoming_.size() > kFirstRead) {
        incoming_ = std::vector<char>(kFirstRead);
    }
    advance();
    read();
}

void Connection::peerGone()
{
    peerGone_ = true;
    if (const auto call = current()) {
        call->close(loop_);
    }
    // An answer that is being made or written goes out still: the other direction may be open.
    if (phase_ != Phase::Handling && phase_ != Phase::Answering) {
        close();
    }
}

void Connection::advance()
{
    while (phase_ == Phase::Reading) {
        if (!inRequest_ && !input_.empty()) {
            inRequest_ = true;
            setDeadline(settings_.request);
        }
        std::string_view rest = input_;
        const auto progress = reader_.read(rest);
        input_.erase(0, input_.size() - rest.size());
        switch (progress) {
        case RequestReader::Progress::Header:
        case RequestReader::Progress::Body: return;
        case RequestReader::Progress::HeaderEnd:
            if (!headerRead()) {
                return;
            }
            break;
        case RequestReader::Progress::Complete: return dispatch();
        case RequestReader::Progress::Refused: {
            const auto& refused = reader_.refused();
            return refuse(refusal(guard_.dialectOf(reader_.request()), refused.status,
                                  "Request refused", refused.detail),
                          false);
        }
        }
    }
}

bool Connection::headerRead()
{
    const auto& request = reader_.request();
    if (reader_.authority().empty() && !reader_.isHttp10()) {
        refuse(refusal(guard_.dialectOf(request), 400, "Request refused",
                       "the Host header is missing"),
               false);
        return false;
    }
    verdict_ = guard_.judge(request, reader_.authority(),
                            {peer_.address, peer_.localAddress, peer_.secure});
    if (verdict_->refusal) {
        // Its body is not worth reading.
        refuseAfter(verdict_->delay, std::move(*verdict_->refusal),
                    !reader_.hasBody() && reader_.keepAlive());
        return false;
    }
    if (!reader_.limitBody(verdict_->route->body)) {
        const auto& refused = reader_.refused();
        refuse(refusal(verdict_->route->dialect, refused.status, "Request refused", refused.detail),
               false);
        return false;
    }
    if (reader_.expectsContinue() && reader_.hasBody() && !reader_.isHttp10() && input_.empty()) {
        out_.append("HTTP/1.1 100 Continue\r\n\r\n");
        flush();
    }
    return true;
}

void Connection::refuse(Response response, bool keepAlive)
{
    phase_ = Phase::Answering;
    keepAlive_ = keepAlive;
    bodyUnread_ = !keepAlive;
    RequestMeter::refused(verdict_ ? verdict_->route : nullptr, response.status);
    const bool bodyless = reader_.request().method == "HEAD";
    appendAnswer(out_, response, {Framing::Length, keepAlive, bodyless});
    setDeadline(settings_.request);
    flush();
}

void Connection::refuseAfter(Millis delay, Response response, bool keepAlive)
{
    if (delay == Millis{0}) {
        return refuse(std::move(response), keepAlive);
    }
    phase_ = Phase::Answering;
    setDeadline(delay + settings_.request);
    refusal_ = std::make_unique<Timer>(loop_);
    refusal_->arm(delay, [weak = weak_from_this(), response = std::move(response), keepAlive] {
        const auto self = weak.lock();
        if (self && self->phase_ == Phase::Answering) {
            self->refuse(response, keepAlive);
        }
    });
}

void Connection::dispatch()
{
    phase_ = Phase::Handling;
    keepAlive_ = reader_.keepAlive();
    deadline_.reset();
    auto request = std::move(reader_.request());
    request.actor = std::move(verdict_->actor);
    request.admin = verdict_->admin;
    request.grant = std::move(verdict_->grant);
    auto call = std::make_shared<ConnectionCall>(shared_from_this(), std::move(request),
                                                 std::move(verdict_->values));
    call_ = call;
    const auto& route = *verdict_->route;
    meter_.begin(route);
    try {
        route.handler(call);
    } catch (const std::exception& error) {
        log::error("http", "{} failed: {}", route.pattern, error.what());
        if (!call->isAnswered()) {
            call->respond(
                refusal(route.dialect, 500, "Internal error", "the request failed; see the log"),
                {});
        }
    }
}

void Connection::respond(ConnectionCall& from, Response response, std::function<void()> lost)
{
    const bool current = phase_ == Phase::Handling;
    meter_.end(peerGone_ ? RequestMeter::kGone : response.status);
    if (lost && (peerGone_ || !current)) {
        loop_.post(std::move(lost));
        lost = nullptr;
        response = {};
        keepAlive_ = false;
    }
    if (!current) {
        return;
    }
    if (draining_ || peerGone_) {
        keepAlive_ = false;
    }
    onUndelivered_ = std::move(lost);
    phase_ = Phase::Answering;
    const bool bodyless = from.request().method == "HEAD";
    appendAnswer(out_, response, {Framing::Length, keepAlive_, bodyless});
    setDeadline(settings_.request);
    flush();
}

bool Connection::beginStream(ConnectionCall& from, std::string contentType)
{
    meter_.end(peerGone_ ? RequestMeter::kGone : 200);
    if (phase_ != Phase::Handling || peerGone_) {
        return false;
    }
    const bool bodyless = from.request().method == "HEAD";
    const auto framing = reader_.isHttp10() ? Framing::UntilClose : Framing::Chunked;
    keepAlive_ = keepAlive_ && framing == Framing::Chunked && !bodyless;
    phase_ = bodyless ? Phase::Answering : Phase::Streaming;
    streaming_ = &from;
    appendAnswer(out_, {200, std::move(contentType), {}, {{"Cache-Control", "no-store"}}},
                 {framing, keepAlive_, bodyless});
    setDeadline(settings_.request);
    flush();
    return !bodyless;
}

void Connection::send(ConnectionCall& from, const std::string& piece)
{
    if (phase_ != Phase::Streaming || streaming_ != &from) {
        return;
    }
    if (reader_.isHttp10()) {
        out_.append(piece);
    } else {
        appendChunk(out_, piece);
    }
    flush();
}

void Connection::endStream(ConnectionCall& from)
{
    if (phase_ != Phase::Streaming || streaming_ != &from) {
        return;
    }
    if (!reader_.isHttp10()) {
        out_.append("0\r\n\r\n");  // the last chunk
    }
    keepAlive_ = keepAlive_ && !draining_;
    phase_ = Phase::Answering;
    if (backlog() == 0) {
        return answered();  // HTTP/1.0: its end is the connection's
    }
    flush();
}

void Connection::flush()
{
    if (!writing_.empty() || out_.empty() || phase_ == Phase::Closed) {
        return;
    }
    std::swap(writing_, out_);
    if (phase_ == Phase::Streaming) {
        setDeadline(settings_.request);
    }
    peer_.transport->write(
        writing_, [self = shared_from_this()](bool ok, std::size_t) { self->written(ok); });
}

void Connection::written(bool ok)
{
    writing_.clear();
    if (writing_.capacity() > kLargestRead) {
        writing_ = {};
    }
    if (phase_ == Phase::Closed) {
        return;
    }
    if (!ok) {
        return close();
    }
    if (!out_.empty()) {
        return flush();
    }
    if (phase_ == Phase::Streaming) {
        deadline_.reset();  // until there is something to send
    } else if (phase_ == Phase::Answering) {
        answered();
    }
}

void Connection::answered()
{
    onUndelivered_ = nullptr;
    call_.reset();
    verdict_.reset();
    if (!keepAlive_ || draining_ || peerGone_) {
        return linger();
    }
    phase_ = Phase::Reading;
    inRequest_ = false;
    reader_.begin();
    setDeadline(settings_.idle);
    advance();
    read();
}

void Connection::linger()
{
    if (peerGone_) {
        return close();
    }
    // Closing at once with unread bytes would reset the connection, and the answer with it.
    phase_ = Phase::Lingering;
    input_.clear();
    peer_.transport->finish();
    setDeadline(bodyUnread_ ? settings_.request : kCloseTimeout);
    read();
}

}  // namespace restante::http
