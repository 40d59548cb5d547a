#include "core/client/queue.h"
#include "core/queue/topic.h"
#include "tests/support/eventually.h"
#include "tests/support/logged.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <pthread.h>
#include <set>
#include <stdexcept>
#include <system_error>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What handlers saw, from any thread.
class Seen {
public:
    void add(std::string word)
    {
        const std::lock_guard lock(mutex_);
        words_.push_back(std::move(word));
    }
    std::vector<std::string> all() const
    {
        const std::lock_guard lock(mutex_);
        return words_;
    }
    std::size_t size() const { return all().size(); }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> words_;
};

/// Holds handlers back until the test lets them go.
class Door {
public:
    void pass()
    {
        ++waiting_;
        opened_.wait();
    }
    void open() { door_.set_value(); }
    int waiting() const { return waiting_; }

private:
    std::promise<void> door_;
    std::shared_future<void> opened_ = door_.get_future().share();
    std::atomic<int> waiting_ = 0;
};

/// While it lives, the system has no room for the stack of another thread.
class NoThreadsLeft {
public:
    NoThreadsLeft()
    {
        EXPECT_EQ(pthread_getattr_default_np(&before_), 0);
        pthread_attr_t huge{};
        EXPECT_EQ(pthread_attr_init(&huge), 0);
        EXPECT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 62U), 0);
        EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
        pthread_attr_destroy(&huge);
    }
    NoThreadsLeft(const NoThreadsLeft&) = delete;
    NoThreadsLeft& operator=(const NoThreadsLeft&) = delete;
    ~NoThreadsLeft()
    {
        EXPECT_EQ(pthread_setattr_default_np(&before_), 0);
        pthread_attr_destroy(&before_);
    }

private:
    pthread_attr_t before_{};
};

class Consume : public ::testing::Test {
protected:
    static Queue connected(RedisServer& server, Queue::Settings settings = {})
    {
        settings.redis = server.url().toString();
        auto queue = Queue::connect(std::move(settings));
        EXPECT_TRUE(queue) << queue.error().message;
        return std::move(*queue);
    }
    static Job job(const std::string& body, const std::string& retry = {})
    {
        Job job;
        job.topic = "order";
        job.body = body;
        if (!retry.empty()) {
            job.retry = RetrySchedule::parse(retry).value();
        }
        return job;
    }
    std::string pushed(Job job, Millis delay = 0ms)
    {
        const auto outcome = queue_.push(std::move(job), delay).get();
        EXPECT_TRUE(outcome) << outcome.error().message;
        return outcome ? outcome->id : std::string();
    }
    std::int64_t count(const std::string& command, const std::string& key)
    {
        return *server_.send({command, "rst:{s0}:" + key}).integer();
    }
    std::string errorOf(const std::string& id)
    {
        const auto reply = server_.send({"HGET", "rst:{s0}:error", id});
        return reply.text() == nullptr ? "" : *reply.text();
    }

    RedisServer& server_ = sharedRedis();
    Queue queue_ = connected(server_);
};

TEST_F(Consume, handsOutEachJobWithAllThatItHas)
{
    std::promise<Job> got;
    std::promise<std::uint32_t> attempt;
    auto consumer = queue_.consume("order", [&](const Delivery& order) {
        attempt.set_value(order.attempt());
        got.set_value(order.job());
    });
    auto sent = job("close it");
    sent.bizKey = "4711";
    sent.headers = {{"X-Shop", "7"}};
    const auto id = pushed(sent, 50ms);
    const auto order = got.get_future().get();
    EXPECT_EQ(order.id, id);
    EXPECT_EQ(order.body, "close it");
    EXPECT_EQ(order.bizKey, "4711");
    EXPECT_EQ(order.headers, sent.headers);
    EXPECT_EQ(attempt.get_future().get(), 1U);
    EXPECT_TRUE(consumer.stop(10s));
    EXPECT_EQ(count("ZCARD", "lease"), 0);
    EXPECT_EQ(count("EXISTS", "j:" + id.substr(0, id.size() - 1)), 0);
}

