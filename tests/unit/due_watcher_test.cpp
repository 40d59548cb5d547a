#include "core/queue/memory_job_store.h"
#include "core/schedule/due_watcher.h"
#include "tests/support/manual_clock.h"
#include "tests/support/manual_loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace restante {
namespace {

using namespace std::chrono_literals;
using Kind = DueSource::Kind;

/// Counts the questions, can refuse them, and can lose wake-ups.
class ObservedStore final : public MemoryJobStore {
public:
    ObservedStore(EventLoop& loop, const Clock& clock)
        : MemoryJobStore(loop, clock),
          loop_(loop),
          clock_(clock)
    {
    }
    void earliest(DueSource source, Done<std::optional<TimePoint>> done) override
    {
        questions.push_back(clock_.now());
        if (!isUnavailable) {
            return MemoryJobStore::earliest(std::move(source), std::move(done));
        }
        loop_.post([done] { done(failure(ErrorCode::Unavailable, "test: down")); });
    }
    void onWake(std::function<void(const Wake&)> handler) override
    {
        wake = handler;
        MemoryJobStore::onWake([this, handler](const Wake& told) {
            if (!losesWakes && handler) {
                handler(told);
            }
        });
    }

    std::vector<TimePoint> questions;
    std::function<void(const Wake&)> wake;
    bool isUnavailable = false;
    bool losesWakes = false;

private:
    EventLoop& loop_;
    const Clock& clock_;
};

class DueWatcherTest : public testing::Test {
protected:
    /// Watches a source; each call claims what is due, notes the moment and settles.
    void watch(DueSource source = {Kind::Lanes, Channel::Pull, {"order"}})
    {
        watcher_->watch(source, [this, source](std::function<void()> settled) {
            calls_.push_back(clock_.now());
            if (!claims_) {
                return settled();
            }
            store_.claim({source.channel, source.topics, 100},
                         [settled](const auto&) { settled(); });
        });
        loop_.settle();
    }
    std::string push(Millis delay, const std::string& topic = "order")
    {
        Job job;
        job.id = "job-" + std::to_string(++pushed_);
        job.topic = topic;
        job.ttr = 24h;
        store_.push({.job = job, .due = clock_.now() + delay}, [](const auto&) {});
        return job.id;
    }
    using Moments = std::vector<TimePoint>;

