#include "core/redis/store/disciplined_clock.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

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
        discipline.addSample(sampleAt(i * 10s, Span{(i * 7919) % 50'000}, 5min));
        ASSERT_LE(*discipline.offset(), 5min);
    }
    EXPECT_EQ(*discipline.offset(), 5min);  // one of the round trips took no time
}

TEST(ClockDiscipline, isNotSpoiltByASlowAnswer)
{
    ClockDiscipline discipline;
    discipline.addSample(sampleAt(0s, 1ms, 1h));
    EXPECT_EQ(discipline.addSample(sampleAt(10s, 900ms, 1h)), 0us);
    EXPECT_EQ(*discipline.offset(), 1h - 1ms);
}

TEST(ClockDiscipline, learnsFromAQuickerAnswer)
{
    ClockDiscipline discipline;
    discipline.addSample(sampleAt(0s, 400ms, 1h));
    EXPECT_EQ(discipline.addSample(sampleAt(10s, 1ms, 1h)), 399ms);
    EXPECT_FALSE(discipline.hasStepped());
    EXPECT_EQ(*discipline.offset(), 1h - 1ms);
}

TEST(ClockDiscipline, followsAStepOfRedisSlowlyInBothDirections)
{
    for (const Span step : {Span{1h}, Span{-1h}}) {
        ClockDiscipline discipline;
        discipline.addSample(sampleAt(0s, 0ms, 0s));
        EXPECT_EQ(discipline.addSample(sampleAt(10s, 0ms, step)), step);
        EXPECT_TRUE(discipline.hasStepped());
        EXPECT_EQ(std::chrono::abs(*discipline.offset()), ClockDiscipline::kLargestCorrection);
        for (int i = 2; i <= 3600; ++i) {
            discipline.addSample(sampleAt(i * 10s, 0ms, step));
        }
        EXPECT_EQ(*discipline.offset(), step);
    }
}

/// Samples as a net and a loaded machine make them: each way takes its own time.
class Net {
public:
    explicit Net(std::uint32_t seed) : engine_(seed) {}

    Span upTo(Span most)
    {
        return Span{std::uniform_int_distribution<std::int64_t>{0, most.count()}(engine_)};
    }
    /// Redis' clock runs `ppm` faster than ours and showed `ahead` at our 0.
    static Span redisAt(Span local, Span ahead, std::int64_t ppm)
    {
        return local + ahead + local * ppm / 1'000'000;
    }
    ClockDiscipline::Sample sample(Span sent, Span there, Span back, Span ahead, std::int64_t ppm)
    {
        const auto read = sent + upTo(there);
        return {sent, read + upTo(back), redisAt(read, ahead, ppm)};
    }

private:
    std::mt19937 engine_;
};

TEST(ClockDiscipline, keepsRedisBetweenItsBoundsWhateverDelaysWhichWay)
{
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        Net net(seed);
        const auto there = net.upTo(300ms);
        const auto back = net.upTo(300ms);
        const auto ppm = net.upTo(Span{200}).count() - 100;
        ClockDiscipline discipline;
        for (Span sent = 1h; sent < 2h; sent += Span{1s} + net.upTo(5s)) {
            const auto sample = net.sample(sent, there, back, 5min, ppm);
            discipline.addSample(sample);
            for (const Span later : {Span{0}, Span{1s}, Span{1min}}) {
                const auto at = sample.received + later;
                const auto truth = Net::redisAt(at, 5min, ppm);
                ASSERT_LE(at + discipline.lowest(at), truth + Span{1}) << "seed " << seed;
                ASSERT_GE(at + discipline.highest(at) + Span{1}, truth) << "seed " << seed;
            }
        }
    }
}

TEST(ClockDiscipline, makesNothingEarlyThatASlowAnswerWasCountedBy)
{
    // The defect: counted from a clock that lay a slow answer behind, and due by a better one.
    for (const auto& [there, back] : {std::pair{0ms, 200ms}, {200ms, 0ms}, {80ms, 120ms}}) {
        ClockDiscipline discipline;
        const Span read = 10s + there;
        discipline.addSample({10s, read + back, read + 1h});
        const Span pushed = read + back;
        const auto due = pushed + discipline.highest(pushed) + 14s;
        discipline.addSample(sampleAt(11s, 0ms, 1h));
        EXPECT_LT(24s + discipline.lowest(24s), due);
        EXPECT_LT(pushed + 14s - Span{1} + discipline.lowest(pushed + 14s), due);
    }
}

TEST(ClockDiscipline, isExactWithinARoundTripAndADriftAtRest)
{
    ClockDiscipline discipline;
    for (Span sent = 0s; sent < 1min; sent += 2s) {
        discipline.addSample(sampleAt(sent, Span{150}, 1h));
        EXPECT_LE(discipline.highest(sent + 2s) - discipline.lowest(sent + 2s), Span{600});
    }
}

TEST(ClockDiscipline, believesAnotherServerAndNotWhatItKnewOfTheOneBefore)
{
    ClockDiscipline discipline;
    discipline.addSample(sampleAt(0s, 0ms, 1h));
    // 300 ms behind the lost one, and a slow answer that both clocks could have given.
    discipline.restart();
    discipline.addSample({10s, 10s + 400ms, 10s + 1h - 300ms});
    EXPECT_EQ(discipline.lowest(10s), 1h - 700ms);
    EXPECT_EQ(discipline.highest(10s), 1h - 300ms);
}

TEST(ClockDiscipline, standsStillForASmallStepBackAndFollowsASmallOneAtOnce)
{
    for (const Span step : {Span{700ms}, Span{-700ms}}) {
        ClockDiscipline discipline;
        discipline.addSample(sampleAt(0s, 0ms, 1h));
        discipline.addSample(sampleAt(2s, 0ms, 1h + step));
        EXPECT_EQ(discipline.lowest(2s), 1h + step);
    }
}

TEST(ClockDiscipline, followsALargeStepByATenthHoweverOftenItIsAsked)
{
    ClockDiscipline discipline;
    discipline.addSample(sampleAt(0s, 0ms, 0s));
    for (Span sent = 2s; sent <= 100s; sent += 2s) {
        discipline.addSample(sampleAt(sent, 0ms, 1h));
    }
    EXPECT_LE(*discipline.offset(), 11s);
    EXPECT_GE(*discipline.offset(), 10s);
}

}  // namespace
}  // namespace restante::redis
