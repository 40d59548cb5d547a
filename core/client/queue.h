#pragma once

#include "core/base/result.h"
#include "core/queue/delay_queue.h"

#include <atomic>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace restante {

class QueueThread;
class QueueWithColdJobs;
struct ColdJobsContext;

/// Opens what a store has besides Redis: jobs that are due in a long while, in its journal alone
/// (`queue.hot_horizon`). journal::coldJobsIn() makes one, in a library of its own, because it
/// needs the clients of the databases (core/journal/client/journal_queue.h).
using ColdJobsOpener =
    std::function<Result<std::unique_ptr<QueueWithColdJobs>>(const ColdJobsContext&)>;

/// What is to become of a job after its handler. Handlers may return other types, too: see
/// handlerOf().
struct Verdict {
    enum class Kind {
        Done,   ///< finished; kept only with Settings::retentionDone
        Retry,  ///< the next interval of the job's schedule; dead when there is none
        Dead,   ///< no attempt can help: dead at once, with the reason
    };
    Kind kind = Kind::Done;
    std::string error = {};  ///< becomes last_error, or the reason of death
    Millis notBefore{0};     ///< Retry: the next attempt is at least so far away

    static Verdict done() { return {}; }
    static Verdict retry(std::string error, Millis notBefore = Millis{0})
    {
        return {Kind::Retry, std::move(error), notBefore};
    }
    static Verdict dead(std::string reason) { return {Kind::Dead, std::move(reason), Millis{0}}; }
};

/// A job that a handler works on, valid while the handler runs. *Any thread.*
class Delivery {
public:
    /// Borrows its arguments; other threads set the flags.
    Delivery(const ClaimedJob& claimed,
             const std::atomic<bool>& leaseLost,
             const std::atomic<bool>& stopping)
        : claimed_(claimed),
          leaseLost_(leaseLost),
          stopping_(stopping)
    {
    }

    const Job& job() const noexcept { return claimed_.job; }
    const std::string& id() const noexcept { return claimed_.job.id; }
    const std::string& topic() const noexcept { return claimed_.job.topic; }
    const std::string& body() const noexcept { return claimed_.job.body; }
    /// 1 for the first; never the same twice for one job that failed.
    std::uint32_t attempt() const noexcept { return claimed_.attempt; }
    TimePoint due() const noexcept { return claimed_.due; }
    /// Somebody took the job away (deleted it, or the lease lapsed while Redis could not be
    /// reached): whatever the handler returns is not recorded, and another one may be at it.
    bool leaseLost() const { return leaseLost_; }
    /// The consumer is being stopped: a long handler may want to end and ask for a retry.
    bool stopping() const { return stopping_; }

private:
    const ClaimedJob& claimed_;
    const std::atomic<bool>& leaseLost_;
    const std::atomic<bool>& stopping_;
};

using Handler = std::function<Verdict(const Delivery&)>;

/// Makes a handler from a function, by its return type: void = done; bool = done or retry;
/// Result<T> = done, or retry with the error's message; Verdict = as it says.
template <class Function>
requires std::invocable<Function&, const Delivery&> Handler handlerOf(Function function)
{
    using Answer = std::invoke_result_t<Function&, const Delivery&>;
    return [function = std::move(function)](const Delivery& delivery) mutable -> Verdict {
        if constexpr (std::is_void_v<Answer>) {
            function(delivery);
            return Verdict::done();
        } else if constexpr (std::is_same_v<Answer, bool>) {
            return function(delivery) ? Verdict::done() : Verdict::retry("the handler said no");
        } else if constexpr (std::is_convertible_v<Answer, Verdict>) {
            return function(delivery);
        } else {
            const auto answer = function(delivery);
            return answer ? Verdict::done() : Verdict::retry(answer.error().message);
        }
    };
}

struct ConsumerOptions {
    std::uint32_t concurrency = 1;  ///< threads that handle jobs, 1 - 1,024
    Channel channel = Channel::Pull;
};

