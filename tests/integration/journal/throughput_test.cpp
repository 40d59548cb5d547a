#include "core/journal/sql/sql_journal.h"
#include "core/redis/store/job_codec.h"
#include "tests/support/sql_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::test {
namespace {

using journal::JournalEvent;
using journal::SqlJournal;
using journal::ThroughputPart;
using journal::ThroughputQuery;

/// What moved when, counted by each database.
class JournalThroughput : public ::testing::TestWithParam<SqlKind> {
protected:
    void SetUp() override
    {
        static int number = 0;
        const auto url = sharedSql(GetParam()).url("flow" + std::to_string(++number));
        sql_ = std::make_unique<SqlJournal>(journal::parseJournalUrl(url).value());
        ASSERT_TRUE(sql_->setPosition(0, {}, {"store", "since", {1, 0}}));
    }
    /// `jobs` of a topic move at that moment.
    void move(std::int64_t at, const std::string& transition, int jobs, const std::string& topic)
    {
        JournalEvent event;
        event.streamId = {last_ + 1, 0};
        event.atMs = at;
        event.transition = transition;
        for (int i = 0; i < jobs; ++i) {
            journal::JobStatus place;
            place.state = transition == "push" ? "scheduled" : "";
            event.jobs.push_back({topic + "-" + std::to_string(i), place, recordOf(topic)});
        }
        const auto written = sql_->commit(
            {0, {"store", "since", {last_, 0}}, {"store", "since", {last_ + 1, 0}}, {event}});
        ASSERT_TRUE(written) << written.error().message;
        ++last_;
    }
    static std::string recordOf(const std::string& topic)
    {
        Job job;
        job.id = "any";
        job.topic = topic;
        job.channel = topic == "hooks" ? Channel::Webhook : Channel::Pull;
        std::string record;
        redis::encodeRecord(job, record);
        return record;
    }
    ThroughputPart all(ThroughputQuery query)
    {
        ThroughputPart sum;
        do {
            const auto part = sql_->throughput(query);
            EXPECT_TRUE(part) << part.error().message;
            if (!part) {
                break;
            }
            for (const auto& [step, jobs] : part->moves) {
                sum.moves[step] += jobs;
            }
            if (part->earliest) {
                sum.earliest = std::min(sum.earliest.value_or(*part->earliest), *part->earliest);
                sum.latest = std::max(sum.latest.value_or(*part->latest), *part->latest);
            }
            query.after = part->after;
        } while (!query.after.empty());
        return sum;
    }
    static std::uint64_t at(const ThroughputPart& flow, std::int64_t step, const std::string& word)
    {
        const auto found = flow.moves.find({fromEpochMs(step), word});
        return found == flow.moves.end() ? 0 : found->second;
    }

    std::unique_ptr<SqlJournal> sql_;
    std::uint64_t last_ = 1;
};
INSTANTIATE_TEST_SUITE_P(Database,
                         JournalThroughput,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(JournalThroughput, countsWhatMovedInEachStep)
{
    move(500, "push", 3, "order");
    move(10'000, "push", 5, "hooks");
    move(10'900, "finish", 2, "hooks");
    move(11'000, "finish", 1, "order");
    move(20'000, "finish", 9, "hooks");
    for (const std::uint32_t most : {1U, 4U, 50'000U}) {
        ThroughputQuery query{.begin = fromEpochMs(10'000), .end = fromEpochMs(20'000)};
        query.most = most;
        const auto flow = all(query);
        EXPECT_EQ(at(flow, 10'000, "push"), 5U) << most;
        EXPECT_EQ(at(flow, 10'000, "finish"), 2U) << most;
        EXPECT_EQ(at(flow, 11'000, "finish"), 1U) << most;
        EXPECT_EQ(flow.moves.size(), 3U) << "neither before nor after the window, " << most;
        EXPECT_EQ(flow.earliest, fromEpochMs(500));
        EXPECT_EQ(flow.latest, fromEpochMs(20'000));
    }
}

TEST_P(JournalThroughput, countsOneTopicOrChannelOnly)
{
    move(10'000, "push", 5, "hooks");
    move(10'100, "push", 2, "order");
    ThroughputQuery query{.topic = "hooks", .begin = fromEpochMs(0), .end = fromEpochMs(20'000)};
    EXPECT_EQ(at(all(query), 10'000, "push"), 5U);
    query.topic = {};
    query.channel = "pull";
    EXPECT_EQ(at(all(query), 10'000, "push"), 2U);
    query.topic = "it's '";
    EXPECT_TRUE(all(query).moves.empty());
    EXPECT_EQ(all(query).earliest, fromEpochMs(10'000)) << "the journal reaches as far as ever";
}

TEST_P(JournalThroughput, refusesWhatItCannotCount)
{
    EXPECT_EQ(sql_->throughput({.step = Millis{0}}).error().code, ErrorCode::Invalid);
    EXPECT_EQ(sql_->throughput({.most = 0}).error().code, ErrorCode::Invalid);
    const auto none = sql_->throughput({.end = fromEpochMs(1)});
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->earliest);
}

}  // namespace
}  // namespace restante::test
