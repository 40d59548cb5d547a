#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_session.h"
#include "core/redis/store/redis_job_inspector.h"
#include "tests/integration/journal/journal_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::test {
namespace {

using journal::BacklogStep;
using journal::SqlJournal;

/// A daemon's journal that looks at its store every second.
class JournalSampling : public JournalFixture, public ::testing::WithParamInterface<SqlKind> {
protected:
    void SetUp() override
    {
        config_.journal.sampleEvery = 1s;
        useDatabase(newDatabase(GetParam()));
        openQueue();
    }
    void pushTo(const std::string& topic, Millis delay = {})
    {
        auto job = order();
        job.topic = topic;
        push(job, delay);
    }
    std::vector<BacklogStep> samples(const std::string& topic = {})
    {
        SqlJournal sql(journal::parseJournalUrl(url_).value(), SqlJournal::Schema::Require);
        journal::BacklogQuery query;
        query.topic = topic;
        query.end = queue_->clock().now() + 10s;
        query.begin = query.end - 5min;
        query.step = 1s;
        return sql.backlog(query).value_or(std::vector<BacklogStep>{});
    }
};
INSTANTIATE_TEST_SUITE_P(Database,
                         JournalSampling,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(JournalSampling, notesWhatWaitsAndHowLateItIs)
{
    pushTo("order");
    pushTo("order");
    pushTo("mail", 1h);
    openJournal();
    EXPECT_TRUE(eventually(
        [&] {
            const auto all = samples();
            return !all.empty() && all.back().ready == 2 && all.back().scheduled == 1 &&
                   all.back().lateness && all.back().lateness->p50 > Millis{0};
        },
        30s));
    ASSERT_FALSE(samples("order").empty());
    EXPECT_DOUBLE_EQ(samples("order").back().ready, 2);
    EXPECT_TRUE(samples("order").back().lateness);
    EXPECT_DOUBLE_EQ(samples("mail").back().scheduled, 1);
    EXPECT_DOUBLE_EQ(samples("other").back().scheduled, 0);
}

TEST_P(JournalSampling, countsWhatComesAndGoesByTopic)
{
    openJournal();
    for (int i = 0; i < 4; ++i) {
        pushTo("order");
    }
    for (const auto& job : claim(1)) {
        finish(job);
    }
    SqlJournal sql(journal::parseJournalUrl(url_).value(), SqlJournal::Schema::Require);
    EXPECT_TRUE(eventually(
        [&] {
            const auto rates = sql.traffic(queue_->clock().now());
            const auto order =
                rates ? rates->topics.find("order") : decltype(rates->topics.end()){};
            return rates && order != rates->topics.end() && order->second.in > 0 &&
                   order->second.out > 0 && order->second.in > order->second.out;
        },
        30s));
}

TEST_P(JournalSampling, countsLaterWhatTheDatabaseDidNotTake)
{
    openJournal();
    journal::SqlSession session(journal::parseJournalUrl(url_).value());
    session.execute(std::string("CREATE TRIGGER guard BEFORE INSERT ON traffic ") +
                    (GetParam() == SqlKind::Sqlite
                         ? "BEGIN SELECT RAISE(ABORT, 'a guard says no'); END"
                         : "FOR EACH ROW SIGNAL SQLSTATE '45000'"));
    for (int i = 0; i < 4; ++i) {
        pushTo("order");
    }
    ASSERT_TRUE(eventually([&] { return isRecorded(); }));
    const auto intervals = [&] {
        return session.query("SELECT at_ms FROM sample WHERE topic = ''", 1).size();
    };
    const auto before = intervals();
    ASSERT_TRUE(eventually([&] { return intervals() >= before + 3; }));
    session.execute("DROP TRIGGER guard");
    EXPECT_TRUE(eventually([&] {
        const auto rows =
            session.query("SELECT COALESCE(SUM(pushed), 0) FROM traffic WHERE topic = 'order'", 1);
        return std::stoull(rows.at(0).at(0)) == 4U;
    }));
}

TEST_P(JournalSampling, isDoneByOneOfTwoDaemonsAndGoesOnWhenItStops)
{
    openJournal("first");
    auto second = newJournal("second");
    ASSERT_TRUE(open(*second));
    ASSERT_TRUE(eventually([&] { return samples().size() >= 2; }, 30s));
    for (const auto& one : samples()) {
        EXPECT_DOUBLE_EQ(one.ready, 0);
    }
    journal_.reset();
    pushTo("order");
    EXPECT_TRUE(eventually([&] { return !samples().empty() && samples().back().ready == 1; }, 60s))
        << "the other one looks now";
}

TEST_P(JournalSampling, isOffWhenItIsTurnedOff)
{
    config_.journal.sampleEvery = 0s;
    openJournal();
    const auto id = push(order());
    EXPECT_EQ(moves(id, 1).size(), 1U) << "the journal records";
    EXPECT_TRUE(samples().empty());
}

}  // namespace
}  // namespace restante::test
