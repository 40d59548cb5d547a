#include "sipplugin/daemon/sip_part.h"

#include "core/assembly/redis_queue.h"
#include "core/base/async_task.h"
#include "core/base/epoll_loop.h"
#include "core/base/log.h"
#include "core/base/try.h"
#include "core/journal/sql/journal_url.h"
#include "core/journal/sql/sql_users.h"
#include "core/schedule/due_watcher.h"
#include "sipplugin/daemon/core_part.h"
#include "sipplugin/daemon/process_limits.h"

#include <fmt/format.h>
#include <future>
#include <optional>
#include <thread>

namespace restante::daemon {

namespace {

Result<journal::JournalUrl> databaseOf(const Config& config)
{
    if (config.sip.auth.sql == "journal") {
        return journal::journalUrlOf(config);
    }
    auto url = journal::parseJournalUrl(config.sip.auth.sql);
    return url ? url : invalid("sip.auth.sql, as " + url.error().message);
}

/// What lives on the thread; in the order of construction.
struct SipComponents {
    SipComponents(EventLoop& threadLoop, const redis::RedisUrl& url, const Config& config)
        : loop(threadLoop),
          // The first plugin is woken, and shares out what is due.
          redis(loop,
                url,
                config,
                "restanted-sip",
                redis::RedisQueue::WakeUps::No,
                redis::RedisQueue::Confirms::Pushes,
                redis::RedisQueue::Gated::Yes),
          due(loop, redis.clock(), redis.store())
    {
    }

    EventLoop& loop;
    redis::RedisQueue redis;
    DueWatcher due;
    std::unique_ptr<sip::DigestBackend> digestBackend;  ///< null without sip.auth
    std::unique_ptr<sip::Plugin> plugin;
    std::optional<redis::DaemonHeartbeat> heartbeat;
};

class SipPartImpl final : public SipPart {
public:
    SipPartImpl(redis::RedisUrl url, Config config, Membership membership)
        : url_(std::move(url)),
          config_(std::move(config)),
          membership_(std::move(membership))
    {
    }
    ~SipPartImpl() override
    {
        loop_.stop();
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    Result<void> start()
    {
        // Shared, because setting it may outlast the waiting for it.
        const auto promise = std::make_shared<OpenPromise>();
        auto answer = promise->get_future();
        thread_ = std::thread([this, promise] { work(promise); });
        return answer.get();
    }

    void reload(const Config& config) override
    {
        loop_.post([this, config] {
            if (const auto reloaded = reloadHere(config); !reloaded) {
                log::error("sip", "not reloaded on thread {}: {}", membership_.number,
                           reloaded.error().message);
            }
        });
    }

    void drain(Millis timeout, std::function<void()> done) override
    {
        loop_.post([this, timeout, done = std::move(done)] {
            components_->heartbeat->drain();
            components_->plugin->drain(timeout, done);
        });
    }

private:
    using OpenPromise = std::promise<Result<void>>;

    void work(const std::shared_ptr<OpenPromise>& promise)
    {
        try {
            components_.emplace(loop_, url_, config_);
        } catch (const std::exception& problem) {
            return promise->set_value(failure(ErrorCode::Unavailable, problem.what()));
        }
        const Done<void> done = [this, promise](const Result<void>& served) {
            promise->set_value(served.and_then([this] { return open(); }));
        };
        const auto onReady =
            onSuccess(done, [this, done] { components_->redis.awaitServing(done); });
        components_->redis.awaitReady(redis::RedisQueue::Report::Silent, onReady);
        loop_.run();
        components_->heartbeat.reset();
        components_->plugin.reset();
        components_->due.stop();
        // What is still asked of Redis refers to what is about to go.
        loop_.runUntil([this] { return components_->redis.connection().inFlight() == 0; },
                       kLastAnswersTimeout);
        components_.reset();
    }

    Result<void> open()
    {
        auto& redis = components_->redis;
        components_->digestBackend =
            TRY(openDigestBackend(loop_, redis.clock(), redis.connection(), config_));
        components_->plugin =
            TRY(sip::Plugin::start({.loop = loop_,
                                    .queue = redis.queue(),
                                    .due = components_->due,
                                    .inspector = redis.inspector(),
                                    .redis = redis.connection(),
                                    .shards = redis.shards(),
                                    .url = url_,
                                    .prefix = config_.redis.prefix,
                                    .digestBackend = components_->digestBackend.get(),
                                    .storeServes = [&redis] { return redis.serving().has_value(); },
                                    .group = &membership_.group,
                                    .number = membership_.number},
                                   {.sip = sip::settingsOf(config_, redis.memoryLimit()),
                                    .soleOwner = membership_.soleOwner,
                                    .storeId = membership_.storeId}));
        components_->heartbeat.emplace(
            loop_, redis.connection(), redis.clock(),
            heartbeatSettingsOf(config_, fmt::format("sip-{}", membership_.number), {"sip"}));
        return {};
    }

    Result<void> reloadHere(const Config& config)
    {
        if (components_->digestBackend) {
            TRY(components_->digestBackend->reload(config));
        }
        return components_->plugin->reload(
            sip::settingsOf(config, components_->redis.memoryLimit()));
    }

    redis::RedisUrl url_;
    Config config_;
    Membership membership_;
    EpollLoop loop_;
    std::optional<SipComponents> components_;  ///< touched by the thread alone
    std::thread thread_;                       ///< last, so that it ends first
};

}  // namespace

Result<std::unique_ptr<sip::DigestBackend>> openDigestBackend(EventLoop& loop,
                                                              const Clock& clock,
                                                              redis::Connection& connection,
                                                              const Config& config)
{
    if (config.sip.auth.sql.empty()) {
        return sip::DigestBackend::open(config, connection);
    }
    journal::SqlUsers::Settings settings;
    settings.url = TRY(databaseOf(config));
    if (!config.sip.auth.query.empty()) {
        settings.query = config.sip.auth.query;
    }
    return std::make_unique<sip::DigestBackend>(
        std::make_unique<journal::SqlUsers>(loop, clock, std::move(settings)), connection,
        config.redis.prefix);
}

Result<std::unique_ptr<SipPart>>
SipPart::start(const redis::RedisUrl& url, const Config& config, Membership membership)
{
    auto impl = std::make_unique<SipPartImpl>(url, config, membership);
    TRY(impl->start());
    return impl;
}

}  // namespace restante::daemon
