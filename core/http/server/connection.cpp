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

/// Most requests fit; a read that fills the buffer makes it grow. Each parked poll keeps one.
constexpr std::size_t kFirstReadSize = 4'096;
constexpr std::size_t kLargestReadSize = 65'536;
/// An output buffer of a larger capacity is freed once it is written.
constexpr std::size_t kMostKeptOutput = 65'536;
/// The most that is written at once: other connections have their turns in between, and of a stream
/// each part has settings.request to be taken.
constexpr std::size_t kLargestPart = 262'144;
/// The bytes that a client may send ahead while it waits for answers.
constexpr std::size_t kReadAheadBytes = 65'536;
/// The bytes of a refused body that are read and discarded, so that its sender receives the
/// refusal.
constexpr std::size_t kMostDiscardedBytes = 64 * 1'024 * 1'024;
/// How long the peer may take to close the connection, too.
constexpr Millis kCloseTimeout{2'000};

/// How the end of an answer's body is found.
enum class Framing { Length, Chunked, UntilClose };

struct AnswerFrame {
    Framing framing = Framing::Length;
    bool keepAlive = true;
    bool bodyless = false;  ///< HEAD: the header of the body, without it
    bool isHttp10 = false;  ///< the request: without a word, its connection would end
};

/// RFC 9110 section 6.6.1, in the fixed form of section 5.6.7. Made once a second.
std::string_view httpDate()
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

/// Line breaks are replaced, so that a foreign value cannot add a header.
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
    out.append("HTTP/1.1 ").append(fmt::format_int(response.status).c_str()).append(1, ' ');
    out.append(reason.data(), reason.size()).append("\r\nDate: ").append(httpDate());
    out.append("\r\n");
    for (const auto& header : response.headers) {
        appendHeader(out, header.name, header.value);
    }
    if (!frame.keepAlive) {
        out.append("Connection: close\r\n");
    } else if (frame.isHttp10) {
        out.append("Connection: keep-alive\r\n");
    }
    if (!mayHaveBody(response.status)) {
        out.append("\r\n");
        return;
    }
    if (!response.contentType.empty()) {
        appendHeader(out, "Content-Type", response.contentType);
    }
    if (frame.framing == Framing::Length) {
        out.append("Content-Length: ").append(fmt::format_int(response.body.size()).c_str());
        out.append("\r\n");
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
    using PathValues = std::vector<std::pair<std::string, std::string>>;

    ConnectionCall(std::shared_ptr<Connection> connection, Request request, PathValues values)
        : connection_(std::move(connection)),
          request_(std::move(request)),
          pathValues_(std::move(values))
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
        const auto found = std::find_if(pathValues_.begin(), pathValues_.end(),
                                        [&](const auto& pair) { return pair.first == name; });
        return found == pathValues_.end() ? std::string_view{} : std::string_view(found->second);
    }
    void respond(Response response, std::function<void()> onUndelivered) override
    {
        if (!beginAnswer()) {
            return;
        }
        onClosed_ = nullptr;
        connection_->respond(*this, std::move(response), std::move(onUndelivered));
    }
    bool beginStream(std::string contentType) override
    {
        return beginAnswer() && connection_->beginStream(*this, std::move(contentType));
    }
    void send(std::string piece) override { connection_->send(*this, piece); }
    std::size_t backlog() const noexcept override { return connection_->backlog(); }
    void endStream() override
    {
        onClosed_ = nullptr;
        connection_->endStream(*this);
    }
    void onClosed(std::function<void()> handler) override
    {
        if (closed_) {
            connection_->loop_.post(std::move(handler));
        } else {
            onClosed_ = std::move(handler);
        }
    }
    bool closed() const noexcept override { return closed_; }

    /// The client has gone, or the server stops in the middle of a stream: calls the handler once,
    /// in a later turn.
    void close(EventLoop& loop)
    {
        if (!std::exchange(closed_, true)) {
            if (auto tell = std::exchange(onClosed_, nullptr)) {
                loop.post(std::move(tell));
            }
        }
    }
    bool isAnswered() const noexcept { return answered_; }

private:
    /// False when there is an answer already: another would be that to the next request.
    bool beginAnswer()
    {
        if (std::exchange(answered_, true)) {
            log::error("http", "{} {} was answered twice", request_.method, request_.path);
            return false;
        }
        return true;
    }

    std::shared_ptr<Connection> connection_;
    Request request_;
    PathValues pathValues_;
    std::function<void()> onClosed_;
    bool answered_ = false;
    bool closed_ = false;
};

