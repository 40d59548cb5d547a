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

/// The position of a subscriber in each shard's stream. *Value.*
struct EventPosition {
    std::vector<std::string> byShard;

    /// "1700000000000-0,1699999999990-3": of every shard, in order.
    std::string toString() const;
    /// Invalid unless toString() makes such a text for so many shards.
    static Result<EventPosition> parse(std::string_view text, std::uint32_t shards);

    friend bool operator==(const EventPosition&, const EventPosition&) = default;
};

/// Reads the event streams of all shards once for any number of subscribers, and not at all while
/// there is none. A subscriber with an old position makes the feed read from there again; the
/// others get no event twice. *One loop.*
class EventFeed {
public:
    using Settings = StoreAddress;
    struct Event {
        std::uint32_t shard = 0;
        EventEntry entry;
        /// Topics of entry.ids, in the same order, "" where unknown (the record was gone before it
        /// was read); may be empty where none is known, or no subscriber wants topics.
        std::vector<std::string> topics;
    };
    enum class Topics { No, Yes };
    struct Subscription {
        std::function<void(const Event&, const EventPosition&)> handler;
        /// Events after this position; none = from now on.
        std::optional<EventPosition> from = {};
        Topics topics = Topics::No;  ///< whether to look up the topics of jobs
        /// Called when `from` is older than the oldest event of the shard's stream: the events
        /// between are not delivered (a journal has them). May be empty.
        std::function<void(std::uint32_t shard)> onMissed = {};
    };
    using SubscriptionId = std::uint64_t;

    /// `commands` is shared with others; `readConnection` is for this feed alone, because its reads
    /// block.
    EventFeed(EventLoop& loop, Connection& commands, Connection& readConnection, Settings settings);

    /// The handler is called in later turns until unsubscribe(), which it may call itself; without
    /// `from` only once Redis has been asked for the end of every shard's stream. A position then
    /// has "$" for a shard whose end it did not tell and of which nothing new has come since.
    SubscriptionId subscribe(Subscription subscription);
    void unsubscribe(SubscriptionId id);
    std::uint32_t shards() const noexcept { return settings_.shards; }

private:
    struct Subscriber {
        Subscription subscription;
        /// "" for a shard whose end is not known yet, "$" for one that has not told it.
        EventPosition position;
    };
    /// A handler that calls `next(reply)` unless this was destroyed.
    template <class Next>
    Done<Reply> then(Next next);
    /// A handler that calls `next(subscriber, reply)` unless it has unsubscribed.
    template <class Next>
    Done<Reply> thenIfSubscribed(SubscriptionId id, Next next);
    void askForEnds(SubscriptionId id);
    void askForEnd(SubscriptionId id, std::uint32_t shard);
    void askForEndsThatAreNotRead();
    void askForGaps(SubscriptionId id);
    void read();
    void readShards();
    void resolveEnd(std::uint32_t shard, const std::string& end);
    void handleRead(const Result<Reply>& reply);
    void lookUpTopics(std::vector<Event> events);
    void deliver(std::vector<Event> events);
    /// The start of the next read of this shard: the oldest position of all subscribers.
    std::string_view readStartOf(std::uint32_t shard) const;
    std::string streamOf(std::uint32_t shard) const;
    void rememberTopic(const std::string& id, std::string topic);
    void forgetOldestTopics();
    void scheduleRead(Millis after);

    Connection& commands_;
    Connection& readConnection_;
    Settings settings_;
    std::map<SubscriptionId, Subscriber> subscribers_;
    SubscriptionId lastId_ = 0;
    bool isReading_ = false;          ///< a read or a look-up of topics is pending
    std::vector<bool> readsFromEnd_;  ///< by shard, whether the read began with what comes then
    /// By id, of jobs seen lately; "" = to be read anew.
    std::unordered_map<std::string, std::string> topics_;
    std::deque<std::string> rememberedIds_;
    Timer readTimer_;
    /// Expires when this is destroyed: answers may come later.
    CallbackGuard callbackGuard_;
};

}  // namespace restante::redis
