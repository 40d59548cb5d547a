#include "core/redis/store/commit_watch.h"

#include "core/base/while_alive.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
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

using Steady = std::chrono::steady_clock;

/// For words that were lost with a connection; a word that comes is heard at once.
constexpr Millis kCommitPoll{100};

/// `cursor` and `told` of Kjournal; none while the cursor says only where the listening began.
std::optional<StreamId> committedOf(const Reply& reply)
{
    const bool told = reply.size() == 2 && reply.at(1).text() != nullptr;
    return told ? StreamId::parse(reply.at(0).textOrEmpty()) : std::nullopt;
}

class RedisCommitWatch final : public CommitWatch,
                               public std::enable_shared_from_this<RedisCommitWatch> {
public:
    RedisCommitWatch(EventLoop& loop, Connection& commands, Settings settings)
        : loop_(loop),
          commands_(commands),
          settings_(std::move(settings)),
          listener_(loop, {.url = settings_.url, .name = settings_.name}),
          look_(loop),
          shards_(settings_.shards)
    {
        std::vector<std::string> channels;
        for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
            const auto prefix = shardPrefix(settings_.prefix, shard);
            shards_[shard].events = prefix + "events";
            shards_[shard].journal = prefix + "journal";
            shards_[shard].channel = committedChannel(prefix);
            shards_[shard].serving = prefix + "serving:";
            channels.push_back(shards_[shard].channel);
        }
        listener_.subscribe(std::move(channels), [this](auto channel, auto payload) {
            for (auto& shard : shards_) {
                if (shard.channel == channel) {
                    return heard(shard, payload);
                }
            }
        });
    }

    bool isDown(std::uint32_t shard) const override
    {
        return shards_[shard].down ||
               Steady::now() - shards_[shard].heard > settings_.recorderTimeout;
    }

    bool isDown() const override
    {
        std::uint32_t shard = 0;
        return std::ranges::any_of(shards_, [&](const auto&) { return isDown(shard++); });
    }

    void await(std::uint32_t number, Done<void> done) override
    {
        auto& asking = shards_[number].asking;
        // What was done was done under this token: of another store its stream tells nothing.
        const auto token = settings_.gate != nullptr ? settings_.gate->key(number) : std::string();
        if (!asking.empty() && token != asking.front().token) {
            return loop_.post([done = std::move(done)] { done(lost()); });
        }
        asking.push_back({token, std::move(done)});
        if (asking.size() > 1) {
            return;  // one question for all that were done in this turn
        }
        loop_.post(whileAlive(*this, &RedisCommitWatch::ask, number));
    }

