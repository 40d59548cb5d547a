#include "core/client/queue.h"

#include "core/client/consumption.h"
#include "core/client/queue_thread.h"
#include "core/config/config_reader.h"
#include "core/queue/topic.h"

#include <fmt/format.h>
#include <stdexcept>

namespace restante {

namespace {

/// More threads than this are a mistake in the unit.
constexpr std::uint32_t kMostThreads = 1'024;
/// For what handlers became, when Redis answers late.
constexpr Millis kRecording{5'000};

void check(const std::vector<std::string>& topics, const ConsumerOptions& options)
{
    for (const auto& topic : topics) {
        const auto right =
            validate(TopicAction{topic, {}, {}}).and_then([&] { return checkNotReserved(topic); });
        if (!right) {
            throw std::invalid_argument("consume: " + right.error().message);
        }
    }
    if (topics.empty()) {
        throw std::invalid_argument("consume: at least one topic");
    }
    if (options.concurrency == 0 || options.concurrency > kMostThreads) {
        throw std::invalid_argument(fmt::format("consume: concurrency is 1 - {}", kMostThreads));
    }
}

}  // namespace

struct Consumer::Parts {
    std::shared_ptr<QueueThread> thread;
    std::shared_ptr<Consumption> consumption;

    /// Runs `task` on the loop and waits for it.
    template <class Task>
    void onLoop(Task task)
    {
        std::promise<void> over;
        thread->post([&](auto& parts) {
            task(parts);
            over.set_value();
        });
        over.get_future().wait();
    }
};

Consumer::Consumer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Consumer::Consumer(Consumer&&) noexcept = default;

Consumer& Consumer::operator=(Consumer&& other) noexcept
{
    // The one that was here ends as it would otherwise.
    Consumer old(std::move(*this));
    parts_ = std::move(other.parts_);
    return *this;
}

Consumer::~Consumer()
{
    if (!parts_) {
        return;
    }
    auto& consumption = parts_->consumption;
    parts_->onLoop([&](auto&) { consumption->stop(); });
    consumption->joinHandlers();
    consumption->awaitIdle(kRecording);
    // Its timers belong to the loop.
    parts_->onLoop([&](auto&) { consumption.reset(); });
}

bool Consumer::stop(Millis timeout)
{
    parts_->onLoop([this](auto&) { parts_->consumption->stop(); });
    return parts_->consumption->awaitIdle(timeout);
}

Queue::Queue(std::shared_ptr<QueueThread> thread) : thread_(std::move(thread)) {}
Queue::Queue(Queue&&) noexcept = default;
Queue& Queue::operator=(Queue&&) noexcept = default;
Queue::~Queue() = default;

Result<Queue> Queue::connect(const std::string& redisUrl)
{
    return connect(Settings{.redis = redisUrl});
}

Result<Queue> Queue::connect(Settings settings)
{
    Config config;
    config.redis.url = std::move(settings.redis);
    if (config.redis.url.empty()) {
        return failure(ErrorCode::Invalid, "redis: is redis://host[:port][/db] or unix:///path");
    }
    config.redis.prefix = std::move(settings.prefix);
    const bool adoptShards = settings.shards == 0;
    config.redis.shards = adoptShards ? config.redis.shards : settings.shards;
    config.limits.attempts = settings.attempts;
    config.retention.done = settings.retentionDone;
    return QueueThread::start(std::move(config), std::move(settings.name), settings.upkeep,
                              adoptShards)
        .map([](auto thread) { return Queue(std::move(thread)); });
}

Result<Queue> Queue::connectAs(const std::filesystem::path& daemonConfig)
{
    ConfigSources sources;
    sources.file = daemonConfig;
    auto config = readConfig(sources);
    if (!config) {
        std::string problems;
        for (const auto& problem : config.error()) {
            problems += (problems.empty() ? "" : "; ") + problem.print();
        }
        return failure(ErrorCode::Invalid, problems);
    }
    return QueueThread::start(std::move(*config), Settings{}.name, true, false)
        .map([](auto thread) { return Queue(std::move(thread)); });
}

std::future<Result<PushOutcome>> Queue::push(PushOrder order)
{
    std::promise<Result<PushOutcome>> answer;
    auto future = answer.get_future();
    if (auto free = checkNotReserved(order.job.topic); !free) {
        answer.set_value(tl::unexpected(free.error()));
        return future;
    }
    thread_->push(std::move(order), std::move(answer));
    return future;
}

std::future<Result<PushOutcome>> Queue::push(Job job, Millis delay)
{
    PushOrder order;
    order.job = std::move(job);
    order.delay = delay;
    return push(std::move(order));
}

void Queue::post(std::function<void(DelayQueue&)> task)
{
    thread_->post([task = std::move(task)](auto& parts) { task(parts.redis.queue()); });
}

Consumer Queue::start(std::vector<std::string> topics, Handler handler, ConsumerOptions options)
{
    check(topics, options);
    auto consumer = std::make_unique<Consumer::Parts>();
    consumer->thread = thread_;
    consumer->onLoop([&](auto& parts) {
        consumer->consumption = std::make_shared<Consumption>(
            thread_->loop(), parts.redis.queue(),
            ClaimRequest{.channel = options.channel, .topics = std::move(topics)},
            options.concurrency, std::move(handler));
        consumer->consumption->start(*parts.due);
    });
    return Consumer(std::move(consumer));
}

}  // namespace restante
