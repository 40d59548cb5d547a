#include "core/assembly/redis_queue.h"

#include "core/base/log.h"
#include "core/base/secret_file.h"
#include "core/delivery/sms/sms_message.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/server/server_check.h"
#include "core/redis/store/serving_gate.h"

#include <fmt/format.h>
#include <utility>

namespace restante::redis {

namespace {

/// Long enough for a Redis that is being restarted beside us.
constexpr Millis kOpening{5'000};
/// Between two checks of a server that could not be checked for the moment.
constexpr Millis kCheckAgain{100};
/// The journal has compared the store when this is asked, so the answer takes one round trip.
constexpr Millis kServing{10'000};

std::unique_ptr<ServingGate> gateOf(EventLoop& loop,
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

std::shared_ptr<CommitWatch> journalOf(EventLoop& loop,
                                       Connection& commands,
                                       const RedisUrl& url,
                                       const Config& config,
                                       const std::string& name,
                                       Confirms confirms,
                                       const ServingGate* gate)
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
    return CommitWatch::make(loop, commands, std::move(settings));
}

RedisJobStore::Settings storeSettingsOf(const Config& config,
                                        ServingGate* gate,
                                        Confirms confirms,
                                        std::shared_ptr<CommitWatch> journal)
{
    RedisJobStore::Settings settings;
    settings.gate = gate;
    settings.prefix = config.redis.prefix;
    settings.shards = config.redis.shards;
    settings.keepDone = config.retention.done > Millis{0};
    settings.confirms = journal ? confirms : Confirms::Nothing;
    settings.journal = std::move(journal);
    return settings;
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

/// What awaitReady() and awaitServing() wait for: reached, checked, told the time; or served.
struct RedisQueue::Opening {
    Opening(EventLoop& loop, Done<void> whenDone)
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
    bool asked = false;
    bool fit = false;
    std::string why;  ///< it could not be checked, the last time
    Timer checkAgain;
    Timer timeout;
};

RedisQueue::RedisQueue(EventLoop& loop,
                       const RedisUrl& url,
                       const Config& config,
                       std::string name,
                       WakeUps wakeUps,
                       Confirms confirms,
                       Gated gated)
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
      gate_(gateOf(loop, commands_, clock_, config, gated)),
      journal_(journalOf(loop, commands_, url, config, name, confirms, gate_.get())),
      store_(loop,
             commands_,
             wakeUps_.get(),
             clock_,
             storeSettingsOf(config, gate_.get(), confirms, journal_)),
      inspector_(loop, commands_, clock_, {prefix_, shards_, gate_.get()}),
      queue_(store_, clock_, queueSettingsOf(config))
{
    const auto connected = callbackGuard_.guard([this](bool ready) {
        if (ready) {
            continueOpening();
        }
    });
    commands_.onReady(connected);
    if (wakeUps_ != nullptr) {
        wakeUps_->onReady(connected);
    }
    clock_.onDisciplined(callbackGuard_.guard([this] { continueOpening(); }));
    if (gate_ != nullptr) {
        gate_->onChange(callbackGuard_.guard([this] { answerWhenServed(); }));
    }
}

RedisQueue::~RedisQueue() = default;

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
    continueOpening();
}

void RedisQueue::awaitServing(Done<void> done)
{
    serving_ = std::make_shared<Opening>(loop_, std::move(done));
    serving_->timeout.arm(kServing,
                          [this, serving = serving_.get()] { serving->answer(gate_->health()); });
    answerWhenServed();
}

void RedisQueue::answerWhenServed()
{
    if (serving_ && (gate_ == nullptr || gate_->allOpen())) {
        // Later, as awaitServing() may still be running.
        loop_.post([serving = serving_] { serving->answer({}); });
    }
}

Result<void> RedisQueue::serving() const
{
    auto served = gate_ == nullptr ? Result<void>{} : gate_->health();
    return served && journal_ && journal_->isDown() ? CommitWatch::downError() : served;
}

/// Whenever something has changed that awaitReady() waits for.
void RedisQueue::continueOpening()
{
    const auto opening = opening_;
    if (!opening || !opening->done) {
        return;
    }
    if (opening->fit && clock_.disciplined()) {
        // Later, as awaitReady() may still be running.
        loop_.post([opening] { opening->answer({}); });
    } else if (!opening->fit && commands_.ready() && (wakeUps_ == nullptr || wakeUps_->ready())) {
        checkServer(opening);
    }
}

void RedisQueue::checkServer(const std::shared_ptr<Opening>& opening)
{
    if (std::exchange(opening->asked, true)) {
        return;
    }
    const auto checked = [this, opening](const Result<ServerReport>& answer) {
        opening->asked = false;
        if (!answer && isTemporary(answer.error().code)) {
            // Its disk may stand still: asked again as long as we wait.
            opening->why = answer.error().message;
            opening->checkAgain.arm(kCheckAgain, [this] { continueOpening(); });
            return;
        }
        if (!answer) {
            return opening->answer(tl::unexpected(answer.error()));
        }
        if (opening->report == Report::Log) {
            for (const auto& warning : answer->warnings) {
                log::warning("redis", "{}", warning);
            }
            warnOfUnverified(url_);
        }
        memory_ = answer->memory;
        opening->why.clear();
        opening->fit = true;
        continueOpening();
    };
    redis::checkServer(commands_, {prefix_, shards_}, callbackGuard_.guard(checked));
}

}  // namespace restante::redis
