#include "core/assembly/redis_queue.h"
#include "core/delivery/dispatcher.h"
#include "core/reminder/recurrence_scheduler.h"
#include "core/reminder/reminders.h"
#include "core/reminder/series_list.h"
#include "core/schedule/lease_reaper.h"
#include "tests/support/redis_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using reminder::CreatedReminder;
using reminder::Reminders;

/// One daemon's queue with a scheduler.
struct RollingQueue {
    RollingQueue(EventLoop& loop, const redis::RedisUrl& url, const Config& config)
        : redis(loop, url, config, "roller"),
          due(loop, redis.clock(), redis.store()),
          leaseReaper(redis.queue(), due)
    {
    }
    void schedule(const Config& config)
    {
        scheduler.emplace(redis.queue(), due, reminder::settingsOf(config));
    }
    redis::RedisQueue redis;
    DueWatcher due;
    LeaseReaper leaseReaper;
    std::optional<reminder::RecurrenceScheduler> scheduler;
};

class SeriesOnRedis : public RedisFixture {
protected:
    SeriesOnRedis() : url_(sharedRedis().url())
    {
        config_.reminder.minInterval = 1s;
        config_.redis.shards = 3;
    }

    std::unique_ptr<RollingQueue> open()
    {
        auto queue = openWithoutRoller();
        queue->schedule(config_);
        return queue;
    }
    std::unique_ptr<RollingQueue> openWithoutRoller()
    {
        auto queue = std::make_unique<RollingQueue>(loop_, url_, config_);
        auto ready = await<void>([&](auto done) {
            queue->redis.awaitReady(redis::RedisQueue::Report::Silent, std::move(done));
        });
        EXPECT_TRUE(ready) << ready.error().message;
        return queue;
    }
    static reminder::ReminderRequest everySecond(const std::string& id)
    {
        reminder::ReminderRequest request;
        request.to = "https://example.org/hook";
        request.text = "tick";
        request.every = "1s";
        request.timeZone = "UTC";
        request.id = id;
        return request;
    }
    void create(RollingQueue& queue, const std::string& id)
    {
        const auto reminders = Reminders::make(queue.redis.queue(), queue.redis.inspector(),
                                               reminder::settingsOf(config_));
        const auto created = await<CreatedReminder>(
            [&](auto done) { reminders->create(everySecond(id), std::move(done)); });
        ASSERT_TRUE(created) << created.error().message;
    }
    /// Takes what is due for the courier, and finishes it so that the store forgets it.
    void deliver(RollingQueue& queue)
    {
        const auto due = await<std::vector<ClaimedJob>>([&](auto done) {
            queue.redis.store().claim({Channel::Webhook, {std::string(reminder::kTopic)}, 100},
                                      std::move(done));
        });
        ASSERT_TRUE(due);
        for (const auto& job : *due) {
            sent_.push_back(job.job.id);
            ASSERT_TRUE(await<std::uint64_t>(
                [&](auto done) { queue.redis.store().finish(leaseOf(job), std::move(done)); }));
        }
    }

    redis::RedisUrl url_;
    Config config_;
    std::vector<std::string> sent_;
};

TEST_F(SeriesOnRedis, isRolledByTwoDaemonsWithoutADouble)
{
    const auto one = open();
    const auto other = open();
    for (int i = 0; i < 10; ++i) {
        create(*one, "series-" + std::to_string(i));
    }
    ASSERT_TRUE(runUntil(
        [&] {
            deliver(*other);
            return sent_.size() >= 40;
        },
        30s));
    EXPECT_EQ(std::set<std::string>(sent_.begin(), sent_.end()).size(), sent_.size());
}

TEST_F(SeriesOnRedis, endsWhenItsSetIsCancelled)
{
    const auto queue = open();
    create(*queue, "ticks");
    ASSERT_TRUE(runUntil([&] {
        deliver(*queue);
        return !sent_.empty();
    }));
    const auto reminders = Reminders::make(queue->redis.queue(), queue->redis.inspector(),
                                           reminder::settingsOf(config_));
    const auto cancelled = await<std::uint64_t>(
        [&](auto done) { reminders->cancel("ticks", "tester", std::move(done)); });
    ASSERT_TRUE(cancelled) << cancelled.error().message;
    EXPECT_GE(*cancelled, 1U);
    const auto counts =
        await<StoreCounts>([&](auto done) { queue->redis.inspector().counts(std::move(done)); });
    EXPECT_EQ(counts->states.at(JobState::Scheduled) + counts->states.at(JobState::Ready) +
                  counts->states.at(JobState::Leased),
              0U);
}

