#include "core/journal/sql/sql_journal.h"
#include "tests/support/sql_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::test {
namespace {

using journal::BacklogQuery;
using journal::BacklogSample;
using journal::BacklogStep;
using journal::LatenessPercentiles;
using journal::SqlJournal;
using journal::TopicBacklog;

constexpr std::int64_t kMinuteMs = 60'000;

/// What waited when, as each database keeps it.
class JournalBacklog : public ::testing::TestWithParam<SqlKind> {
protected:
    void SetUp() override
    {
        static int number = 0;
        url_ = journal::parseJournalUrl(
                   sharedSql(GetParam()).url("samples" + std::to_string(++number)))
                   .value();
        sql_ = std::make_unique<SqlJournal>(url_);
    }
    static BacklogSample sampleAt(std::int64_t minute, std::uint64_t ready, std::int64_t late = 0)
    {
        BacklogSample sample;
        sample.at = fromEpochMs(minute * kMinuteMs);
        sample.whole.ready = ready;
        sample.whole.scheduled = 10;
        sample.whole.leased = 3;
        sample.whole.held = 4;
        sample.whole.dead = 5;
        sample.whole.lateness =
            LatenessPercentiles{Millis{late}, Millis{late + 1}, Millis{late + 2}};
        return sample;
    }
    static TopicBacklog part(const std::string& topic,
                             const std::string& channel,
                             std::uint64_t ready,
                             std::optional<std::int64_t> late = 0)
    {
        TopicBacklog backlog;
        backlog.topic = topic;
        backlog.channel = channel;
        backlog.ready = ready;
        if (late) {
            backlog.lateness = LatenessPercentiles{Millis{*late}, Millis{*late}, Millis{*late}};
        }
        return backlog;
    }
    void write(const BacklogSample& sample)
    {
        const auto written = sql_->addBacklogSample(sample);
        ASSERT_TRUE(written) << written.error().message;
        EXPECT_TRUE(*written);
    }
    std::vector<BacklogStep> read(const BacklogQuery& query)
    {
        auto steps = sql_->backlog(query);
        EXPECT_TRUE(steps) << steps.error().message;
        return steps.value_or(std::vector<BacklogStep>{});
    }
    static BacklogQuery minutes(std::int64_t from, std::int64_t to, Millis step = Millis{kMinuteMs})
    {
        return {.begin = fromEpochMs(from * kMinuteMs),
                .end = fromEpochMs(to * kMinuteMs),
                .step = step};
    }

    journal::JournalUrl url_;
    std::unique_ptr<SqlJournal> sql_;
};
INSTANTIATE_TEST_SUITE_P(Database,
                         JournalBacklog,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(JournalBacklog, areReadAsTheyWereWritten)
{
    write(sampleAt(100, 7, 250));
    write(sampleAt(102, 9));
    const auto steps = read(minutes(100, 103));
    ASSERT_EQ(steps.size(), 2U) << "a minute without a sample has none";
    EXPECT_EQ(steps[0].at, fromEpochMs(100 * kMinuteMs));
    EXPECT_EQ(steps[0].until, fromEpochMs(101 * kMinuteMs));
    EXPECT_DOUBLE_EQ(steps[0].ready, 7);
    EXPECT_DOUBLE_EQ(steps[0].scheduled, 10);
    EXPECT_EQ(steps[0].leased, 3.0);
    EXPECT_EQ(steps[0].held, 4.0);
    EXPECT_EQ(steps[0].dead, 5.0);
    ASSERT_TRUE(steps[0].lateness);
    EXPECT_EQ(steps[0].lateness->p50, Millis{250});
    EXPECT_EQ(steps[0].lateness->p99, Millis{252});
    EXPECT_EQ(steps[1].at, fromEpochMs(102 * kMinuteMs));
}

TEST_P(JournalBacklog, ofOneMomentAreWrittenOnce)
{
    auto first = sampleAt(100, 7);
    first.topics = {part("order", "pull", 7)};
    write(first);
    auto second = sampleAt(100, 8);
    second.topics = {part("order", "pull", 7), part("hooks", "webhook", 1)};
    SqlJournal other(url_);
    const auto written = other.addBacklogSample(second);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_FALSE(*written);
    const auto steps = read(minutes(100, 101));
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_DOUBLE_EQ(steps[0].ready, 7);
    auto hooks = minutes(100, 101);
    hooks.topic = "hooks";
    EXPECT_DOUBLE_EQ(read(hooks).at(0).ready, 0) << "no part of the second";
}

TEST_P(JournalBacklog, areAMeanAndTheWorstLatenessInALongerStep)
{
    write(sampleAt(60, 10, 100));
    write(sampleAt(61, 20, 900));
    write(sampleAt(65, 30, 0));
    write(sampleAt(121, 1));
    const auto steps = read(minutes(60, 180, Millis{60 * kMinuteMs}));
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].at, fromEpochMs(60 * kMinuteMs));
    EXPECT_EQ(steps[0].until, fromEpochMs(120 * kMinuteMs));
    EXPECT_DOUBLE_EQ(steps[0].ready, 20);
    EXPECT_EQ(steps[0].lateness->p50, Millis{900});
    EXPECT_DOUBLE_EQ(steps[1].ready, 1);
}

