#include "core/redis/store/script_queue.h"

#include "core/base/host_and_pid.h"
#include "core/base/metrics.h"
#include "core/base/while_alive.h"
#include "core/queue/array_scope.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/client/request.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/serving_gate.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace restante::redis {

namespace {

/// A few messages of the largest size; more would delay other clients.
constexpr std::size_t kBytesPerCall = 1'048'576;
/// A call of so many jobs gains little by waiting for more. It is sent within the turn, and may
/// queue at the server behind another: one is there while the next is filled, and while the answers
/// of the last are handled. With one alone in flight, those who wait for its answers come again all
/// together, and server and callers work in turn. A smaller call waits until nothing is in flight,
/// whatever its script: items that come meanwhile make it larger. Beside a call of another script
/// batches were half as large and everything slower (tests/bench).
constexpr std::size_t kLargeCall = 32;
constexpr std::size_t kLargeCallsAhead = 2;
/// A full call gains nothing by waiting, so it may queue at the server.
constexpr std::size_t kFullCallsAhead = 4;
/// A longer queue has enough full calls, and every item pays for each batch that is searched.
constexpr std::size_t kMaxBatchesSearched = 16;

/// The metrics of one script.
struct ScriptCounters {
    explicit ScriptCounters(const Script& script)
        : items(metrics::counter("restante_operations_total", {std::string(script.name)})),
          failed(metrics::counter("restante_failed_operations_total", {std::string(script.name)}))
    {
    }
    metrics::Counter& items;
    metrics::Counter& failed;
};

/// Hashes of the names in a ScriptSubject; none for an empty name.
struct SubjectKey {
    explicit SubjectKey(const ScriptSubject& subject)
        : job(hashOf(subject.job)),
          mailbox(hashOf(subject.mailbox)),
          kind(subject.kind)
    {
    }
    static std::optional<std::size_t> hashOf(std::string_view name)
    {
        return name.empty() ? std::nullopt : std::optional(std::hash<std::string_view>{}(name));
    }

    std::optional<std::size_t> job;
    std::optional<std::size_t> mailbox;
    ScriptSubject::Kind kind;
};

struct Batch {
    const Script* script = nullptr;
    std::string commonArgument;
    std::string tokenKey;  ///< that the call named
    std::chrono::steady_clock::time_point sent{};
    PackedWords arguments;
    std::vector<std::size_t> jobs;       ///< hash of each item's id
    std::vector<std::size_t> mailboxes;  ///< hash of each item's recipient
    std::vector<ScriptQueue::Answer> answers;
    std::size_t weight = 0;           ///< jobs that it may move
    bool hasUnboundItem = false;      ///< has an item that names neither job nor mailbox
    bool hasJobOfAnyMailbox = false;  ///< has one that names no mailbox
    bool hasWholeMailbox = false;     ///< has one that names no job
    bool isOfReady = false;           ///< all are claims
    bool isOfLeased = true;           ///< all may pass claims
    bool repeated = false;

