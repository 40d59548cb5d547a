#include "tests/bench/queue_load.h"

#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/disciplined_clock.h"
#include "core/redis/store/redis_job_store.h"
#include "core/schedule/due_watcher.h"
#include "tests/bench/elapsed.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>

namespace restante::bench {

namespace {

constexpr Millis kWorkTimeout{120'000};

template <class T>
void expect(const Result<T>& result)
{
    if (!result) {
        throw std::runtime_error("bench: " + result.error().message);
    }
}

PushOptions pushOptions(std::size_t bodyBytes)
{
    PushOptions options;
    options.job.topic = "bench";
    options.job.body.assign(bodyBytes, 'x');
    return options;
}

/// One of the callers that push at once: sends its next array when the last is stored.
class Pusher {
public:
    Pusher(DelayQueue& queue,
           std::uint32_t& left,
           std::uint32_t& stored,
           std::uint32_t batch,
           PushOptions options)
        : queue_(queue),
          left_(left),
          stored_(stored),
          batch_(batch),
          options_(std::move(options))
    {
    }

    void next()
    {
        const auto count = std::min(batch_, left_);
        left_ -= count;
        waiting_ = count;
        for (std::uint32_t i = 0; i < count; ++i) {
            queue_.push(PushOptions(options_), [this](const Result<PushOutcome>& outcome) {
                expect(outcome);
                ++stored_;
                if (--waiting_ == 0 && left_ > 0) {
                    next();
                }
            });
        }
    }

private:
    DelayQueue& queue_;
    std::uint32_t& left_;
    std::uint32_t& stored_;
    std::uint32_t batch_;
    PushOptions options_;
    std::uint32_t waiting_ = 0;
};

/// One of the consumers: claims, finishes all, claims again until `jobs` are finished by all.
class Consumer {
public:
    struct Shared {
        std::uint32_t jobs = 0;
        std::uint32_t finished = 0;
        std::uint32_t idle = 0;  ///< consumers that have stopped
    };

    Consumer(DelayQueue& queue, Shared& shared, std::uint32_t batch)
        : queue_(queue),
          shared_(shared),
          batch_(batch)
    {
    }

    void next()
    {
        if (shared_.finished == shared_.jobs) {
            ++shared_.idle;
            return;
        }
        queue_.claim({Channel::Pull, {"bench"}, batch_},
                     [this](Result<std::vector<ClaimedJob>> jobs) {
                         expect(jobs);
                         waiting_ = static_cast<std::uint32_t>(jobs->size());
                         for (const ClaimedJob& job : *jobs) {
                             finish(job);
                         }
                         if (waiting_ == 0) {
                             next();
                         }
                     });
    }

private:
    void finish(const ClaimedJob& job)
    {
        queue_.finish(leaseOf(job), [this](const Result<void>& done) {
            expect(done);
            ++shared_.finished;
            if (--waiting_ == 0) {
                next();
            }
        });
    }

    DelayQueue& queue_;
    Shared& shared_;
    std::uint32_t batch_;
    std::uint32_t waiting_ = 0;
};

}  // namespace

struct QueueLoad::Parts {
    explicit Parts(const std::string& redisSocket)
        : connection(loop, settingsFor(redisSocket)),
          wakeUps(loop, settingsFor(redisSocket)),
          clock(loop, connection),
          store(loop, connection, &wakeUps, clock, {}),
          queue(store, clock, {})
    {
    }

    void runUntil(const std::function<bool()>& reached)
    {
        if (!loop.runUntil(reached, kWorkTimeout)) {
            throw std::runtime_error(
                "bench: the queue did not get through its work in two minutes");
        }
    }
    /// `callers` at once, each pushing arrays of `batch` jobs like `options` one after the other.
    void push(std::uint32_t jobs,
              std::uint32_t batch,
              std::uint32_t callers,
              const PushOptions& options);
    void claimDue(const std::function<void()>& settled);

