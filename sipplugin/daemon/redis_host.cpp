#include "sipplugin/daemon/redis_host.h"

#include "core/assembly/redis_queue.h"
#include "core/base/log.h"
#include "core/redis/server/machine_memory.h"

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
        config.redis.maxMemory > 0 ? config.redis.maxMemory : redis::halfOfTheMemory();
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

redis::RedisUrl RedisHost::url() const
{
    return embedded_ ? embedded_->url() : url_;
}

}  // namespace restante::daemon
