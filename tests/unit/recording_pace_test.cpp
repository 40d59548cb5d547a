#include "core/config/config.h"
#include "core/journal/recorder/recording_pace.h"

#include <gtest/gtest.h>

#include <chrono>

namespace restante::journal {

namespace {

using namespace std::chrono_literals;

constexpr RecordingPace::Limits kLimits{2'000ms, 1'000, 1'000'000, 10ms, 1'000ms};

/// A commit of ten entries of 100 bytes each.
CommitCost commitOf(std::chrono::nanoseconds running, std::chrono::nanoseconds waiting)
{
    return {ThreadTimes{running, waiting}, 10, 1'000};
}

Config configOf(Config::JournalMode mode)
{
    Config config;
    config.journal.mode = mode;
    return config;
}

}  // namespace

TEST(RecordingPace, pausesForManyTimesTheCommitWhileOthersWantItsCore)
{
    RecordingPace pace(kLimits);
    pace.addCommit(commitOf(4ms, 2ms));
    EXPECT_EQ(pace.pause(), 90ms);
    pace.addCommit(commitOf(100ms, 100ms));
    EXPECT_EQ(pace.pause(), 1'000ms) << "no longer than what the last commit has shown holds";
}

TEST(RecordingPace, pausesForTheShortestTimeWhenNobodyElseWantsItsCore)
{
    RecordingPace pace(kLimits);
    pace.addCommit(commitOf(4ms, 2ms));
    pace.addCommit(commitOf(8ms, 1ms));
    EXPECT_EQ(pace.pause(), 10ms);
    pace.addCommit(commitOf(4ms, 2ms));
    pace.addCommit({std::nullopt, 10, 1'000});
    EXPECT_EQ(pace.pause(), 10ms) << "not known";
    pace.addCommit(commitOf(100us, 50us));
    EXPECT_EQ(pace.pause(), 10ms) << "the commit was short";
}

TEST(RecordingPace, catchesUpWithoutPausesUntilHalfOfTheLagIsLeft)
{
    RecordingPace pace(kLimits);
    pace.addCommit(commitOf(4ms, 2ms));
    pace.setWaiting(5, 1'999ms);
    EXPECT_FALSE(pace.isCatchingUp());
    pace.setWaiting(5, 2'000ms);
    EXPECT_TRUE(pace.isCatchingUp());
    EXPECT_EQ(pace.pause(), 0ms);
    pace.setWaiting(5, 1'000ms);
    EXPECT_TRUE(pace.isCatchingUp());
    pace.setWaiting(5, 999ms);
    EXPECT_FALSE(pace.isCatchingUp());
    EXPECT_EQ(pace.pause(), 90ms);
}

TEST(RecordingPace, catchesUpWhenManyEntriesOrBytesWait)
{
    RecordingPace pace(kLimits);
    pace.setWaiting(999, 1ms);
    EXPECT_FALSE(pace.isCatchingUp());
    pace.setWaiting(1'000, 1ms);
    EXPECT_TRUE(pace.isCatchingUp());
    pace.setWaiting(0, 0ms);
    EXPECT_FALSE(pace.isCatchingUp());

    pace.addCommit({ThreadTimes{1ms, 1ms}, 1, 10'000});
    pace.setWaiting(99, 1ms);
    EXPECT_FALSE(pace.isCatchingUp());
    pace.setWaiting(100, 1ms);
    EXPECT_TRUE(pace.isCatchingUp()) << "of 10,000 bytes each";
}

TEST(RecordingPace, hasNoPausesWhereSomebodyWaitsForTheRecorder)
{
    RecordingPace pausing(RecordingPace::limitsOf(configOf(Config::JournalMode::Async), false));
    pausing.addCommit(commitOf(4ms, 4ms));
    EXPECT_EQ(pausing.pause(), 120ms);

    auto immediate = configOf(Config::JournalMode::Async);
    immediate.journal.allowedLag = 0ms;
    for (const auto& limits :
         {RecordingPace::limitsOf(configOf(Config::JournalMode::Durable), false),
          RecordingPace::limitsOf(configOf(Config::JournalMode::Async), true),
          RecordingPace::limitsOf(immediate, false)}) {
        RecordingPace pace(limits);
        pace.addCommit(commitOf(4ms, 4ms));
        pace.setWaiting(0, 0ms);
        EXPECT_EQ(pace.pause(), 0ms);
    }
}

TEST(RecordingPace, sharesTheMemoryThatMayWaitBetweenShards)
{
    auto config = configOf(Config::JournalMode::Async);
    const auto one = RecordingPace::limitsOf(config, false);
    config.redis.shards = 4;
    config.journal.backlog = 1'000;
    const auto four = RecordingPace::limitsOf(config, false);
    EXPECT_EQ(four.bytes, one.bytes / 4);
    EXPECT_EQ(four.entries, 250U) << "of the backlog";
}

}  // namespace restante::journal
