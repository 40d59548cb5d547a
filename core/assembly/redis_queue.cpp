#include "core/assembly/redis_queue.h"

#include "core/base/log.h"
#include "core/base/secret_file.h"
#include "core/delivery/sms/sms_order.h"
#include "core/redis/server/server_check.h"
#include "core/redis/store/durable_job_store.h"
#include "core/redis/store/store_fence.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

namespace restante::redis {

namespace {

/// Long enough for a Redis that is being restarted beside us.
constexpr Millis kOpening{5'000};
constexpr Millis kLook{5};
/// The journal has compared the store when this is asked, so the answer takes one round trip.
constexpr Millis kServing{10'000};

Connection::Settings connectionTo(const RedisUrl& url, std::string name)
{
    return {.url = url, .name = std::move(name)};
}

std::unique_ptr<StoreFence> fenceOf(EventLoop& loop,
                                    Connection& commands,
                                    const Clock& clock,
                                    const Config& config,
                                    RedisQueue::Fenced fenced)
{
    if (config.journal.mode == Config::JournalMode::Off || fenced == RedisQueue::Fenced::No) {
        return nullptr;
    }
    const bool reports = fenced == RedisQueue::Fenced::Reporting;
    return std::make_unique<StoreFence>(
        loop, commands, clock,
        StoreFence::Settings{config.redis.prefix, config.redis.shards, reports});
}

RedisJobStore::Settings storeSettingsOf(const Config& config, StoreFence* fence)
{
    return {.prefix = config.redis.prefix,
            .shards = config.redis.shards,
            .keepDone = config.retention.done > Millis{0},
            .fence = fence};
}

std::unique_ptr<DurableJobStore> durableStore(EventLoop& loop,
                                              JobStore& store,
                                              Connection& commands,
                                              const RedisUrl& url,
                                              const Config& config,
                                              const std::string& name,
                                              RedisQueue::Confirms confirms,
                                              const StoreFence* fence)
{
    if (config.journal.mode != Config::JournalMode::Durable ||
        confirms == RedisQueue::Confirms::Nothing) {
        return nullptr;
    }
    const auto waits = confirms == RedisQueue::Confirms::Pushes
                           ? DurableJobStore::Waits::PushesOnly
                           : DurableJobStore::Waits::Everything;
    return std::make_unique<DurableJobStore>(loop, store, commands,
                                             CommitWatch::Settings{.url = url,
                                                                   .prefix = config.redis.prefix,
                                                                   .shards = config.redis.shards,
                                                                   .name = name + "-durable",
                                                                   .fence = fence},
                                             waits);
}

void warnOfUnverified(const RedisUrl& url)
{
    if (url.tls && url.tls->verify == RedisUrl::Tls::Verify::No) {
        log::warning("redis",
                     "redis.url says verify=off: whoever answers at {} is believed, and "
                     "could read and change everything; name its authority with ca=FILE",
                     url.place());
    }
}

}  // namespace

Result<RedisUrl> redisUrlOf(const Config& config)
{
    const auto& file = config.redis.passwordFile;
    if (config.redis.url.empty()) {
        if (!file.empty()) {
            return failure(ErrorCode::Invalid, "redis.password_file is for a Redis that redis.url "
                                               "names; the embedded one has no password");
        }
        RedisUrl url;
        url.socketPath = config.stateDirectory() / "redis" / "redis.sock";
        return url;
    }
    auto url = parseRedisUrl(config.redis.url);
    if (!url || file.empty()) {
        return url;
    }
    if (!url->password.empty()) {
        return failure(ErrorCode::Invalid, "redis.password_file and redis.url both have a "
                                           "password; take it out of redis.url");
    }
    return readSecret("redis.password_file", file).map([&](std::string password) {
        url->password = std::move(password);
        return *url;
    });
}

DelayQueue::Settings queueSettingsOf(const Config& config)
{
    DelayQueue::Settings settings;
    settings.shards = config.redis.shards;
    settings.limits.body = config.limits.body;
    settings.attempts = config.limits.attempts;
    settings.sipRetry = config.sip.retry;
    settings.accepts = [sms = config.sms](const Job& job) { return sms::checkPush(job, sms); };
    return settings;
}

/// The steps of awaitReady(): reached, checked, told the time.
struct RedisQueue::Opening {
    Opening(EventLoop& loop, Done<void> whenDone)
        : done(std::move(whenDone)),
          look(loop),
          timeout(loop)
    {
    }

    void answer(Result<void> result)
    {
        look.cancel();
        timeout.cancel();
        if (auto tell = std::exchange(done, nullptr)) {
            tell(std::move(result));
        }
    }

    Done<void> done;
    Report report = Report::Silent;
    bool asked = false;
    bool fit = false;
    std::string why;  ///< it could not be checked, the last time
    Timer look;
    Timer timeout;
};

RedisQueue::RedisQueue(EventLoop& loop,
                       const RedisUrl& url,
                       const Config& config,
                       std::string name,
                       WakeUps wakeUps,
                       Confirms confirms,
                       Fenced fenced)
    : loop_(loop),
      url_(url),
      prefix_(config.redis.prefix),
      shards_(config.redis.shards),
      commands_(loop, connectionTo(url, name)),
      wakeUps_(wakeUps == WakeUps::Yes
                   ? std::make_unique<Connection>(loop, connectionTo(url, name + "-wake"))
                   : nullptr),
      clock_(loop, commands_),
      fence_(fenceOf(loop, commands_, clock_, config, fenced)),
      store_(loop, commands_, wakeUps_.get(), clock_, storeSettingsOf(config, fence_.get())),
      durable_(durableStore(loop, store_, commands_, url, config, name, confirms, fence_.get())),
      inspector_(loop, commands_, clock_, {prefix_, shards_, fence_.get()}),
      queue_(store(), clock_, queueSettingsOf(config))
{
}

RedisQueue::~RedisQueue() = default;

JobStore& RedisQueue::store() noexcept
{
    return durable_ ? static_cast<JobStore&>(*durable_) : store_;
}

void RedisQueue::awaitReady(Report report, Done<void> done)
{
    opening_ = std::make_shared<Opening>(loop_, std::move(done));
    opening_->report = report;
    opening_->timeout.arm(kOpening, [this, opening = opening_.get()] {
        auto why = opening->why;
        if (!commands_.ready()) {
            why = fmt::format("cannot reach Redis at {}: {}; start it, or correct redis.url",
                              url_.print(), commands_.lastFailure());
        } else if (why.empty()) {
            why = fmt::format("Redis at {} does not tell its time; it may be overloaded",
                              url_.print());
        }
        opening->answer(failure(ErrorCode::Unavailable, std::move(why)));
    });
    lookAt(opening_);
}

void RedisQueue::awaitServing(Done<void> done)
{
    serving_ = std::make_shared<Opening>(loop_, std::move(done));
    serving_->timeout.arm(kServing,
                          [this, serving = serving_.get()] { serving->answer(fence_->health()); });
    lookAtFence(serving_);
}

void RedisQueue::lookAtFence(const std::shared_ptr<Opening>& serving)
{
    if (fence_ == nullptr || fence_->allOpen()) {
        loop_.post([serving] { serving->answer({}); });
        return;
    }
    serving->look.arm(kLook, [this, weak = std::weak_ptr(serving)] {
        if (auto still = weak.lock(); still && still->done) {
            lookAtFence(still);
        }
    });
}

Result<void> RedisQueue::serving() const
{
    auto served = fence_ == nullptr ? Result<void>{} : fence_->health();
    return served && durable_ && durable_->isDown() ? CommitWatch::down() : served;
}

void RedisQueue::lookAt(const std::shared_ptr<Opening>& opening)
{
    if (opening->fit && clock_.disciplined()) {
        // Later, as awaitReady() may still be running.
        loop_.post([opening] { opening->answer({}); });
        return;
    }
    const bool connected = commands_.ready() && (wakeUps_ == nullptr || wakeUps_->ready());
    if (connected && !opening->asked) {
        opening->asked = true;
        checkServer(commands_, {prefix_, shards_}, [this, opening](Result<ServerReport> answer) {
            if (!answer && isTemporary(answer.error().code)) {
                // Its disk may stand still: asked again as long as we wait.
                opening->asked = false;
                opening->why = answer.error().message;
                return;
            }
            if (!answer) {
                return opening->answer(tl::unexpected(answer.error()));
            }
            for (const auto& warning : answer->warnings) {
                if (opening->report == Report::Log) {
                    log::warning("redis", "{}", warning);
                }
            }
            if (opening->report == Report::Log) {
                warnOfUnverified(url_);
            }
            opening->why.clear();
            opening->fit = true;
        });
    }
    opening->look.arm(kLook, [this, weak = std::weak_ptr(opening)] {
        if (auto still = weak.lock(); still && still->done) {
            lookAt(still);
        }
    });
}

}  // namespace restante::redis
