// Several processes on one Redis: nobody is the standby, everybody works. Whoever is killed loses
// what was in its hands to the others when the lease ends, and nothing else.

#include "core/client/queue.h"
#include "core/queue/topic.h"
#include "core/redis/store/event_entry.h"
#include "tests/fault/patience.h"
#include "tests/fault/workers.h"
#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_receiver.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <map>
#include <set>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

class SeveralProcesses : public ::testing::Test {
protected:
    static Queue::Settings settingsFor(const RedisServer& redis)
    {
        Queue::Settings settings;
        settings.redis = redis.url().toString();
        settings.upkeep = false;  // that is what the processes are for
        return settings;
    }

    static Job jobOf(const std::string& topic, Millis ttr)
    {
        Job job;
        job.topic = topic;
        job.body = "x";
        job.ttr = ttr;
        return job;
    }

    std::set<std::string> push(const Job& job, int count, Millis delay = 0ms)
    {
        std::vector<std::future<Result<PushOutcome>>> futures;
        for (int i = 0; i < count; ++i) {
            futures.push_back(queue_->push(job, delay));
        }
        std::set<std::string> ids;
        for (auto& future : futures) {
            const auto outcome = future.get();
            EXPECT_TRUE(outcome) << outcome.error().message;
            ids.insert(outcome ? outcome->id : "");
        }
        return ids;
    }

    /// Waits for one call of the queue on its own thread.
    template <class T>
    Result<T> ask(const std::function<void(DelayQueue&, Done<T>)>& call)
    {
        std::promise<Result<T>> answer;
        queue_->post([&](DelayQueue& queue) {
            call(queue, [&](Result<T> result) { answer.set_value(std::move(result)); });
        });
        return answer.get_future().get();
    }

    /// Of these sets together, at one instant: jobs move from one to the other meanwhile.
    std::int64_t count(const std::vector<std::string>& keys)
    {
        std::vector<std::string> words{"EVAL",
                                       "local n = 0; for _, key in ipairs(KEYS) do n = n + "
                                       "redis.call('ZCARD', key) end return n",
                                       std::to_string(keys.size())};
        for (const auto& key : keys) {
            words.push_back("rst:{s0}:" + key);
        }
        return *redis_.send({words.begin(), words.end()}).integer();
    }
    std::int64_t count(const std::string& key) { return count(std::vector{key}); }
    /// Of the jobs of this topic that wait or are at work.
    std::int64_t alive(const std::string& topic, const std::string& channel = "pull")
    {
        return count({"due:" + channel + ":5:" + topic, "lease"});
    }

    /// How often each job made this transition, by the shard's outbox.
    std::map<std::string, int> timesOf(const std::string& transition)
    {
        std::map<std::string, int> times;
        const auto entries = redis_.send({"XRANGE", "rst:{s0}:events", "-", "+"});
        for (const auto& entry : *entries.array()) {
            const auto event = redis::readEvent(entry);
            for (const auto& id : event->ids) {
                times[id] += event->transition == transition ? 1 : 0;
            }
        }
        std::erase_if(times, [](const auto& one) { return one.second == 0; });
        return times;
    }

    static std::map<std::string, int> once(const std::set<std::string>& ids)
    {
        std::map<std::string, int> times;
        for (const auto& id : ids) {
            times[id] = 1;
        }
        return times;
    }

    RedisServer redis_;
    Result<Queue> queue_ = Queue::connect(settingsFor(redis_));
};

class Workers : public SeveralProcesses {};

TEST_F(Workers, takeEachJobOnceAmongThem)
{
    // Before the jobs: the first of them to start would have done them all.
    WorkerGroup workers(redis_, {.processes = 3, .threads = 4, .work = 2ms});
    const auto ids = push(jobOf("order", 1min), 300);
    EXPECT_TRUE(eventually([&] { return alive("order") == 0; }, kSoon));
    EXPECT_TRUE(workers.stop());
    EXPECT_EQ(workers.timesEnded(), once(ids));
    EXPECT_THAT(workers.busyProcesses(), ::testing::Gt(1U));
}

