#include "sipplugin/daemon/core_part.h"

#include "core/base/log.h"
#include "core/redis/server_check.h"
#include "sipplugin/daemon/await.h"

namespace restante::daemon {

namespace {

redis::Connection::Settings connectionTo(const redis::RedisUrl& url, std::string name)
{
    redis::Connection::Settings settings;
    settings.url = url;
    settings.name = std::move(name);
    return settings;
}

redis::RedisJobStore::Settings storeSettingsOf(const Config& config)
{
    redis::RedisJobStore::Settings settings;
    settings.prefix = config.redis.prefix;
    settings.shards = config.redis.shards;
    settings.keepDone = config.retention.done > Millis{0};
    return settings;
}

DelayQueue::Settings queueSettingsOf(const Config& config)
{
    DelayQueue::Settings settings;
    settings.shards = config.redis.shards;
    settings.limits.body = config.limits.body;
    settings.attempts = config.limits.attempts;
    settings.sipRetry = config.sip.retry;
    return settings;
}

}  // namespace

CorePart::CorePart(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config)
    : commands_(loop, connectionTo(url, "restanted")),
      wakeUps_(loop, connectionTo(url, "restanted-wake")),
      clock_(loop, commands_),
      store_(loop, commands_, &wakeUps_, clock_, storeSettingsOf(config)),
      inspector_(loop, commands_, clock_, {config.redis.prefix, config.redis.shards}),
      queue_(store_, clock_, queueSettingsOf(config)),
      due_(loop, clock_, store_),
      upkeep_(queue_, due_),
      retention_(loop, clock_, store_, inspector_, {config.retention.trash, config.retention.done})
{
}

Result<std::unique_ptr<CorePart>>
CorePart::open(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config)
{
    // Not make_unique: the constructor is private.
    std::unique_ptr<CorePart> core(new CorePart(loop, url, config));
    auto checked = core->check(loop, url, config);
    if (!checked) {
        return tl::unexpected(checked.error());
    }
    return core;
}

Result<void> CorePart::check(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config)
{
    // Long enough for a Redis that is being restarted beside us.
    constexpr Millis kConnecting{5'000};
    if (!turnUntil(
            loop, [this] { return commands_.ready(); }, kConnecting)) {
        return failure(ErrorCode::Unavailable,
                       fmt::format("cannot reach Redis at {}: {}; start it, or correct redis.url",
                                   url.print(), commands_.lastFailure()));
    }
    auto report = await<redis::ServerReport>(loop, [&](auto done) {
        redis::checkServer(commands_, {config.redis.prefix, config.redis.shards}, std::move(done));
    });
    if (!report) {
        return tl::unexpected(report.error());
    }
    for (const auto& warning : report->warnings) {
        log::warning("redis", "{}", warning);
    }
    if (!turnUntil(
            loop, [this] { return clock_.disciplined(); }, kConnecting)) {
        return failure(
            ErrorCode::Unavailable,
            fmt::format("Redis at {} does not tell its time; it may be overloaded", url.print()));
    }
    return {};
}

}  // namespace restante::daemon