    test::ManualClock clock_;
    test::ManualLoop loop_{clock_};
    ObservedStore store_{loop_, clock_};
    std::unique_ptr<DueWatcher> watcher_ = std::make_unique<DueWatcher>(loop_, clock_, store_);
    const TimePoint start_ = clock_.now();
    Moments calls_;
    bool claims_ = true;
    int pushed_ = 0;
};

TEST_F(DueWatcherTest, callsAtTheMillisecondOfTheDueTime)
{
    push(1'234ms);
    watch();
    loop_.advance(1'233ms);
    EXPECT_EQ(calls_, Moments{});
    loop_.advance(1ms);
    EXPECT_EQ(calls_, Moments{start_ + 1'234ms});
}

TEST_F(DueWatcherTest, takesATopicThatIsNamedTwiceForOne)
{
    const auto id = watcher_->watch({Kind::Lanes, Channel::Pull, {"order", "mail", "order"}},
                                    [this](std::function<void()> settled) {
                                        calls_.push_back(clock_.now());
                                        settled();
                                    });
    loop_.settle();
    push(10ms);
    loop_.advance(10ms);
    ASSERT_FALSE(calls_.empty());
    EXPECT_EQ(calls_.front(), start_ + 10ms);
    const auto callCount = calls_.size();
    watcher_->unwatch(id);
    push(10ms);
    loop_.advance(10ms);
    EXPECT_EQ(calls_.size(), callCount);
}

TEST_F(DueWatcherTest, callsAtOnceForWhatIsDueAlready)
{
    push(0ms);
    watch();
    EXPECT_EQ(calls_, Moments{start_});
    push(0ms);
    loop_.settle();
    EXPECT_EQ(calls_, (Moments{start_, start_}));
}

TEST_F(DueWatcherTest, neverCallsEarlyThoughTheLoopRingsEarly)
{
    loop_.fireTimersEarlyBy(300ms);
    push(10s);
    watch();
    loop_.advance(20s);
    EXPECT_EQ(calls_, Moments{start_ + 10s});
}

TEST_F(DueWatcherTest, isWokenByANearerJob)
{
    push(1h);
    watch();
    push(5s);
    loop_.advance(10s);
    EXPECT_EQ(calls_, Moments{start_ + 5s});
    loop_.advance(1h);
    EXPECT_EQ(calls_, (Moments{start_ + 5s, start_ + 1h}));
}

TEST_F(DueWatcherTest, isWokenFromAnEmptySource)
{
    watch();
    loop_.advance(24h);
    push(5s);
    loop_.advance(5s);
    EXPECT_EQ(calls_, Moments{start_ + 24h + 5s});
}

TEST_F(DueWatcherTest, isWokenByAJobThatComesWhileItAsks)
{
    push(1h);
    watcher_->watch({Kind::Lanes, Channel::Pull, {}},
                    [this](auto) { calls_.push_back(clock_.now()); });
    push(5s);  // pushed before the answer is in
    loop_.advance(5s);
    EXPECT_EQ(calls_, Moments{start_ + 5s});
}

TEST_F(DueWatcherTest, staysAsleepForAnotherTopic)
{
    watch();
    push(1s, "other");
    loop_.advance(1h);
    EXPECT_EQ(calls_, Moments{});
    EXPECT_EQ(store_.questions.size(), 1U);
}

TEST_F(DueWatcherTest, neverPolls)
{
    push(24h * 30);
    watch();
    loop_.advance(24h * 29);
    EXPECT_EQ(store_.questions.size(), 1U);
    loop_.advance(24h);
    EXPECT_EQ(calls_, Moments{start_ + 24h * 30});
    loop_.advance(24h * 365);
    EXPECT_EQ(store_.questions.size(), 2U);
}

TEST_F(DueWatcherTest, asksOnceForEveryJobItSleepsFor)
{
    for (int i = 1; i <= 100; ++i) {
        push(10ms * i);
    }
    watch();
    loop_.advance(1h);
    EXPECT_EQ(calls_.size(), 100U);
    EXPECT_EQ(calls_.back(), start_ + 1s);
    EXPECT_EQ(store_.questions.size(), 101U);
}

TEST_F(DueWatcherTest, handlesASourceOnceAtATime)
{
    std::function<void()> settle;
    int calls = 0;
    watcher_->watch({Kind::Lanes, Channel::Pull, {}}, [&](auto settled) {
        ++calls;
        settle = settled;
    });
    push(1s);
    loop_.advance(1s);
    push(0ms);
    push(1s);
    loop_.advance(1h);
    EXPECT_EQ(calls, 1);
    settle();
    loop_.advance(1s);
    EXPECT_EQ(calls, 2);
}

TEST_F(DueWatcherTest, keepsItsSourcesApart)
{
    watch({Kind::Lanes, Channel::Pull, {"a"}});
    std::vector<std::string> kinds;
    for (const auto kind : {Kind::Mailboxes, Kind::Leases, Kind::Expiry}) {
        watcher_->watch({kind}, [&kinds, kind](auto) {
            kinds.push_back(std::to_string(static_cast<int>(kind)));
        });
    }
    Job message;
    message.id = "m";
    message.topic = "sip";
    message.channel = Channel::Sip;
    message.recipient = "sip:bob@example.org";
    message.expires = start_ + 3s;
    store_.push({.job = message, .due = start_ + 2s, .placement = Placement::Mailbox},
                [](const auto&) {});
    push(1s, "a");
    loop_.advance(4s);
    EXPECT_EQ(calls_, Moments{start_ + 1s});
    EXPECT_EQ(kinds, (std::vector<std::string>{"1", "3"}));
    loop_.advance(24h);  // the lease of the claimed job ends
    EXPECT_EQ(kinds.back(), "2");
}

TEST_F(DueWatcherTest, asksAgainWithBackOffWhileTheStoreIsUnavailable)
{
    push(1s);
    store_.isUnavailable = true;
    watch();
    loop_.advance(7'100ms);
    Moments expected;
    for (const auto after : {0, 100, 300, 700, 1'500, 3'100, 5'100, 7'100}) {
        expected.push_back(start_ + Millis{after});
    }
    EXPECT_EQ(store_.questions, expected);
    EXPECT_EQ(calls_, Moments{});
    store_.isUnavailable = false;
    loop_.advance(2s);
    EXPECT_EQ(calls_, Moments{start_ + 9'100ms});
}

TEST_F(DueWatcherTest, beginsTheBackOffAnewAfterAnAnswer)
{
    store_.isUnavailable = true;
    watch();
    loop_.advance(3s);
    store_.isUnavailable = false;
    loop_.advance(10s);
    store_.isUnavailable = true;
    push(0ms);
    loop_.settle();
    const auto asked = store_.questions.size();
    loop_.advance(100ms);
    EXPECT_EQ(store_.questions.size(), asked + 1);
}

TEST_F(DueWatcherTest, asksAgainAfterAReconnection)
{
    watch();
    store_.losesWakes = true;
    push(5s);
    loop_.advance(1s);
    store_.wake({});
    loop_.advance(4s);
    EXPECT_EQ(calls_, Moments{start_ + 5s});
    EXPECT_EQ(store_.questions.at(1), start_ + 1s);
}

TEST_F(DueWatcherTest, recoversAtOnceWhenTheConnectionIsBack)
{
    push(0ms);
    store_.isUnavailable = true;
    watch();
    loop_.advance(10s);
    store_.isUnavailable = false;
    loop_.advance(1ms);
    store_.wake({});
    loop_.settle();
    EXPECT_EQ(calls_, Moments{start_ + 10'001ms});
}

TEST_F(DueWatcherTest, doesNotSpinOnAHeadThatStays)
{
    claims_ = false;
    push(0ms);
    watch();
    loop_.advance(60s);
    EXPECT_GT(calls_.size(), 50U);  // it does not forget the job either
    EXPECT_LT(calls_.size(), 80U);
}

TEST_F(DueWatcherTest, servesANearerJobWhileAHeadStays)
{
    claims_ = false;
    push(10s);
    watch();
    loop_.advance(30s);
    claims_ = true;
    clock_.advance(1ms);
    push(-25s);
    loop_.settle();
    EXPECT_EQ(calls_.back(), clock_.now());
}

TEST_F(DueWatcherTest, callsNobodyAfterStop)
{
    push(1s);
    watch();
    watcher_->stop();
    loop_.advance(1h);
    EXPECT_EQ(calls_, Moments{});
}

TEST_F(DueWatcherTest, survivesItsEndWhileItAsks)
{
    watcher_->watch({}, [this](auto) { calls_.push_back(clock_.now()); });
    push(0ms);
    watcher_.reset();
    loop_.advance(1h);
    EXPECT_EQ(calls_, Moments{});
}

TEST_F(DueWatcherTest, survivesItsEndInsideAHandler)
{
    std::function<void()> settle;
    watcher_->watch({}, [&](auto settled) {
        settle = settled;
        watcher_.reset();
    });
    push(1s);
    loop_.advance(1s);
    ASSERT_TRUE(settle);
    settle();
    loop_.advance(1h);
    EXPECT_EQ(watcher_, nullptr);
}

TEST_F(DueWatcherTest, callsNobodyWhoHasEndedTheWatch)
{
    const auto id =
        watcher_->watch({Kind::Lanes, Channel::Pull, {"order"}}, [this](const auto& settled) {
            calls_.push_back(clock_.now());
            settled();
        });
    watcher_->unwatch(id);
    push(0ms);
    loop_.advance(10s);
    EXPECT_EQ(calls_, Moments{});
}

TEST_F(DueWatcherTest, goesOnForTheOthersWhenOneEndsItsWatch)
{
    const auto other = watcher_->watch({Kind::Lanes, Channel::Pull, {"order"}},
                                       [](const auto& settled) { settled(); });
    watch();
    watcher_->unwatch(other);
    watcher_->unwatch(other);
    push(1s);
    loop_.advance(1s);
    EXPECT_EQ(calls_, Moments{start_ + 1s});
}

}  // namespace
}  // namespace restante
