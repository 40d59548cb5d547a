#include "core/redis/commit_watch.h"

#include "core/redis/keys.h"
#include "core/redis/stream_id.h"

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
constexpr Millis kLook{100};

Connection::Settings listenerOf(const CommitWatch::Settings& settings)
{
    Connection::Settings connection;
    connection.url = settings.url;
    connection.name = settings.name;
    return connection;
}

StreamId newestOf(const Reply& reply)
{
    const auto* entries = reply.array();
    const auto* entry =
        entries != nullptr && !entries->empty() ? entries->front().array() : nullptr;
    const auto* text = entry != nullptr && !entry->empty() ? entry->front().text() : nullptr;
    return text != nullptr ? StreamId::parse(*text).value_or(StreamId{}) : StreamId{};
}

/// `cursor` and `told` of Kjournal; none while the cursor says only where the listening began.
std::optional<StreamId> committedOf(const Reply& reply)
{
    const auto* values = reply.array();
    const bool told = values != nullptr && values->size() == 2 && (*values)[1].text() != nullptr;
    const auto* cursor = told ? (*values)[0].text() : nullptr;
    return cursor != nullptr ? StreamId::parse(*cursor) : std::nullopt;
}

}  // namespace

class CommitWatch::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(EventLoop& loop, Connection& commands, Settings settings)
        : loop_(loop),
          commands_(commands),
          settings_(std::move(settings)),
          listener_(loop, listenerOf(settings_)),
          look_(loop),
          shards_(settings_.shards)
    {
        for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
            const auto prefix = shardPrefix(settings_.prefix, shard);
            shards_[shard].events = prefix + "events";
            shards_[shard].journal = prefix + "journal";
            shards_[shard].channel = committedChannel(prefix);
        }
    }

    void start()
    {
        std::vector<std::string> channels;
        for (const auto& shard : shards_) {
            channels.push_back(shard.channel);
        }
        listener_.subscribe(std::move(channels), [this](auto channel, auto payload) {
            for (auto& shard : shards_) {
                if (shard.channel == channel) {
                    return heard(shard, payload);
                }
            }
        });
    }

    void close() { closed_ = true; }

    bool isDown(std::uint32_t shard) const
    {
        return shards_[shard].down || Steady::now() - shards_[shard].heard > settings_.silence;
    }

    void await(std::uint32_t number, Done<void> done)
    {
        auto& asking = shards_[number].asking;
        asking.push_back(std::move(done));
        if (asking.size() > 1) {
            return;  // one question for all that were done in this turn
        }
        loop_.post([weak = weak_from_this(), number] {
            if (auto self = weak.lock(); self && !self->closed_) {
                self->ask(number);
            }
        });
    }

private:
    struct Waiter {
        StreamId until;
        Steady::time_point deadline;
        Done<void> done;
    };
    struct Shard {
        std::string events;
        std::string journal;
        std::string channel;
        bool down = false;
        Steady::time_point heard = Steady::now();
        std::vector<Done<void>> asking;
        std::deque<Waiter> waiting;  ///< by `until` and by deadline alike
    };

    void ask(std::uint32_t number)
    {
        auto all = std::make_shared<std::vector<Done<void>>>();
        all->swap(shards_[number].asking);
        commands_.command({"XREVRANGE", shards_[number].events, "+", "-", "COUNT", "1"},
                          [weak = weak_from_this(), number, all](const Result<Reply>& reply) {
                              auto self = weak.lock();
                              if (self && !self->closed_) {
                                  self->gotNewest(number, reply, *all);
                              }
                          });
    }

    void gotNewest(std::uint32_t number, const Result<Reply>& reply, std::vector<Done<void>>& all)
    {
        auto& shard = shards_[number];
        for (auto& done : all) {
            if (!reply) {
                done(tl::unexpected(reply.error()));
            } else if (shard.down) {
                done(down());
            } else {
                shard.waiting.push_back(
                    {newestOf(*reply), Steady::now() + settings_.patience, std::move(done)});
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
        commands_.command({"HMGET", shards_[number].journal, "cursor", "told"},
                          [weak = weak_from_this(), number](const Result<Reply>& reply) {
                              auto self = weak.lock();
                              const auto committed = reply ? committedOf(*reply) : std::nullopt;
                              if (self && !self->closed_ && committed) {
                                  release(self->shards_[number], *committed);
                              }
                          });
    }

    void heard(Shard& shard, std::string_view payload)
    {
        if (closed_) {
            return;
        }
        shard.heard = Steady::now();
        const auto committed = StreamId::parse(payload);
        shard.down = !committed;
        if (committed) {
            return release(shard, *committed);
        }
        for (auto& waiter : std::exchange(shard.waiting, {})) {
            waiter.done(down());
        }
    }

    static void release(Shard& shard, StreamId committed)
    {
        while (!shard.waiting.empty() && shard.waiting.front().until <= committed) {
            const auto done = std::move(shard.waiting.front().done);
            shard.waiting.pop_front();
            done({});
        }
    }

    void armLook()
    {
        if (look_.armed()) {
            return;
        }
        look_.arm(kLook, [this] {
            const auto now = Steady::now();
            bool more = false;
            for (std::uint32_t number = 0; number < shards_.size(); ++number) {
                auto& waiting = shards_[number].waiting;
                while (!waiting.empty() && waiting.front().deadline <= now) {
                    const auto done = std::move(waiting.front().done);
                    waiting.pop_front();
                    done(down());
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
    bool closed_ = false;
};

CommitWatch::CommitWatch(EventLoop& loop, Connection& commands, Settings settings)
    : impl_(std::make_shared<Impl>(loop, commands, std::move(settings)))
{
    impl_->start();
}

CommitWatch::~CommitWatch()
{
    impl_->close();
}

bool CommitWatch::isDown(std::uint32_t shard) const
{
    return impl_->isDown(shard);
}

void CommitWatch::await(std::uint32_t shard, Done<void> done)
{
    impl_->await(shard, std::move(done));
}

tl::unexpected<Error> CommitWatch::down()
{
    return failure(ErrorCode::Unavailable,
                   "the journal does not answer, and journal.mode is \"durable\"; try again later");
}

}  // namespace restante::redis
