#include "core/base/alert_evaluator.h"

#include <gtest/gtest.h>

namespace restante {

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class AlertEvaluatorTest : public testing::Test {
protected:
    /// What changes when the value of the rule is that, `after` the last look.
    std::vector<AlertChange> look(AlertId rule, std::optional<double> value, Millis after)
    {
        now_ += after;
        readings_[static_cast<std::size_t>(rule)] = value;
        return evaluator_.evaluate(readings_, now_);
    }
    AlertPhase phase(AlertId rule) const { return evaluator_.status(rule).phase; }

    AlertEvaluator evaluator_;
    AlertReadings readings_{};
    TimePoint now_{hours{500'000}};
};

}  // namespace

TEST_F(AlertEvaluatorTest, firesOnceWhenTheConditionHasHeldForAsLongAsTheRuleAsks)
{
    EXPECT_TRUE(look(AlertId::Late, 9, seconds{0}).empty());
    EXPECT_EQ(phase(AlertId::Late), AlertPhase::Pending);
    EXPECT_TRUE(look(AlertId::Late, 12, minutes{5} - Millis{1}).empty());
    const auto changes = look(AlertId::Late, 8, Millis{1});
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].kind, AlertChange::Kind::Began);
    EXPECT_EQ(changes[0].episode.rule, AlertId::Late);
    EXPECT_EQ(changes[0].episode.began, now_ - minutes{5});
    EXPECT_DOUBLE_EQ(changes[0].episode.lastValue, 8);
    EXPECT_TRUE(look(AlertId::Late, 20, minutes{10}).empty()) << "and says so once";
    EXPECT_DOUBLE_EQ(evaluator_.episodes()[0].highestValue, 20);
    EXPECT_EQ(evaluator_.firingCount(), 1U);
}

TEST_F(AlertEvaluatorTest, theThresholdItselfIsNotAboveIt)
{
    EXPECT_TRUE(look(AlertId::Dead, 20, seconds{0}).empty());
    EXPECT_EQ(phase(AlertId::Dead), AlertPhase::Quiet);
    EXPECT_EQ(look(AlertId::Dead, 21, seconds{0}).size(), 1U) << "this rule need not hold";
}

TEST_F(AlertEvaluatorTest, aShortReliefBeginsTheWaitAnew)
{
    look(AlertId::Late, 9, seconds{0});
    look(AlertId::Late, 1, minutes{4});
    look(AlertId::Late, 9, seconds{2});
    EXPECT_TRUE(look(AlertId::Late, 9, minutes{4}).empty());
    EXPECT_EQ(look(AlertId::Late, 9, minutes{1}).size(), 1U);
}

TEST_F(AlertEvaluatorTest, endsOnceWhenTheConditionHasNotHeldForAWhile)
{
    look(AlertId::Late, 9, seconds{0});
    ASSERT_EQ(look(AlertId::Late, 9, minutes{5}).size(), 1U);
    EXPECT_TRUE(look(AlertId::Late, 1, seconds{2}).empty());
    EXPECT_TRUE(look(AlertId::Late, 9, seconds{30}).empty()) << "about the threshold: it goes on";
    EXPECT_TRUE(look(AlertId::Late, 1, seconds{2}).empty());
    const auto over = now_;
    EXPECT_TRUE(look(AlertId::Late, 1, seconds{59}).empty());
    const auto changes = look(AlertId::Late, 1, seconds{1});
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].kind, AlertChange::Kind::Ended);
    EXPECT_EQ(changes[0].episode.ended, over);
    EXPECT_TRUE(look(AlertId::Late, 1, minutes{5}).empty());
    EXPECT_EQ(evaluator_.firingCount(), 0U);
    ASSERT_EQ(evaluator_.episodes().size(), 1U) << "and it is remembered";
}

TEST_F(AlertEvaluatorTest, whatIsNotKnownBeginsNothing)
{
    EXPECT_TRUE(look(AlertId::NobodyDelivers, {}, seconds{0}).empty());
    EXPECT_EQ(phase(AlertId::NobodyDelivers), AlertPhase::Unknown);
    look(AlertId::NobodyDelivers, 0, seconds{0});
    look(AlertId::NobodyDelivers, {}, seconds{30});
    EXPECT_TRUE(look(AlertId::NobodyDelivers, 0, minutes{1}).empty())
        << "it is not known whether it held meanwhile";
    EXPECT_EQ(look(AlertId::NobodyDelivers, 0, minutes{1}).size(), 1U);
}

