#pragma once

#include "core/base/epoll_loop.h"
#include "core/base/result.h"
#include "core/config/config.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/store/store_activity.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::cli {

/// How long a command waits for one answer: longer than the connection's own time-out, so that the
/// connection's reason is what the user reads.
constexpr Millis kTimeout{10'000};

/// The store of one command line: a loop, a connection and what works on them. *One loop.*
class Session {
public:
    /// Connects to the Redis that `config` names (the embedded one: to its socket). The error says
    /// where it looked and what to do; a store of another schema is refused.
    static Result<std::unique_ptr<Session>> open(const Config& config);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    /// Before new jobs are stored: whether this Redis is fit to keep them, and that the store is
    /// known to be one from now on. The same check as the daemon's.
    Result<void> claim();

    DelayQueue& queue() noexcept;
    JobStore& store() noexcept;
    JobInspector& inspector() noexcept;
    redis::StoreActivityReader& watch() noexcept;
    TimePoint now() const noexcept;
    const Clock& clock() const noexcept;
    /// For what the store has no word for, such as INFO.
    redis::Connection& connection() noexcept;
    /// Tells the user when, by the configuration that was read, a job of that channel would lie
    /// there undelivered.
    void warnIfNobodyDelivers(Channel channel) const;
    /// As it was read.
    const Config& config() const noexcept;
    const redis::RedisUrl& redis() const noexcept;
    std::uint32_t shards() const noexcept;  ///< of the store, whatever the configuration says
    /// Nobody had used the store when it was opened: claim() gives it the shards of the
    /// configuration.
    bool isNew() const noexcept;
    EpollLoop& loop() noexcept;

    /// "user@host": who did it, for the event stream.
    static std::string actor();

    /// Makes one call and turns the loop until it is answered.
    template <class T>
    Result<T> await(const std::function<void(Done<T>)>& call, Millis timeout = kTimeout)
    {
        // Shared with the callback, which may come after the timeout.
        auto answer = std::make_shared<std::optional<Result<T>>>();
        call([answer](Result<T> result) { *answer = std::move(result); });
        if (!loop().runUntil([&] { return answer->has_value(); }, timeout)) {
            return failure(ErrorCode::Unavailable, "no answer in time");
        }
        return std::move(**answer);
    }

    /// Makes all the calls at once, so that they travel together; the answers in their order.
    std::vector<Result<void>> awaitAll(std::size_t count,
                                       const std::function<void(std::size_t, Done<void>)>& call);

private:
    struct Parts;
    explicit Session(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

}  // namespace restante::cli