    bool takes(const ScriptCall& call) const noexcept
    {
        return script == &call.script && commonArgument == call.commonArgument && !full();
    }
    bool large() const noexcept { return weight >= kLargeCall; }
    std::size_t callsAhead() const noexcept { return full() ? kFullCallsAhead : kLargeCallsAhead; }
    bool full() const noexcept
    {
        return weight >= ScriptQueue::kJobsPerCall || arguments.bytes.size() >= kBytesPerCall;
    }
    static bool contains(const std::vector<std::size_t>& hashes, std::size_t hash) noexcept
    {
        return std::find(hashes.begin(), hashes.end(), hash) != hashes.end();
    }
    /// Whether one of its items may be about the same job or mailbox.
    bool concerns(const SubjectKey& key) const noexcept
    {
        if (isOfReady && key.kind == ScriptSubject::Kind::Leased) {
            return false;
        }
        if (hasUnboundItem || (!key.job && !key.mailbox)) {
            return true;
        }
        if ((!key.mailbox && hasWholeMailbox) || (!key.job && hasJobOfAnyMailbox)) {
            return true;
        }
        return (key.job && contains(jobs, *key.job)) ||
               (key.mailbox && contains(mailboxes, *key.mailbox));
    }
    void addSubject(const SubjectKey& key)
    {
        if (key.job) {
            jobs.push_back(*key.job);
        }
        if (key.mailbox) {
            mailboxes.push_back(*key.mailbox);
        }
        isOfReady = key.kind == ScriptSubject::Kind::Ready;  // as of all items of its script
        isOfLeased = isOfLeased && key.kind == ScriptSubject::Kind::Leased;
        hasUnboundItem = hasUnboundItem || (!key.job && !key.mailbox);
        hasJobOfAnyMailbox = hasJobOfAnyMailbox || (key.job && !key.mailbox);
        hasWholeMailbox = hasWholeMailbox || (key.mailbox && !key.job);
    }
    void answerAll(const Error& error)
    {
        for (auto& answer : std::exchange(answers, {})) {
            answer(tl::unexpected(error));
        }
    }
    void answerEach(Reply reply)
    {
        if (reply.text() != nullptr) {
            for (auto& answer : std::exchange(answers, {})) {
                answer(reply);
            }
            return;
        }
        auto* elements = std::get_if<Reply::Array>(&reply.value);
        if (elements == nullptr || elements->size() != answers.size()) {
            return answerAll(
                {ErrorCode::Internal,
                 fmt::format("script {}: its answer has not one element per item", script->name)});
        }
        auto element = elements->begin();
        for (auto& answer : std::exchange(answers, {})) {
            answer(std::move(*element++));
        }
    }
};

/// Leaves in `reply` what the script has to say to its items, and returns what it has put in front
/// of that: withEvent() of lib/outbox.lua.
std::optional<AppendedEvent> takeAppendedEvent(Reply& reply, const std::string& tokenKey)
{
    auto* parts = std::get_if<Reply::Array>(&reply.value);
    if (parts == nullptr || parts->size() != 3 || parts->front().textOrEmpty() != "event") {
        return std::nullopt;
    }
    const auto id = StreamId::parse((*parts)[1].textOrEmpty());
    Reply answer = std::move((*parts)[2]);
    reply = std::move(answer);
    return id ? std::optional(AppendedEvent{*id, tokenKey}) : std::nullopt;
}

}  // namespace

class ScriptQueue::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(EventLoop& loop, Connection& connection, const Clock& clock, Settings settings)
        : loop_(loop),
          connection_(connection),
          clock_(clock),
          prefix_(std::move(settings.shardPrefix)),
          eventsKept_(std::to_string(settings.eventsKept)),
          worker_(hostAndPid()),
          gate_(settings.gate),
          shard_(settings.shard)
    {
    }

    void start()
    {
        connection_.onReady(
            whileAlive(*this, [](Impl& self, bool /*ready*/) { self.knownScripts_.clear(); }));
        if (gate_ != nullptr) {
            gate_->onChange(whileAlive(*this, [](Impl& self) {
                if (!self.closed_) {
                    self.flush();
                }
            }));
        }
    }

    void setTokenKey(std::string key) { tokenKey_ = std::move(key); }
    const std::optional<AppendedEvent>& appendedEvent() const noexcept { return appendedEvent_; }

    void add(const ScriptCall& call,
             const ScriptSubject& subject,
             std::span<const std::string_view> arguments,
             Answer answer,
             std::size_t weight)
    {
        const SubjectKey key(subject);
        Batch& batch = batchFor(call, key);
        batch.arguments.add(arguments);
        batch.weight += weight;
        batch.answers.push_back(std::move(answer));
        batch.addSubject(key);
        if (batch.large() && !ArrayScope::isOpen() && isServing()) {
            return sendWaiting();
        }
        if (!std::exchange(flushPosted_, true)) {
            loop_.post(whileAlive(*this, [](Impl& self) {
                self.flushPosted_ = false;
                if (!self.closed_) {
                    self.flush();
                }
            }));
        }
    }

    void close()
    {
        closed_ = true;
        const Error error{ErrorCode::Unavailable, "the store is being closed; ask the next one"};
        for (auto* batches : {&inFlight_, &awaitingScript_}) {
            answerAllOf(*batches, error);
        }
        while (!waiting_.empty()) {  // what is answered may ask again
            answerAllOf(waiting_, error);
        }
    }

