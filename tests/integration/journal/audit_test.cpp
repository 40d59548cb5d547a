#include "core/journal/sql/sql_schema.h"
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_thread.h"
#include "core/queue/bulk_action.h"
#include "core/queue/topic.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/trace_requests.h"
#include "tests/integration/journal/journal_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

using journal::JournalEvent;
using journal::ShardBatch;
using journal::SqlJournal;
using journal::SqlThread;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

JournalEvent event(std::uint64_t at, const std::string& transition, const std::string& actor)
{
    JournalEvent event;
    event.streamId = {at, 0};
    event.atMs = static_cast<std::int64_t>(at);
    event.transition = transition;
    event.actor = actor;
    event.reason = "because of " + transition;
    return event;
}

JournalEvent
about(std::uint64_t at, const std::string& transition, const std::string& actor, int jobs = 1)
{
    auto result = event(at, transition, actor);
    for (int i = 0; i < jobs; ++i) {
        std::optional<journal::JobStatus> place;
        if (transition != "claim") {
            place.emplace().state = transition == "trash"  ? "trashed"
                                    : transition == "bury" ? "dead"
                                                           : "";
        }
        result.jobs.push_back({"job-" + std::to_string(i), place, {}});
    }
    return result;
}

JournalEvent aboutTopic(std::uint64_t at, const std::string& transition)
{
    auto result = event(at, transition, "olga");
    result.topic = "order";
    result.limits = transition == "limit" ? "3 10 1000" : "";
    return result;
}

std::vector<std::string> shown(const Result<AuditEntries>& page)
{
    EXPECT_TRUE(page) << page.error().message;
    std::vector<std::string> lines;
    for (const auto& entry : page.value_or(AuditEntries{}).entries) {
        lines.push_back(entry.actor + " " + entry.verb + " " +
                        (entry.id.empty() ? entry.topic : entry.id) + ":" + entry.from + ">" +
                        entry.to);
    }
    return lines;
}

/// The table itself, on each database.
class AuditTable : public ::testing::TestWithParam<SqlKind> {
protected:
    void SetUp() override
    {
        static int number = 0;
        url_ =
            journal::parseJournalUrl(sharedSql(GetParam()).url("audit" + std::to_string(++number)))
                .value();
        sql_ = std::make_unique<SqlJournal>(url_);
        ASSERT_TRUE(sql_->setPosition(0, {}, {"store", "since", {1, 0}}));
    }
    void commit(std::vector<JournalEvent> events)
    {
        const auto to = events.back().streamId;
        const auto written = sql_->commit(
            {0, {"store", "since", {last_, 0}}, {"store", "since", to}, std::move(events)});
        ASSERT_TRUE(written) << written.error().message;
        last_ = to.ms;
    }

