#include "core/assembly/redis_queue.h"

#include "core/base/log.h"
#include "core/base/secret_file.h"
#include "core/delivery/sms/sms_message.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/server/server_check.h"
#include "core/redis/store/commit_notices.h"
#include "core/redis/store/serving_gate.h"

#include <fmt/format.h>
#include <utility>

namespace restante::redis {

namespace {

/// Long enough for the restart of a local Redis.
constexpr Millis kReadyTimeout{5'000};
/// Between two checks after a temporary failure.
constexpr Millis kRecheckInterval{100};
/// The journal has compared the store when this is asked, so the answer takes one round trip.
constexpr Millis kServingTimeout{10'000};

std::unique_ptr<ServingGate> makeGate(EventLoop& loop,
                                      Connection& commands,
                                      const Clock& clock,
                                      const Config& config,
                                      RedisQueue::Gated gated)
{
    if (config.journal.mode == Config::JournalMode::Off || gated == RedisQueue::Gated::No) {
        return nullptr;
    }
    const bool reports = gated == RedisQueue::Gated::Reporting;
    return std::make_unique<ServingGate>(
        loop, commands, clock,
        ServingGate::Settings{config.redis.prefix, config.redis.shards, reports});
}

std::shared_ptr<CommitWatch> makeCommitWatch(EventLoop& loop,
                                             Connection& commands,
                                             const RedisUrl& url,
                                             const Config& config,
                                             const std::string& name,
                                             Confirms confirms,
                                             ServingGate* gate)
{
    if (config.journal.mode != Config::JournalMode::Durable || confirms == Confirms::Nothing) {
        return nullptr;
    }
    CommitWatch::Settings settings;
    settings.url = url;
    settings.prefix = config.redis.prefix;
    settings.shards = config.redis.shards;
    settings.name = name + "-durable";
    settings.gate = gate;
    settings.notices = &CommitNotices::ofProcess();
    return CommitWatch::make(loop, commands, std::move(settings));
}

RedisJobStore::Settings storeSettingsOf(const Config& config,
                                        ServingGate* gate,
                                        Confirms confirms,
                                        std::shared_ptr<CommitWatch> commitWatch)
{
    RedisJobStore::Settings settings;
    settings.gate = gate;
    settings.prefix = config.redis.prefix;
    settings.shards = config.redis.shards;
    settings.keepDone = config.retention.done > Millis{0};
    settings.confirms = commitWatch ? confirms : Confirms::Nothing;
    settings.journal = std::move(commitWatch);
    return settings;
}

void warnOfUnverified(const RedisUrl& url)
{
    if (url.tls && url.tls->verify == RedisUrl::Tls::Verify::No) {
        log::warning("redis",
                     "redis.url says verify=off: whoever answers at {} is believed, and "
                     "could read and change everything; name its authority with ca=FILE",
                     url.location());
    }
}

}  // namespace

Result<RedisUrl> redisUrlOf(const Config& config)
{
    const auto& file = config.redis.passwordFile;
    if (config.redis.url.empty()) {
        if (!file.empty()) {
            return invalid("redis.password_file is for a Redis that redis.url "
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
        return invalid("redis.password_file and redis.url both have a "
                       "password; take it out of redis.url");
    }
    return readSecret("redis.password_file", file).map([&](std::string password) {
        url->password = std::move(password);
        return *url;
    });
}

DelayQueue::Settings queueSettingsOf(const Config& config, Texts texts)
{
    DelayQueue::Settings settings;
    settings.shards = config.redis.shards;
    settings.limits.body = config.limits.body;
    settings.attempts = config.limits.attempts;
    settings.sipRetry = config.sip.retry;
    settings.checkJob = [sms = config.sms, texts](const Job& job) {
        const bool mayWait = texts == Texts::MayWait && job.channel == Channel::Sms;
        return mayWait ? sms::checkSmsJob(job, sms) : sms::checkPush(job, sms);
    };
    return settings;
}

/// A call of awaitReady() or awaitServing() that is not answered yet.
struct RedisQueue::PendingReadiness {
    PendingReadiness(EventLoop& loop, Done<void> whenDone)
        : done(std::move(whenDone)),
          checkAgain(loop),
          timeout(loop)
    {
    }

    void answer(Result<void> result)
    {
        checkAgain.cancel();
        timeout.cancel();
        if (auto tell = std::exchange(done, nullptr)) {
            tell(std::move(result));
        }
    }

    Done<void> done;
    Report report = Report::Silent;
    bool isChecking = false;
    bool isFit = false;
    std::string checkFailure;  ///< of the last check; empty = it did not fail
    Timer checkAgain;
    Timer timeout;
};

RedisQueue::RedisQueue(EventLoop& loop,
                       const RedisUrl& url,
                       const Config& config,
                       std::string name,
                       WakeUps wakeUps,
                       Confirms confirms,
                       Gated gated,
                       Texts texts)
    : loop_(loop),
      url_(url),
      prefix_(config.redis.prefix),
      shards_(config.redis.shards),
      commands_(loop, {.url = url, .name = name}),
      wakeUps_(wakeUps == WakeUps::Yes
                   ? std::make_unique<Connection>(
                         loop, Connection::Settings{.url = url, .name = name + "-wake"})
                   : nullptr),
      clock_(loop, commands_),
      gate_(makeGate(loop, commands_, clock_, config, gated)),
      commitWatch_(makeCommitWatch(loop, commands_, url, config, name, confirms, gate_.get())),
      store_(loop,
             commands_,
             wakeUps_.get(),
             clock_,
             storeSettingsOf(config, gate_.get(), confirms, commitWatch_)),
      inspector_(loop, commands_, clock_, {prefix_, shards_, gate_.get()}),
      queue_(store_, clock_, queueSettingsOf(config, texts))
{
    const auto onConnectionChange = callbackGuard_.guard([this](bool ready) {
        if (ready) {
            continueReadyWait();
        }
    });
    commands_.onReady(onConnectionChange);
    if (wakeUps_ != nullptr) {
        wakeUps_->onReady(onConnectionChange);
    }
    clock_.onDisciplined(callbackGuard_.guard([this] { continueReadyWait(); }));
    if (gate_ != nullptr) {
        gate_->onChange(callbackGuard_.guard([this] { answerIfServed(); }));
    }
}

RedisQueue::~RedisQueue() = default;

void RedisQueue::awaitReady(Report report, Done<void> done)
{
    readyWait_ = std::make_shared<PendingReadiness>(loop_, std::move(done));
    readyWait_->report = report;
    readyWait_->timeout.arm(kReadyTimeout, [this, wait = readyWait_.get()] {
        auto why = wait->checkFailure;
        if (!commands_.ready()) {
            why = fmt::format("cannot reach Redis at {}: {}; start it, or correct redis.url",
                              url_.toString(), commands_.lastFailure());
        } else if (why.empty()) {
            why = fmt::format("Redis at {} does not tell its time; it may be overloaded",
                              url_.toString());
        }
        wait->answer(failure(ErrorCode::Unavailable, std::move(why)));
    });
    continueReadyWait();
}

void RedisQueue::awaitServing(Done<void> done)
{
    servingWait_ = std::make_shared<PendingReadiness>(loop_, std::move(done));
    servingWait_->timeout.arm(kServingTimeout,
                              [this, wait = servingWait_.get()] { wait->answer(gate_->health()); });
    answerIfServed();
}

void RedisQueue::answerIfServed()
{
    if (servingWait_ && (gate_ == nullptr || gate_->allOpen())) {
        // Later, as awaitServing() may still be running.
        loop_.post([wait = servingWait_] { wait->answer({}); });
    }
}

Result<void> RedisQueue::serving() const
{
    auto served = gate_ == nullptr ? Result<void>{} : gate_->health();
    return served && commitWatch_ && commitWatch_->isDown() ? CommitWatch::downError() : served;
}

/// Called after each change that awaitReady() may wait for.
void RedisQueue::continueReadyWait()
{
    const auto wait = readyWait_;
    if (!wait || !wait->done) {
        return;
    }
    if (wait->isFit && clock_.disciplined()) {
        // Later, as awaitReady() may still be running.
        loop_.post([wait] { wait->answer({}); });
    } else if (!wait->isFit && commands_.ready() && (wakeUps_ == nullptr || wakeUps_->ready())) {
        checkServer(wait);
    }
}

void RedisQueue::checkServer(const std::shared_ptr<PendingReadiness>& wait)
{
    if (std::exchange(wait->isChecking, true)) {
        return;
    }
    const auto handleReport = [this, wait](const Result<ServerReport>& answer) {
        wait->isChecking = false;
        if (!answer && isTemporary(answer.error().code)) {
            // Its disk may be blocked: checked again until the time-out.
            wait->checkFailure = answer.error().message;
            wait->checkAgain.arm(kRecheckInterval, [this] { continueReadyWait(); });
            return;
        }
        if (!answer) {
            return wait->answer(tl::unexpected(answer.error()));
        }
        if (wait->report == Report::Log) {
            for (const auto& warning : answer->warnings) {
                log::warning("redis", "{}", warning);
            }
            warnOfUnverified(url_);
        }
        memoryLimit_ = answer->memory;
        wait->checkFailure.clear();
        wait->isFit = true;
        continueReadyWait();
    };
    redis::checkServer(commands_, {prefix_, shards_}, callbackGuard_.guard(handleReport));
}

}  // namespace restante::redis