private:
    using Batches = std::deque<std::shared_ptr<Batch>>;

    /// The latest waiting call that the item may join without overtaking another item that may be
    /// about the same.
    Batch& batchFor(const ScriptCall& call, const SubjectKey& key)
    {
        auto searchesLeft = kMaxBatchesSearched;
        for (auto batch = waiting_.rbegin(); batch != waiting_.rend() && searchesLeft > 0;
             ++batch) {
            if ((*batch)->takes(call)) {
                return **batch;
            }
            if ((*batch)->concerns(key)) {
                break;
            }
            --searchesLeft;
        }
        waiting_.push_back(std::make_shared<Batch>());
        waiting_.back()->script = &call.script;
        waiting_.back()->commonArgument = call.commonArgument;
        return *waiting_.back();
    }

    /// Nothing is sent behind a call whose script the server may not know: that one is repeated.
    bool maySend(const Batch& batch) const
    {
        if (std::any_of(inFlight_.begin(), inFlight_.end(), [&](const auto& other) {
                return !knownScripts_.contains(other->script);
            })) {
            return false;
        }
        if (!batch.large()) {
            return inFlight_.empty();
        }
        const auto ahead = static_cast<std::size_t>(
            std::count_if(inFlight_.begin(), inFlight_.end(),
                          [&](const auto& other) { return other->script == batch.script; }));
        return ahead < batch.callsAhead();
    }

    void flush()
    {
        if (gate_ != nullptr) {
            // In a cluster, masters may take commands while that of shard 0 is away, but the gate
            // knows no token then.
            if (!connection_.ready()) {
                return answerAllOf(waiting_, connection_.refusal());
            }
            const auto state = gate_->state(shard_);
            if (state == ServingGate::State::Closed) {
                return answerAllOf(waiting_, gate_->closedError(shard_));
            }
            if (state == ServingGate::State::Unknown) {
                if (const auto& refusal = gate_->refusal(shard_)) {
                    return answerAllOf(waiting_, Error(*refusal));  // a copy: answers may change it
                }
                return;  // the pending answer flushes
            }
        }
        sendWaiting();
    }

    bool isServing() const
    {
        return !closed_ && connection_.ready() &&
               (gate_ == nullptr || gate_->state(shard_) == ServingGate::State::Open);
    }

    bool isClaimInFlight() const
    {
        return std::any_of(inFlight_.begin(), inFlight_.end(),
                           [](const auto& batch) { return batch->isOfReady; });
    }

    /// Sends the calls that may be sent, in their order; but while a claim is in flight, those of
    /// leased jobs need not wait behind claims.
    void sendWaiting()
    {
        bool claimsWait = false;
        for (auto next = waiting_.begin(); next != waiting_.end() && awaitingScript_.empty();) {
            const auto& batch = **next;
            if (maySend(batch) && (!claimsWait || (batch.isOfLeased && isClaimInFlight()))) {
                inFlight_.push_back(std::move(*next));
                next = waiting_.erase(next);
                send(inFlight_.back());
            } else if (batch.isOfReady) {
                claimsWait = true;
                ++next;
            } else {
                return;
            }
        }
    }

    static void answerAllOf(Batches& batches, const Error& error)
    {
        for (auto& batch : std::exchange(batches, {})) {
            batch->answerAll(error);
        }
    }

    void count(const Batch& batch, bool succeeded)
    {
        using Seconds = std::chrono::duration<double>;
        const auto& counters = counters_.try_emplace(batch.script, *batch.script).first->second;
        counters.items.add(batch.answers.size());
        if (!succeeded) {
            counters.failed.add(batch.answers.size());
        }
        callSeconds_.observe(Seconds(std::chrono::steady_clock::now() - batch.sent).count());
    }

    void send(std::shared_ptr<Batch> batch)
    {
        batch->sent = std::chrono::steady_clock::now();
        const std::string now = std::to_string(toEpochMs(clock_.now()));
        const auto& tokenKey = gate_ != nullptr ? gate_->tokenKey(shard_) : tokenKey_;
        assert((gate_ == nullptr || !tokenKey.empty()) && "a gated call names the token");
        batch->tokenKey = tokenKey;
        arguments_.assign({"EVALSHA", batch->script->sha1, tokenKey.empty() ? "1" : "2", prefix_});
        if (!tokenKey.empty()) {
            arguments_.push_back(tokenKey);
        }
        arguments_.insert(arguments_.end(), {now, eventsKept_, worker_});
        if (!batch->commonArgument.empty()) {
            arguments_.push_back(batch->commonArgument);
        }
        batch->arguments.appendTo(arguments_);
        connection_.command(arguments_,
                            [self = shared_from_this(), batch = std::move(batch)](auto reply) {
                                self->onReply(batch, std::move(reply));
                            });
    }

    void onReply(const std::shared_ptr<Batch>& batch, Result<Reply> reply)
    {
        if (closed_) {
            return;
        }
        inFlight_.erase(std::find(inFlight_.begin(), inFlight_.end(), batch));
        // The error of lib/base.lua for a token that does not hold.
        if (gate_ != nullptr && isRefused(reply, "NOTSERVING")) {
            gate_->onRefused(shard_);
        }
        const bool isUnknownScript = isRefused(reply, "NOSCRIPT");
        if (reply) {
            knownScripts_.insert(batch->script);
        } else if (isUnknownScript || reply.error().code == ErrorCode::Unavailable) {
            knownScripts_.clear();  // the next may come to another server
        }
        const bool mustRepeat = isUnknownScript && !batch->repeated;
        if (mustRepeat) {
            batch->repeated = true;
            awaitingScript_.push_back(batch);
        } else {
            count(*batch, reply.has_value());
        }
        // Before the answers are handled, so that the server works meanwhile. A refused call keeps
        // its place in the order: nothing else is sent until it is repeated.
        if (!awaitingScript_.empty() && inFlight_.empty()) {
            loadScripts();
        } else if (isServing()) {
            sendWaiting();
        }
        if (!mustRepeat && reply) {
            appendedEvent_ = takeAppendedEvent(*reply, batch->tokenKey);
            batch->answerEach(std::move(*reply));
            appendedEvent_.reset();
        } else if (!mustRepeat) {
            batch->answerAll(reply.error());
        }
        if (!closed_) {
            flush();  // which may answer those that wait, after those whose answers have come
        }
    }

    void loadScripts()
    {
        std::vector<const Script*> missing;
        for (const auto& batch : awaitingScript_) {
            if (std::find(missing.begin(), missing.end(), batch->script) == missing.end()) {
                missing.push_back(batch->script);
            }
        }
        for (const Script* script : missing) {
            connection_.command({"SCRIPT", "LOAD", script->text},
                                [self = shared_from_this(), isLast = script == missing.back()](
                                    auto reply) { self->onLoaded(std::move(reply), isLast); });
        }
    }

    void onLoaded(Result<Reply> reply, bool isLast)
    {
        if (!reply) {
            answerAllOf(awaitingScript_, reply.error());
        }
        if (!isLast || closed_) {
            return;
        }
        waiting_.insert(waiting_.begin(), awaitingScript_.begin(), awaitingScript_.end());
        awaitingScript_.clear();
        flush();
    }

    EventLoop& loop_;
    Connection& connection_;
    const Clock& clock_;
    std::string prefix_;
    std::string eventsKept_;  ///< ARGV[2]
    std::string worker_;      ///< ARGV[3]
    ServingGate* gate_;
    std::uint32_t shard_;
    std::string tokenKey_;                        ///< KEYS[2] without a gate
    std::optional<AppendedEvent> appendedEvent_;  ///< while items of its call are answered
    std::set<const Script*> knownScripts_;        ///< the server has executed them
    std::map<const Script*, ScriptCounters> counters_;
    metrics::Histogram& callSeconds_ = metrics::histogram("restante_redis_call_seconds");
    Connection::Args arguments_;  ///< kept for its capacity
    Batches waiting_;
    Batches inFlight_;
    Batches awaitingScript_;  ///< the server does not know their script yet
    bool flushPosted_ = false;
    bool closed_ = false;
};