TEST_F(Consume, triesAgainAfterAnExceptionFalseOrAnError)
{
    Seen seen;
    auto consumer = queue_.consume("order", [&](const Delivery& order) -> Result<void> {
        seen.add(order.body() + std::to_string(order.attempt()));
        switch (order.attempt()) {
        case 1: throw std::runtime_error("no connection");
        case 2: return failure(ErrorCode::Unavailable, "busy");
        default: return {};
        }
    });
    auto bools = queue_.consume("bool", [&](const Delivery& order) {
        seen.add(order.body() + std::to_string(order.attempt()));
        return order.attempt() == 2;
    });
    pushed(job("a", "0s,10ms,10ms,10ms"));
    EXPECT_TRUE(eventually([&] { return seen.size() == 3; }, 10s));
    EXPECT_THAT(seen.all(), ElementsAre("a1", "a2", "a3"));
    auto other = job("b", "0s,10ms,10ms");
    other.topic = "bool";
    pushed(other);
    EXPECT_TRUE(eventually([&] { return seen.size() == 5; }, 10s));
    EXPECT_TRUE(eventually([&] { return count("ZCARD", "lease") == 0; }, 10s));
    EXPECT_EQ(count("HLEN", "past"), 0);
}

TEST_F(Consume, buriesWhatHasNoAttemptLeftAndWhatAVerdictCallsDead)
{
    auto consumer = queue_.consume("order", [&](const Delivery& order) {
        return order.body() == "bad" ? Verdict::dead("unknown shop")
                                     : Verdict::retry("shop is down");
    });
    const auto bad = pushed(job("bad"));
    const auto worn = pushed(job("worn", "0s,10ms"));
    EXPECT_TRUE(eventually([&] { return count("ZCARD", "dead") == 2; }, 10s));
    EXPECT_EQ(errorOf(bad), "unknown shop");
    EXPECT_EQ(errorOf(worn), "shop is down");
}

TEST_F(Consume, runsAsManyAtATimeAsItHasThreadsAndClaimsNoMore)
{
    Door door;
    for (int i = 0; i < 20; ++i) {
        pushed(job(std::to_string(i)));
    }
    Seen seen;
    auto consumer = queue_.consume("order",
                                   [&](const Delivery& order) {
                                       door.pass();
                                       seen.add(order.body());
                                   },
                                   {.concurrency = 4});
    EXPECT_TRUE(eventually([&] { return door.waiting() == 4; }, 10s));
    EXPECT_EQ(count("ZCARD", "lease"), 4);
    door.open();
    EXPECT_TRUE(eventually([&] { return seen.size() == 20; }, 10s));
    EXPECT_TRUE(consumer.stop(10s));
    const auto all = seen.all();
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 20U);
}

TEST_F(Consume, extendsTheLeaseWhileTheHandlerRuns)
{
    Door door;
    std::atomic<int> calls = 0;
    auto consumer = queue_.consume("order", [&](const Delivery&) {
        ++calls;
        door.pass();
    });
    auto brief = job("brief");
    brief.ttr = 150ms;
    const auto id = pushed(brief);
    EXPECT_TRUE(eventually([&] { return door.waiting() == 1; }, 10s));
    const auto deadline = [&] {
        return std::stod(*server_.send({"ZSCORE", "rst:{s0}:lease", id}).text());
    };
    const auto first = deadline();
    // Several times the lease's own length: the upkeep of this very queue would reap it.
    EXPECT_TRUE(eventually([&] { return deadline() > first + 600; }, 10s));
    door.open();
    EXPECT_TRUE(consumer.stop(10s));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(count("ZCARD", "lease"), 0);
    EXPECT_EQ(count("ZCARD", "due:pull:5:order"), 0);
}

TEST_F(Consume, tellsAHandlerWhoseJobWasTakenAway)
{
    std::promise<bool> lost;
    std::atomic<bool> isRunning = false;
    auto consumer = queue_.consume("order", [&](const Delivery& order) {
        isRunning = true;
        lost.set_value(eventually([&] { return order.leaseLost(); }, 10s));
    });
    auto brief = job("brief");
    brief.ttr = 150ms;
    const auto id = pushed(brief);
    EXPECT_TRUE(eventually([&] { return isRunning.load(); }, 10s));
    queue_.post([id](DelayQueue& queue) {
        queue.store().trash({id, "olga", "test"}, [](const auto&) {});
    });
    EXPECT_TRUE(lost.get_future().get());
    EXPECT_TRUE(consumer.stop(10s));
    EXPECT_EQ(count("ZCARD", "trash"), 1);
}

TEST_F(Consume, outlivesATaskThatThrows)
{
    const auto logged = loggedBy([&] {
        queue_.post([](DelayQueue&) { throw std::runtime_error("no such account"); });
        queue_.post([](DelayQueue&) { throw 7; });
        std::promise<void> turned;
        queue_.post([&](DelayQueue&) { turned.set_value(); });
        turned.get_future().wait();
    });
    EXPECT_THAT(logged, HasSubstr("Queue::post() ended by an exception: no such account"));
    EXPECT_THAT(logged, HasSubstr("threw what is no exception"));
    pushed(job("after it"));
}

