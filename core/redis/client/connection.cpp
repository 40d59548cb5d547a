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
constexpr Millis kHeartbeat{5'000};

/// While it lives, a connection counts among those that are ready; its end is a loss.
struct CountedAsReady {
    CountedAsReady() { ready().add(1); }
    CountedAsReady(const CountedAsReady&) = delete;
    CountedAsReady& operator=(const CountedAsReady&) = delete;
    ~CountedAsReady() { ready().add(-1); }

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

/// To one server, which sentinels may have to name first.
class ServerConnection final : public ConnectionImpl {
public:
    ServerConnection(EventLoop& loop, Connection::Settings settings)
        : ConnectionImpl(loop, std::move(settings)),
          backOff_(settings_.firstBackOff),
          attemptTimer_(loop),
          heartbeat_(loop),
          demotion_(loop)
    {
        lostConnections();  // 0 is told, too
        dial();
    }

    ~ServerConnection() override
    {
        callbackGuard_.expire();
        if (auto pipeline = std::move(pipeline_)) {
            answerAll(pipeline->abandon(),
                      {ErrorCode::Unavailable, withTarget("connection closed")});
        }
        answerRejectedNow();
    }

    void command(const Args& args, Done<Reply> done) override
    {
        assert(channels_.empty() && "a connection that subscribes takes no other commands");
        if (ready_) {
            pipeline_->send(args, std::move(done));
        } else {
            reject(std::move(done), whyNotReady(lastFailure_));
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
        }
    }

    bool isCluster() const noexcept override { return false; }
    std::string lastFailure() const override { return ready_ ? "" : lastFailure_.message; }
    std::size_t inFlight() const noexcept override { return pipeline_ ? pipeline_->inFlight() : 0; }

private:
    enum class Refusal { Fatal, Ignored };

    bool bySentinels() const noexcept { return !settings_.url.sentinels.empty(); }

    void dial()
    {
        if (!bySentinels()) {
            return dialTo(settings_.url);
        }
        attemptTimer_.cancel();
        search_ = std::make_unique<SentinelResolver>(
            loop_, settings_.url, sentinel_, [this](Result<SentinelResolver::Found> found) {
                const auto search = std::move(search_);  // it is telling this
                if (!found) {
                    return lost(
                        {found.error().code, printNoMaster(settings_.url, found.error().message)});
                }
                sentinel_ = found->sentinel;
                auto url = settings_.url;
                url.host = found->host;
                url.port = found->port;
                dialTo(url);
            });
    }

    void dialTo(const RedisUrl& url)
    {
        master_ = bySentinels() ? "master " + printAddress(url.host, url.port) + ": " : "";
        attemptTimer_.arm(settings_.timeout, [this] {
            lost({ErrorCode::Unavailable, master_ + whyNotConnected()});
        });
        dialer_ = std::make_unique<StreamDialer>(loop_, url, [this](Result<ByteStream> stream) {
            dialer_.reset();
            if (stream) {
                enter(std::move(*stream));
            } else {
                lost({stream.error().code, master_ + stream.error().message});
            }
        });
    }

    std::string whyNotConnected() const
    {
        return dialer_ && dialer_->isInHandshake()
                   ? TlsError{TlsError::Kind::Silent}.print()
                   : "not connected within " + std::to_string(settings_.timeout.count()) + " ms";
    }

    /// The handshake travels as one write; Redis answers its commands in order.
    void enter(ByteStream stream)
    {
        CommandPipeline::Handlers handlers;
        handlers.broken = [this](std::string why) {
            if (hungUpOnPlainWords(why)) {
                why += " before it answered; does it want TLS (rediss://)?";
            }
            lost({ErrorCode::Unavailable, master_ + why});
        };
        handlers.pushed = [this](const Result<Reply>& reply) {
            if (isDemotion(reply)) {
                // Once whoever asked has been told; the sentinels know a better one.
                demotion_.arm(Millis{0}, [this] {
                    lost({ErrorCode::Unavailable, master_ + "is a replica now"});
                });
            }
            return tellSubscriber(reply);
        };
        pipeline_ = std::make_unique<CommandPipeline>(loop_, std::move(stream), settings_.timeout,
                                                      std::move(handlers));
        const auto& url = settings_.url;
        if (!url.user.empty()) {
            step({"AUTH", url.user, url.password}, Refusal::Fatal);
        } else if (!url.password.empty()) {
            step({"AUTH", url.password}, Refusal::Fatal);
        }
        if (url.database != 0) {
            step({"SELECT", std::to_string(url.database)}, Refusal::Fatal);
        }
        if (bySentinels()) {
            checkRole();
        }
        // Only a name in CLIENT LIST: a user that may not set it can still work.
        step({"CLIENT", "SETNAME", settings_.name}, Refusal::Ignored);
        subscribeAll();
    }

    /// A sentinel may not have heard yet that its master is none any more. Whoever may not ask does
    /// without: the first write will tell.
    void checkRole()
    {
        sendStep({"ROLE"}, [this](const Result<Reply>& reply) {
            const auto* word = reply ? reply->at(0).text() : nullptr;
            if (word != nullptr && *word != "master") {
                lost({ErrorCode::Unavailable, master_ + "is a replica"});
            }
        });
    }

    bool isDemotion(const Result<Reply>& reply) const
    {
        return isRefused(reply, "READONLY") && reply.error().code == ErrorCode::ReadOnly &&
               bySentinels();
    }

    /// What a port does that has TLS, if we do not speak it.
    bool hungUpOnPlainWords(std::string_view why) const
    {
        const auto& url = settings_.url;
        return !pipeline_->heard() && !url.tls && url.socketPath.empty() &&
               !why.starts_with("no answer");
    }

    /// PING tells whether we may speak at all. A Redis that refuses it because it is loading, busy
    /// or cannot write its disk is no reason to hang up: each command will be told so.
    void subscribeAll()
    {
        for (const auto& channel : channels_) {
            step({"SUBSCRIBE", channel}, Refusal::Fatal);
        }
        sendStep({"PING"}, [this](Result<Reply> reply) {
            if (isRefused(reply, "NOAUTH") && reply.error().code == ErrorCode::Denied) {
                return lost(reply.error());
            }
            becomeReady();
        });
    }

    void step(std::initializer_list<std::string> words, Refusal refusal)
    {
        sendStep(words, [this, refusal](Result<Reply> reply) {
            if (!reply && refusal == Refusal::Fatal) {
                lost(reply.error());
            }
        });
    }

    /// `answered` is called only while this connection and the pipeline that it was sent on live.
    void sendStep(std::initializer_list<std::string> words, Done<Reply> answered)
    {
        const Args args(words.begin(), words.end());
        pipeline_->send(args, [this, pipeline = pipeline_.get(), life = callbackGuard_.watch(),
                               answered = std::move(answered)](Result<Reply> reply) {
            if (!life.expired() && pipeline == pipeline_.get()) {
                answered(std::move(reply));
            }
        });
    }

    void becomeReady()
    {
        attemptTimer_.cancel();
        backOff_ = settings_.firstBackOff;
        ready_ = true;
        counted_.emplace();
        if (!lastFailure_.message.empty()) {
            log::info("redis", "{}: connected again", target_);
            lastFailure_ = {};
        }
        if (!channels_.empty()) {
            beat();
        }
        notifyReady(true);
    }

    void beat()
    {
        heartbeat_.arm(kHeartbeat, [this] {
            sendStep({"PING"}, [](const Result<Reply>&) {});
            beat();
        });
    }

    /// Answers what was in flight, and tries again after the back-off.
    void lost(const Error& why)
    {
        search_.reset();
        dialer_.reset();
        heartbeat_.cancel();
        demotion_.cancel();
        const auto pipeline = std::move(pipeline_);
        const bool wasReady = std::exchange(ready_, false);
        counted_.reset();
        if (wasReady) {
            lostConnections().add();
        }
        const std::string attempted = wasReady ? "" : "connect: ";
        const Error told{why.code, withTarget(attempted + why.message)};
        if (told.message != lastFailure_.message) {
            log::warning("redis", "{}", told.message);
        }
        lastFailure_ = told;
        attemptTimer_.arm(backOff_, [this] { dial(); });
        backOff_ = std::min(backOff_ * 2, settings_.longestBackOff);

        const auto life = callbackGuard_.watch();
        if (pipeline) {
            answerAll(pipeline->abandon(), {ErrorCode::Unavailable, told.message});
        }
        if (wasReady && !life.expired()) {
            notifyReady(false);
        }
    }

    bool tellSubscriber(const Result<Reply>& reply) const
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
    std::optional<CountedAsReady> counted_;
    Error lastFailure_;
    std::vector<std::string> channels_;
    MessageHandler onMessage_;
    std::size_t sentinel_ = 0;  // whom to ask first: who knew it last
    std::string master_;        // begins what is told of it; empty without sentinels
    std::unique_ptr<SentinelResolver> search_;
    std::unique_ptr<StreamDialer> dialer_;
    std::unique_ptr<CommandPipeline> pipeline_;
    Timer attemptTimer_;  // the attempt's time-out, then the wait for the next one
    Timer heartbeat_;
    Timer demotion_;
};

std::unique_ptr<ConnectionImpl> implOf(EventLoop& loop, Connection::Settings settings)
{
    if (settings.url.nodes.empty()) {
        return std::make_unique<ServerConnection>(loop, std::move(settings));
    }
    return makeClusterConnection(loop, std::move(settings));
}

/// As people know it: without the files of TLS.
std::string targetOf(RedisUrl url)
{
    if (url.tls) {
        url.tls = RedisUrl::Tls{};
    }
    return url.print();
}

}  // namespace

ConnectionImpl::ConnectionImpl(EventLoop& loop, Connection::Settings settings)
    : loop_(loop),
      settings_(std::move(settings)),
      target_(targetOf(settings_.url)),
      rejection_(loop)
{
}

std::string ConnectionImpl::withTarget(std::string_view what) const
{
    return fmt::format("redis {}: {}", target_, what);
}

void ConnectionImpl::reject(Done<Reply> done, Error why)
{
    rejected_.emplace_back(std::move(done), std::move(why));
    if (!rejection_.armed()) {
        rejection_.arm(Millis{0}, [this] { answerRejected(); });
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
    : impl_(implOf(loop, std::move(settings)))
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

std::size_t Connection::inFlight() const noexcept
{
    return impl_->inFlight();
}

}  // namespace restante::redis
