#include "sipplugin/daemon/core_part.h"

#include "core/assembly/redis_queue.h"
#include "core/base/log.h"
#include "core/base/process_name.h"
#include "core/redis/server/server_program.h"
#include "sipplugin/daemon/await.h"

namespace restante::daemon {

namespace {

std::string fsyncWord(Config::Fsync fsync)
{
    switch (fsync) {
    case Config::Fsync::Always: return "always";
    case Config::Fsync::EverySecond: return "everysec";
    case Config::Fsync::No: return "no";
    }
    return "always";
}

}  // namespace

Result<std::unique_ptr<RedisHost>> RedisHost::open(const Config& config)
{
    auto directory = StateDirectory::open(config.stateDirectory());
    if (!directory) {
        return tl::unexpected(directory.error());
    }
    // Not make_unique: the constructor is private.
    std::unique_ptr<RedisHost> host(new RedisHost(std::move(*directory)));
    if (!config.redis.url.empty()) {
        auto url = redis::redisUrlOf(config);
        if (!url) {
            return tl::unexpected(url.error());
        }
        host->url_ = std::move(*url);
        return host;
    }
    if (!config.redis.passwordFile.empty()) {
        return tl::unexpected(redis::redisUrlOf(config).error());
    }
    redis::EmbeddedServer::Settings settings;
    settings.maxMemory =
        config.redis.maxMemory > 0 ? config.redis.maxMemory : redis::defaultMemoryLimit();
    settings.directory = config.stateDirectory() / "redis";
    settings.fsync = fsyncWord(config.redis.fsync);
    auto server = redis::EmbeddedServer::start(std::move(settings));
    if (!server) {
        return tl::unexpected(server.error());
    }
    host->embedded_ = std::move(*server);
    log::info("redis", "embedded server {} (pid {})",
              host->embedded_->adopted() ? "adopted" : "started", host->embedded_->processId());
    return host;
}

EmbeddedRedisSupervisor::~EmbeddedRedisSupervisor()
{
    if (worker_.joinable()) {
        worker_.join();
    }
}

void EmbeddedRedisSupervisor::connectionChanged(bool ready)
{
    connected_ = ready;
    if (ready) {
        retryTimer_.cancel();
    } else if (!checking_) {
        check();
    }
}

void EmbeddedRedisSupervisor::check()
{
    checking_ = true;
    if (worker_.joinable()) {
        worker_.join();  // it has posted its result, so it is at its end
    }
    worker_ = std::thread([this, alive = std::weak_ptr(alive_)] {
        auto revived = server_.revive();
        loop_.post([this, alive, revived = std::move(revived)] {
            if (!alive.expired()) {
                checked(revived);
            }
        });
    });
}

void EmbeddedRedisSupervisor::checked(const Result<bool>& revived)
{
    // A server that lives but does not answer yet, or cannot start now, is looked at again.
    constexpr Millis kPause{500};
    checking_ = false;
    if (!revived) {
        log::error("redis", "the embedded server is down: {}", revived.error().message);
    } else if (*revived) {
        log::warning("redis", "the embedded server had ended and was started again (pid {})",
                     server_.processId());
    }
    if (!connected_) {
        retryTimer_.arm(kPause, [this] { check(); });
    }
}

redis::DaemonHeartbeat::Settings
heartbeatOf(const Config& config, std::string loop, std::vector<std::string> duties)
{
    return {.prefix = config.redis.prefix,
            .daemon = processName(),
            .loop = std::move(loop),
            .duties = std::move(duties)};
}

CorePart::CorePart(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config)
    : redis(loop,
            url,
            config,
            "restanted",
            redis::RedisQueue::WakeUps::Yes,
            redis::RedisQueue::Confirms::Pushes,
            redis::RedisQueue::Gated::Reporting),
      due(loop, redis.clock(), redis.store()),
      leaseReaper(redis.queue(), due),
      retention(loop,
                redis.clock(),
                redis.store(),
                redis.inspector(),
                {config.retention.trash, config.retention.done}),
      sweep(redis::SweepScheduler::make(loop,
                                        redis.connection(),
                                        redis.clock(),
                                        {config.redis.prefix, config.redis.shards, redis.gate()}))
{
}

Result<std::unique_ptr<CorePart>>
CorePart::open(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config)
{
    auto core = std::make_unique<CorePart>(loop, url, config);
    auto fit = await<void>(loop, [&](auto done) {
        core->redis.awaitReady(redis::RedisQueue::Report::Log, std::move(done));
    });
    if (!fit) {
        return tl::unexpected(fit.error());
    }
    return core;
}

Result<void> CorePart::awaitServing(sip::SuLoop& loop)
{
    return await<void>(loop, [&](auto done) { redis.awaitServing(std::move(done)); });
}

}  // namespace restante::daemon
