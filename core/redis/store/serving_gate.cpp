#include "core/redis/store/serving_gate.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace restante::redis {

namespace {

/// Poll interval when all shards are open: idle processes, and /readyz, notice a change within it.
constexpr Millis kOpenPoll{1'000};
/// Poll interval when a shard is not open.
constexpr Millis kClosedPoll{50};

/// The reason why a shard is not served.
std::string describe(std::string_view why, std::string_view done, std::string_view total)
{
    const auto progress =
        total == "0" ? std::string() : fmt::format(" ({} of {} jobs)", done, total);
    if (why == "lost") {
        return "Redis has lost the store; it is being brought back from the journal" + progress;
    }
    if (why == "rolled_back") {
        return "Redis has lost its newest writes; they are being brought back from the journal" +
               progress;
    }
    if (why == "foreign") {
        return "the journal belongs to another store than this Redis; see the log of the daemon";
    }
    return "the store is being compared with its journal";
}

}  // namespace

ServingGate::ServingGate(EventLoop& loop,
                         Connection& connection,
                         const Clock& clock,
                         Settings settings)
    : loop_(loop),
      connection_(connection),
      logsChanges_(settings.logsChanges),
      pollTimer_(loop)
{
    for (std::uint32_t number = 0; number < settings.shards; ++number) {
        auto& shard = shards_.emplace_back();
        shard.prefix = shardPrefix(settings.prefix, number);
        shard.scripts = std::make_unique<ScriptQueue>(
            loop, connection, clock, ScriptQueue::Settings{.shardPrefix = shard.prefix});
    }
    connection_.onReady(callbackGuard_.guard([this](bool ready) { onConnectionChange(ready); }));
    if (connection_.ready()) {
        askAll();
    }
    armPoll();
}

bool ServingGate::allOpen() const
{
    return std::ranges::all_of(
        shards_, [](auto state) { return state == State::Open; }, &Shard::state);
}

Result<void> ServingGate::health() const
{
    for (const auto& shard : shards_) {
        if (shard.state != State::Open) {
            return failure(ErrorCode::Unavailable, shard.why);
        }
    }
    return {};
}

Error ServingGate::closedError(std::uint32_t shard) const
{
    return {ErrorCode::Unavailable, shards_[shard].why + "; try again later"};
}

void ServingGate::onRefused(std::uint32_t shard)
{
    if (shards_[shard].state == State::Open) {
        // An older reason is over; the next answer says what has become of the store.
        shards_[shard].why = "Redis does not know the store's token any more; it is asked why";
    }
    setState(shard, State::Closed, {});
    ask(shard);
}

void ServingGate::onConnectionChange(bool ready)
{
    for (std::uint32_t number = 0; number < shards_.size(); ++number) {
        setState(number, State::Unknown, {});
        // What it has answered, or will answer, is of the connection before.
        shards_[number].asking = false;
        shards_[number].refusal.reset();
    }
    ++connectionEpoch_;
    if (ready) {
        askAll();
    }
    scheduleNotify();  // for callers that wait for an answer that will not come
}

void ServingGate::armPoll()
{
    pollTimer_.arm(allOpen() ? kOpenPoll : kClosedPoll, [this] {
        if (connection_.ready()) {
            askAll();
        }
        armPoll();
    });
}

void ServingGate::askAll()
{
    for (std::uint32_t number = 0; number < shards_.size(); ++number) {
        ask(number);
    }
}

void ServingGate::ask(std::uint32_t number)
{
    auto& shard = shards_[number];
    if (std::exchange(shard.asking, true)) {
        return;
    }
    shard.scripts->add(
        script("serving"), {}, {""},
        callbackGuard_.guard([this, number, epoch = connectionEpoch_](const Result<Reply>& reply) {
            if (connectionEpoch_ == epoch) {
                onAnswer(number, reply);
            }
        }));
}

void ServingGate::onAnswer(std::uint32_t number, const Result<Reply>& reply)
{
    auto& shard = shards_[number];
    shard.asking = false;
    if (!reply) {
        const auto& error = reply.error();
        shard.why = error.message;
        // Whatever was refused, nothing of a call was done, and a later one may succeed.
        shard.refusal = error;
        shard.refusal->code = isTemporary(error.code) ? error.code : ErrorCode::Unavailable;
        setState(number, State::Unknown, {});
        return scheduleNotify();  // for callers that wait for an answer: this is one
    }
    shard.refusal.reset();
    if (const auto* token = reply->text()) {
        return setState(number, State::Open, shard.prefix + "serving:" + *token);
    }
    const auto word = [&reply](std::size_t n) {
        return reply->size() == 4 ? reply->at(n).textOrEmpty() : std::string_view();
    };
    shard.why = describe(word(1), word(2), word(3));
    setState(number, State::Closed, {});
}

void ServingGate::setState(std::uint32_t number, State state, std::string tokenKey)
{
    auto& shard = shards_[number];
    if (shard.state == state && shard.tokenKey == tokenKey) {
        return;
    }
    shard.state = state;
    shard.tokenKey = std::move(tokenKey);
    metrics::gauge("restante_store_serving", {std::to_string(number)})
        .set(state == State::Open ? 1 : 0);
    if (logsChanges_ && state == State::Closed) {
        log::warning("redis", "shard {} is not served: {}", number, shard.why);
        shard.isClosedInLog = true;
    } else if (state == State::Open && std::exchange(shard.isClosedInLog, false)) {
        log::info("redis", "shard {} is served again", number);
    }
    armPoll();
    scheduleNotify();
}

/// Handlers are called once for all changes of a turn; one of them may destroy this.
void ServingGate::scheduleNotify()
{
    if (std::exchange(notifyPosted_, true)) {
        return;
    }
    loop_.post([this, life = callbackGuard_.watch()] {
        if (life.expired()) {
            return;
        }
        notifyPosted_ = false;
        const auto handlers = handlers_;
        for (std::size_t i = 0; i < handlers.size() && !life.expired(); ++i) {
            handlers[i]();
        }
    });
}

}  // namespace restante::redis
