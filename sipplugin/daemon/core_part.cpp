#include "sipplugin/daemon/core_part.h"

#include "core/base/await.h"
#include "core/base/host_and_pid.h"
#include "core/base/log.h"
#include "core/base/try.h"
#include "core/redis/server/server_defaults.h"

namespace restante::daemon {

namespace {

constexpr Millis kStartTimeout{10'000};

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
    auto directory = TRY(StateDirectory::open(config.stateDirectory()));
    // Not make_unique: the constructor is private.
    std::unique_ptr<RedisHost> host(new RedisHost(std::move(directory)));
    if (!config.redis.url.empty()) {
        host->url_ = TRY(redis::redisUrlOf(config));
        return host;
    }
    redis::EmbeddedServer::Settings settings;
    settings.maxMemory =
        config.redis.maxMemory > 0 ? config.redis.maxMemory : redis::defaultMemoryLimit();
    settings.directory = config.stateDirectory() / "redis";
    settings.fsync = fsyncWord(config.redis.fsync);
    host->embedded_ = TRY(redis::EmbeddedServer::start(std::move(settings)));
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

void EmbeddedRedisSupervisor::handleConnectionChange(bool ready)
{
    connected_ = ready;
    if (ready) {
        retryTimer_.cancel();
    } else if (!reviving_) {
        reviveServer();
    }
}

void EmbeddedRedisSupervisor::reviveServer()
{
    reviving_ = true;
    if (worker_.joinable()) {
        worker_.join();  // it has posted its result and is about to end
    }
    worker_ = std::thread([this, onRevived = callbackGuard_.guard(
                                     [this](const auto& revived) { handleRevival(revived); })] {
        auto revived = server_.revive();
        loop_.post([onRevived, revived = std::move(revived)]() mutable { onRevived(revived); });
    });
}

void EmbeddedRedisSupervisor::handleRevival(const Result<bool>& revived)
{
    // Tried again until it is connected: the server may live but not answer yet, or be unable to
    // start now.
    constexpr Millis kPause{500};
    reviving_ = false;
    if (!revived) {
        log::error("redis", "the embedded server is down: {}", revived.error().message);
    } else if (*revived) {
        log::warning("redis", "the embedded server had ended and was started again (pid {})",
                     server_.processId());
    }
    if (!connected_) {
        retryTimer_.arm(kPause, [this] { reviveServer(); });
    }
}

redis::DaemonHeartbeat::Settings
heartbeatSettingsOf(const Config& config, std::string loop, std::vector<std::string> duties)
{
    return {.prefix = config.redis.prefix,
            .daemon = hostAndPid(),
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
    TRY(await<void>(loop, kStartTimeout, [&](auto done) {
        core->redis.awaitReady(redis::RedisQueue::Report::Log, std::move(done));
    }));
    return core;
}

Result<void> CorePart::awaitServing(sip::SuLoop& loop)
{
    return await<void>(loop, kStartTimeout,
                       [&](auto done) { redis.awaitServing(std::move(done)); });
}

}  // namespace restante::daemon
