#include "core/journal/sql/sql_journal.h"
#include "core/redis/store/job_codec.h"
#include "tests/support/sql_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::test {
namespace {

using journal::JournalEvent;
using journal::SqlJournal;
using journal::Traffic;
using journal::TrafficCounter;

constexpr Millis kMinute{60'000};

TimePoint minute(std::int64_t number)
{
    return fromEpochMs(number * kMinute.count());
}

/// What came and went, as each database adds it up.
class JournalTraffic : public ::testing::TestWithParam<SqlKind> {
protected:
    void SetUp() override
    {
        static int number = 0;
        url_ = journal::parseJournalUrl(
                   sharedSql(GetParam()).url("traffic" + std::to_string(++number)))
                   .value();
        sql_ = std::make_unique<SqlJournal>(url_);
        sql_->countTraffic(kMinute);
        ASSERT_TRUE(sql_->setPosition(0, {}, {"store", "since", {1, 0}}));
    }
    /// `jobs` of a topic move in that minute.
    void move(std::int64_t when, const std::string& transition, int jobs, const std::string& topic)
    {
        auto event = eventAt(when, transition);
        for (int i = 0; i < jobs; ++i) {
            add(event, topic + "-" + std::to_string(i), topic);
        }
        commit(std::move(event));
    }
    void pushOneOfEach(std::int64_t when, const std::vector<std::string>& topics)
    {
        auto event = eventAt(when, "push");
        for (const auto& topic : topics) {
            add(event, topic, topic);
        }
        commit(std::move(event));
    }
    JournalEvent eventAt(std::int64_t when, const std::string& transition) const
    {
        JournalEvent event;
        event.streamId = {last_ + 1, 0};
        event.atMs = toEpochMs(minute(when)) + 100;
        event.transition = transition;
        return event;
    }
    static void add(JournalEvent& event, const std::string& id, const std::string& topic)
    {
        Job job;
        job.topic = topic;
        std::string record;
        redis::encodeRecord(job, record);
        journal::JobStatus place;
        place.state = event.transition == "push" ? "scheduled" : "done";
        event.jobs.push_back({id, place, record});
    }
    void commit(JournalEvent event)
    {
        const auto written = sql_->commit(
            {0, {"store", "since", {last_, 0}}, {"store", "since", {last_ + 1, 0}}, {event}});
        ASSERT_TRUE(written) << written.error().message;
        ++last_;
    }
    void flush(SqlJournal& sql, std::int64_t watched)
    {
        const auto added = sql.addTraffic(sql_->takeTraffic(), minute(watched), kMinute);
        ASSERT_TRUE(added) << added.error().message;
    }

    journal::JournalUrl url_;
    std::unique_ptr<SqlJournal> sql_;
    std::uint64_t last_ = 1;
};
INSTANTIATE_TEST_SUITE_P(Database,
                         JournalTraffic,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(JournalTraffic, isARateOverTheMinutesThatWereWatched)
{
    SqlJournal other(url_);
    move(100, "push", 30, "it's");
    move(100, "push", 12, "hooks");
    flush(other, 100);
    move(101, "push", 30, "it's");
    move(101, "claim", 30, "it's");
    move(101, "finish", 6, "it's");
    move(101, "bury", 6, "it's");
    flush(*sql_, 101);
    const auto rates = sql_->traffic(minute(102) + Millis{500});
    ASSERT_TRUE(rates) << rates.error().message;
    EXPECT_EQ(rates->from, minute(100));
    EXPECT_EQ(rates->until, minute(102));
    EXPECT_DOUBLE_EQ(rates->topics.at("it's").in, 60 / 120.0);
    EXPECT_DOUBLE_EQ(rates->topics.at("it's").out, 12 / 120.0);
    EXPECT_DOUBLE_EQ(rates->topics.at("hooks").in, 12 / 120.0);
    EXPECT_DOUBLE_EQ(rates->topics.at("hooks").out, 0);
    EXPECT_DOUBLE_EQ(rates->topics.at("").in, 72 / 120.0) << "of all";
}

TEST_P(JournalTraffic, ofSeveralDaemonsAddsUp)
{
    move(100, "push", 10, "order");
    flush(*sql_, 100);
    move(100, "push", 5, "order");  // what another one has recorded, or what came in late
    SqlJournal other(url_);
    flush(other, 100);
    EXPECT_DOUBLE_EQ(sql_->traffic(minute(101))->topics.at("order").in, 15 / 60.0);
}

TEST_P(JournalTraffic, isThatOfTheLastFiveMinutes)
{
    move(90, "push", 600, "old");
    flush(*sql_, 90);
    for (std::int64_t at = 94; at <= 100; ++at) {
        flush(*sql_, at);
    }
    move(99, "push", 3, "order");
    flush(*sql_, 100);
    const auto rates = sql_->traffic(minute(101));
    ASSERT_TRUE(rates);
    EXPECT_EQ(rates->from, minute(96));
    EXPECT_DOUBLE_EQ(rates->topics.at("order").in, 3 / 300.0);
    EXPECT_FALSE(rates->topics.contains("old"));
}

TEST_P(JournalTraffic, isNotKnownWhereNobodyCounts)
{
    EXPECT_EQ(sql_->traffic(minute(101)).error().code, ErrorCode::NotFound);
    flush(*sql_, 100);
    EXPECT_TRUE(sql_->traffic(minute(101)));
    EXPECT_EQ(sql_->traffic(minute(104)).error().code, ErrorCode::NotFound) << "not any more";
}

TEST_P(JournalTraffic, isForgottenWithWhatIsOld)
{
    flush(*sql_, 100);
    flush(*sql_, 200);
    ASSERT_TRUE(sql_->deleteOld("", 1'000, minute(150)));
    EXPECT_FALSE(sql_->traffic(minute(101)));
    EXPECT_TRUE(sql_->traffic(minute(201)));
}

/// Every topic has a row for each minute, and a sweep deletes 5,000.
TEST_P(JournalTraffic, isForgottenThoughAMinuteHadMoreTopicsThanASweepDeletes)
{
    constexpr int kTopics = 5'200;
    std::vector<std::string> topics;
    for (int topic = 0; topic < kTopics; ++topic) {
        topics.push_back("topic-" + std::to_string(topic));
    }
    pushOneOfEach(100, topics);
    flush(*sql_, 100);
    move(200, "push", 1, "order");
    flush(*sql_, 200);
    ASSERT_TRUE(sql_->deleteOld("", 1'000, minute(150)));
    EXPECT_FALSE(sql_->traffic(minute(101)));
    EXPECT_TRUE(sql_->traffic(minute(201)));
}

TEST_P(JournalTraffic, tellsHowManyAttemptsFailed)
{
    move(100, "push", 8, "order");
    move(100, "retry", 3, "order");
    move(100, "finish", 5, "order");
    move(100, "bury", 2, "order");
    move(100, "expire", 1, "order");
    flush(*sql_, 100);
    const auto rates = sql_->traffic(minute(101));
    ASSERT_TRUE(rates) << rates.error().message;
    const auto& order = rates->topics.at("order");
    const auto seconds = std::chrono::duration<double>(rates->until - rates->from).count();
    EXPECT_NEAR(order.out * seconds, 8, 0.01);
    EXPECT_NEAR(order.finished * seconds, 5, 0.01);
    EXPECT_NEAR(order.failed * seconds, 5, 0.01) << "what expired was no attempt";
}

TEST_P(JournalTraffic, hasAPastInStepsWithGapsWhereNobodyCounted)
{
    move(100, "push", 8, "order");
    move(101, "finish", 5, "order");
    flush(*sql_, 100);
    flush(*sql_, 101);
    move(106, "push", 2, "hooks");
    flush(*sql_, 106);
    const auto past = sql_->trafficHistory(minute(100), minute(108), kMinute * 2);
    ASSERT_TRUE(past) << past.error().message;
    EXPECT_EQ(past->known, (std::vector<bool>{true, false, false, true}));
    EXPECT_EQ(past->topics.at("order").in, (std::vector<std::uint64_t>{8, 0, 0, 0}));
    EXPECT_EQ(past->topics.at("order").finished, (std::vector<std::uint64_t>{5, 0, 0, 0}));
    EXPECT_EQ(past->topics.at("hooks").in, (std::vector<std::uint64_t>{0, 0, 0, 2}));
    EXPECT_EQ(past->topics.count("none"), 0U);
    EXPECT_FALSE(sql_->trafficHistory(minute(0), minute(100'000), kMinute)) << "too many steps";
}

TEST(TrafficCounter, keepsASampleOfTheIdsWhenThereAreTooMany)
{
    TrafficCounter counter;
    counter.start(kMinute);
    JournalEvent event;
    event.transition = "push";
    event.jobs.resize(TrafficCounter::kMostIds);
    counter.add({event, event});
    const auto counts = counter.take();
    ASSERT_EQ(counts.size(), 1U);
    const auto& moved = counts.at({TimePoint{}, Traffic::In});
    EXPECT_EQ(moved.ids.size(), TrafficCounter::kMostIds);
    EXPECT_EQ(moved.jobs, TrafficCounter::kMostIds * 2);
    EXPECT_TRUE(counter.take().empty());
}

TEST(TrafficCounts, addUpWithinBounds)
{
    journal::TrafficCounts counts;
    counts[{minute(1), Traffic::In}] = {{"a"}, 1};
    journal::TrafficCounts more;
    more[{minute(1), Traffic::In}] = {{"b", "c"}, 5};
    more[{minute(2), Traffic::Dead}] = {std::vector<std::string>(TrafficCounter::kMostIds), 7};
    journal::mergeTraffic(counts, more);
    EXPECT_EQ(counts.at({minute(1), Traffic::In}).jobs, 6U);
    EXPECT_THAT(counts.at({minute(1), Traffic::In}).ids, testing::ElementsAre("a", "b", "c"));
    EXPECT_EQ(counts.at({minute(2), Traffic::Dead}).jobs, 7U);
    EXPECT_EQ(counts.at({minute(2), Traffic::Dead}).ids.size(), TrafficCounter::kMostIds - 3);
    more.clear();
    for (int n = 3; n < 3'000; ++n) {
        more[{minute(n), Traffic::In}].jobs = 1;
    }
    journal::mergeTraffic(counts, more);
    EXPECT_EQ(counts.size(), 1'000U);
    EXPECT_EQ(counts.count({minute(2'999), Traffic::In}), 1U);
}

TEST(TrafficCounter, countsNothingUnlessItIsAsked)
{
    TrafficCounter counter;
    JournalEvent event;
    event.transition = "push";
    event.jobs.resize(1);
    counter.add({event});
    EXPECT_TRUE(counter.take().empty());
}

}  // namespace
}  // namespace restante::test
