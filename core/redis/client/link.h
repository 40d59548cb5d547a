#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/reply.h"
#include "core/redis/client/reply_reader.h"
#include "core/redis/client/wire.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

/// One open wire from its birth to its break: pipelines commands (one write a turn of the
/// loop), matches the replies to them in order, and watches over their time. *One loop.* Its owner
/// may destroy it from any of its callbacks.
class Link {
public:
    struct Handlers {
        /// Called at most once, as the last thing: its owner abandons and destroys it.
        std::function<void(std::string why)> broken;
        /// Sees every reply first; true = it was a pushed message, nobody's answer. May be empty.
        std::function<bool(const Result<Reply>&)> pushed;
    };

    Link(EventLoop& loop, Wire wire, Millis timeout, Handlers handlers);
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    void send(std::span<const std::string_view> args, Done<Reply> done);
    /// The callers that still wait, oldest first; none of them is answered by this link any more.
    std::vector<Done<Reply>> abandon();
    std::size_t inFlight() const noexcept { return waiting_.size(); }
    const Wire& wire() const noexcept { return wire_; }
    /// They have said anything at all.
    bool heard() const noexcept { return heard_; }

private:
    using Steady = std::chrono::steady_clock;
    struct Waiting {
        Steady::time_point deadline;
        Done<Reply> done;
    };
    enum class Going { On, Over };

    void onReadiness(Readiness readiness);
    Going read();
    Going deliverReplies();
    Going deliver(Result<Reply> reply);
    void flushSoon();
    Going flush();
    void checkTime();
    Going breakOff(std::string why);

    EventLoop& loop_;
    Handlers handlers_;
    Millis timeout_;
    std::vector<char> input_;  // one read's worth
    ReplyReader reader_;
    std::deque<Waiting> waiting_;
    std::string out_;
    std::size_t sent_ = 0;   // of out_
    bool flushing_ = false;  // a flush is posted, or waits until the wire takes more
    bool blocked_ = false;
    bool heard_ = false;
    Timer watchdog_;
    Wire wire_;
    Watch watch_;
    /// Expires with this, so that a method sees that a callback has destroyed it.
    std::shared_ptr<const void> life_ = std::make_shared<char>();
};

}  // namespace restante::redis
