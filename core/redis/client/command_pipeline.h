#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/byte_stream.h"
#include "core/redis/client/reply.h"
#include "core/redis/client/reply_reader.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

/// Pipelines commands over one open connection until it breaks: one write per turn of the loop, or
/// some when they are long; replies matched to commands in order, a time-out for each. While the
/// bytes of a long reply keep coming the time-out counts from the last of them, up to ten times
/// itself. Its owner may destroy it from any of its callbacks. *One loop.*
class CommandPipeline {
public:
    struct Handlers {
        /// Called at most once, as the last callback: the owner takes what is unanswered and
        /// destroys the pipeline.
        std::function<void(std::string why)> onBroken;
        /// Called with every reply first; true = it was a pushed message, not an answer to a
        /// command. May be empty.
        std::function<bool(const Result<Reply>&)> interceptReply;
    };

    CommandPipeline(EventLoop& loop, ByteStream stream, Millis timeout, Handlers handlers);

    void send(std::span<const std::string_view> args, Done<Reply> done);
    /// Removes and returns the handlers of the commands that have no reply yet, oldest first. The
    /// caller has to call them: the pipeline does not.
    std::vector<Done<Reply>> takeUnanswered();
    std::size_t inFlight() const noexcept { return pending_.size(); }
    const ByteStream& stream() const noexcept { return stream_; }
    /// Whether the server has sent anything.
    bool hasReceived() const noexcept { return received_ > 0; }

private:
    using SteadyClock = std::chrono::steady_clock;
    struct PendingReply {
        SteadyClock::time_point deadline;
        Done<Reply> done;
    };
    enum class Progress {
        Continue,
        Stop,  ///< the connection is broken, or a callback has destroyed this
    };

    void onReadiness(Readiness readiness);
    Progress read();
    Progress deliverReplies();
    Progress deliver(Result<Reply> reply);
    void writeEarly();
    void scheduleFlush();
    Progress flush();
    SteadyClock::time_point frontDeadline() const;
    void checkDeadline();
    Progress breakOff(std::string why);

    EventLoop& loop_;
    Handlers handlers_;
    Millis timeout_;
    std::vector<char> input_;  // the bytes of one read
    ReplyReader reader_;
    std::deque<PendingReply> pending_;
    std::string output_;
    std::size_t outputSent_ = 0;     // bytes of output_ that are written
    bool isFlushScheduled_ = false;  // a flush is posted, or waits until the stream takes more
    bool isWriteBlocked_ = false;
    std::uint64_t received_ = 0;                // bytes
    SteadyClock::time_point partReceivedAt_{};  // the last bytes of a reply that came in parts
    Timer watchdog_;
    ByteStream stream_;
    Watch watch_;
    /// Its watch expires when this is destroyed, so that a method notices that a callback did so.
    CallbackGuard callbackGuard_;
};

}  // namespace restante::redis
