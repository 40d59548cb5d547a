#include "core/schedule/timing_wheel.h"
#include "tests/support/thread_time.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace restante {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart = fromEpochMs(1'700'000'000'123);

class TimingWheelTest : public testing::Test {
protected:
    TimingWheel::TimerId arm(Millis after, const std::string& what)
    {
        return wheel_.arm(kStart + after, [this, what] { fired_.push_back(what); });
    }
    std::vector<std::string> firedBy(Millis after)
    {
        fired_.clear();
        wheel_.advance(kStart + after);
        return fired_;
    }
    using Names = std::vector<std::string>;

    TimingWheel wheel_{kStart};
    std::vector<std::string> fired_;
};

TEST_F(TimingWheelTest, firesAtItsMillisecondAndNotBefore)
{
    arm(1'000ms, "a");
    EXPECT_EQ(firedBy(999ms), Names{});
    EXPECT_EQ(firedBy(1'000ms), Names{"a"});
    EXPECT_EQ(firedBy(9'999ms), Names{});
}

TEST_F(TimingWheelTest, firesInOrderOfTimeThenOfArming)
{
    arm(70s, "d");
    arm(5ms, "b");
    arm(70s, "e");
    arm(1ms, "a");
    arm(5ms, "c");
    EXPECT_EQ(firedBy(70s), (Names{"a", "b", "c", "d", "e"}));
}

TEST_F(TimingWheelTest, keepsTheOrderOfArmingAcrossLevels)
{
    arm(300ms, "far");
    firedBy(299ms);
    arm(300ms, "near");
    EXPECT_EQ(firedBy(300ms), (Names{"far", "near"}));
}

TEST_F(TimingWheelTest, firesWhatHasPassedAtTheNextAdvance)
{
    firedBy(10s);
    arm(1s, "late");
    EXPECT_EQ(wheel_.next(), kStart + 10s);
    EXPECT_EQ(firedBy(10s), Names{"late"});
}

TEST_F(TimingWheelTest, doesNothingWhenTimeGoesBack)
{
    firedBy(10s);
    arm(10s, "a");
    EXPECT_EQ(firedBy(5s), Names{});
    EXPECT_EQ(firedBy(10s), Names{"a"});
}

TEST_F(TimingWheelTest, forgetsACancelledTimer)
{
    const auto id = arm(10ms, "a");
    arm(10ms, "b");
    EXPECT_TRUE(wheel_.cancel(id));
    EXPECT_FALSE(wheel_.cancel(id));
    EXPECT_EQ(wheel_.size(), 1U);
    EXPECT_EQ(firedBy(1s), Names{"b"});
}

TEST_F(TimingWheelTest, refusesToCancelWhatHasFiredOrNeverWas)
{
    const auto id = arm(10ms, "a");
    firedBy(10ms);
    EXPECT_FALSE(wheel_.cancel(id));
    EXPECT_FALSE(wheel_.cancel(0));
    EXPECT_FALSE(wheel_.cancel(~TimingWheel::TimerId{0}));
}

TEST_F(TimingWheelTest, neverCancelsTheTimerThatTookTheSlotOfAnother)
{
    const auto old = arm(10ms, "old");
    wheel_.cancel(old);
    const auto young = arm(20ms, "young");
    EXPECT_NE(old, young);
    EXPECT_FALSE(wheel_.cancel(old));
    EXPECT_EQ(firedBy(20ms), Names{"young"});
}

TEST_F(TimingWheelTest, lowersNothingForTimersFarAway)
{
    for (const auto after : {Millis{24h}, Millis{24h * 30}, Millis{24h * 365 * 80}}) {
        arm(after, "far");
        EXPECT_EQ(firedBy(after - 1ms), Names{});
        EXPECT_EQ(firedBy(after), Names{"far"});
    }
}

TEST_F(TimingWheelTest, takesAMomentBeyondEveryCalendar)
{
    const auto id = wheel_.arm(TimePoint::max(), [] {});
    EXPECT_EQ(firedBy(24h * 36'525), Names{});
    EXPECT_TRUE(wheel_.cancel(id));
    EXPECT_EQ(wheel_.next(), std::nullopt);
}

TEST_F(TimingWheelTest, reachesAFarTimerInAtMostOneHopALevel)
{
    const auto due = kStart + 24h * 365 + 12'345ms;
    wheel_.arm(due, [this] { fired_.emplace_back("far"); });
    int hops = 0;
    while (fired_.empty()) {
        ASSERT_LE(*wheel_.next(), due);
        ASSERT_LE(++hops, 6);
        wheel_.advance(*wheel_.next());
    }
}

TEST_F(TimingWheelTest, letsATaskArmAndCancel)
{
    TimingWheel::TimerId victim = 0;
    wheel_.arm(kStart + 10ms, [&] {
        wheel_.cancel(victim);
        arm(15ms, "armed inside");
    });
    victim = arm(10ms, "victim");
    EXPECT_EQ(firedBy(20ms), Names{"armed inside"});
}

TEST_F(TimingWheelTest, isNotHeldUpByATaskThatArmsItselfForThePast)
{
    int runs = 0;
    std::function<void()> again = [&] {
        ++runs;
        wheel_.arm(kStart, again);
    };
    wheel_.arm(kStart + 5ms, again);
    wheel_.advance(kStart + 5ms);
    EXPECT_EQ(runs, 1);
    wheel_.advance(kStart + 6ms);
    EXPECT_EQ(runs, 2);
}

TEST_F(TimingWheelTest, survivesManyTimersArmedByATask)
{
    wheel_.arm(kStart + 1ms, [this] {
        for (int i = 0; i < 1'000; ++i) {
            arm(2ms, "x");
        }
    });
    EXPECT_EQ(firedBy(2ms).size(), 1'000U);
}

TEST_F(TimingWheelTest, saysNothingIsNextWhenItIsEmpty)
{
    EXPECT_EQ(wheel_.next(), std::nullopt);
    EXPECT_EQ(wheel_.size(), 0U);
}

/// The same timers in a sorted map, which is right by being simple.
class Oracle : public testing::TestWithParam<unsigned> {
protected:
    void armOne()
    {
        // Spread over all levels: the number of bits is uniform.
        const auto wait = Millis{random_() >> (23 + random_() % 41)};
        const auto serial = ++serial_;
        const auto id = wheel_.arm(now_ + wait, [this, serial] { fired_.push_back(serial); });
        ids_[serial] = id;
        expected_.emplace(now_ + wait, serial);
    }
    void cancelOne()
    {
        const auto it = ids_.lower_bound(random_() % (serial_ + 1));
        if (it == ids_.end()) {
            return;
        }
        const auto serial = it->first;
        ASSERT_TRUE(wheel_.cancel(it->second));
        ids_.erase(it);
        std::erase_if(expected_, [&](const auto& one) { return one.second == serial; });
    }
    void advanceTo(TimePoint now)
    {
        now_ = now;
        fired_.clear();
        wheel_.advance(now_);
        std::vector<std::uint64_t> due;
        for (auto it = expected_.begin(); it != expected_.end() && it->first <= now_;) {
            due.push_back(it->second);
            ids_.erase(it->second);
            it = expected_.erase(it);
        }
        ASSERT_EQ(fired_, due);
        ASSERT_EQ(wheel_.size(), expected_.size());
        if (!expected_.empty()) {
            ASSERT_LE(*wheel_.next(), expected_.begin()->first);
            ASSERT_GT(*wheel_.next(), now_);
        }
    }

    std::mt19937_64 random_{GetParam()};
    TimePoint now_ = kStart;
    TimingWheel wheel_{kStart};
    std::uint64_t serial_ = 0;
    std::multimap<TimePoint, std::uint64_t> expected_;
    std::map<std::uint64_t, TimingWheel::TimerId> ids_;
    std::vector<std::uint64_t> fired_;
};

TEST_P(Oracle, agreesOnEveryTimerArmedCancelledAndFired)
{
    for (int step = 0; step < 4'000 && !HasFatalFailure(); ++step) {
        switch (random_() % 8) {
        case 0:
        case 1:
        case 2:
        case 3: armOne(); break;
        case 4: cancelOne(); break;
        case 5: advanceTo(now_ + Millis{random_() >> (44 + random_() % 20)}); break;
        case 6: advanceTo(std::max(now_, wheel_.next().value_or(now_))); break;
        default: advanceTo(expected_.empty() ? now_ : expected_.begin()->first); break;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Oracle, testing::Range(1U, 9U));

/// CPU time to arm and cancel `timers` timers.
std::chrono::nanoseconds armAndCancel(std::size_t timers)
{
    TimingWheel wheel(kStart);
    std::mt19937_64 random(7);
    std::vector<TimingWheel::TimerId> ids;
    ids.reserve(timers);
    const auto begin = test::threadTime();
    for (std::size_t i = 0; i < timers; ++i) {
        ids.push_back(wheel.arm(kStart + Millis{random() % 100'000'000}, [] {}));
    }
    for (const auto id : ids) {
        EXPECT_TRUE(wheel.cancel(id));
    }
    EXPECT_EQ(wheel.size(), 0U);
    return test::threadTime() - begin;
}

TEST(TimingWheelCost, growsLinearlyToAMillionTimers)
{
    // A sorted structure or a scan would be far beyond the factor; caches and other work on the
    // machine are not.
    EXPECT_LT(armAndCancel(1'000'000), armAndCancel(100'000) * 60);
}

}  // namespace
}  // namespace restante