/// A running consumer, until stop() or its end. *Any thread*, but not from a handler.
class Consumer {
public:
    Consumer(Consumer&&) noexcept;
    Consumer& operator=(Consumer&&) noexcept;
    /// Stops, and waits until every handler has returned and (up to 5 s) is recorded.
    ~Consumer();

    /// From now on no job is begun; one that was claimed and not begun goes back at once,
    /// uncounted. Waits until every running handler has returned and what became of its job is
    /// stored, or `timeout` is over; true when nothing is left. Leases are extended while handlers
    /// run.
    bool stop(Millis timeout);

private:
    friend class Queue;
    struct Parts;
    explicit Consumer(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

/// A delay queue in Redis for a program of your own: a thread with a loop and connections of its
/// own behind calls that any thread may make. Lost connections come back by themselves; a call that
/// is made meanwhile answers Unavailable. *Any thread.*
class Queue {
public:
    struct Settings {
        std::string redis = "redis://127.0.0.1:6379";  ///< or unix:///path/redis.sock
        std::string prefix = "rst";                    ///< `redis.prefix` of the daemons beside it
        std::uint32_t shards = 0;                      ///< 0 = as the store has them, else 1
        std::uint32_t attempts = 0;                    ///< `limits.attempts`
        Millis retentionDone{0};                       ///< `retention.done`
        std::string name = "restante-client";          ///< what CLIENT LIST shows
        /// Give lapsed leases back and bury what has expired. Harmless beside daemons that do it,
        /// necessary without.
        bool upkeep = true;
        /// Without it a store that has cold jobs takes no push with an id of the caller's own: a
        /// cold job may have it.
        ColdJobsOpener coldJobs = {};
    };

    /// Waits until Redis is reached and fit to keep jobs; the error says what is wrong and what to
    /// do, after 5 s when Redis cannot be reached.
    static Result<Queue> connect(const std::string& redisUrl)
    {
        return connect(Settings{.redis = redisUrl});
    }
    static Result<Queue> connect(Settings settings);
    /// To the store of a daemon, as its configuration file says (redis, shards, limits).
    static Result<Queue> connectByConfig(const std::filesystem::path& daemonConfig,
                                         ColdJobsOpener coldJobs = {});

    Queue(Queue&&) noexcept;
    Queue& operator=(Queue&&) noexcept;
    /// Waits for the pushes that are under way. Consumers go on; the last of them ends the thread.
    ~Queue();

    /// Stored once the future says so; a failure that isTemporary() may be repeated with the same
    /// id. Invalid names the field.
    std::future<Result<PushOutcome>> push(PushOptions push);
    /// The same for a job that is due after `delay`.
    std::future<Result<PushOutcome>> push(Job job, Millis delay = Millis{0})
    {
        return push({.job = std::move(job), .delay = delay});
    }

    /// Calls `handler` for each job of the topic that is due, on `concurrency` threads of the
    /// consumer's own: it must be safe to call at the same time. No more jobs are claimed than
    /// threads are free. An exception is a retry with its text. Throws std::invalid_argument for
    /// what cannot be consumed: no topic, one that no job may have, or a concurrency of 0 or of
    /// more than 1,024; and std::system_error when the system has no threads left.
    template <class Function>
    Consumer consume(std::string topic, Function handler, ConsumerOptions options = {})
    {
        return start({std::move(topic)}, handlerOf(std::move(handler)), options);
    }
    /// Several topics in one: by priority, then due, across all of them.
    template <class Function>
    Consumer
    consume(std::vector<std::string> topics, Function handler, ConsumerOptions options = {})
    {
        return start(std::move(topics), handlerOf(std::move(handler)), options);
    }

    /// Everything else: runs `task` on the queue's own thread. It must not block. What it throws is
    /// logged; what it is answered by later (`Done`) must not throw.
    void post(std::function<void(DelayQueue&)> task);

private:
    explicit Queue(std::shared_ptr<QueueThread> thread);
    Consumer start(std::vector<std::string> topics, Handler handler, ConsumerOptions options);

    std::shared_ptr<QueueThread> thread_;  ///< shared with its consumers
};

}  // namespace restante