TEST_F(Workers, takeOverFromOneThatIsKilled)
{
    const auto ids = push(jobOf("order", 5s), 200);
    WorkerGroup workers(redis_, {.processes = 3, .threads = 4, .work = 40ms});
    EXPECT_TRUE(eventually([&] { return workers.timesEnded().size() > 20; }, kSoon));
    workers.kill9(0);
    const auto killed = SteadyClock::now();
    EXPECT_TRUE(eventually([&] { return alive("order") == 0; }, kSoon));
    EXPECT_LT(SteadyClock::now() - killed, 5s + 15s) << "a lease, and what two busy cores need";
    EXPECT_TRUE(workers.stop());
    std::set<std::string> done;
    for (const auto& [id, times] : workers.timesEnded()) {
        done.insert(id);
    }
    EXPECT_EQ(done, ids);
    EXPECT_EQ(workers.attemptsBegunTwice(), std::set<std::string>{});
    EXPECT_EQ(workers.heldByTwoAtOnce(), std::set<std::string>{});
}

TEST_F(Workers, keepAConcurrencyLimitTogether)
{
    EXPECT_TRUE(ask<void>([](DelayQueue& queue, auto done) {
        queue.store().limitTopic({"order", "test", ""}, {.concurrency = 3}, std::move(done));
    }));
    push(jobOf("order", 1min), 120);
    WorkerGroup workers(redis_, {.processes = 3, .threads = 4, .work = 10ms});
    EXPECT_TRUE(eventually([&] { return alive("order") == 0; }, kSoon));
    EXPECT_TRUE(workers.stop());
    EXPECT_EQ(workers.timesEnded().size(), 120U);
    EXPECT_LE(workers.mostAtOnce(), 3);
    EXPECT_EQ(count("busy:order"), 0);
}

TEST_F(Workers, goOnUnderALimitWhenOneOfThemIsKilled)
{
    EXPECT_TRUE(ask<void>([](DelayQueue& queue, auto done) {
        queue.store().limitTopic({"order", "test", ""}, {.concurrency = 3}, std::move(done));
    }));
    push(jobOf("order", 5s), 60);
    WorkerGroup workers(redis_, {.processes = 2, .threads = 3, .work = 30ms});
    EXPECT_TRUE(eventually([&] { return workers.timesEnded().size() > 10; }, kSoon));
    workers.kill9(0);
    EXPECT_TRUE(eventually([&] { return alive("order") == 0; }, kSoon));
    EXPECT_TRUE(workers.stop());
    EXPECT_EQ(workers.timesEnded().size(), 60U);
    EXPECT_LE(workers.mostAtOnce(), 3);
}

TEST_F(Workers, keepARateTogether)
{
    EXPECT_TRUE(ask<void>([](DelayQueue& queue, auto done) {
        queue.store().limitTopic({"order", "test", ""}, {.rate = {20, 1s}}, std::move(done));
    }));
    const auto begin = SteadyClock::now();
    push(jobOf("order", 1min), 40);
    WorkerGroup workers(redis_, {.processes = 3, .threads = 4, .work = 0ms});
    EXPECT_TRUE(eventually([&] { return alive("order") == 0; }, kSoon));
    // 39 intervals of 50 ms, less the slack.
    EXPECT_GE(SteadyClock::now() - begin, 39 * 50ms - kRateSlack);
    EXPECT_TRUE(workers.stop());
    EXPECT_EQ(workers.timesEnded().size(), 40U);
}

