#include "sipplugin/hosted/restante_sip.h"

#include "core/config/config_reader.h"
#include "core/queue/delay_queue.h"
#include "core/redis/connection.h"
#include "core/redis/disciplined_clock.h"
#include "core/redis/redis_job_inspector.h"
#include "core/redis/redis_job_store.h"
#include "core/redis/server_check.h"
#include "core/schedule/due_watcher.h"
#include "core/schedule/upkeep.h"
#include "sipplugin/configured_settings.h"
#include "sipplugin/plugin.h"
#include "sipplugin/redis_binding_store.h"
#include "sipplugin/sofia/su_loop.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::sip {

namespace {

constexpr Millis kRedisPatience{5'000};

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
        return failure(ErrorCode::Invalid, config.error().front().print());
    }
    if (config->redis.url.empty()) {
        return failure(ErrorCode::Invalid, "redis.url is needed: the library starts no Redis");
    }
    return *config;
}

}  // namespace

/// All that the plugin works with, on the host's root.
class HostedPlugin {
public:
    HostedPlugin(su_root_s* root, const Config& config, const redis::RedisUrl& url)
        : loop_(root),
          commands_(loop_, {.url = url}),
          wakeUps_(loop_, {.url = url}),
          clock_(loop_, commands_),
          store_(loop_,
                 commands_,
                 &wakeUps_,
                 clock_,
                 {.prefix = config.redis.prefix, .shards = config.redis.shards}),
          inspector_(loop_,
                     commands_,
                     clock_,
                     {.prefix = config.redis.prefix, .shards = config.redis.shards}),
          queue_(store_, clock_, queueSettings(config)),
          due_(loop_, clock_, store_),
          upkeep_(queue_, due_),
          bindings_(commands_,
                    clock_,
                    {config.redis.prefix, config.redis.shards, config.sip.registration.maxContacts})
    {
    }

    Result<void> start(const Config& config)
    {
        if (auto fit = awaitRedis(config); !fit) {
            return fit;
        }
        auto plugin = Plugin::start({loop_, queue_, due_, inspector_, bindings_},
                                    {settingsOf(config), false});
        if (!plugin) {
            return tl::unexpected(plugin.error());
        }
        plugin_ = std::move(*plugin);
        addresses_ = plugin_->addresses();
        return {};
    }

    const char* address(std::size_t index) const
    {
        return index < addresses_.size() ? addresses_[index].c_str() : nullptr;
    }

    void drain(Millis patience, std::function<void()> drained)
    {
        plugin_->drain(patience, std::move(drained));
    }

private:
    static DelayQueue::Settings queueSettings(const Config& config)
    {
        DelayQueue::Settings settings;
        settings.shards = config.redis.shards;
        settings.limits.body = config.limits.body;
        settings.sipRetry = config.sip.retry;
        return settings;
    }

    /// Runs the root until Redis has said that it is the one we think it is.
    Result<void> awaitRedis(const Config& config)
    {
        const auto deadline = std::chrono::steady_clock::now() + kRedisPatience;
        const auto turn = [&] {
            loop_.turn(Millis{10});
            return std::chrono::steady_clock::now() < deadline;
        };
        while (!(commands_.ready() && wakeUps_.ready())) {
            if (!turn()) {
                return failure(ErrorCode::Unavailable, "redis.url: " + commands_.lastFailure());
            }
        }
        auto report = std::make_shared<std::optional<Result<redis::ServerReport>>>();
        redis::checkServer(commands_, {config.redis.prefix, config.redis.shards},
                           [report](auto answer) { report->emplace(std::move(answer)); });
        while (!report->has_value()) {
            if (!turn()) {
                return failure(ErrorCode::Unavailable, "redis.url: no answer in time");
            }
        }
        return (*report)->has_value() ? Result<void>{}
                                      : Result<void>{tl::unexpected((*report)->error())};
    }

    SuLoop loop_;
    redis::Connection commands_;
    redis::Connection wakeUps_;
    redis::DisciplinedClock clock_;
    redis::RedisJobStore store_;
    redis::RedisJobInspector inspector_;
    DelayQueue queue_;
    DueWatcher due_;
    Upkeep upkeep_;
    RedisBindingStore bindings_;
    std::unique_ptr<Plugin> plugin_;
    std::vector<std::string> addresses_;
};

namespace {

Result<std::unique_ptr<HostedPlugin>>
hosted(su_root_s* root, const char* file, const char* const* settings)
{
    auto config = configFrom(file, settings);
    if (!config) {
        return tl::unexpected(config.error());
    }
    auto url = redis::parseRedisUrl(config->redis.url);
    if (!url) {
        return tl::unexpected(url.error());
    }
    auto plugin = std::make_unique<HostedPlugin>(root, *config, *url);
    if (auto started = plugin->start(*config); !started) {
        return tl::unexpected(started.error());
    }
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
        auto plugin = restante::sip::hosted(root, config_file, settings);
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
                        unsigned patience_ms,
                        void (*drained)(void*),
                        void* context)
{
    plugin->plugin->drain(restante::Millis{patience_ms}, [drained, context] {
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