TEST_F(SeriesOnRedis, areListedWithThoseThatArePausedOnEveryShard)
{
    const auto queue = openWithoutRoller();
    for (int i = 0; i < 9; ++i) {
        create(*queue, "series-" + std::to_string(i));
    }
    HoldRequest hold;
    hold.lease.id = "series-4";
    ASSERT_TRUE(await<void>([&](auto done) { queue->redis.store().hold(hold, std::move(done)); }));
    const auto list = await<reminder::SeriesList>([&](auto done) {
        reminder::listSeries(queue->redis.inspector(), queue->redis.clock(), config_.redis.shards,
                             {}, std::move(done));
    });
    ASSERT_TRUE(list) << list.error().message;
    EXPECT_TRUE(list->complete);
    std::set<std::string> running;
    std::set<std::string> paused;
    for (const auto& series : list->series) {
        (series.isPaused() ? paused : running).insert(series.job.job.id);
        EXPECT_EQ(series.next.size(), 5U);
    }
    EXPECT_EQ(running.size(), 8U);
    EXPECT_EQ(paused, std::set<std::string>{"series-4"});
}

TEST_F(SeriesOnRedis, goesByAnotherRuleOnceItIsReplacedWhileItIsRolled)
{
    const auto queue = open();
    create(*queue, "ticks");
    ASSERT_TRUE(runUntil([&] {
        deliver(*queue);
        return !sent_.empty();
    }));
    const auto reminders = Reminders::make(queue->redis.queue(), queue->redis.inspector(),
                                           reminder::settingsOf(config_));
    const auto show = [&] {
        return await<JobView>(
            [&](auto done) { queue->redis.inspector().show("ticks", std::move(done)); });
    };
    auto request = everySecond("");
    request.every = "1h";
    request.in = "1h";
    request.actor = "tester";
    const auto replaced = await<CreatedReminder>([&](auto done) {
        reminders->replace({"ticks", show()->job.body, request}, std::move(done));
    });
    ASSERT_TRUE(replaced) << replaced.error().message;
    deliver(*queue);  // what the old one has sent until then
    const auto sentBefore = sent_.size();
    const auto now = queue->redis.clock().now();
    EXPECT_FALSE(runUntil(
        [&] {
            deliver(*queue);
            return sent_.size() > sentBefore + 1;
        },
        3s))
        << "whoever had it in hand has not put the old one back";
    EXPECT_GT(show()->due, now + 50min);
    const auto stale = await<CreatedReminder>([&](auto done) {
        reminders->replace({"ticks", "seen before", request}, std::move(done));
    });
    ASSERT_FALSE(stale);
    EXPECT_EQ(stale.error().code, ErrorCode::Conflict);
}

TEST_F(SeriesOnRedis, goesOnAtOnceWhenTheOnlyDaemonDiedWithItInHand)
{
    const auto queue = openWithoutRoller();
    create(*queue, "ticks");
    ASSERT_TRUE(runUntil([&] {
        const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
            queue->redis.store().claim({Channel::Pull, {std::string(reminder::kSeriesTopic)}, 1},
                                       std::move(done));
        });
        return claimed && !claimed->empty();
    }));
    const auto stateOf = [&] {
        const auto view = await<JobView>(
            [&](auto done) { queue->redis.inspector().show("ticks", std::move(done)); });
        return view ? view->state : JobState::Dead;
    };
    ASSERT_EQ(stateOf(), JobState::Leased);

    bool isGivenBack = false;
    delivery::requeueLeases(queue->redis.queue(), queue->redis.inspector(),
                            {Channel::Pull, std::string(reminder::kSeriesTopic)},
                            [&] { isGivenBack = true; });
    ASSERT_TRUE(runUntil([&] { return isGivenBack; }));
    EXPECT_NE(stateOf(), JobState::Leased);
    queue->schedule(config_);
    ASSERT_TRUE(runUntil([&] {
        deliver(*queue);
        return sent_.size() >= 2;
    }));
    EXPECT_EQ(std::set<std::string>(sent_.begin(), sent_.end()).size(), sent_.size());
}

}  // namespace
}  // namespace restante::test