Connection::~Connection() = default;

void Connection::start()
{
    setDeadline(settings_.request);
    transport_->handshake([self = shared_from_this()](bool ok, std::size_t) {
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
    // The handler ends its stream, because only it knows whether the stream is complete.
    if (const auto call = currentCall(); call && phase_ == Phase::Streaming) {
        call->close(loop_);
    }
}

void Connection::close() noexcept
{
    if (std::exchange(phase_, Phase::Closed) == Phase::Closed) {
        return;
    }
    const auto self = shared_from_this();
    transport_->close();
    deadline_.reset();
    handlePeerGone();
    if (auto onUndelivered = std::exchange(onUndelivered_, nullptr)) {
        loop_.post(std::move(onUndelivered));
    }
    onEnded_(*this);
}

void Connection::checkDeadline(SteadyTime now, SteadyTime::duration late)
{
    if (!deadline_) {
        return;
    }
    // One that was set meanwhile has its usual time.
    *deadline_ = std::min(*deadline_ + late, now + timeout_);
    if (now < *deadline_) {
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
    const bool full = phase_ != Phase::Lingering && input_.size() >= kReadAheadBytes;
    if (reading_ || peerGone_ || phase_ == Phase::Closed || full) {
        return;
    }
    if (readBuffer_.empty()) {
        readBuffer_.resize(kFirstReadSize);
    }
    reading_ = true;
    transport_->read(readBuffer_.data(), readBuffer_.size(),
                     [self = shared_from_this()](bool ok, std::size_t bytes) {
                         self->reading_ = false;
                         self->handleRead(ok, bytes);
                     });
}

void Connection::handleRead(bool ok, std::size_t bytes)
{
    if (phase_ == Phase::Closed) {
        return;
    }
    if (!ok || bytes == 0) {
        return handlePeerGone();
    }
    if (phase_ == Phase::Lingering) {
        discardedBytes_ += bytes;
        return discardedBytes_ > kMostDiscardedBytes ? close() : read();
    }
    input_.append(readBuffer_.data(), bytes);
    if (bytes == readBuffer_.size() && bytes < kLargestReadSize) {
        readBuffer_.resize(bytes * 2);
    } else if (bytes < kFirstReadSize && readBuffer_.size() > kFirstReadSize) {
        readBuffer_ = std::vector<char>(kFirstReadSize);
    }
    advance();
    read();
}

void Connection::handlePeerGone()
{
    peerGone_ = true;
    if (const auto call = currentCall()) {
        call->close(loop_);
    }
    // A pending answer is still sent, because the other direction may be open.
    if (phase_ != Phase::Handling && phase_ != Phase::Answering) {
        close();
    }
}

void Connection::advance()
{
    isAdvancing_ = true;
    while (phase_ == Phase::Reading && advanceOnce()) {
    }
    isAdvancing_ = false;
}

/// One step of reading a request; false when more bytes must come, or an answer is due.
bool Connection::advanceOnce()
{
    if (!inRequest_ && !input_.empty()) {
        inRequest_ = true;
        setDeadline(settings_.request);
    }
    std::string_view rest = input_;
    const auto progress = reader_.read(rest);
    input_.erase(0, input_.size() - rest.size());
    switch (progress) {
    case RequestReader::Progress::Header:
    case RequestReader::Progress::Body: return false;
    case RequestReader::Progress::HeaderEnd: return handleHeader();
    case RequestReader::Progress::Complete: dispatch(); return false;
    case RequestReader::Progress::Refused: break;
    }
    const auto& refused = reader_.refusal();
    refuse(refusal(guard_.dialectOf(reader_.request()), refused.status, "Request refused",
                   refused.detail),
           false);
    return false;
}

/// False when the request is refused.
bool Connection::handleHeader()
{
    const auto& request = reader_.request();
    if (reader_.authority().empty() && !reader_.isHttp10()) {
        refuse(refusal(guard_.dialectOf(request), 400, "Request refused",
                       "the Host header is missing"),
               false);
        return false;
    }
    verdict_ = guard_.judge(request, reader_.authority(), client_);
    if (verdict_->refusal) {
        // Its body need not be read.
        refuseAfter(verdict_->delay, std::move(*verdict_->refusal),
                    !reader_.hasBody() && reader_.keepAlive());
        return false;
    }
    if (!reader_.limitBody(verdict_->route->bodyLimit)) {
        const auto& refused = reader_.refusal();
        refuse(refusal(verdict_->route->dialect, refused.status, "Request refused", refused.detail),
               false);
        return false;
    }
    if (reader_.expectsContinue() && reader_.hasBody() && !reader_.isHttp10() && input_.empty()) {
        nextOutput_.append("HTTP/1.1 100 Continue\r\n\r\n");
        flush();
    }
    return true;
}

void Connection::refuse(Response response, bool keepAlive)
{
    phase_ = Phase::Answering;
    keepAlive_ = keepAlive;
    bodyMayFollow_ = !keepAlive;
    RequestMeter::countRefusal(verdict_ ? verdict_->route : nullptr, response.status);
    const bool bodyless = reader_.request().method == "HEAD";
    appendAnswer(nextOutput_, response, {Framing::Length, keepAlive, bodyless, reader_.isHttp10()});
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
    refusalTimer_ = std::make_unique<Timer>(loop_);
    refusalTimer_->arm(delay, [weak = weak_from_this(), response = std::move(response), keepAlive] {
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
                                                 std::move(verdict_->pathValues));
    call_ = call;
    if (peerGone_) {
        call->close(loop_);  // it was sent ahead, and nobody waits behind it for a job
    }
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

void Connection::respond(ConnectionCall& call,
                         Response response,
                         std::function<void()> onUndelivered)
{
    const bool isHandling = phase_ == Phase::Handling;
    meter_.end(peerGone_ ? RequestMeter::kGone : response.status);
    if (onUndelivered && (peerGone_ || !isHandling)) {
        loop_.post(std::move(onUndelivered));
        onUndelivered = nullptr;
        response = {};
        keepAlive_ = false;
    }
    if (!isHandling) {
        return;
    }
    if (draining_ || (peerGone_ && input_.empty())) {
        keepAlive_ = false;
    }
    onUndelivered_ = std::move(onUndelivered);
    phase_ = Phase::Answering;
    const bool bodyless = call.request().method == "HEAD";
    appendAnswer(nextOutput_, response,
                 {Framing::Length, keepAlive_, bodyless, reader_.isHttp10()});
    flush();
}

bool Connection::beginStream(ConnectionCall& call, std::string contentType)
{
    meter_.end(peerGone_ ? RequestMeter::kGone : 200);
    if (phase_ != Phase::Handling) {
        return false;
    }
    if (peerGone_) {
        close();  // nothing will be sent, whose end would close it
        return false;
    }
    const bool bodyless = call.request().method == "HEAD";
    const auto framing = reader_.isHttp10() ? Framing::UntilClose : Framing::Chunked;
    keepAlive_ = keepAlive_ && framing == Framing::Chunked && !bodyless;
    phase_ = bodyless ? Phase::Answering : Phase::Streaming;
    streamingCall_ = &call;
    appendAnswer(nextOutput_, {200, std::move(contentType), {}, {{"Cache-Control", "no-store"}}},
                 {framing, keepAlive_, bodyless});
    setDeadline(settings_.request);
    flush();
    if (draining_) {
        call.close(loop_);  // as drain() would have
    }
    return !bodyless;
}

void Connection::send(ConnectionCall& call, const std::string& piece)
{
    if (phase_ != Phase::Streaming || streamingCall_ != &call) {
        return;
    }
    if (reader_.isHttp10()) {
        nextOutput_.append(piece);
    } else {
        appendChunk(nextOutput_, piece);
    }
    flush();
}

void Connection::endStream(ConnectionCall& call)
{
    if (phase_ != Phase::Streaming || streamingCall_ != &call) {
        return;
    }
    if (!reader_.isHttp10()) {
        nextOutput_.append("0\r\n\r\n");  // the last chunk
    }
    keepAlive_ = keepAlive_ && !draining_;
    phase_ = Phase::Answering;
    if (backlog() == 0) {
        return finishAnswer();  // HTTP/1.0: its end is the connection's
    }
    flush();
}

void Connection::flush()
{
    if (!output_.empty() || nextOutput_.empty() || phase_ == Phase::Closed) {
        return;
    }
    std::swap(output_, nextOutput_);
    writtenBytes_ = transport_->writeNow(std::string_view(output_).substr(0, kLargestPart));
    const bool isWhole = writtenBytes_ == output_.size();
    // While advancing, in a later turn: a client that pipelines must not keep the loop to itself,
    // and requests that are answered at once must not be handled inside each other.
    if (isWhole && phase_ == Phase::Answering && !isAdvancing_) {
        return handleWritten(true);
    }
    if (phase_ != Phase::Reading) {
        setDeadline(settings_.request);
    }
    if (isWhole) {
        return loop_.post([self = shared_from_this()] { self->handleWritten(true); });
    }
    writePart();
}

/// A piece of a stream may be long, and the client slow: it only must not stop reading.
void Connection::writePart()
{
    transport_->write(std::string_view(output_).substr(writtenBytes_, kLargestPart),
                      [self = shared_from_this()](bool ok, std::size_t bytes) {
                          self->handlePartWritten(ok, bytes);
                      });
}

void Connection::handlePartWritten(bool ok, std::size_t bytes)
{
    writtenBytes_ += bytes;
    if (!ok || phase_ == Phase::Closed || writtenBytes_ >= output_.size()) {
        return handleWritten(ok);
    }
    if (streamingCall_ != nullptr) {
        setDeadline(settings_.request);
    }
    writePart();
}

void Connection::handleWritten(bool ok)
{
    output_.clear();
    if (output_.capacity() > kMostKeptOutput) {
        output_ = {};
    }
    if (phase_ == Phase::Closed) {
        return;
    }
    if (!ok) {
        return close();
    }
    if (!nextOutput_.empty()) {
        return flush();
    }
    if (phase_ == Phase::Streaming) {
        deadline_.reset();  // until there is something to send
    } else if (phase_ == Phase::Answering) {
        finishAnswer();
    }
}

void Connection::finishAnswer()
{
    onUndelivered_ = nullptr;
    call_.reset();
    streamingCall_ = nullptr;
    verdict_.reset();
    // What was sent ahead is answered, too.
    if (!keepAlive_ || draining_ || (peerGone_ && input_.empty())) {
        return linger();
    }
    phase_ = Phase::Reading;
    inRequest_ = false;
    reader_.begin();
    setDeadline(settings_.idle);
    advance();
    if (peerGone_ && phase_ == Phase::Reading) {
        return close();  // the rest of it will not come
    }
    read();
}

void Connection::linger()
{
    if (peerGone_) {
        return close();
    }
    // Closing at once with unread bytes would reset the connection, and the answer could be lost.
    phase_ = Phase::Lingering;
    input_.clear();
    transport_->finish();
    setDeadline(bodyMayFollow_ ? settings_.request : kCloseTimeout);
    read();
}

}  // namespace restante::http
