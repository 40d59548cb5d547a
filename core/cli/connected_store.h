#pragma once

#include "core/base/await.h"
#include "core/base/epoll_loop.h"
#include "core/base/result.h"
#include "core/config/config.h"
#include "core/journal/sql/journal_url.h"
#include "core/queue/delay_queue.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/disciplined_clock.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/redis_job_store.h"
#include "core/redis/store/store_activity.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace restante::journal {
class StoreWithColdJobs;
}

namespace restante::cli {

struct Options;

/// How long a command waits for one answer: longer than the connection's own time-out, so that the
/// connection's reason is what the user reads.
constexpr Millis kTimeout{10'000};

/// The store of one command: a loop, a connection and the objects that use them. *One loop.*
class ConnectedStore {
public:
    /// Connects to the Redis that `config` names (the embedded one: to its socket). The error says
    /// where it looked and what to do; a store of another schema is refused.
    static Result<std::unique_ptr<ConnectedStore>> open(const Config& config);
    ConnectedStore(const ConnectedStore&) = delete;
    ConnectedStore& operator=(const ConnectedStore&) = delete;
    ~ConnectedStore();

    /// To be called before new jobs are stored: checks whether this Redis is suitable, as the
    /// daemon does, and marks it as a store.
    Result<void> prepare();

    /// To be called once, before the store is used: makes the store include its cold jobs, which
    /// are in the journal's database alone, if it has any. If that cannot be read, Redis alone is
    /// used, and the user is warned before anything is looked up in part of the store.
    void openColdJobs(const Options& options);
    /// Unavailable when there may be cold jobs that cannot be read. For what must not be done with
    /// a part of the store: an export, or a push with an id that a cold job may have.
    Result<void> checkComplete() const;

    DelayQueue& queue() noexcept;
    JobStore& jobStore() noexcept;
    JobInspector& inspector();
    /// The horizon beyond which jobs are cold; none = no job of the store is, or Redis did not say
    /// (takeColdProblem()).
    std::optional<Millis> hotHorizon() const noexcept { return hotHorizon_; }
    /// Why the cold jobs cannot be read, and what to do; empty = they can, or there are none. The
    /// caller tells the user, who is not warned any more.
    std::string takeColdProblem();
    /// Warns the user, once, if there may be cold jobs that cannot be read; inspector() does it,
    /// too.
    void warnOfHiddenJobs();
    redis::StoreActivityReader& activityReader() noexcept { return *activityReader_; }
    TimePoint now() const noexcept { return clock_.now(); }
    const Clock& clock() const noexcept { return clock_; }
    redis::Connection& connection() noexcept { return connection_; }
    /// The configuration as it was read.
    const Config& config() const noexcept { return config_; }
    const redis::RedisUrl& redis() const noexcept { return url_; }
    /// The store's number of shards, whatever the configuration says.
    std::uint32_t shards() const noexcept { return shards_; }
    /// Nobody had used the store when it was opened: prepare() gives it the shards of the
    /// configuration.
    bool isNew() const noexcept { return isNew_; }
    EpollLoop& loop() noexcept { return loop_; }

    /// Warns the user if, by the configuration that was read, nobody would deliver a job of that
    /// channel.
    void warnIfNobodyDelivers(Channel channel) const;

    /// "user@host": who did it, for the event stream.
    static std::string actor();

    /// Makes one call and turns the loop until it is answered.
    template <class T>
    Result<T> await(const std::function<void(Done<T>)>& call, Millis timeout = kTimeout)
    {
        return restante::await<T>(loop_, timeout, call);
    }

    /// The inspector's answer to `question`, with or without an argument.
    template <class T, class About>
    Result<T> ask(void (JobInspector::*question)(About, Done<T>), std::type_identity_t<About> about)
    {
        return await<T>(
            [&](Done<T> done) { (inspector().*question)(std::move(about), std::move(done)); });
    }
    template <class T>
    Result<T> ask(void (JobInspector::*question)(Done<T>))
    {
        return await<T>([&](Done<T> done) { (inspector().*question)(std::move(done)); });
    }

    /// Makes all the calls at once, so that they travel together; the answers in their order.
    std::vector<Result<void>> awaitAll(std::size_t count,
                                       const std::function<void(std::size_t, Done<void>)>& call);

    /// Sends a raw command for which the store has no function, such as INFO.
    Result<redis::Reply> command(const redis::Connection::Args& args)
    {
        return await<redis::Reply>([&](auto done) { connection_.command(args, std::move(done)); });
    }

private:
    explicit ConnectedStore(redis::RedisUrl url);
    void build(const Config& config, std::uint32_t shards);
    DelayQueue::Settings queueSettings() const;
    Result<void> openStoreWithColdJobs(const Options& options);
    Result<void> checkJournal(const journal::JournalUrl& url);

    redis::RedisUrl url_;
    Config config_;
    std::uint32_t shards_ = 1;
    bool isNew_ = false;
    EpollLoop loop_;
    redis::Connection connection_;
    redis::DisciplinedClock clock_;
    std::optional<redis::RedisJobStore> store_;
    std::optional<redis::RedisJobInspector> inspector_;
    std::optional<redis::StoreActivityReader> activityReader_;
    std::optional<DelayQueue> queue_;
    std::optional<Millis> hotHorizon_;
    std::string coldProblem_;
    bool hasWarned_ = false;
    std::unique_ptr<journal::StoreWithColdJobs>
        storeWithColdJobs_;  ///< null when no job is cold, or none can be read
};

/// The journal of the store, by the configuration that was read. Invalid when the configuration
/// does not name it, NotFound when there is none.
Result<journal::JournalUrl> journalOf(const ConnectedStore& store, const Options& options);

}  // namespace restante::cli
