#include "core/redis/client/connection.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/redis/client/command_pipeline.h"
#include "core/redis/client/connection_impl.h"
#include "core/redis/client/dialer.h"
#include "core/redis/client/node_inquiry.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <optional>

namespace restante::redis {

namespace {

// A subscriber has no commands whose time-out would tell that Redis is gone.
constexpr Millis kHeartbeatInterval{5'000};

/// Counts one ready connection in the gauge while it lives.
struct ReadyConnectionCount {
    ReadyConnectionCount() { ready().add(1); }
    ReadyConnectionCount(const ReadyConnectionCount&) = delete;
    ReadyConnectionCount& operator=(const ReadyConnectionCount&) = delete;
    ~ReadyConnectionCount() { ready().add(-1); }

    static metrics::Gauge& ready() { return metrics::gauge("restante_redis_connections"); }
};

metrics::Counter& lostConnections()
{
    return metrics::counter("restante_redis_reconnections_total");
}

void answerAll(const std::vector<Done<Reply>>& callers, const Error& why)
{
    for (const auto& done : callers) {
        done(tl::unexpected(why));
    }
}

using Args = Connection::Args;
using MessageHandler = Connection::MessageHandler;

/// A connection to one server, whose address sentinels may have to supply first.
class ServerConnection final : public ConnectionImpl {
public:
    ServerConnection(EventLoop& loop, Connection::Settings settings)
        : ConnectionImpl(loop, std::move(settings)),
          backOff_(settings_.firstBackOff),
          attemptTimer_(loop),
          heartbeatTimer_(loop),
          demotionTimer_(loop)
    {
        lostConnections();  // so that the metric exists with 0
        dial();
    }

    ~ServerConnection() override
    {
        callbackGuard_.expire();
        ready_ = false;  // what the answers send is rejected
        lastFailure_ = {ErrorCode::Unavailable, withTarget("connection closed")};
        if (auto pipeline = std::move(pipeline_)) {
            answerAll(pipeline->takeUnanswered(), lastFailure_);
        }
        answerRejectedNow();
    }

    void command(const Args& args, Done<Reply> done) override
    {
        assert(channels_.empty() && "a connection that subscribes takes no other commands");
        if (ready_) {
            pipeline_->send(args, std::move(done));
        } else {
            reject(std::move(done), refusal());
        }
    }

    void commandToEach(const Args& args, Done<std::vector<Reply>> done) override
    {
        command(args, [done = std::move(done)](Result<Reply> reply) {
            done(std::move(reply).map(
                [](Reply&& one) { return std::vector<Reply>(1, std::move(one)); }));
        });
    }

    void subscribe(std::vector<std::string> channels, MessageHandler handler) override
    {
        assert(channels_.empty() && "subscribe() is called once");
        channels_ = std::move(channels);
        onMessage_ = std::move(handler);
        // Also when the handshake is still on its way: it was sent without the channels.
        if (pipeline_) {
            ready_ = false;
            subscribeAll();
            confirmReady();
        }
    }

    bool isCluster() const noexcept override { return false; }
    std::string lastFailure() const override { return ready_ ? "" : lastFailure_.message; }
    Error refusal() const override { return whyNotReady(lastFailure_); }
    std::size_t inFlight() const noexcept override { return pipeline_ ? pipeline_->inFlight() : 0; }

private:
    enum class Refusal { Fatal, Ignored };

    bool usesSentinels() const noexcept { return !settings_.url.sentinels.empty(); }

    void dial()
    {
        if (!usesSentinels()) {
            return dialTo(settings_.url);
        }
        attemptTimer_.cancel();
        resolver_ = std::make_unique<SentinelResolver>(
            loop_, settings_.url, firstSentinel_, [this](Result<SentinelResolver::Master> master) {
                const auto resolver = std::move(resolver_);  // it is calling this
                if (!master) {
                    return handleLoss({master.error().code,
                                       formatNoMaster(settings_.url, master.error().message)});
                }
                sentinel_ = master->sentinel;
                skipSentinel();  // unless its master lets us in
                auto url = settings_.url;
                url.host = master->host;
                url.port = master->port;
                dialTo(url);
            });
    }

    /// The one that was asked may not know the master: the next attempt begins with another.
    void skipSentinel() { firstSentinel_ = (sentinel_ + 1) % settings_.url.sentinels.size(); }

    void dialTo(const RedisUrl& url)
    {
        masterPrefix_ = usesSentinels() ? "master " + formatAddress(url.host, url.port) + ": " : "";
        attemptTimer_.arm(settings_.timeout, [this] {
            handleLoss({ErrorCode::Unavailable, masterPrefix_ + whyNotConnected()});
        });
        dialer_ = std::make_unique<StreamDialer>(loop_, url, [this](Result<ByteStream> stream) {
            dialer_.reset();
            if (stream) {
                startHandshake(std::move(*stream));
            } else {
                handleLoss({stream.error().code, masterPrefix_ + stream.error().message});
            }
        });
    }

    std::string whyNotConnected() const
    {
        return dialer_ && dialer_->isInHandshake()
                   ? TlsError{TlsError::Kind::Silent}.toString()
                   : "not connected within " + std::to_string(settings_.timeout.count()) + " ms";
    }

    /// The handshake travels as one write; Redis answers its commands in order.
    void startHandshake(ByteStream stream)
    {
        CommandPipeline::Handlers handlers;
        handlers.onBroken = [this](std::string why) {
            if (mayWantTls(why)) {
                why += " before it answered; does it want TLS (rediss://)?";
            }
            handleLoss({ErrorCode::Unavailable, masterPrefix_ + why});
        };
        handlers.interceptReply = [this](const Result<Reply>& reply) {
            if (isDemotion(reply)) {
                // Later, after the caller has its answer; the sentinels know the new master.
                demotionTimer_.arm(Millis{0}, [this] {
                    skipSentinel();
                    handleLoss({ErrorCode::Unavailable, masterPrefix_ + "is a replica now"});
                });
            }
            return deliverMessage(reply);
        };
        pipeline_ = std::make_unique<CommandPipeline>(loop_, std::move(stream), settings_.timeout,
                                                      std::move(handlers));
        const auto& url = settings_.url;
        if (!url.user.empty()) {
            sendSetupCommand({"AUTH", url.user, url.password}, Refusal::Fatal);
        } else if (!url.password.empty()) {
            sendSetupCommand({"AUTH", url.password}, Refusal::Fatal);
        }
        if (url.database != 0) {
            sendSetupCommand({"SELECT", std::to_string(url.database)}, Refusal::Fatal);
        }
        if (usesSentinels()) {
            checkRole();
        }
        // Only a name in CLIENT LIST: a user that may not set it can still work.
        sendSetupCommand({"CLIENT", "SETNAME", settings_.name}, Refusal::Ignored);
        subscribeAll();
        confirmReady();
    }

    /// A sentinel may not know yet that its master has been demoted. A user who may not send ROLE
    /// skips the check: the first write is refused then.
    void checkRole()
    {
        sendInternal({"ROLE"}, [this](const Result<Reply>& reply) {
            const auto* word = reply ? reply->at(0).text() : nullptr;
            if (word != nullptr && *word != "master") {
                handleLoss({ErrorCode::Unavailable, masterPrefix_ + "is a replica"});
            }
        });
    }

    bool isDemotion(const Result<Reply>& reply) const
    {
        return isRefused(reply, "READONLY") && reply.error().code == ErrorCode::ReadOnly &&
               usesSentinels();
    }

    /// Whether the server has closed without a word, as one does that expects TLS.
    bool mayWantTls(std::string_view why) const
    {
        const auto& url = settings_.url;
        return !pipeline_->hasReceived() && !url.tls && url.socketPath.empty() &&
               !why.starts_with("no answer");
    }

    void subscribeAll()
    {
        for (const auto& channel : channels_) {
            sendSetupCommand({"SUBSCRIBE", channel}, Refusal::Fatal);
        }
    }

    /// PING shows whether we are allowed to send commands. When Redis refuses it because it is
    /// loading, busy or cannot write its disk, the connection stays: each command gets that error.
    void confirmReady()
    {
        sendInternal({"PING"}, [this](Result<Reply> reply) {
            if (isRefused(reply, "NOAUTH") && reply.error().code == ErrorCode::Denied) {
                return handleLoss(reply.error());
            }
            becomeReady();
        });
    }

    void sendSetupCommand(std::initializer_list<std::string> words, Refusal refusal)
    {
        sendInternal(words, [this, refusal](Result<Reply> reply) {
            if (!reply && refusal == Refusal::Fatal) {
                handleLoss(reply.error());
            }
        });
    }

    /// Calls `onAnswer` only while this connection and its current pipeline live.
    void sendInternal(std::initializer_list<std::string> words, Done<Reply> onAnswer)
    {
        const Args args(words.begin(), words.end());
        pipeline_->send(args, [this, pipeline = pipeline_.get(), life = callbackGuard_.watch(),
                               onAnswer = std::move(onAnswer)](Result<Reply> reply) {
            if (!life.expired() && pipeline == pipeline_.get()) {
                onAnswer(std::move(reply));
            }
        });
    }

    void becomeReady()
    {
        attemptTimer_.cancel();
        backOff_ = settings_.firstBackOff;
        ready_ = true;
        firstSentinel_ = sentinel_;
        readyCount_.emplace();
        if (!lastFailure_.message.empty()) {
            log::info("redis", "{}: connected again", target_);
            lastFailure_ = {};
        }
        if (!channels_.empty()) {
            armHeartbeat();
        }
        notifyReady(true);
    }

    void armHeartbeat()
    {
        heartbeatTimer_.arm(kHeartbeatInterval, [this] {
            sendInternal({"PING"}, [](const Result<Reply>&) {});
            armHeartbeat();
        });
    }

    /// Answers the commands in flight with an error, and dials again after the back-off.
    void handleLoss(const Error& why)
    {
        resolver_.reset();
        dialer_.reset();
        heartbeatTimer_.cancel();
        demotionTimer_.cancel();
        const auto pipeline = std::move(pipeline_);
        const bool wasReady = std::exchange(ready_, false);
        readyCount_.reset();
        if (wasReady) {
            lostConnections().add();
        }
        const std::string attemptPrefix = wasReady ? "" : "connect: ";
        const Error error{why.code, withTarget(attemptPrefix + why.message)};
        if (error.message != lastFailure_.message) {
            log::warning("redis", "{}", error.message);
        }
        lastFailure_ = error;
        attemptTimer_.arm(backOff_, [this] { dial(); });
        backOff_ = std::min(backOff_ * 2, settings_.longestBackOff);

        const auto life = callbackGuard_.watch();
        if (pipeline) {
            answerAll(pipeline->takeUnanswered(), {ErrorCode::Unavailable, error.message});
        }
        if (wasReady && !life.expired()) {
            notifyReady(false);
        }
    }

    bool deliverMessage(const Result<Reply>& reply) const
    {
        if (!reply || channels_.empty() || reply->size() != 3) {
            return false;
        }
        const auto* channel = reply->at(1).text();
        const auto* payload = reply->at(2).text();
        if (reply->at(0).textOrEmpty() != "message" || channel == nullptr || payload == nullptr) {
            return false;
        }
        const auto handler = onMessage_;  // it may destroy this
        handler(*channel, *payload);
        return true;
    }

    Millis backOff_;
    std::optional<ReadyConnectionCount> readyCount_;
    Error lastFailure_;
    std::vector<std::string> channels_;
    MessageHandler onMessage_;
    std::size_t sentinel_ = 0;       // index: the one that named the master last
    std::size_t firstSentinel_ = 0;  // index: the one that is asked first
    std::string masterPrefix_;       // for error messages; empty without sentinels
    std::unique_ptr<SentinelResolver> resolver_;
    std::unique_ptr<StreamDialer> dialer_;
    std::unique_ptr<CommandPipeline> pipeline_;
    Timer attemptTimer_;  // the attempt's time-out, then the wait for the next one
    Timer heartbeatTimer_;
    Timer demotionTimer_;
};

std::unique_ptr<ConnectionImpl> makeImpl(EventLoop& loop, Connection::Settings settings)
{
    if (settings.url.nodes.empty()) {
        return std::make_unique<ServerConnection>(loop, std::move(settings));
    }
    return makeClusterConnection(loop, std::move(settings));
}

/// For messages: without the TLS files.
std::string targetOf(RedisUrl url)
{
    if (url.tls) {
        url.tls = RedisUrl::Tls{};
    }
    return url.toString();
}

}  // namespace

ConnectionImpl::ConnectionImpl(EventLoop& loop, Connection::Settings settings)
    : loop_(loop),
      settings_(std::move(settings)),
      target_(targetOf(settings_.url)),
      rejectionTimer_(loop)
{
}

std::string ConnectionImpl::withTarget(std::string_view what) const
{
    return fmt::format("redis {}: {}", target_, what);
}

void ConnectionImpl::reject(Done<Reply> done, Error why)
{
    rejected_.emplace_back(std::move(done), std::move(why));
    if (!rejectionTimer_.armed()) {
        rejectionTimer_.arm(Millis{0}, [this] { answerRejected(); });
    }
}

void ConnectionImpl::answerRejected()
{
    const auto rejected = std::exchange(rejected_, {});
    for (const auto& [done, why] : rejected) {
        done(tl::unexpected(why));
    }
}

void ConnectionImpl::answerRejectedNow()
{
    while (!rejected_.empty()) {
        answerRejected();
    }
}

Error ConnectionImpl::whyNotReady(const Error& lastFailure) const
{
    if (lastFailure.message.empty()) {
        return {ErrorCode::Unavailable, withTarget("not connected yet")};
    }
    // Whatever keeps us out, nothing was stored and a later attempt may succeed.
    const auto code = lastFailure.code;
    return {isTemporary(code) ? code : ErrorCode::Unavailable, lastFailure.message};
}

void ConnectionImpl::notifyReady(bool ready)
{
    const auto life = callbackGuard_.watch();
    const auto handlers = onReady_;
    for (const auto& handler : handlers) {
        if (life.expired()) {
            return;
        }
        handler(ready);
    }
}

Connection::Connection(EventLoop& loop, Settings settings)
    : impl_(makeImpl(loop, std::move(settings)))
{
}

Connection::~Connection() = default;

void Connection::command(const Args& args, Done<Reply> done)
{
    impl_->command(args, std::move(done));
}

void Connection::commandToEach(const Args& args, Done<std::vector<Reply>> done)
{
    impl_->commandToEach(args, std::move(done));
}

void Connection::subscribe(std::vector<std::string> channels, MessageHandler handler)
{
    impl_->subscribe(std::move(channels), std::move(handler));
}

void Connection::onReady(std::function<void(bool)> handler)
{
    impl_->onReady(std::move(handler));
}

bool Connection::ready() const noexcept
{
    return impl_->ready();
}

bool Connection::isCluster() const noexcept
{
    return impl_->isCluster();
}

std::string Connection::lastFailure() const
{
    return impl_->lastFailure();
}

Error Connection::refusal() const
{
    return impl_->refusal();
}

std::size_t Connection::inFlight() const noexcept
{
    return impl_->inFlight();
}

}  // namespace restante::redis