class Daemons : public SeveralProcesses {
protected:
    std::unique_ptr<Daemon> daemon(std::vector<std::string> more = {})
    {
        more.push_back("redis.url=" + redis_.url().toString());
        more.emplace_back("webhook.allow=127.0.0.0/8");
        more.emplace_back("webhook.per_host=64");  // what is claimed is sent
        return std::make_unique<Daemon>(Daemon::Settings{.set = std::move(more)});
    }
    static Job webhookTo(const HttpReceiver& receiver, Millis ttr)
    {
        auto job = jobOf("hooks", ttr);
        job.channel = Channel::Webhook;
        job.recipient = receiver.url();
        return job;
    }
    /// How often each "id attempt" came.
    static std::map<std::string, int> attempts(const HttpReceiver& receiver)
    {
        std::map<std::string, int> times;
        for (const auto& request : receiver.requests()) {
            ++times[request.header("restante-id") + " " + request.header("restante-attempt")];
        }
        return times;
    }
    static std::set<std::string> delivered(const HttpReceiver& receiver)
    {
        std::set<std::string> ids;
        for (const auto& request : receiver.requests()) {
            ids.insert(request.header("restante-id"));
        }
        return ids;
    }
    std::int64_t waiting() { return alive("hooks", "webhook"); }
};

TEST_F(Daemons, deliverEachJobOnceAmongThem)
{
    HttpReceiver receiver([](const auto&) { return HttpReply{.delay = 5ms}; });
    const auto first = daemon();
    const auto second = daemon();
    const auto third = daemon();
    const auto ids = push(webhookTo(receiver, 1min), 300);
    EXPECT_TRUE(eventually([&] { return waiting() == 0; }, kSoon));
    EXPECT_EQ(receiver.count(), 300U);
    EXPECT_EQ(delivered(receiver), ids);
}

TEST_F(Daemons, takeOverFromOneThatIsKilled)
{
    HttpReceiver receiver([](const auto&) { return HttpReply{.delay = 200ms}; });
    const auto first = daemon();
    const auto second = daemon();
    auto job = webhookTo(receiver, 2s);
    job.retry = RetrySchedule::parse("0s,100ms,100ms,100ms").value();
    const auto ids = push(job, 200);
    EXPECT_TRUE(eventually([&] { return receiver.count() > 20; }, kSoon));
    first->kill9();
    const auto killed = SteadyClock::now();
    EXPECT_TRUE(eventually([&] { return waiting() == 0; }, kSoon));
    EXPECT_LT(SteadyClock::now() - killed, 2s + 20s);
    EXPECT_EQ(delivered(receiver), ids);
    for (const auto& [attempt, times] : attempts(receiver)) {
        EXPECT_EQ(times, 1) << attempt << " was delivered by two";
    }
    EXPECT_EQ(count("dead"), 0);
}

TEST_F(Daemons, doTheUpkeepOnceAmongThem)
{
    auto expiring = jobOf("later", 1min);
    expiring.expires = SystemClock{}.now() + 3s;
    const auto expired = push(expiring, 200);
    const auto lapsed = push(jobOf("lost", 100ms), 200);
    const auto claimed = ask<std::vector<ClaimedJob>>([](DelayQueue& queue, auto done) {
        queue.claim({Channel::Pull, {"lost"}, 200}, std::move(done));
    });
    ASSERT_TRUE(claimed);
    EXPECT_EQ(claimed->size(), 200U);
    const auto trashed = push(jobOf("trash", 1min), 100, 1h);
    for (const auto& id : trashed) {
        EXPECT_TRUE(ask<void>([&](DelayQueue& queue, auto done) {
            queue.store().trash({id, "test", ""}, std::move(done));
        }));
    }
    // A journal would take the events away that the test counts.
    const std::vector<std::string> settings{"retention.trash=1ms", "journal.mode=off"};
    const auto first = daemon(settings);
    const auto second = daemon(settings);
    const auto third = daemon(settings);
    EXPECT_TRUE(eventually([&] { return count({"lease", "expiry", "trash"}) == 0; }, kSoon));
    EXPECT_EQ(timesOf("reap"), once(lapsed));
    EXPECT_EQ(timesOf("expire"), once(expired));
    EXPECT_EQ(timesOf("purge"), once(trashed));
    EXPECT_EQ(count("due:pull:5:lost"), 200);
    EXPECT_EQ(count("dead"), 200);
    for (const auto* one : {&first, &second, &third}) {
        EXPECT_TRUE((*one)->process().running()) << (*one)->process().allOutput();
    }
}

}  // namespace
}  // namespace restante::test