const Script& script(std::string_view name) noexcept
{
    const auto all = scripts();
    const auto found = std::ranges::lower_bound(all, name, {}, &Script::name);
    assert(found != all.end() && found->name == name);
    return *found;
}

ScriptQueue::ScriptQueue(EventLoop& loop,
                         Connection& connection,
                         const Clock& clock,
                         Settings settings)
    : impl_(std::make_shared<Impl>(loop, connection, clock, std::move(settings)))
{
    impl_->start();
}

ScriptQueue::~ScriptQueue()
{
    impl_->close();
}

std::optional<AppendedEvent> ScriptQueue::appendedEvent() const
{
    return impl_->appendedEvent();
}

void ScriptQueue::setTokenKey(std::string key)
{
    impl_->setTokenKey(std::move(key));
}

void ScriptQueue::add(ScriptCall call,
                      ScriptSubject subject,
                      std::span<const std::string_view> arguments,
                      Answer answer,
                      std::size_t weight)
{
    impl_->add(call, subject, arguments, std::move(answer), weight);
}

ShardQueues shardQueues(EventLoop& loop,
                        Connection& connection,
                        const Clock& clock,
                        const std::string& prefix,
                        std::uint32_t shards,
                        ServingGate* gate,
                        std::uint32_t eventsKept)
{
    ShardQueues queues;
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
        queues.push_back(std::make_unique<ScriptQueue>(
            loop, connection, clock,
            ScriptQueue::Settings{shardPrefix(prefix, shard), eventsKept, gate, shard}));
    }
    return queues;
}

}  // namespace restante::redis