TEST_P(JournalBacklog, standForTheirWholeMinuteInAShorterStep)
{
    write(sampleAt(100, 7));
    write(sampleAt(101, 8));
    auto query = minutes(100, 102, Millis{5'000});
    query.begin += Millis{30'000};  // in the middle of the first one
    const auto steps = read(query);
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].at, fromEpochMs(100 * kMinuteMs));
    EXPECT_EQ(steps[0].until, fromEpochMs(101 * kMinuteMs));
    EXPECT_EQ(steps[1].until, fromEpochMs(102 * kMinuteMs));
}

TEST_P(JournalBacklog, ofAShareAddItsTopicsUp)
{
    auto sample = sampleAt(100, 16);
    sample.topics = {part("it's", "pull", 1, 10), part("it's", "webhook", 5, 70),
                     part("hooks", "webhook", 10, 30)};
    write(sample);
    write(sampleAt(101, 0));
    auto query = minutes(100, 102);
    query.topic = "it's";
    auto steps = read(query);
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_DOUBLE_EQ(steps[0].ready, 6);
    EXPECT_EQ(steps[0].leased, std::nullopt) << "nobody counts them by topic";
    EXPECT_EQ(steps[0].lateness->p99, Millis{70}) << "the worst of its channels";
    EXPECT_DOUBLE_EQ(steps[1].ready, 0) << "what is not there has nothing";
    EXPECT_EQ(steps[1].lateness->p99, Millis{0});
    query.topic = {};
    query.channel = "webhook";
    EXPECT_DOUBLE_EQ(read(query).at(0).ready, 15);
    query.topic = "it's";
    EXPECT_DOUBLE_EQ(read(query).at(0).ready, 5);
}

TEST_P(JournalBacklog, doNotMakeUpWhatWasNotListed)
{
    auto sample = sampleAt(100, 16);
    sample.allTopics = false;
    sample.topics = {part("busy", "pull", 16, std::nullopt)};
    write(sample);
    auto query = minutes(100, 101);
    query.topic = "quiet";
    EXPECT_TRUE(read(query).empty()) << "it may have had jobs";
    query.topic = "busy";
    ASSERT_EQ(read(query).size(), 1U);
    EXPECT_FALSE(read(query)[0].lateness) << "it was not measured";
    query.topic = {};
    query.channel = "pull";
    EXPECT_TRUE(read(query).empty());
}

TEST_P(JournalBacklog, ofAWeekAreAFewHundredPoints)
{
    for (std::int64_t minute = 0; minute < 7 * 24 * 60; minute += 20) {
        write(sampleAt(minute, 1));
    }
    EXPECT_EQ(read(minutes(0, std::int64_t{7} * 24 * 60, Millis{60 * kMinuteMs})).size(), 168U);
}

TEST_P(JournalBacklog, refuseAWindowOfTooManySteps)
{
    const auto many = sql_->backlog(minutes(0, 1'000'000));
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().code, ErrorCode::Invalid);
    EXPECT_THAT(many.error().message, ::testing::HasSubstr("step"));
    EXPECT_FALSE(sql_->backlog(minutes(0, 10, Millis{0})));
}

TEST_P(JournalBacklog, areForgottenWithWhatIsOld)
{
    write(sampleAt(100, 7));
    write(sampleAt(200, 8));
    ASSERT_TRUE(sql_->deleteOld("", 1'000, fromEpochMs(150 * kMinuteMs)));
    const auto steps = read(minutes(0, 300));
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_DOUBLE_EQ(steps[0].ready, 8);
}

}  // namespace
}  // namespace restante::test
