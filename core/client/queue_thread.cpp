#include "core/client/queue_thread.h"

#include "core/redis/server/server_check.h"

#include <fmt/format.h>
#include <utility>

namespace restante {

namespace {

/// As long as RedisQueue waits for a Redis that is being restarted.
constexpr Millis kOpening{5'000};
/// Longer than a command may take, so that each push under way has its answer.
constexpr Millis kClosing{5'000};

/// The number of shards of the store; 0 when nobody has used it yet.
Result<std::uint32_t>
shardsOf(EpollLoop& loop, const redis::RedisUrl& url, const Config& config, const std::string& name)
{
    redis::Connection connection(loop, {.url = url, .name = name});
    if (!loop.runUntil([&] { return connection.ready(); }, kOpening)) {
        return failure(ErrorCode::Unavailable,
                       fmt::format("cannot reach Redis at {}: {}; start it, or correct the URL",
                                   url.print(), connection.lastFailure()));
    }
    std::optional<Result<std::uint32_t>> shards;
    redis::readShards(connection, config.redis.prefix,
                      [&shards](Result<std::uint32_t> read) { shards = std::move(read); });
    if (!loop.runUntil([&] { return shards.has_value(); }, kOpening)) {
        return failure(ErrorCode::Unavailable,
                       fmt::format("Redis at {} does not answer", url.print()));
    }
    return *shards;
}

}  // namespace

Result<std::shared_ptr<QueueThread>>
QueueThread::start(Config config, std::string name, bool upkeep, bool adoptShards)
{
    // Not make_shared: the constructor is private.
    std::shared_ptr<QueueThread> self(new QueueThread);
    std::promise<Result<void>> opened;
    auto answer = opened.get_future();
    self->thread_ =
        std::thread([self = self.get(), config = std::move(config), name = std::move(name), upkeep,
                     adoptShards, opened = std::move(opened)]() mutable {
            self->run(std::move(config), name, upkeep, adoptShards, std::move(opened));
        });
    return answer.get().map([&] { return self; });
}

void QueueThread::run(Config config,
                      const std::string& name,
                      bool upkeep,
                      bool adoptShards,
                      std::promise<Result<void>> opened)
{
    const auto url = redis::redisUrlOf(config);
    auto result =
        url ? open(*url, config, name, adoptShards) : Result<void>(tl::unexpected(url.error()));
    const bool isOpen = result.has_value();
    if (isOpen) {
        auto& redis = parts_->redis;
        parts_->due.emplace(loop_, redis.clock(), redis.store());
        if (upkeep) {
            parts_->leaseReaper.emplace(redis.queue(), *parts_->due);
        }
    }
    opened.set_value(std::move(result));
    if (isOpen) {
        loop_.run();
        loop_.runUntil([this] { return parts_->pushing == 0; }, kClosing);
    }
    parts_.reset();
}

Result<void> QueueThread::open(const redis::RedisUrl& url,
                               Config& config,
                               const std::string& name,
                               bool adoptShards)
{
    if (adoptShards) {
        const auto shards = shardsOf(loop_, url, config, name);
        if (!shards) {
            return tl::unexpected(shards.error());
        }
        config.redis.shards = *shards > 0 ? *shards : config.redis.shards;
    }
    parts_ = std::make_unique<Parts>(loop_, url, config, name);
    std::optional<Result<void>> ready;
    parts_->redis.awaitReady(redis::RedisQueue::Report::Log,
                             [&ready](Result<void> result) { ready = std::move(result); });
    loop_.runUntil([&ready] { return ready.has_value(); }, 2 * kOpening);
    if (!ready) {
        return failure(ErrorCode::Unavailable,
                       fmt::format("Redis at {} does not answer", url.print()));
    }
    return std::move(*ready);
}

QueueThread::~QueueThread()
{
    // In the order of the posts: what was given before has been begun.
    loop_.post([this] { loop_.stop(); });
    if (thread_.joinable()) {
        thread_.join();
    }
}

void QueueThread::post(std::function<void(Parts&)> task)
{
    loop_.post([this, task = std::move(task)] { task(*parts_); });
}

void QueueThread::push(PushOrder order, std::promise<Result<PushOutcome>> answer)
{
    // Shared, because a std::function must be copyable.
    auto told = std::make_shared<std::promise<Result<PushOutcome>>>(std::move(answer));
    order.job.rememberId = order.job.rememberId || !order.job.id.empty();
    post([order = std::move(order), told](Parts& parts) mutable {
        ++parts.pushing;
        parts.redis.queue().push(std::move(order), [&parts, told](Result<PushOutcome> outcome) {
            --parts.pushing;
            told->set_value(std::move(outcome));
        });
    });
}

}  // namespace restante
