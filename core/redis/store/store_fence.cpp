#include "core/redis/store/store_fence.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace restante::redis {

namespace {

/// While all is well: whoever has nothing to do, and /readyz, notice within that time.
constexpr Millis kLook{1'000};
/// While something is not.
constexpr Millis kLookAgain{50};

/// What is told of a shard that is not served.
std::string describe(std::string_view phase, const std::string& done, const std::string& of)
{
    const auto progress = of == "0" ? std::string() : fmt::format(" ({} of {} jobs)", done, of);
    if (phase == "lost") {
        return "Redis has lost the store; it is being brought back from the journal" + progress;
    }
    if (phase == "rolled_back") {
        return "Redis has lost its newest writes; they are being brought back from the journal" +
               progress;
    }
    if (phase == "foreign") {
        return "the journal belongs to another store than this Redis; see the log of the daemon";
    }
    return "the store is being compared with its journal";
}

}  // namespace

class StoreFence::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(EventLoop& loop, Connection& connection, const Clock& clock, Settings settings)
        : loop_(loop),
          connection_(connection),
          reports_(settings.reports),
          look_(loop)
    {
        for (std::uint32_t shard = 0; shard < settings.shards; ++shard) {
            auto& its = shards_.emplace_back();
            its.prefix = shardPrefix(settings.prefix, shard);
            its.scripts = std::make_unique<ScriptQueue>(
                loop, connection, clock, ScriptQueue::Settings{.shardPrefix = its.prefix});
        }
    }

    void start()
    {
        connection_.onReady([weak = weak_from_this()](bool ready) {
            if (auto self = weak.lock()) {
                self->connectionChanged(ready);
            }
        });
        if (connection_.ready()) {
            askAll();
        }
        arm();
    }

    const auto& shard(std::uint32_t number) const { return shards_[number]; }
    const auto& shards() const { return shards_; }

    void refused(std::uint32_t number)
    {
        change(number, State::Closed, {});
        ask(number);
    }

    void onChange(std::function<void()> handler) { handlers_.push_back(std::move(handler)); }

private:
    struct Shard {
        std::string prefix;
        std::unique_ptr<ScriptQueue> scripts;  ///< unfenced
        State state = State::Unknown;
        std::string key;
        std::string why = "the store has not been asked yet";
        bool asking = false;
    };

    void connectionChanged(bool ready)
    {
        for (std::uint32_t number = 0; number < shards_.size(); ++number) {
            change(number, State::Unknown, {});
            // An answer that is still on its way is one of the connection before.
            shards_[number].asking = false;
        }
        ++epoch_;
        if (ready) {
            askAll();
        }
        tell();  // whoever waits for an answer that will not come
    }

    void arm()
    {
        const bool open = std::all_of(shards_.begin(), shards_.end(),
                                      [](const Shard& one) { return one.state == State::Open; });
        look_.arm(open ? kLook : kLookAgain, [this] {
            if (connection_.ready()) {
                askAll();
            }
            arm();
        });
    }

    void askAll()
    {
        for (std::uint32_t number = 0; number < shards_.size(); ++number) {
            ask(number);
        }
    }

    void ask(std::uint32_t number)
    {
        auto& its = shards_[number];
        if (std::exchange(its.asking, true)) {
            return;
        }
        its.scripts->add(
            script("serving"), {}, {""},
            [weak = weak_from_this(), number, epoch = epoch_](const Result<Reply>& reply) {
                if (auto self = weak.lock(); self && self->epoch_ == epoch) {
                    self->answered(number, reply);
                }
            });
    }

    void answered(std::uint32_t number, const Result<Reply>& reply)
    {
        auto& its = shards_[number];
        its.asking = false;
        if (!reply) {
            its.why = reply.error().message;
            return change(number, State::Unknown, {});
        }
        if (const auto* token = reply->text()) {
            return change(number, State::Open, its.prefix + "serving:" + *token);
        }
        const auto* told = reply->array();
        const auto word = [told](std::size_t n) {
            const auto* text = told != nullptr && told->size() == 4 ? (*told)[n].text() : nullptr;
            return text != nullptr ? *text : std::string();
        };
        its.why = describe(word(1), word(2), word(3));
        change(number, State::Closed, {});
    }

    void change(std::uint32_t number, State state, std::string key)
    {
        auto& its = shards_[number];
        if (its.state == state && its.key == key) {
            return;
        }
        const auto before = std::exchange(its.state, state);
        its.key = std::move(key);
        metrics::gauge("restante_store_serving", {std::to_string(number)})
            .set(state == State::Open ? 1 : 0);
        if (reports_ && state == State::Closed) {
            log::warning("redis", "shard {} is not served: {}", number, its.why);
        } else if (reports_ && state == State::Open && before == State::Closed) {
            log::info("redis", "shard {} is served again", number);
        }
        arm();
        tell();
    }

    void tell()
    {
        if (std::exchange(telling_, true)) {
            return;
        }
        loop_.post([weak = weak_from_this()] {
            if (auto self = weak.lock()) {
                self->telling_ = false;
                for (const auto& handler : self->handlers_) {
                    handler();
                }
            }
        });
    }

    EventLoop& loop_;
    Connection& connection_;
    bool reports_;
    Timer look_;
    std::vector<Shard> shards_;
    std::vector<std::function<void()>> handlers_;
    std::uint64_t epoch_ = 0;  ///< of the connection
    bool telling_ = false;
};

StoreFence::StoreFence(EventLoop& loop,
                       Connection& connection,
                       const Clock& clock,
                       Settings settings)
    : impl_(std::make_shared<Impl>(loop, connection, clock, std::move(settings)))
{
    impl_->start();
}

StoreFence::~StoreFence() = default;

StoreFence::State StoreFence::state(std::uint32_t shard) const
{
    return impl_->shard(shard).state;
}

const std::string& StoreFence::key(std::uint32_t shard) const
{
    return impl_->shard(shard).key;
}

bool StoreFence::allOpen() const
{
    const auto& shards = impl_->shards();
    return std::all_of(shards.begin(), shards.end(),
                       [](const auto& one) { return one.state == State::Open; });
}

Result<void> StoreFence::health() const
{
    for (const auto& one : impl_->shards()) {
        if (one.state != State::Open) {
            return failure(ErrorCode::Unavailable, one.why);
        }
    }
    return {};
}

Error StoreFence::closedError(std::uint32_t shard) const
{
    return {ErrorCode::Unavailable, impl_->shard(shard).why + "; try again later"};
}

void StoreFence::refused(std::uint32_t shard)
{
    impl_->refused(shard);
}

void StoreFence::onChange(std::function<void()> handler)
{
    impl_->onChange(std::move(handler));
}

}  // namespace restante::redis
