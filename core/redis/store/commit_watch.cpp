#include "core/redis/store/commit_watch.h"

#include "core/base/while_alive.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/commit_notices.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/serving_gate.h"
#include "core/redis/store/store_answers.h"
#include "core/redis/store/stream_id.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace restante::redis {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// Polling is for messages that were lost with a connection; others are handled at once.
constexpr Millis kCommitPoll{100};

/// Reads `cursor` and `told` of Kjournal; none while the cursor is only where recording began.
std::optional<StreamId> committedOf(const Reply& reply)
{
    const bool hasCommitted = reply.size() == 2 && reply.at(1).text() != nullptr;
    return hasCommitted ? StreamId::parse(reply.at(0).textOrEmpty()) : std::nullopt;
}

class RedisCommitWatch final : public CommitWatch,
                               public std::enable_shared_from_this<RedisCommitWatch> {
public:
    RedisCommitWatch(EventLoop& loop, Connection& commands, Settings settings)
        : loop_(loop),
          commands_(commands),
          settings_(std::move(settings)),
          listener_(loop, {.url = settings_.url, .name = settings_.name}),
          pollTimer_(loop),
          shards_(settings_.shards)
    {
        if (settings_.notices != nullptr && settings_.gate != nullptr) {
            notices_.emplace(*settings_.notices, loop, [this](const auto& token, StreamId cursor) {
                const auto alive = shared_from_this();
                for (auto& shard : shards_) {
                    if (shard.listenedFor == token) {
                        answerCommitted(shard, cursor, shard.tokenKeyPrefix + token);
                    }
                }
            });
        }
        std::vector<std::string> channels;
        for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
            const auto prefix = shardPrefix(settings_.prefix, shard);
            shards_[shard].eventsKey = prefix + "events";
            shards_[shard].journalKey = prefix + "journal";
            shards_[shard].channel = committedChannel(prefix);
            shards_[shard].tokenKeyPrefix = prefix + "serving:";
            channels.push_back(shards_[shard].channel);
        }
        listener_.subscribe(std::move(channels), [this](auto channel, auto payload) {
            const auto alive = shared_from_this();
            for (auto& shard : shards_) {
                if (shard.channel == channel) {
                    return onPublished(shard, payload);
                }
            }
        });
    }

    /// Once it is in a shared_ptr.
    void begin()
    {
        if (settings_.gate != nullptr) {
            settings_.gate->onChange(whileAlive(*this, &RedisCommitWatch::onGateChange));
        }
    }

    bool isDown(std::uint32_t shard) const override
    {
        return shards_[shard].isJournalDown ||
               SteadyClock::now() - shards_[shard].lastHeard > settings_.recorderTimeout;
    }

    bool isDown() const override
    {
        std::uint32_t shard = 0;
        return std::ranges::any_of(shards_, [&](const auto&) { return isDown(shard++); });
    }

    void
    await(std::uint32_t number, const std::optional<AppendedEvent>& event, Done<void> done) override
    {
        if (!event) {
            return awaitNewestEntry(number, std::move(done));
        }
        auto& shard = shards_[number];
        if (shard.isJournalDown) {
            return loop_.post([done = std::move(done)] { done(downError()); });
        }
        addWaiter(shard, event->tokenKey, event->id, std::move(done));
        if (!std::exchange(shard.isLookPosted, true)) {  // one look for all calls of this turn
            loop_.post(whileAlive(*this, [number](RedisCommitWatch& self) {
                self.shards_[number].isLookPosted = false;
                self.lookAtCommitted(number);
            }));
        }
    }

