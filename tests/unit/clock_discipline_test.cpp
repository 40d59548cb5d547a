#include "core/redis/clock_discipline.h"

#include <gtest/gtest.h>

namespace restante::redis {
namespace {

using namespace std::chrono_literals;
using Span = ClockDiscipline::Span;

/// Asked at local time `sent`, answered `roundTrip` later; Redis' clock is `ahead` of the local
/// one and was read on arrival of the question.
ClockDiscipline::Sample sampleAt(Span sent, Span roundTrip, Span ahead)
{
    return {sent, sent + roundTrip, sent + ahead};
}

TEST(ClockDiscipline, knowsNothingBeforeTheFirstSample)
{
    EXPECT_FALSE(ClockDiscipline{}.offset());
}

TEST(ClockDiscipline, isNeverAheadOfRedis)
{
    ClockDiscipline discipline;
    for (int i = 0; i < 100; ++i) {
        discipline.learn(sampleAt(i * 10s, Span{(i * 7919) % 50'000}, 5min));
        ASSERT_LE(*discipline.offset(), 5min);
    }
    EXPECT_EQ(*discipline.offset(), 5min);  // one of the round trips took no time
}

TEST(ClockDiscipline, isNotSpoiltByASlowAnswer)
{
    ClockDiscipline discipline;
    discipline.learn(sampleAt(0s, 1ms, 1h));
    EXPECT_EQ(discipline.learn(sampleAt(10s, 900ms, 1h)), 0us);
    EXPECT_EQ(*discipline.offset(), 1h - 1ms);
}

TEST(ClockDiscipline, learnsFromAQuickerAnswer)
{
    ClockDiscipline discipline;
    discipline.learn(sampleAt(0s, 400ms, 1h));
    EXPECT_EQ(discipline.learn(sampleAt(10s, 1ms, 1h)), 399ms);
    EXPECT_EQ(*discipline.offset(), 1h - 1ms);
}

TEST(ClockDiscipline, followsAStepOfRedisSlowlyInBothDirections)
{
    for (const Span step : {Span{1h}, Span{-1h}}) {
        ClockDiscipline discipline;
        discipline.learn(sampleAt(0s, 0ms, 0s));
        EXPECT_EQ(discipline.learn(sampleAt(10s, 0ms, step)), step);
        EXPECT_EQ(std::chrono::abs(*discipline.offset()), ClockDiscipline::kLargestCorrection);
        for (int i = 2; i <= 3600; ++i) {
            discipline.learn(sampleAt(i * 10s, 0ms, step));
        }
        EXPECT_EQ(*discipline.offset(), step);
    }
}

}  // namespace
}  // namespace restante::redis