private:
    struct Waiter {
        std::string token;  ///< as Asker
        StreamId until;
        Steady::time_point deadline;
        Done<void> done;
    };
    struct Asker {
        std::string token;  ///< the key that stands for the store; empty: no gate asks for one
        Done<void> done;
    };
    struct Shard {
        std::string events;
        std::string journal;
        std::string channel;
        std::string serving;  ///< what the names of its tokens' keys begin with
        bool down = false;
        Steady::time_point heard = Steady::now();
        std::vector<Asker> asking;
        std::deque<Waiter> waiting;  ///< by `until` and by deadline alike
    };

    /// Callers whose answer waits for one look at the stream.
    struct Asked {
        std::vector<Asker> all;
        Result<Reply> newest;
        bool lost = false;
        int missing = 1;  ///< answers
    };

    static tl::unexpected<Error> lost()
    {
        return failure(ErrorCode::Unavailable,
                       "Redis has lost or changed the store before the journal had it; repeat it");
    }

    /// Calls `next(self, holds)`; none: Redis has not answered.
    template <class Next>
    void askToken(const std::string& token, Next next)
    {
        commands_.command(
            {"EXISTS", token},
            whileAlive(*this, [next](RedisCommitWatch& self, const Result<Reply>& reply) {
                const auto* count = reply ? reply->integer() : nullptr;
                next(self, count != nullptr ? std::optional(*count == 1) : std::nullopt);
            }));
    }

    void ask(std::uint32_t number)
    {
        auto asked = std::make_shared<Asked>();
        asked->all.swap(shards_[number].asking);
        const auto token = asked->all.front().token;
        if (settings_.gate != nullptr && settings_.gate->key(number) != token) {
            for (auto& [its, done] : asked->all) {
                done(lost());
            }
            return;
        }
        commands_.command(
            {"XREVRANGE", shards_[number].events, "+", "-", "COUNT", "1"},
            whileAlive(*this, [number, asked](RedisCommitWatch& self, const Result<Reply>& reply) {
                asked->newest = reply;
                self.gotNewest(number, *asked);
            }));
        if (token.empty()) {
            return;
        }
        // Asked behind it: where the token holds now, the stream was that of this store.
        asked->missing = 2;
        askToken(token, [number, asked](RedisCommitWatch& self, std::optional<bool> holds) {
            asked->lost = !holds.value_or(false);
            self.gotNewest(number, *asked);
        });
    }

    void gotNewest(std::uint32_t number, Asked& asked)
    {
        if (--asked.missing > 0) {
            return;
        }
        auto& shard = shards_[number];
        const auto& reply = asked.newest;
        const auto last = reply ? reply->at(0).at(0).textOrEmpty() : std::string_view();
        const auto newest = StreamId::parse(last).value_or(StreamId{});
        for (auto& [token, done] : asked.all) {
            if (!reply) {
                done(tl::unexpected(reply.error()));
            } else if (asked.lost) {
                done(lost());
            } else if (shard.down) {
                done(downError());
            } else {
                shard.waiting.push_back(
                    {token, newest, Steady::now() + settings_.timeout, std::move(done)});
            }
        }
        look(number);
        armLook();
    }

    /// Redis itself is asked, and nothing remembered: one that was lost begins anew, and what its
    /// predecessor had committed says nothing about it.
    void look(std::uint32_t number)
    {
        if (shards_[number].waiting.empty()) {
            return;
        }
        const auto token = shards_[number].waiting.front().token;
        commands_.command(
            {"HMGET", shards_[number].journal, "cursor", "told"},
            whileAlive(*this, [number, token](RedisCommitWatch& self, const Result<Reply>& reply) {
                if (const auto committed = reply ? committedOf(*reply) : std::nullopt) {
                    self.lookAtToken(number, *committed, token);
                }
            }));
    }

    /// Asked behind the cursor: where the token holds now, the cursor was that of this store.
    void lookAtToken(std::uint32_t number, StreamId committed, const std::string& token)
    {
        if (token.empty()) {
            return release(shards_[number], committed, {});
        }
        askToken(token,
                 [number, committed, token](RedisCommitWatch& self, std::optional<bool> holds) {
                     if (holds) {
                         release(self.shards_[number], committed, *holds ? token : "another");
                     }
                 });
    }

    void heard(Shard& shard, std::string_view payload)
    {
        shard.heard = Steady::now();
        // "<cursor> <token>", or "down"
        const auto committed = StreamId::parse(takeField(payload));
        shard.down = !committed;
        if (committed) {
            return release(shard, *committed, shard.serving + std::string(payload));
        }
        for (auto& waiter : std::exchange(shard.waiting, {})) {
            waiter.done(downError());
        }
    }

    /// What is committed of the store that `token` stands for. Whoever waits for another one, which
    /// was lost or rolled back meanwhile, waits in vain, however far this one is.
    static void release(Shard& shard, StreamId committed, const std::string& token)
    {
        auto waiting = std::exchange(shard.waiting, {});
        for (auto& waiter : waiting) {
            if (!waiter.token.empty() && waiter.token != token) {
                waiter.done(lost());
            } else if (waiter.until <= committed) {
                waiter.done({});
            } else {
                shard.waiting.push_back(std::move(waiter));
            }
        }
    }

    void armLook()
    {
        if (look_.armed()) {
            return;
        }
        look_.arm(kCommitPoll, [this] {
            const auto now = Steady::now();
            bool more = false;
            for (std::uint32_t number = 0; number < shards_.size(); ++number) {
                auto& waiting = shards_[number].waiting;
                while (!waiting.empty() && waiting.front().deadline <= now) {
                    const auto done = std::move(waiting.front().done);
                    waiting.pop_front();
                    done(downError());
                }
                look(number);
                more = more || !waiting.empty();
            }
            if (more) {
                armLook();
            }
        });
    }

    EventLoop& loop_;
    Connection& commands_;
    Settings settings_;
    Connection listener_;
    Timer look_;
    std::vector<Shard> shards_;
};

}  // namespace

std::shared_ptr<CommitWatch>
CommitWatch::make(EventLoop& loop, Connection& commands, Settings settings)
{
    return std::make_shared<RedisCommitWatch>(loop, commands, std::move(settings));
}

tl::unexpected<Error> CommitWatch::downError()
{
    return failure(ErrorCode::Unavailable,
                   "the journal does not answer, and journal.mode is \"durable\"; try again later");
}

}  // namespace restante::redis