TEST_F(Consume, stopsCleanlyAndLeavesTheRest)
{
    Door door;
    for (int i = 0; i < 5; ++i) {
        pushed(job(std::to_string(i)));
    }
    std::atomic<bool> wasTold = false;
    auto consumer = queue_.consume("order", [&](const Delivery& order) {
        door.pass();
        wasTold = order.stopping();
    });
    EXPECT_TRUE(eventually([&] { return door.waiting() == 1; }, 10s));
    EXPECT_FALSE(consumer.stop(50ms)) << "a handler runs still";
    door.open();
    EXPECT_TRUE(consumer.stop(10s));
    EXPECT_TRUE(wasTold);
    EXPECT_EQ(door.waiting(), 1);
    EXPECT_EQ(count("ZCARD", "lease"), 0);
    EXPECT_EQ(count("ZCARD", "due:pull:5:order"), 4);
    EXPECT_EQ(count("HLEN", "past"), 0);
}

TEST_F(Consume, hasRecordedItsLastJobWhenItEnds)
{
    for (int i = 0; i < 50; ++i) {
        pushed(job(std::to_string(i)));
    }
    std::atomic<int> handled = 0;
    {
        auto consumer =
            queue_.consume("order", [&](const Delivery&) { ++handled; }, {.concurrency = 3});
        EXPECT_TRUE(eventually([&] { return handled >= 5; }, 10s));
    }
    EXPECT_EQ(count("ZCARD", "lease"), 0);
    EXPECT_EQ(count("ZCARD", "due:pull:5:order"), 50 - handled);
}

TEST_F(Consume, outlivesItsQueueObject)
{
    Seen seen;
    auto other = std::make_unique<Queue>(connected(server_));
    auto consumer = other->consume("order", [&](const Delivery& order) { seen.add(order.body()); });
    other.reset();
    pushed(job("later"));
    EXPECT_TRUE(eventually([&] { return seen.size() == 1; }, 10s));
}

TEST_F(Consume, servesSeveralTopicsAtOnce)
{
    Seen seen;
    auto consumer = queue_.consume(std::vector<std::string>{"order", "mail"},
                                   [&](const Delivery& one) { seen.add(one.topic()); });
    pushed(job("a"));
    auto mail = job("b");
    mail.topic = "mail";
    pushed(mail);
    EXPECT_TRUE(eventually([&] { return seen.size() == 2; }, 10s));
}

TEST_F(Consume, doesNotSeeAJobAgainWhosePushIsRepeatedAfterItWasHandled)
{
    Seen seen;
    auto consumer = queue_.consume("order", [&](const Delivery& order) { seen.add(order.body()); });
    auto mine = job("close it");
    mine.id = "order-17";
    pushed(mine);
    ASSERT_TRUE(eventually([&] { return seen.size() == 1 && count("ZCARD", "lease") == 0; }));
    const auto again = queue_.push(mine).get();
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    pushed(job("another"));
    ASSERT_TRUE(eventually([&] { return seen.size() == 2; }));
    EXPECT_THAT(seen.all(), ElementsAre("close it", "another"));
}

TEST_F(Consume, takesNothingOfAPausedTopicAndGoesOnWhenItIsResumed)
{
    const auto pause = [this](void (JobStore::*step)(TopicAction, Done<void>)) {
        std::promise<void> over;
        queue_.post([&](DelayQueue& queue) {
            (queue.store().*step)({"order", "olga", ""}, [&](const auto&) { over.set_value(); });
        });
        over.get_future().wait();
    };
    Seen seen;
    pause(&JobStore::pauseTopic);
    auto consumer =
        queue_.consume(std::vector<std::string>{"order", "mail"},
                       [&](const Delivery& one) { seen.add(one.body()); }, {.concurrency = 2});
    pushed(job("held back"));
    auto mail = job("mail");
    mail.topic = "mail";
    pushed(mail, 50ms);
    EXPECT_TRUE(eventually([&] { return seen.size() == 1; }, 10s));
    EXPECT_THAT(seen.all(), ElementsAre("mail"));
    pause(&JobStore::resumeTopic);
    EXPECT_TRUE(eventually([&] { return seen.size() == 2; }, 10s));
}

TEST_F(Consume, refusesWhatCannotBeConsumed)
{
    const auto nothing = [](const Delivery&) {};
    EXPECT_THROW(queue_.consume("two words", nothing), std::invalid_argument);
    EXPECT_THROW(queue_.consume("restante.reminders", nothing), std::invalid_argument);
    EXPECT_THROW(queue_.consume("order", nothing, {.concurrency = 0}), std::invalid_argument);
    EXPECT_THROW(queue_.consume(std::vector<std::string>{}, nothing), std::invalid_argument);
}

