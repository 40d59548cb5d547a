#include "sipplugin/hosted/restante_sip.h"

#include "core/assembly/redis_queue.h"
#include "core/base/await.h"
#include "core/base/host_and_pid.h"
#include "core/base/try.h"
#include "core/config/config_reader.h"
#include "core/redis/store/daemon_registry.h"
#include "core/schedule/due_watcher.h"
#include "core/schedule/lease_reaper.h"
#include "sipplugin/message/loop_detector.h"
#include "sipplugin/plugin.h"
#include "sipplugin/settings/sip_settings.h"
#include "sipplugin/sofia/su_loop.h"

#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

namespace restante::sip {

namespace {

constexpr Millis kOpenTimeout{10'000};

Result<Config> configFrom(const char* file, const char* const* settings)
{
    ConfigSources sources;
    if (file != nullptr) {
        sources.file = file;
    }
    for (; settings != nullptr && *settings != nullptr; ++settings) {
        sources.overrides.emplace_back(*settings);
    }
    auto config = readConfig(sources);
    if (!config) {
        return invalid(config.error().front().toString());
    }
    if (config->redis.url.empty()) {
        return invalid("redis.url is needed: the library starts no Redis");
    }
    return *config;
}

}  // namespace

/// The plugin with its loop, queue and Redis connection, on the host's root.
class HostedPlugin {
public:
    HostedPlugin(su_root_s* root, const Config& config, const redis::RedisUrl& url)
        : loop_(root),
          redis_(loop_,
                 url,
                 config,
                 "restante-sip",
                 redis::RedisQueue::WakeUps::Yes,
                 redis::RedisQueue::Confirms::Pushes),
          due_(loop_, redis_.clock(), redis_.store()),
          leaseReaper_(redis_.queue(), due_)
    {
    }

    Result<void> start(const Config& config, const redis::RedisUrl& url)
    {
        // Checks that the Redis is reachable and fits the configuration.
        TRY(await<void>(loop_, kOpenTimeout, [this](Done<void> done) {
            redis_.awaitReady(redis::RedisQueue::Report::Log, std::move(done));
        }));
        warnOfTrustInEverybody(config);
        digestBackend_ = TRY(DigestBackend::open(config, redis_.connection()));
        plugin_ = TRY(Plugin::start(
            {loop_, redis_.queue(), due_, redis_.inspector(), redis_.connection(), redis_.shards(),
             url, config.redis.prefix, digestBackend_.get(),
             [this] { return redis_.serving().has_value(); }},
            {.sip = settingsOf(config, redis_.memoryLimit()),
             .storeId = readStoreId(loop_, redis_.connection(), config.redis.prefix)}));
        addresses_ = plugin_->addresses();
        heartbeat_.emplace(loop_, redis_.connection(), redis_.clock(),
                           redis::DaemonHeartbeat::Settings{.prefix = config.redis.prefix,
                                                            .daemon = hostAndPid(),
                                                            .loop = "sip",
                                                            .duties = {"sip"}});
        return {};
    }

    const char* address(std::size_t index) const
    {
        return index < addresses_.size() ? addresses_[index].c_str() : nullptr;
    }

    void drain(Millis timeout, std::function<void()> drained)
    {
        heartbeat_->leave([](const Result<void>& /*told*/) {});
        plugin_->drain(timeout, std::move(drained));
    }

private:
    SuLoop loop_;
    redis::RedisQueue redis_;
    DueWatcher due_;
    LeaseReaper leaseReaper_;
    std::unique_ptr<DigestBackend> digestBackend_;
    std::unique_ptr<Plugin> plugin_;
    std::vector<std::string> addresses_;
    std::optional<redis::DaemonHeartbeat> heartbeat_;
};

namespace {

Result<std::unique_ptr<HostedPlugin>>
openHostedPlugin(su_root_s* root, const char* file, const char* const* settings)
{
    auto config = TRY(configFrom(file, settings));
    auto url = TRY(redis::redisUrlOf(config));
    auto plugin = std::make_unique<HostedPlugin>(root, config, url);
    TRY(plugin->start(config, url));
    return plugin;
}

}  // namespace

}  // namespace restante::sip

using restante::sip::HostedPlugin;

struct restante_sip {
    std::unique_ptr<HostedPlugin> plugin;
};

extern "C" {

restante_sip* restante_sip_create(su_root_s* root,
                                  const char* config_file,
                                  const char* const* settings,
                                  char* error,
                                  size_t error_size)
{
    std::string why;
    try {
        auto plugin = restante::sip::openHostedPlugin(root, config_file, settings);
        if (plugin) {
            return new restante_sip{std::move(*plugin)};
        }
        why = plugin.error().message;
    } catch (const std::exception& failure) {
        why = failure.what();
    }
    if (error != nullptr && error_size > 0) {
        std::snprintf(error, error_size, "%s", why.c_str());
    }
    return nullptr;
}

const char* restante_sip_address(const restante_sip* plugin, size_t index)
{
    return plugin->plugin->address(index);
}

void restante_sip_drain(restante_sip* plugin,
                        unsigned timeout_ms,
                        void (*drained)(void*),
                        void* context)
{
    plugin->plugin->drain(restante::Millis{timeout_ms}, [drained, context] {
        if (drained != nullptr) {
            drained(context);
        }
    });
}

void restante_sip_destroy(restante_sip* plugin)
{
    delete plugin;
}

}  // extern "C"