private:
    struct Waiter {
        std::string tokenKey;  ///< as in Caller
        StreamId until;
        SteadyClock::time_point deadline;
        Done<void> done;
    };
    struct Caller {
        std::string tokenKey;  ///< key of the store's token; empty = no gate
        Done<void> done;
    };
    struct Shard {
        std::string eventsKey;
        std::string journalKey;
        std::string channel;
        std::string tokenKeyPrefix;  ///< of the keys of its tokens
        bool isJournalDown = false;
        /// The last that was published, and the key of its token; none = nothing yet.
        std::optional<StreamId> committed;
        std::string committedTokenKey;
        SteadyClock::time_point lastHeard = SteadyClock::now();
        std::string servedTokenKey;  ///< key of the last token under which it was served
        std::vector<Caller> newCallers;
        std::deque<Waiter> waiting;
        std::string listenedFor;  ///< the token of which notices are awaited; empty = none
        bool isLookPosted = false;

        /// `committed` was published under this token.
        bool knowsCommitted(const std::string& tokenKey) const
        {
            return committed && !tokenKey.empty() && committedTokenKey == tokenKey;
        }
    };

    /// One query of the newest entry of the stream, and the callers that wait for it.
    struct StreamQuery {
        std::vector<Caller> callers;
        Result<Reply> newest;
        bool tokenHolds = true;  ///< false also when Redis has not answered
        int missingAnswers = 1;
    };

    static tl::unexpected<Error> lostError()
    {
        return failure(ErrorCode::Unavailable,
                       "Redis has lost or changed the store before the journal had it; repeat it");
    }

    /// Calls `next(self, holds)`; `holds` is none when Redis has not answered.
    template <class Next>
    void askToken(const std::string& tokenKey, Next next)
    {
        commands_.command(
            {"EXISTS", tokenKey},
            whileAlive(*this, [next](RedisCommitWatch& self, const Result<Reply>& reply) {
                const auto* count = reply ? reply->integer() : nullptr;
                next(self, count != nullptr ? std::optional(*count == 1) : std::nullopt);
            }));
    }

    void awaitNewestEntry(std::uint32_t number, Done<void> done)
    {
        auto& newCallers = shards_[number].newCallers;
        // The call was made under this token: the stream of another store says nothing about it.
        const auto tokenKey =
            settings_.gate != nullptr ? settings_.gate->tokenKey(number) : std::string();
        if (!newCallers.empty() && tokenKey != newCallers.front().tokenKey) {
            return loop_.post([done = std::move(done)] { done(lostError()); });
        }
        newCallers.push_back({tokenKey, std::move(done)});
        if (newCallers.size() > 1) {
            return;  // one query for all calls of this turn
        }
        loop_.post(whileAlive(*this, &RedisCommitWatch::askNewestEntry, number));
    }

    void askNewestEntry(std::uint32_t number)
    {
        auto query = std::make_shared<StreamQuery>();
        query->callers.swap(shards_[number].newCallers);
        const auto tokenKey = query->callers.front().tokenKey;
        if (settings_.gate != nullptr && settings_.gate->tokenKey(number) != tokenKey) {
            for (auto& caller : query->callers) {
                caller.done(lostError());
            }
            return;
        }
        commands_.command(
            {"XREVRANGE", shards_[number].eventsKey, "+", "-", "COUNT", "1"},
            whileAlive(*this, [number, query](RedisCommitWatch& self, const Result<Reply>& reply) {
                query->newest = reply;
                self.onQueryAnswer(number, *query);
            }));
        if (tokenKey.empty()) {
            return;
        }
        // Sent after the query: if the token holds now, the stream was that of this store.
        query->missingAnswers = 2;
        askToken(tokenKey, [number, query](RedisCommitWatch& self, std::optional<bool> holds) {
            query->tokenHolds = holds.value_or(false);
            self.onQueryAnswer(number, *query);
        });
    }

    void onQueryAnswer(std::uint32_t number, StreamQuery& query)
    {
        if (--query.missingAnswers > 0) {
            return;
        }
        auto& shard = shards_[number];
        const auto& reply = query.newest;
        const auto last = reply ? reply->at(0).at(0).textOrEmpty() : std::string_view();
        const auto newest = StreamId::parse(last).value_or(StreamId{});
        for (auto& [tokenKey, done] : query.callers) {
            if (!reply) {
                done(tl::unexpected(reply.error()));
            } else if (!query.tokenHolds) {
                done(lostError());
            } else if (shard.isJournalDown) {
                done(downError());
            } else {
                addWaiter(shard, tokenKey, newest, std::move(done));
            }
        }
        lookAtCommitted(number);
    }

    void addWaiter(Shard& shard, const std::string& tokenKey, StreamId until, Done<void> done)
    {
        shard.waiting.push_back(
            {tokenKey, until, SteadyClock::now() + settings_.timeout, std::move(done)});
        armPoll();
    }

    /// The recorder may have been faster than the answer of those who wait now.
    void lookAtCommitted(std::uint32_t number)
    {
        auto& shard = shards_[number];
        if (shard.waiting.empty()) {
            return;
        }
        const auto tokenKey = shard.waiting.back().tokenKey;
        if (const auto committed = listenFor(shard, tokenKey)) {
            answerCommitted(shard, *committed, tokenKey);
        } else if (shard.knowsCommitted(tokenKey)) {
            release(shard, *shard.committed, shard.committedTokenKey);
        } else {
            readCommitted(number);
        }
    }

    /// Opening a shard takes as long as its database needs, and its recorder publishes nothing
    /// until then; calls that come at once must not be refused.
    void onGateChange()
    {
        for (std::uint32_t number = 0; number < shards_.size(); ++number) {
            auto& shard = shards_[number];
            const auto& tokenKey = settings_.gate->tokenKey(number);
            if (!tokenKey.empty() && tokenKey != std::exchange(shard.servedTokenKey, tokenKey)) {
                shard.lastHeard = SteadyClock::now();
            }
        }
    }

    /// What a recorder of this process has committed under this token, and will tell from now on;
    /// none = it is in another process.
    std::optional<StreamId> listenFor(Shard& shard, const std::string& tokenKey)
    {
        if (!notices_ || tokenKey.empty()) {
            return std::nullopt;
        }
        const auto token = tokenKey.substr(shard.tokenKeyPrefix.size());
        if (shard.listenedFor != token) {
            stopListening(shard);
            shard.listenedFor = token;
        }
        return notices_->await(token);
    }

    void stopListening(Shard& shard)
    {
        if (!shard.listenedFor.empty()) {
            notices_->stopAwaiting(std::exchange(shard.listenedFor, {}));
        }
    }

    /// From Redis: a store that was lost begins anew, and the commits of the one before say nothing
    /// about it.
    void readCommitted(std::uint32_t number)
    {
        if (shards_[number].waiting.empty()) {
            return;
        }
        const auto tokenKey = shards_[number].waiting.front().tokenKey;
        commands_.command(
            {"HMGET", shards_[number].journalKey, "cursor", "told"},
            whileAlive(*this,
                       [number, tokenKey](RedisCommitWatch& self, const Result<Reply>& reply) {
                           if (const auto committed = reply ? committedOf(*reply) : std::nullopt) {
                               self.checkTokenAndRelease(number, *committed, tokenKey);
                           }
                       }));
    }

    /// Sent after the cursor was read: if the token holds now, the cursor was that of this store.
    void checkTokenAndRelease(std::uint32_t number, StreamId committed, const std::string& tokenKey)
    {
        if (tokenKey.empty()) {
            return release(shards_[number], committed, {});
        }
        askToken(tokenKey, [number, committed, tokenKey](RedisCommitWatch& self,
                                                         std::optional<bool> holds) {
            if (holds) {
                self.release(self.shards_[number], committed, *holds ? tokenKey : "another");
            }
        });
    }

    void onPublished(Shard& shard, std::string_view payload)
    {
        shard.lastHeard = SteadyClock::now();
        // "<cursor> <token>", or "down"
        const auto committed = StreamId::parse(takeField(payload));
        shard.isJournalDown = !committed;
        if (committed) {
            shard.committed = committed;
            shard.committedTokenKey = shard.tokenKeyPrefix + std::string(payload);
            return release(shard, *committed, shard.committedTokenKey);
        }
        answer(shard, [](const Waiter&) { return std::optional<Result<void>>(downError()); });
    }

    /// Answers waiters up to `committed` of the store with this token. Waiters of another token get
    /// an error: their store was lost or rolled back.
    void release(Shard& shard, StreamId committed, const std::string& tokenKey)
    {
        answer(shard, [&](const Waiter& waiter) -> std::optional<Result<void>> {
            if (!waiter.tokenKey.empty() && waiter.tokenKey != tokenKey) {
                return lostError();
            }
            return waiter.until <= committed ? std::optional(Result<void>{}) : std::nullopt;
        });
    }

    /// As release(), of a recorder that may not have noticed yet that the store is another one.
    void answerCommitted(Shard& shard, StreamId committed, const std::string& tokenKey)
    {
        answer(shard, [&](const Waiter& waiter) {
            return waiter.tokenKey == tokenKey && waiter.until <= committed
                       ? std::optional(Result<void>{})
                       : std::nullopt;
        });
    }

    /// Answers the waiters for which `resultOf` has a result.
    template <class ResultOf>
    void answer(Shard& shard, ResultOf resultOf)
    {
        std::vector<std::pair<Done<void>, Result<void>>> answers;
        std::deque<Waiter> left;
        for (auto& waiter : shard.waiting) {
            if (auto result = resultOf(waiter)) {
                answers.emplace_back(std::move(waiter.done), std::move(*result));
            } else {
                left.push_back(std::move(waiter));
            }
        }
        shard.waiting = std::move(left);
        if (shard.waiting.empty()) {
            stopListening(shard);
        }
        for (auto& [done, result] : answers) {
            done(std::move(result));
        }
    }

    void armPoll()
    {
        if (pollTimer_.armed()) {
            return;
        }
        pollTimer_.arm(kCommitPoll, [this] {
            const auto alive = shared_from_this();
            const auto now = SteadyClock::now();
            bool anyWaiting = false;
            for (std::uint32_t number = 0; number < shards_.size(); ++number) {
                auto& shard = shards_[number];
                answer(shard, [now](const Waiter& waiter) {
                    return waiter.deadline <= now ? std::optional<Result<void>>(downError())
                                                  : std::nullopt;
                });
                readCommitted(number);
                anyWaiting = anyWaiting || !shard.waiting.empty();
            }
            if (anyWaiting) {
                armPoll();
            }
        });
    }

    EventLoop& loop_;
    Connection& commands_;
    Settings settings_;
    Connection listener_;
    Timer pollTimer_;
    std::vector<Shard> shards_;
    std::optional<CommitNotices::Listener> notices_;
};

}  // namespace

std::shared_ptr<CommitWatch>
CommitWatch::make(EventLoop& loop, Connection& commands, Settings settings)
{
    auto watch = std::make_shared<RedisCommitWatch>(loop, commands, std::move(settings));
    watch->begin();
    return watch;
}

tl::unexpected<Error> CommitWatch::downError()
{
    return failure(ErrorCode::Unavailable,
                   "the journal does not answer, and journal.mode is \"durable\"; try again later");
}

}  // namespace restante::redis
