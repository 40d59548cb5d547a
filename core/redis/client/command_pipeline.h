#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/byte_stream.h"
#include "core/redis/client/reply.h"
#include "core/redis/client/reply_reader.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

/// Pipelines commands over one open connection until it breaks: one write a turn of the loop,
/// replies matched to commands in order, a time-out for each. *One loop.* Its owner may destroy it
/// from any of its callbacks.
class CommandPipeline {
public:
    struct Handlers {
        /// Called at most once, as the last thing: its owner abandons and destroys it.
        std::function<void(std::string why)> broken;
        /// Sees every reply first; true = it was a pushed message, nobody's answer. May be empty.
        std::function<bool(const Result<Reply>&)> pushed;
    };

    CommandPipeline(EventLoop& loop, ByteStream stream, Millis timeout, Handlers handlers);

    void send(std::span<const std::string_view> args, Done<Reply> done);
    /// The callers that still wait, oldest first; none of them is answered by this pipeline any
    /// more.
    std::vector<Done<Reply>> abandon();
    std::size_t inFlight() const noexcept { return waiting_.size(); }
    const ByteStream& stream() const noexcept { return stream_; }
    /// Whether the server has sent anything.
    bool heard() const noexcept { return heard_; }

private:
    using Steady = std::chrono::steady_clock;
    struct Waiting {
        Steady::time_point deadline;
        Done<Reply> done;
    };
    enum class Progress { Continue, Stop };

    void onReadiness(Readiness readiness);
    Progress read();
    Progress deliverReplies();
    Progress deliver(Result<Reply> reply);
    void flushSoon();
    Progress flush();
    void checkTime();
    Progress breakOff(std::string why);

    EventLoop& loop_;
    Handlers handlers_;
    Millis timeout_;
    std::vector<char> input_;  // one read's worth
    ReplyReader reader_;
    std::deque<Waiting> waiting_;
    std::string out_;
    std::size_t sent_ = 0;   // of out_
    bool flushing_ = false;  // a flush is posted, or waits until the stream takes more
    bool blocked_ = false;
    bool heard_ = false;
    Timer watchdog_;
    ByteStream stream_;
    Watch watch_;
    /// Expires with this, so that a method sees that a callback has destroyed it.
    CallbackGuard callbackGuard_;
};

}  // namespace restante::redis