    journal::JournalUrl url_;
    std::unique_ptr<SqlJournal> sql_;
    std::uint64_t last_ = 1;
};
INSTANTIATE_TEST_SUITE_P(Database,
                         AuditTable,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(AuditTable, listsWhatPeopleDidNewestFirst)
{
    commit({about(2, "claim", ""), about(3, "trash", "olga"), about(4, "purge", "restanted"),
            about(5, "bury", "o'hara", 2), aboutTopic(6, "pause")});
    commit({aboutTopic(7, "limit"), aboutTopic(8, "resume")});
    EXPECT_THAT(shown(sql_->audit({})),
                ElementsAre("olga resume order:paused>", "olga limit order:>3 10 1000",
                            "olga pause order:>paused", "o'hara bury job-1:>dead",
                            "o'hara bury job-0:>dead", "olga trash job-0:leased>trashed"));
    const auto newest = sql_->audit({.limit = 1});
    ASSERT_TRUE(newest);
    EXPECT_EQ(newest->entries[0].reason, "because of resume");
    EXPECT_EQ(newest->entries[0].at, fromEpochMs(8));
}

TEST_P(AuditTable, takesADeviceForNobodyWhateverItCallsItself)
{
    commit({about(2, "mark", "urn:uuid:1"), about(3, "trash", "olga")});
    EXPECT_THAT(shown(sql_->audit({})), ElementsAre("olga trash job-0:>trashed"));
    {
        journal::SqlSession session(url_);
        session.execute("DROP TABLE audit");
        session.execute("UPDATE journal_meta SET value = '3' WHERE name = 'schema'");
    }
    SqlJournal newer(url_);
    EXPECT_THAT(shown(newer.audit({})), ElementsAre("olga trash job-0:>trashed"));
}

TEST_P(AuditTable, givesPagesThatMissAndRepeatNothing)
{
    std::vector<JournalEvent> events;
    for (std::uint64_t at = 2; at < 12; ++at) {
        events.push_back(about(at, "trash", "olga", 5));
    }
    commit(std::move(events));
    const auto all = shown(sql_->audit({}));
    EXPECT_EQ(all.size(), 50U);
    for (const std::uint32_t limit : {1U, 7U, 50U, 51U}) {
        std::vector<std::string> seen;
        AuditQuery query{.limit = limit};
        do {
            const auto page = sql_->audit(query);
            for (auto& line : shown(page)) {
                seen.push_back(std::move(line));
            }
            query.cursor = page->cursor;
        } while (!query.cursor.empty() && seen.size() < 100);
        EXPECT_EQ(seen, all) << limit;
    }
}

TEST_P(AuditTable, findsByActorVerbJobAndTime)
{
    commit({about(100, "trash", "olga"), about(200, "bury", "OLGA;'\\%"), aboutTopic(300, "pause"),
            about(400, "trash", "paul", 2)});
    const auto count = [&](const AuditQuery& query) { return shown(sql_->audit(query)).size(); };
    EXPECT_EQ(count({.actor = "olg"}), 2U);
    EXPECT_EQ(count({.actor = ";'\\%"}), 1U);
    EXPECT_EQ(count({.actor = "%"}), 1U);
    EXPECT_EQ(count({.actor = "nobody"}), 0U);
    EXPECT_EQ(count({.verbs = {"trash"}}), 3U);
    EXPECT_EQ(count({.verbs = {"bury", "pause"}}), 2U);
    EXPECT_EQ(count({.id = "job-1"}), 1U);
    EXPECT_EQ(count({.since = fromEpochMs(200), .until = fromEpochMs(400)}), 2U);
    EXPECT_EQ(count({.actor = "paul", .verbs = {"trash"}, .id = "job-0"}), 1U);
}

TEST_P(AuditTable, refusesWhatIsNoCursor)
{
    for (const auto* cursor : {"x", "1 2 3", "1 2 3 4 5", "1 2 3 -4", "1;2 3 4"}) {
        EXPECT_EQ(sql_->audit({.cursor = cursor}).error().code, ErrorCode::Invalid) << cursor;
    }
    EXPECT_EQ(sql_->audit({.limit = 0}).error().code, ErrorCode::Invalid);
    EXPECT_EQ(sql_->audit({.limit = 1'001}).error().code, ErrorCode::Invalid);
}

TEST_P(AuditTable, isFilledFromTheHistoryOfAnOlderJournal)
{
    commit({about(2, "trash", "olga"), about(3, "claim", "")});
    {
        journal::SqlSession session(url_);
        session.execute("DROP TABLE audit");
        session.execute("UPDATE journal_meta SET value = '3' WHERE name = 'schema'");
    }
    SqlJournal newer(url_);
    EXPECT_THAT(shown(newer.audit({})), ElementsAre("olga trash job-0:>trashed"));
}

TEST_P(AuditTable, forgetsWhatIsOlderThanTheJournalKeeps)
{
    commit({about(100, "trash", "olga"), about(200, "bury", "olga")});
    ASSERT_TRUE(sql_->deleteOld("", 10, fromEpochMs(150)));
    EXPECT_THAT(shown(sql_->audit({})), ElementsAre(HasSubstr("bury")));
}

TEST_P(AuditTable, isLookedAtWithoutChangingTheJournal)
{
    SqlJournal reader(url_, SqlJournal::Schema::Require);
    EXPECT_THAT(shown(reader.audit({})), IsEmpty());
    {
        journal::SqlSession session(url_);
        session.execute("UPDATE journal_meta SET value = '3' WHERE name = 'schema'");
    }
    SqlJournal other(url_, SqlJournal::Schema::Require);
    const auto refused = other.audit({});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(refused.error().message, HasSubstr("version 3"));
    EXPECT_EQ(sql_->fact("schema").value(), "3");
}

/// What a journal records of a real store.
class Audit : public JournalFixture {
protected:
    void SetUp() override
    {
        useDatabase(newDatabase(SqlKind::Sqlite));
        openQueue();
        openJournal();
        reader_ = std::make_unique<SqlThread>(journal::parseJournalUrl(url_).value(),
                                              SqlJournal::Schema::Require);
    }
    void TearDown() override { reader_.reset(); }

    Result<AuditEntries> audit(const AuditQuery& query)
    {
        return await<AuditEntries>([&](auto done) {
            reader_->ask<AuditEntries>(
                loop_, [query](auto& sql) { return sql.audit(query); }, done);
        });
    }
    /// All entries, once there are so many.
    std::vector<AuditEntry> entries(std::size_t count)
    {
        std::vector<AuditEntry> found;
        eventually([&] {
            found = audit({}).value_or(AuditEntries{}).entries;
            return found.size() >= count;
        });
        return found;
    }
    BulkReport act(BulkAction::Verb verb, const std::string& filter)
    {
        BulkAction action;
        action.verb = verb;
        action.filter = JobFilter::parse(filter).value();
        action.mode = BulkAction::Mode::Apply;
        action.actor = "olga";
        action.reason = "test of " + std::string(name(verb));
        BulkRun run(queue_->inspector(), queue_->store(), queue_->queue().clock(), action);
        const auto report = await<BulkReport>([&](auto done) { run.start(std::move(done)); });
        EXPECT_TRUE(report) << report.error().message;
        return report.value_or(BulkReport{});
    }

    std::unique_ptr<SqlThread> reader_;
};

TEST_F(Audit, namesWhoDidWhatAndWhyForEachVerb)
{
    using Verb = BulkAction::Verb;
    const auto id = push(order(), 1h);
    for (const auto verb : {Verb::RunNow, Verb::Reschedule, Verb::Hold, Verb::Release, Verb::Bury,
                            Verb::Restore, Verb::Trash, Verb::Purge}) {
        EXPECT_EQ(act(verb, "id:" + id).done, 1U) << name(verb);
    }
    push(order());
    ASSERT_EQ(claim().size(), 1U);
    EXPECT_EQ(act(Verb::Finish, "state:leased").done, 1U);
    std::vector<std::string> verbs;
    for (const auto& entry : entries(9)) {
        verbs.push_back(entry.verb);
        EXPECT_EQ(entry.actor, "olga") << entry.verb;
        EXPECT_EQ(entry.reason, "test of " + entry.verb);
        EXPECT_EQ(entry.topic, "order") << entry.verb;
        EXPECT_FALSE(entry.worker.empty());
        EXPECT_NE(entry.from, entry.to) << entry.verb;
    }
    EXPECT_THAT(verbs, ElementsAre("finish", "purge", "trash", "restore", "bury", "release", "hold",
                                   "reschedule", "run_now"));
}

TEST_F(Audit, hasTheOrderThatAWriteWasPartOf)
{
    using Verb = BulkAction::Verb;
    push(order());
    push(order());
    EXPECT_EQ(act(Verb::Hold, "topic:order").done, 2U);
    EXPECT_EQ(act(Verb::Release, "topic:order").done, 2U);
    const auto written = entries(4);
    ASSERT_EQ(written.size(), 4U);
    for (const auto& entry : written) {
        EXPECT_EQ(entry.actor, "olga") << "without the id behind it";
        EXPECT_EQ(entry.bulkActionId.size(), 16U) << entry.verb;
        EXPECT_EQ(entry.bulkActionId == written.front().bulkActionId,
                  entry.verb == written.front().verb);
    }
    const auto id = push(order());
    queue_->store().trash({id, "olga", "one"}, [](const auto&) {});
    EXPECT_EQ(entries(5).front().bulkActionId, "") << "it was for one";
}

TEST_F(Audit, tellsWorkersAndOperatorsOfOneCallApart)
{
    push(order());
    push(order());
    const auto jobs = claim();
    ASSERT_EQ(jobs.size(), 2U);
    Lease byOperator{jobs[0].job.id, 0, {}};
    byOperator.actor = "olga";
    byOperator.reason = "done by hand\nall of it";
    int answered = 0;
    const auto count = [&](const Result<std::uint64_t>& done) {
        EXPECT_TRUE(done) << done.error().message;
        ++answered;
    };
    queue_->store().finish(byOperator, count);
    queue_->store().finish(leaseOf(jobs[1]), count);
    ASSERT_TRUE(loop_.runUntil([&] { return answered == 2; }, Millis{30'000}));
    EXPECT_THAT(moves(jobs[1].job.id, 3), testing::Contains("finish:leased>done"));
    const auto found = entries(1);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, jobs[0].job.id);
    EXPECT_EQ(found[0].reason, "done by hand\nall of it");
}

TEST_F(Audit, hasWhatIsTakenAndFinishedByHand)
{
    push(order());
    const auto taken = await<std::vector<ClaimedJob>>([&](auto done) {
        queue_->queue().claim({Channel::Pull, {"order"}, 1, "olga", "to look into it"}, done);
    });
    ASSERT_EQ(taken->size(), 1U);
    auto lease = leaseOf(taken->at(0));
    lease.actor = "olga";
    lease.reason = "it was nothing";
    ASSERT_TRUE(await<void>([&](auto done) { queue_->queue().finish(lease, done); }));
    std::vector<std::string> seen;
    for (const auto& entry : entries(2)) {
        EXPECT_EQ(entry.actor, "olga");
        seen.push_back(entry.verb + " " + entry.to + ": " + entry.reason);
    }
    EXPECT_THAT(seen, ElementsAre("finish done: it was nothing", "claim leased: to look into it"));
}

TEST_F(Audit, hasWhoseMessagesAreTraced)
{
    using redis::TraceRequests;
    const auto shards =
        redis::shardQueues(loop_, queue_->connection(), queue_->clock(), config_.redis.prefix, 1);
    const TraceRequests::Operator by{"olga", "ticket 7"};
    const redis::TraceRequest bob{"sip:bob@example.org", queue_->clock().now() + 10min};
    ASSERT_TRUE(await<std::uint64_t>(
        [&](auto done) { TraceRequests::put(*shards.front(), bob, by, done); }));
    const auto end = [&] {
        return await<std::uint64_t>(
            [&](auto done) { TraceRequests::remove(*shards.front(), bob.address, by, done); });
    };
    ASSERT_TRUE(end());
    EXPECT_EQ(end().error().code, ErrorCode::NotFound);
    push(order());
    std::vector<std::string> seen;
    for (const auto& entry : entries(2)) {
        EXPECT_TRUE(entry.id.empty());
        EXPECT_EQ(entry.topic, bob.address);
        EXPECT_EQ(entry.actor + ": " + entry.reason, "olga: ticket 7");
        seen.push_back(entry.verb + " " + entry.from + ">" + entry.to);
    }
    EXPECT_THAT(seen, ElementsAre("untrace traced>", "trace >traced"));
}

TEST_F(Audit, hasThePausesAndLimitsOfTopics)
{
    const TopicAction action{"order", "olga", "the other side is down"};
    auto& store = queue_->store();
    ASSERT_TRUE(await<void>([&](auto done) { store.pauseTopic(action, done); }));
    ASSERT_TRUE(await<void>([&](auto done) { store.limitTopic(action, {4, {10, 1s}}, done); }));
    ASSERT_TRUE(await<void>([&](auto done) { store.resumeTopic(action, done); }));
    std::vector<std::string> seen;
    for (const auto& entry : entries(3)) {
        EXPECT_TRUE(entry.id.empty());
        EXPECT_EQ(entry.topic, "order");
        EXPECT_EQ(entry.reason, "the other side is down");
        seen.push_back(entry.verb + " " + entry.to);
    }
    EXPECT_THAT(seen, ElementsAre("resume ", "limit 4 10 1000", "pause paused"));
    ASSERT_TRUE(await<void>([&](auto done) { store.limitTopic(action, {8, {10, 1s}}, done); }));
    const auto limit = entries(4).front();
    EXPECT_EQ(limit.from + " > " + limit.to, "4 10 1000 > 8 10 1000");
    EXPECT_EQ(entries(4)[2].from, "0 0 0") << "there were none before";
}

TEST_F(Audit, hasTheDueTimesBeforeAndAfterAReschedule)
{
    const auto id = push(order());
    auto& store = queue_->store();
    const TimePoint first = queue_->clock().now() + 1h;
    const TimePoint second = first + 1h;
    for (const auto due : {first, second}) {
        ASSERT_TRUE(await<void>([&](auto done) {
            store.reschedule({id, "olga", "they asked"}, {due}, done);
        }));
    }
    const auto moved = entries(2).front();
    EXPECT_EQ(moved.verb, "reschedule");
    EXPECT_EQ(moved.from, "scheduled");
    EXPECT_EQ(moved.to, "scheduled");
    EXPECT_EQ(moved.dueBefore, first);
    EXPECT_EQ(moved.dueAfter, second);
}

}  // namespace
}  // namespace restante::test