TEST_F(AlertEvaluatorTest, whatIsNotKnownEndsNothing)
{
    look(AlertId::NobodyDelivers, 0, seconds{0});
    ASSERT_EQ(look(AlertId::NobodyDelivers, 0, minutes{1}).size(), 1U);
    EXPECT_TRUE(look(AlertId::NobodyDelivers, {}, hours{1}).empty());
    EXPECT_EQ(phase(AlertId::NobodyDelivers), AlertPhase::Firing);
    EXPECT_FALSE(evaluator_.status(AlertId::NobodyDelivers).value);
    EXPECT_TRUE(look(AlertId::NobodyDelivers, 2, seconds{1}).empty());
    EXPECT_EQ(look(AlertId::NobodyDelivers, 2, minutes{1}).size(), 1U);
}

TEST_F(AlertEvaluatorTest, aRuleThatIsSwitchedOffEndsWithoutAWord)
{
    ASSERT_EQ(look(AlertId::Dead, 40, seconds{0}).size(), 1U);
    auto settings = standardAlertSettings();
    settings[static_cast<std::size_t>(AlertId::Dead)].on = false;
    evaluator_.setSettings(settings, now_);
    EXPECT_EQ(phase(AlertId::Dead), AlertPhase::Off);
    EXPECT_EQ(evaluator_.firingCount(), 0U);
    EXPECT_TRUE(look(AlertId::Dead, 40, minutes{1}).empty());
    evaluator_.setSettings(standardAlertSettings(), now_);
    EXPECT_EQ(look(AlertId::Dead, 40, minutes{1}).size(), 1U);
}

TEST_F(AlertEvaluatorTest, anotherThresholdAndAnotherTimeCountAtOnce)
{
    look(AlertId::Late, 3, seconds{0});
    EXPECT_EQ(phase(AlertId::Late), AlertPhase::Quiet);
    auto settings = standardAlertSettings();
    settings[static_cast<std::size_t>(AlertId::Late)] = {true, 2, seconds{10}};
    evaluator_.setSettings(settings, now_);
    look(AlertId::Late, 3, seconds{0});
    EXPECT_EQ(look(AlertId::Late, 3, seconds{10}).size(), 1U);
}

TEST_F(AlertEvaluatorTest, aClockThatIsSetBackBeginsTheWaitAnew)
{
    look(AlertId::Late, 9, seconds{0});
    EXPECT_TRUE(look(AlertId::Late, 9, -hours{1}).empty());
    EXPECT_TRUE(look(AlertId::Late, 9, minutes{4}).empty());
    EXPECT_EQ(look(AlertId::Late, 9, minutes{1}).size(), 1U);
}

TEST_F(AlertEvaluatorTest, whatSomebodyHasSeenIsAcknowledgedUntilItFiresAgain)
{
    look(AlertId::Dead, 40, seconds{0});
    evaluator_.acknowledge(AlertId::Dead);
    EXPECT_TRUE(evaluator_.episodes()[0].acknowledged);
    look(AlertId::Dead, 0, seconds{1});
    look(AlertId::Dead, 0, AlertEvaluator::kMinClearTime);
    look(AlertId::Dead, 40, seconds{1});
    ASSERT_EQ(evaluator_.episodes().size(), 2U);
    EXPECT_FALSE(evaluator_.episodes()[0].acknowledged);
}

TEST_F(AlertEvaluatorTest, remembersNoMoreThanAnybodyReads)
{
    for (int times = 0; times < 300; ++times) {
        look(AlertId::Dead, 40, seconds{1});
        look(AlertId::Dead, 0, seconds{1});
        look(AlertId::Dead, 0, AlertEvaluator::kMinClearTime);
    }
    EXPECT_EQ(evaluator_.episodes().size(), AlertEvaluator::kMostEpisodes);
}

}  // namespace restante
