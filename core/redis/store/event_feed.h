#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/store/event_entry.h"
#include "core/redis/store/keys.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace restante::redis {

class Connection;
struct Reply;

/// How far a follower has read: the position in each shard's stream. *Value.*
struct EventPosition {
    std::vector<std::string> shards;

    /// "1700000000000-0,1699999999990-3": of every shard, in order.
    std::string print() const;
    /// Invalid what print() does not make for so many shards.
    static Result<EventPosition> parse(std::string_view text, std::uint32_t shards);

    friend bool operator==(const EventPosition&, const EventPosition&) = default;
};

/// Reads the event streams of all shards once for any number of followers, and not at all while
/// there is none. A follower that comes back with an old position makes the reading go back to it;
/// the others are not told twice. *One loop.*
class EventFeed {
public:
    using Settings = StoreAddress;
    struct Event {
        std::uint32_t shard = 0;
        EventEntry entry;
        /// Topics of entry.ids, in the same order, "" where unknown (its record had gone before
        /// anybody asked); empty when no follower wants topics.
        std::vector<std::string> topics;
    };
    enum class Topics { No, Yes };
    struct Following {
        std::function<void(const Event&, const EventPosition&)> handler;
        /// Behind this; none = from now on.
        std::optional<EventPosition> from = {};
        Topics topics = Topics::No;  ///< look up what topic a job has
        /// `from` is older than what this shard's stream still has (a journal has them all): what
        /// came in between is not told. May be empty.
        std::function<void(std::uint32_t shard)> missed = {};
    };
    using FollowerId = std::uint64_t;

    /// `commands` is shared with others; `reading` is this feed's own, because it blocks in it.
    EventFeed(EventLoop& loop, Connection& commands, Connection& reading, Settings settings);

    /// The handler is called from later turns on until unfollow(), which it may call itself; not
    /// before the end of every shard is known, so that every position it is told can be gone on
    /// from.
    FollowerId follow(Following following);
    void unfollow(FollowerId id);
    std::uint32_t shards() const noexcept { return settings_.shards; }

private:
    struct Follower {
        Following following;
        EventPosition position;  ///< "" for a shard whose end is still being asked for
    };
    /// The handler of an answer: calls `next(reply)` unless this is gone by then.
    template <class Next>
    Done<Reply> then(Next next);
    /// The same: `next(follower, reply)`, while that one follows.
    template <class Next>
    Done<Reply> thenFor(FollowerId id, Next next);
    void askForEnds(FollowerId id);
    void askForGaps(FollowerId id);
    void read();
    void readShards();
    void beginAt(std::uint32_t shard, const std::string& end);
    void handle(const Result<Reply>& reply);
    void lookUpTopics(std::vector<Event> events);
    void deliver(std::vector<Event> events);
    /// Where the next read begins in this shard: the furthest that every follower has read.
    std::string_view beginOf(std::uint32_t shard) const;
    std::string streamOf(std::uint32_t shard) const;
    void remember(const std::string& id, std::string topic);
    void readLater(Millis after);

    Connection& commands_;
    Connection& reading_;
    Settings settings_;
    std::map<FollowerId, Follower> followers_;
    FollowerId lastId_ = 0;
    bool busy_ = false;  ///< a read, or what follows from it, is on its way
    std::unordered_map<std::string, std::string> topics_;  ///< by id, of jobs seen lately
    std::deque<std::string> topicsInOrder_;
    Timer again_;
    /// Expired when this is gone: answers may come later.
    CallbackGuard callbackGuard_;
};

}  // namespace restante::redis
