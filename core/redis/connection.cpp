#include "core/redis/connection.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/redis/dialer.h"
#include "core/redis/link.h"

#include <algorithm>
#include <cassert>
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

tl::unexpected<Error> refused(const Error& why)
{
    return tl::unexpected<Error>(why);
}

void answerAll(const std::vector<Done<Reply>>& callers, const Error& why)
{
    for (const auto& done : callers) {
        done(refused(why));
    }
}

}  // namespace

class Connection::Impl {
public:
    Impl(EventLoop& loop, Settings settings)
        : loop_(loop),
          settings_(std::move(settings)),
          target_(settings_.url.print()),
          backOff_(settings_.firstBackOff),
          pace_(loop),
          heartbeat_(loop),
          rejection_(loop)
    {
        lostConnections();  // 0 is told, too
        dial();
    }

    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    ~Impl()
    {
        life_.reset();
        const Error why{ErrorCode::Unavailable, "redis " + target_ + ": connection closed"};
        if (auto link = std::move(link_)) {
            answerAll(link->abandon(), why);
        }
        while (!rejected_.empty()) {
            answerRejected();
        }
    }

    void command(const Args& args, Done<Reply> done)
    {
        assert(channels_.empty() && "a connection that subscribes takes no other commands");
        if (ready_) {
            link_->send(args, std::move(done));
            return;
        }
        rejected_.push_back({std::move(done), whyNotReady()});
        if (!rejection_.armed()) {
            rejection_.arm(Millis{0}, [this] { answerRejected(); });
        }
    }

    void subscribe(std::vector<std::string> channels, MessageHandler handler)
    {
        assert(channels_.empty() && "subscribe() is called once");
        channels_ = std::move(channels);
        onMessage_ = std::move(handler);
        // Also when the handshake is still on its way: it was sent without the channels.
        if (link_) {
            ready_ = false;
            subscribeAll();
        }
    }

    void onReady(std::function<void(bool)> handler) { onReady_.push_back(std::move(handler)); }
    bool ready() const noexcept { return ready_; }
    std::string lastFailure() const { return ready_ ? "" : lastFailure_.message; }
    std::size_t inFlight() const noexcept { return link_ ? link_->inFlight() : 0; }

private:
    struct Rejected {
        Done<Reply> done;
        Error why;
    };
    enum class Refusal { Fatal, Ignored };

    Error whyNotReady() const
    {
        if (lastFailure_.message.empty()) {
            return {ErrorCode::Unavailable, "redis " + target_ + ": not connected yet"};
        }
        // Whatever keeps us out, nothing was stored and a later attempt may succeed.
        const auto code = lastFailure_.code;
        return {isTemporary(code) ? code : ErrorCode::Unavailable, lastFailure_.message};
    }

    void answerRejected()
    {
        const auto rejected = std::exchange(rejected_, {});
        for (const auto& one : rejected) {
            one.done(refused(one.why));
        }
    }

    void dial()
    {
        pace_.arm(settings_.timeout, [this] {
            const auto limit = std::to_string(settings_.timeout.count());
            lost({ErrorCode::Unavailable, "not connected within " + limit + " ms"});
        });
        dialer_ =
            std::make_unique<Dialer>(loop_, settings_.url, [this](Result<FileDescriptor> socket) {
                dialer_.reset();
                if (socket) {
                    enter(std::move(*socket));
                } else {
                    lost(socket.error());
                }
            });
    }

