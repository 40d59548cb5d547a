#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
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

/// One client's connection: reads a request, has it judged and handled, writes the answer, and
/// only then looks at the next one, so that pipelined answers keep their order. It reads on while
/// a handler works, to notice a client that goes. Lives as long as it has something to do.
/// *One loop.*
class Connection : public std::enable_shared_from_this<Connection> {
public:
    struct Settings {
        RequestReader::Limits limits;
        Millis request{30'000};  ///< a request from its first byte to its last, and an answer
        Millis idle{75'000};     ///< between requests
    };
    using Moment = std::chrono::steady_clock::time_point;

    /// `ended` is called once, when it has closed.
    Connection(EventLoop& loop,
               RequestGuard& guard,
               const Settings& settings,
               Acceptor::Peer peer,
               std::function<void(Connection&)> ended)
        : loop_(loop),
          guard_(guard),
          settings_(settings),
          peer_(std::move(peer)),
          ended_(std::move(ended)),
          reader_(settings.limits)
    {
    }
    ~Connection();

    void start();
    /// Takes no further request: closes now, or behind the answer that is being made.
    void drain();
    void close() noexcept;
    /// Closes it when it takes longer than it may.
    void checkDeadline(Moment now);
    const std::string& address() const noexcept { return peer_.address; }

private:
    friend class ConnectionCall;

    enum class Phase { Reading, Handling, Streaming, Answering, Lingering, Closed };

    // Reading.
    void read();
    void received(bool ok, std::size_t bytes);
    void advance();
    bool headerRead();
    void refuse(Response response, bool keepAlive);
    void refuseAfter(Millis delay, Response response, bool keepAlive);
    void dispatch();
    void peerGone();

    // Answering; ignored unless `from` is the current call.
    void respond(ConnectionCall& from, Response response, std::function<void()> lost);
    bool beginStream(ConnectionCall& from, std::string contentType);
    void send(ConnectionCall& from, const std::string& piece);
    void endStream(ConnectionCall& from);
    std::size_t backlog() const noexcept { return out_.size() + writing_.size(); }
    void flush();
    void written(bool ok);
    void answered();
    void linger();

    void setDeadline(Millis within) { deadline_ = std::chrono::steady_clock::now() + within; }
    std::shared_ptr<ConnectionCall> current() const { return call_.lock(); }

    EventLoop& loop_;
    RequestGuard& guard_;
    const Settings& settings_;
    Acceptor::Peer peer_;
    std::function<void(Connection&)> ended_;
    RequestReader reader_;
    Phase phase_ = Phase::Reading;
    std::optional<RequestGuard::Verdict> verdict_;
    RequestMeter meter_;
    std::weak_ptr<ConnectionCall> call_;
    std::vector<char> incoming_;                 ///< where the system puts what comes
    std::string input_;                          ///< what has come and is not yet parsed
    std::string out_;                            ///< what goes out after writing_
    std::string writing_;                        ///< what is going out
    std::function<void()> onUndelivered_;        ///< when the answer on its way does not arrive
    const ConnectionCall* streaming_ = nullptr;  ///< to compare with, perhaps gone
    std::size_t discarded_ = 0;                  ///< while lingering
    bool reading_ = false;
    bool inRequest_ = false;  ///< its first byte has come
    bool peerGone_ = false;   ///< nothing more will come
    bool keepAlive_ = true;   ///< after the answer
    bool draining_ = false;
    bool bodyUnread_ = false;  ///< the refused request's body may still be coming
    std::optional<Moment> deadline_;
    std::unique_ptr<Timer> refusal_;  ///< of one that waits; few connections ever have it
};

}  // namespace restante::http