TEST_F(Consume, throwsWhenTheSystemHasNoThreadsLeftAndGoesOnWhenItHas)
{
    std::promise<void> got;
    const auto take = [&got](const Delivery&) { got.set_value(); };
    {
        const NoThreadsLeft noThreadsLeft;
        EXPECT_THROW(queue_.consume("order", take), std::system_error);
    }
    const auto consumer = queue_.consume("order", take);
    pushed(job("close it"));
    got.get_future().get();
}

TEST_F(Consume, keepsWhatIsDoneWhenTheDaemonsDo)
{
    Queue::Settings settings;
    settings.retentionDone = 1h;
    auto keeping = connected(server_, settings);
    auto consumer = keeping.consume("order", [](const Delivery&) {});
    pushed(job("x"));
    EXPECT_TRUE(eventually([&] { return count("ZCARD", "done") == 1; }, 10s));
}

class Push : public Consume {};

TEST_F(Push, fromManyThreadsStoresEachJobOnce)
{
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([this] {
            for (int i = 0; i < 50; ++i) {
                pushed(job("x"), 1h);
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(count("ZCARD", "due:pull:5:order"), 200);
}

TEST_F(Push, refusesWhatIsWrongByNameOfTheField)
{
    for (const auto* topic : {"two words", "restante.reminders"}) {
        auto wrong = job("x");
        wrong.topic = topic;
        const auto outcome = queue_.push(wrong).get();
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code, ErrorCode::Invalid);
        EXPECT_THAT(outcome.error().message, HasSubstr("topic"));
    }
}

TEST_F(Push, isFinishedBeforeTheQueueEnds)
{
    std::vector<std::future<Result<PushOutcome>>> futures;
    {
        auto queue = connected(server_);
        for (int i = 0; i < 500; ++i) {
            futures.push_back(queue.push(job("x"), 1h));
        }
    }
    for (auto& future : futures) {
        EXPECT_TRUE(future.get());
    }
    EXPECT_EQ(count("ZCARD", "due:pull:5:order"), 500);
}

TEST(Connect, saysWhatIsWrong)
{
    const auto nobody = Queue::connect("unix:///nonexistent/redis.sock");
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(nobody.error().message, HasSubstr("/nonexistent/redis.sock"));
    const auto nonsense = Queue::connect("http://example.org");
    ASSERT_FALSE(nonsense);
    EXPECT_EQ(nonsense.error().code, ErrorCode::Invalid);
}

TEST(Connect, takesTheNumberOfShardsFromTheStore)
{
    auto& server = sharedRedis();
    Queue::Settings settings;
    settings.redis = server.url().toString();
    settings.shards = 3;
    ASSERT_TRUE(Queue::connect(settings));
    settings.shards = 0;
    auto queue = Queue::connect(settings);
    ASSERT_TRUE(queue) << queue.error().message;
    std::promise<std::uint32_t> shards;
    queue->post([&](DelayQueue& its) { shards.set_value(its.settings().shards); });
    EXPECT_EQ(shards.get_future().get(), 3U);
}

TEST(ConsumerAndRedis, goOnAfterTheConnectionWasLost)
{
    RedisServer::Settings settings;
    settings.appendOnly = RedisServer::AppendOnly::Yes;
    settings.extra = {"--appendfsync", "always"};
    RedisServer server(settings);
    auto queue = Queue::connect(server.url().toString());
    ASSERT_TRUE(queue) << queue.error().message;
    Seen seen;
    Door door;
    auto consumer = queue->consume("order", [&](const Delivery& order) {
        if (order.body() == "before") {
            door.pass();
        }
        seen.add(order.body());
    });
    Job job;
    job.topic = "order";
    job.body = "before";
    ASSERT_TRUE(queue->push(job).get());
    EXPECT_TRUE(eventually([&] { return door.waiting() == 1; }, 10s));
    server.kill9();
    door.open();  // done while nobody can be told
    EXPECT_TRUE(eventually([&] { return seen.size() == 1; }, 10s));
    server.restart();
    job.id = "after-1";  // so that it may be pushed again
    job.body = "after";
    EXPECT_TRUE(eventually([&] { return queue->push(job).get().has_value(); }, 10s));
    EXPECT_TRUE(eventually([&] { return seen.size() >= 2; }, 20s));
    EXPECT_TRUE(consumer.stop(10s));
    EXPECT_THAT(seen.all(), ElementsAre("before", "after"));
    EXPECT_EQ(*server.send({"ZCARD", "rst:{s0}:lease"}).integer(), 0);
}

}  // namespace
}  // namespace restante::test
