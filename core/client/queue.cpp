#include "core/client/queue.h"

#include "core/assembly/redis_queue.h"
#include "core/base/await.h"
#include "core/base/epoll_loop.h"
#include "core/base/log.h"
#include "core/base/try.h"
#include "core/client/handler_courier.h"
#include "core/client/queue_with_cold_jobs.h"
#include "core/cold/hot_horizon.h"
#include "core/config/config_reader.h"
#include "core/delivery/dispatcher.h"
#include "core/queue/topic.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/server/server_check.h"
#include "core/schedule/due_watcher.h"
#include "core/schedule/lease_reaper.h"

#include <exception>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <thread>

namespace restante {

namespace {

/// More threads than this are taken for a mistake.
constexpr std::uint32_t kMostThreads = 1'024;
/// How long the end of a consumer waits for the outcomes of its handlers to be recorded.
constexpr Millis kRecordTimeout{5'000};

void checkArguments(const std::vector<std::string>& topics, const ConsumerOptions& options)
{
    for (const auto& topic : topics) {
        const auto valid =
            validate(TopicAction{topic, {}, {}}).and_then([&] { return checkNotReserved(topic); });
        if (!valid) {
            throw std::invalid_argument("consume: " + valid.error().message);
        }
    }
    if (topics.empty()) {
        throw std::invalid_argument("consume: at least one topic");
    }
    if (options.concurrency == 0 || options.concurrency > kMostThreads) {
        throw std::invalid_argument(fmt::format("consume: concurrency is 1 - {}", kMostThreads));
    }
}

/// As long as RedisQueue waits for a Redis that is being restarted.
constexpr Millis kOpenTimeout{5'000};
/// Longer than a command may take, so that each push under way has its answer.
constexpr Millis kCloseTimeout{5'000};

std::string noAnswerText(const redis::RedisUrl& url)
{
    return fmt::format("Redis at {} does not answer", url.toString());
}

/// The number of shards of the store; 0 when nobody has used it yet.
Result<std::uint32_t> shardCountOf(EpollLoop& loop,
                                   const redis::RedisUrl& url,
                                   const Config& config,
                                   const std::string& name)
{
    redis::Connection connection(loop, {.url = url, .name = name});
    if (!loop.runUntil([&] { return connection.ready(); }, kOpenTimeout)) {
        return failure(ErrorCode::Unavailable,
                       "cannot reach Redis at {}: {}; start it, or correct the URL", url.toString(),
                       connection.lastFailure());
    }
    return await<std::uint32_t>(
        loop, kOpenTimeout,
        [&](auto done) { redis::readShardCount(connection, config.redis.prefix, std::move(done)); },
        noAnswerText(url));
}

}  // namespace

/// The thread behind a Queue: its loop, and a RedisQueue that lives and dies on it. *Any thread*,
/// but the parts, which belong to the loop.
class QueueThread {
public:
    struct Parts {
        Parts(EpollLoop& loop, const redis::RedisUrl& url, const Config& config, std::string name)
            : redis(loop, url, config, std::move(name))
        {
        }
        redis::RedisQueue redis;
        std::unique_ptr<QueueWithColdJobs>
            queueWithColdJobs;       ///< null when no job is cold, or nobody can read them
        bool hidesColdJobs = false;  ///< there may be some, and nobody can read them
        std::optional<DueWatcher> due;
        std::optional<LeaseReaper> leaseReaper;
        std::uint32_t pendingPushes = 0;

        DelayQueue& queue()
        {
            return queueWithColdJobs ? queueWithColdJobs->queue() : redis.queue();
        }
    };

    /// The Redis to connect to (redis.url of the configuration), and how.
    struct Target {
        Config config;
        std::string name;
        bool upkeep = true;
        bool adoptShards = false;
        ColdJobsOpener coldJobs = {};
    };

    /// Connects; the error says why there is no suitable Redis, or no journal for its cold jobs.
    static Result<std::shared_ptr<QueueThread>> start(Target target)
    {
        // Not make_shared: the constructor is private.
        std::shared_ptr<QueueThread> self(new QueueThread);
        std::promise<Result<void>> opened;
        auto answer = opened.get_future();
        self->thread_ = std::thread(
            [self = self.get(), target = std::move(target), opened = std::move(opened)]() mutable {
                self->run(std::move(target), std::move(opened));
            });
        return answer.get().map([&] { return self; });
    }
    /// Waits for the pushes under way, up to 5 s. Not on its own thread.
    ~QueueThread()
    {
        // Posted, so that all earlier tasks have run before.
        loop_.post([this] { loop_.stop(); });
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    /// Runs `task` on the loop. Everything posted before the end runs.
    void post(std::function<void(Parts&)> task)
    {
        loop_.post([this, task = std::move(task)] { task(*parts_); });
    }
    void push(PushOptions push, std::promise<Result<PushOutcome>> answer)
    {
        // Shared, because a std::function must be copyable.
        auto sharedAnswer = std::make_shared<std::promise<Result<PushOutcome>>>(std::move(answer));
        push.job.rememberId = push.job.rememberId || !push.job.id.empty();
        post([push = std::move(push), sharedAnswer](Parts& parts) mutable {
            if (parts.hidesColdJobs && !push.job.id.empty()) {
                return sharedAnswer->set_value(invalidField(
                    "id", "may be that of a job in the journal alone (queue.hot_horizon), "
                          "which this program does not read; leave it out, set "
                          "Settings::coldJobs, or push over HTTP"));
            }
            ++parts.pendingPushes;
            parts.queue().push(std::move(push),
                               [&parts, sharedAnswer](Result<PushOutcome> outcome) {
                                   --parts.pendingPushes;
                                   sharedAnswer->set_value(std::move(outcome));
                               });
        });
    }

    EpollLoop& loop() noexcept { return loop_; }

private:
    QueueThread() = default;
    void run(Target target, std::promise<Result<void>> opened)
    {
        auto result = redis::redisUrlOf(target.config).and_then([&](const redis::RedisUrl& url) {
            return open(url, target);
        });
        const bool isOpen = result.has_value();
        opened.set_value(std::move(result));
        if (isOpen) {
            loop_.run();
            // Also what nobody waits for, such as the end of the reservation of a pushed id.
            loop_.runUntil(
                [this] {
                    return parts_->pendingPushes == 0 && parts_->redis.connection().inFlight() == 0;
                },
                kCloseTimeout);
        }
        parts_.reset();
    }

    Result<void> open(const redis::RedisUrl& url, Target& target)
    {
        if (target.adoptShards) {
            const auto shards = TRY(shardCountOf(loop_, url, target.config, target.name));
            target.config.redis.shards = shards > 0 ? shards : target.config.redis.shards;
        }
        parts_ = std::make_unique<Parts>(loop_, url, target.config, target.name);
        auto& redis = parts_->redis;
        TRY(await<void>(
            loop_, 2 * kOpenTimeout,
            [&](auto done) { redis.awaitReady(redis::RedisQueue::Report::Log, std::move(done)); },
            noAnswerText(url)));
        TRY(openColdJobs(target));
        parts_->due.emplace(loop_, redis.clock(), redis.store());
        if (target.upkeep) {
            parts_->leaseReaper.emplace(redis.queue(), *parts_->due);
        }
        return {};
    }

    Result<void> openColdJobs(const Target& target)
    {
        auto& redis = parts_->redis;
        const auto horizon = TRY(await<std::optional<Millis>>(loop_, kOpenTimeout, [&](auto done) {
            cold::readHotHorizon(redis.connection(), target.config.redis.prefix, std::move(done));
        }));
        if (horizon && target.coldJobs) {
            parts_->queueWithColdJobs =
                TRY(target.coldJobs({loop_, redis, target.config, *horizon}));
        }
        parts_->hidesColdJobs = horizon && !target.coldJobs;
        return {};
    }

    EpollLoop loop_;
    std::unique_ptr<Parts> parts_;  ///< used on the loop only
    std::thread thread_;
};

struct Consumer::Parts {
    std::shared_ptr<QueueThread> thread;
    std::shared_ptr<HandlerCourier> courier;
    std::shared_ptr<delivery::Dispatcher> dispatcher;
    bool isDraining = false;  ///< used on the loop only
    std::promise<void> idle = {};
    std::future<void> idleFuture = idle.get_future();

    /// Begins no further job; `idleFuture` becomes ready when all outcomes are recorded.
    void stop()
    {
        onLoop([this](auto&) {
            if (!std::exchange(isDraining, true)) {
                dispatcher->drain([this] { idle.set_value(); });
            }
        });
    }
    /// Runs `task` on the loop and waits for it; throws what it throws.
    template <class Task>
    void onLoop(Task task)
    {
        std::promise<void> finished;
        thread->post([&](auto& parts) {
            try {
                task(parts);
            } catch (...) {
                return finished.set_exception(std::current_exception());
            }
            finished.set_value();
        });
        finished.get_future().get();
    }
};

Consumer::Consumer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Consumer::Consumer(Consumer&&) noexcept = default;

Consumer& Consumer::operator=(Consumer&& other) noexcept
{
    // The previous consumer ends as in its destructor.
    Consumer old(std::move(*this));
    parts_ = std::move(other.parts_);
    return *this;
}

Consumer::~Consumer()
{
    if (!parts_) {
        return;
    }
    parts_->stop();
    parts_->courier->joinHandlers();
    parts_->idleFuture.wait_for(kRecordTimeout);
    // Destroyed on the loop, which owns their timers.
    parts_->onLoop([this](auto&) {
        parts_->dispatcher.reset();
        parts_->courier.reset();
    });
}

bool Consumer::stop(Millis timeout)
{
    parts_->stop();
    return parts_->idleFuture.wait_for(timeout) == std::future_status::ready;
}

Queue::Queue(std::shared_ptr<QueueThread> thread) : thread_(std::move(thread)) {}
Queue::Queue(Queue&&) noexcept = default;
Queue& Queue::operator=(Queue&&) noexcept = default;
Queue::~Queue() = default;

Result<Queue> Queue::connect(Settings settings)
{
    Config config;
    config.redis.url = std::move(settings.redis);
    if (config.redis.url.empty()) {
        return invalidField("redis", "is redis://host[:port][/db] or unix:///path");
    }
    config.redis.prefix = std::move(settings.prefix);
    const bool adoptShards = settings.shards == 0;
    config.redis.shards = adoptShards ? config.redis.shards : settings.shards;
    config.limits.attempts = settings.attempts;
    config.retention.done = settings.retentionDone;
    return QueueThread::start({std::move(config), std::move(settings.name), settings.upkeep,
                               adoptShards, std::move(settings.coldJobs)})
        .map([](auto thread) { return Queue(std::move(thread)); });
}

Result<Queue> Queue::connectByConfig(const std::filesystem::path& daemonConfig,
                                     ColdJobsOpener coldJobs)
{
    ConfigSources sources;
    sources.file = daemonConfig;
    auto config = readConfig(sources);
    if (!config) {
        std::string problems;
        for (const auto& problem : config.error()) {
            problems += (problems.empty() ? "" : "; ") + problem.toString();
        }
        return invalid(problems);
    }
    Settings settings;
    return QueueThread::start({std::move(*config), std::move(settings.name), settings.upkeep,
                               /*adoptShards=*/false, std::move(coldJobs)})
        .map([](auto thread) { return Queue(std::move(thread)); });
}

std::future<Result<PushOutcome>> Queue::push(PushOptions push)
{
    std::promise<Result<PushOutcome>> answer;
    auto future = answer.get_future();
    if (auto notReserved = checkNotReserved(push.job.topic); !notReserved) {
        answer.set_value(tl::unexpected(notReserved.error()));
        return future;
    }
    thread_->push(std::move(push), std::move(answer));
    return future;
}

void Queue::post(std::function<void(DelayQueue&)> task)
{
    // The loop's thread is ours: what a stranger's closure throws would end the whole program.
    thread_->post([task = std::move(task)](auto& parts) {
        try {
            task(parts.queue());
        } catch (const std::exception& problem) {
            log::error("client", "a task of Queue::post() ended by an exception: {}",
                       problem.what());
        } catch (...) {
            log::error("client", "a task of Queue::post() threw what is no exception");
        }
    });
}

Consumer Queue::start(std::vector<std::string> topics, Handler handler, ConsumerOptions options)
{
    checkArguments(topics, options);
    auto consumer = std::make_unique<Consumer::Parts>();
    consumer->thread = thread_;
    consumer->onLoop([&](auto& parts) {
        auto& loop = thread_->loop();
        consumer->courier = std::make_shared<HandlerCourier>(
            loop, ClaimRequest{.channel = options.channel, .topics = std::move(topics)},
            options.concurrency, std::move(handler));
        consumer->dispatcher =
            delivery::Dispatcher::make(loop, parts.redis.queue(), *parts.due, *consumer->courier);
    });
    return Consumer(std::move(consumer));
}

}  // namespace restante
