#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/http/server/acceptor.h"
#include "core/http/server/http_call.h"
#include "core/http/server/request_guard.h"
#include "core/http/server/request_meter.h"
#include "core/http/server/request_reader.h"
#include "core/http/server/transport.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::http {

class ConnectionCall;

/// One client's connection: reads a request, has it judged and handled, writes the answer, and only
/// then looks at the next one, so that pipelined answers keep their order. It reads on while a
/// handler works, to notice a client that goes. Its pending operations keep it alive. *One loop.*
class Connection : public std::enable_shared_from_this<Connection> {
public:
    struct Settings {
        RequestReader::Limits limits;
        /// For a request from its first byte to its last, for an answer, of a stream for each part
        /// of it, and for the handshake.
        Millis request{30'000};
        Millis idle{75'000};  ///< between requests
    };
    using SteadyTime = std::chrono::steady_clock::time_point;

    /// `onEnded` is called once, when it has closed.
    Connection(EventLoop& loop,
               RequestGuard& guard,
               const Settings& settings,
               Acceptor::AcceptedConnection accepted,
               std::function<void(Connection&)> onEnded)
        : loop_(loop),
          guard_(guard),
          settings_(settings),
          transport_(std::move(accepted.transport)),
          client_{std::move(accepted.address), std::move(accepted.localAddress), accepted.secure},
          onEnded_(std::move(onEnded)),
          reader_(settings.limits)
    {
    }
    ~Connection();

    void start();
    /// Takes no further request: closes now, or after the pending answer.
    void drain();
    void close() noexcept;
    /// Closes the connection or refuses the request if its deadline is over. The time by which this
    /// check is `late` does not count.
    void checkDeadline(SteadyTime now, SteadyTime::duration late);
    const std::string& address() const noexcept { return client_.address; }

private:
    friend class ConnectionCall;

    enum class Phase { Reading, Handling, Streaming, Answering, Lingering, Closed };

    // Reading.
    void read();
    void handleRead(bool ok, std::size_t bytes);
    void advance();
    bool advanceOnce();
    bool handleHeader();
    void refuse(Response response, bool keepAlive);
    void refuseAfter(Millis delay, Response response, bool keepAlive);
    void dispatch();
    void handlePeerGone();

    // Answering; ignored unless `call` is the current one.
    void respond(ConnectionCall& call, Response response, std::function<void()> onUndelivered);
    bool beginStream(ConnectionCall& call, std::string contentType);
    void send(ConnectionCall& call, const std::string& piece);
    void endStream(ConnectionCall& call);
    std::size_t backlog() const noexcept { return nextOutput_.size() + output_.size(); }
    void flush();
    void writePart();
    void handlePartWritten(bool ok, std::size_t bytes);
    void handleWritten(bool ok);
    void finishAnswer();
    void linger();

    void setDeadline(Millis within)
    {
        deadline_ = std::chrono::steady_clock::now() + within;
        timeout_ = within;
    }
    std::shared_ptr<ConnectionCall> currentCall() const { return call_.lock(); }

    EventLoop& loop_;
    RequestGuard& guard_;
    const Settings& settings_;
    std::unique_ptr<Transport> transport_;
    RequestGuard::Peer client_;
    std::function<void(Connection&)> onEnded_;
    RequestReader reader_;
    Phase phase_ = Phase::Reading;
    std::optional<RequestGuard::Verdict> verdict_;
    RequestMeter meter_;
    std::weak_ptr<ConnectionCall> call_;
    std::vector<char> readBuffer_;         ///< the buffer of the pending read
    std::string input_;                    ///< received and not yet parsed
    std::string nextOutput_;               ///< written after output_
    std::string output_;                   ///< being written
    std::function<void()> onUndelivered_;  ///< called if the pending answer is not delivered
    std::size_t writtenBytes_ = 0;         ///< of output_
    /// Whose stream is the pending answer, if that is one; only compared, may dangle.
    const ConnectionCall* streamingCall_ = nullptr;
    std::size_t discardedBytes_ = 0;  ///< while lingering
    bool reading_ = false;
    bool isAdvancing_ = false;
    bool inRequest_ = false;  ///< its first byte has come
    bool peerGone_ = false;   ///< nothing more will come
    bool keepAlive_ = true;   ///< after the answer
    bool draining_ = false;
    bool bodyMayFollow_ = false;  ///< of a request that was refused, and ends the connection
    std::optional<SteadyTime> deadline_;
    Millis timeout_{0};                    ///< of deadline_
    std::unique_ptr<Timer> refusalTimer_;  ///< of a delayed refusal; few connections have one
};

}  // namespace restante::http