    /// The handshake travels as one write; Redis answers its commands in order.
    void enter(FileDescriptor socket)
    {
        Link::Handlers handlers;
        handlers.broken = [this](std::string why) {
            lost({ErrorCode::Unavailable, std::move(why)});
        };
        handlers.pushed = [this](const Result<Reply>& reply) { return tellSubscriber(reply); };
        link_ = std::make_unique<Link>(loop_, std::move(socket), settings_.timeout,
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
        // Only a name in CLIENT LIST: a user that may not set it can still work.
        step({"CLIENT", "SETNAME", settings_.name}, Refusal::Ignored);
        subscribeAll();
    }

    void subscribeAll()
    {
        for (const auto& channel : channels_) {
            step({"SUBSCRIBE", channel}, Refusal::Fatal);
        }
        entered();
    }

    /// PING tells whether we may speak at all. A Redis that refuses it because it is loading, busy
    /// or cannot write its disk is no reason to hang up: each command will be told so.
    void entered()
    {
        sendStep({"PING"}, [this](Result<Reply> reply) {
            if (!reply && reply.error().code == ErrorCode::Denied &&
                reply.error().message.starts_with("NOAUTH")) {
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

    /// `answered` is called only while this connection and the link that it was sent on live.
    void sendStep(std::initializer_list<std::string> words, Done<Reply> answered)
    {
        const Args args(words.begin(), words.end());
        link_->send(args, [this, link = link_.get(), life = std::weak_ptr(life_),
                           answered = std::move(answered)](Result<Reply> reply) {
            if (!life.expired() && link == link_.get()) {
                answered(std::move(reply));
            }
        });
    }

    void becomeReady()
    {
        pace_.cancel();
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
        tellReady(true);
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
        dialer_.reset();
        heartbeat_.cancel();
        const auto link = std::move(link_);
        const bool wasReady = std::exchange(ready_, false);
        counted_.reset();
        if (wasReady) {
            lostConnections().add();
        }
        const std::string attempted = wasReady ? "" : "connect: ";
        const Error told{why.code, "redis " + target_ + ": " + attempted + why.message};
        if (told.message != lastFailure_.message) {
            log::warning("redis", "{}", told.message);
        }
        lastFailure_ = told;
        pace_.arm(backOff_, [this] { dial(); });
        backOff_ = std::min(backOff_ * 2, settings_.longestBackOff);

        const std::weak_ptr life = life_;
        if (link) {
            answerAll(link->abandon(), {ErrorCode::Unavailable, told.message});
        }
        if (wasReady && !life.expired()) {
            tellReady(false);
        }
    }

    void tellReady(bool ready)
    {
        const std::weak_ptr life = life_;
        const auto handlers = onReady_;
        for (const auto& handler : handlers) {
            if (life.expired()) {
                return;
            }
            handler(ready);
        }
    }

    bool tellSubscriber(const Result<Reply>& reply) const
    {
        const auto* parts = reply && !channels_.empty() ? reply->array() : nullptr;
        if (parts == nullptr || parts->size() != 3) {
            return false;
        }
        const auto* kind = (*parts)[0].text();
        const auto* channel = (*parts)[1].text();
        const auto* payload = (*parts)[2].text();
        if (kind == nullptr || *kind != "message" || channel == nullptr || payload == nullptr) {
            return false;
        }
        const auto handler = onMessage_;  // it may destroy this
        handler(*channel, *payload);
        return true;
    }

    EventLoop& loop_;
    const Settings settings_;
    const std::string target_;
    Millis backOff_;
    bool ready_ = false;
    std::optional<CountedAsReady> counted_;
    Error lastFailure_;
    std::vector<std::function<void(bool)>> onReady_;
    std::vector<std::string> channels_;
    MessageHandler onMessage_;
    std::vector<Rejected> rejected_;
    std::unique_ptr<Dialer> dialer_;
    std::unique_ptr<Link> link_;
    Timer pace_;  // the attempt's time-out, then the wait for the next one
    Timer heartbeat_;
    Timer rejection_;
    /// Expires with this, so that a method sees that a callback has destroyed it.
    std::shared_ptr<const void> life_ = std::make_shared<char>();
};

Connection::Connection(EventLoop& loop, Settings settings)
    : impl_(std::make_unique<Impl>(loop, std::move(settings)))
{
}

Connection::~Connection() = default;

void Connection::command(const Args& args, Done<Reply> done)
{
    impl_->command(args, std::move(done));
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

std::string Connection::lastFailure() const
{
    return impl_->lastFailure();
}

std::size_t Connection::inFlight() const noexcept
{
    return impl_->inFlight();
}

}  // namespace restante::redis