    EpollLoop loop;
    redis::Connection connection;
    redis::Connection wakeUps;
    redis::DisciplinedClock clock;
    redis::RedisJobStore store;
    DelayQueue queue;
    std::vector<double> late;
    std::uint32_t unanswered = 0;  ///< of the calls of claimDue()

private:
    static redis::Connection::Settings settingsFor(const std::string& redisSocket)
    {
        redis::Connection::Settings settings;
        settings.url.socketPath = redisSocket;
        settings.timeout = Millis{10'000};  // the load fills the pipeline on purpose
        return settings;
    }
};

QueueLoad::QueueLoad(const std::string& redisSocket) : parts_(std::make_unique<Parts>(redisSocket))
{
    parts_->runUntil([this] { return parts_->clock.disciplined(); });
}

QueueLoad::~QueueLoad() = default;

void QueueLoad::Parts::push(std::uint32_t jobs,
                            std::uint32_t batch,
                            std::uint32_t callers,
                            const PushOptions& options)
{
    std::uint32_t left = jobs;
    std::uint32_t stored = 0;
    std::vector<std::unique_ptr<Pusher>> pushers;
    for (std::uint32_t i = 0; i < callers; ++i) {
        pushers.push_back(std::make_unique<Pusher>(queue, left, stored, batch, options));
        pushers.back()->next();
    }
    runUntil([&] { return stored == jobs; });
}

double QueueLoad::push(std::uint32_t jobs,
                       std::uint32_t batch,
                       std::uint32_t callers,
                       std::size_t bodyBytes)
{
    const auto start = SteadyClock::now();
    parts_->push(jobs, batch, callers, pushOptions(bodyBytes));
    return rateSince(start, jobs);
}

void QueueLoad::addPending(std::uint32_t jobs, std::size_t bodyBytes)
{
    PushOptions options = pushOptions(bodyBytes);
    options.job.topic = "pending";
    options.at = parts_->clock.now() + std::chrono::hours(24);
    // Each step has a time limit of its own.
    constexpr std::uint32_t kStep = 1'000'000;
    for (std::uint32_t done = 0; done < jobs; done += kStep) {
        parts_->push(std::min(kStep, jobs - done), 100, 4, options);
    }
}

double QueueLoad::claimAndFinish(std::uint32_t jobs, std::uint32_t batch, std::uint32_t callers)
{
    Consumer::Shared shared{jobs};
    std::vector<std::unique_ptr<Consumer>> consumers;
    const auto start = SteadyClock::now();
    for (std::uint32_t i = 0; i < callers; ++i) {
        consumers.push_back(std::make_unique<Consumer>(parts_->queue, shared, batch));
        consumers.back()->next();
    }
    parts_->runUntil([&] { return shared.idle == callers; });
    return rateSince(start, jobs);
}

void QueueLoad::Parts::claimDue(const std::function<void()>& settled)
{
    ++unanswered;
    queue.claim(
        {Channel::Pull, {"late"}, 100}, [this, settled](Result<std::vector<ClaimedJob>> jobs) {
            --unanswered;
            expect(jobs);
            const auto now = clock.now();
            for (const ClaimedJob& job : *jobs) {
                late.push_back(static_cast<double>((now - job.due).count()));
                ++unanswered;
                queue.finish({job.job.id, job.attempt, {}}, [this](const Result<void>& done) {
                    --unanswered;
                    expect(done);
                });
            }
            jobs->empty() ? settled() : claimDue(settled);
        });
}

std::vector<double> QueueLoad::latenessOf(std::uint32_t jobs, const std::function<void()>& push)
{
    parts_->late.clear();
    DueWatcher watcher(parts_->loop, parts_->clock, parts_->store);
    watcher.watch({DueSource::Kind::Lanes, Channel::Pull, {"late"}},
                  [this](const std::function<void()>& settled) { parts_->claimDue(settled); });
    push();
    parts_->runUntil([&] { return parts_->late.size() == jobs && parts_->unanswered == 0; });
    std::sort(parts_->late.begin(), parts_->late.end());
    return parts_->late;
}

std::vector<double> QueueLoad::lateness(std::uint32_t perSecond, std::uint32_t seconds)
{
    const std::uint32_t jobs = perSecond * seconds;
    return latenessOf(jobs, [&] {
        const auto first = parts_->clock.now() + Millis{3'000};
        for (std::uint32_t i = 0; i < jobs; ++i) {
            PushOptions late = pushOptions(256);
            late.job.topic = "late";
            late.at = first + Millis{static_cast<std::int64_t>(i) * 1'000 / perSecond};
            parts_->queue.push(std::move(late),
                               [](const Result<PushOutcome>& outcome) { expect(outcome); });
        }
    });
}

}  // namespace restante::bench
