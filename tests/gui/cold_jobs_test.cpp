// Jobs that are due in a long while, which are in the journal alone
// (docs/decisions/0042-cold-jobs.md), as the console shows and changes them.

#include "core/redis/client/blocking_command.h"
#include "tests/gui/support/open_session.h"
#include "tests/support/daemon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace restante::gui::test {
namespace {

using restante::test::Daemon;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Phase = LinkState::Phase;

constexpr Millis kNear = std::chrono::minutes{10};
constexpr Millis kFar = std::chrono::hours{24};

ConnectionProfile ofConfiguration(const Daemon& daemon)
{
    ConnectionProfile profile;
    profile.kind = ConnectionProfile::Kind::Local;
    profile.configFile = QString::fromStdString((daemon.directory() / "restante.toml").string());
    return profile;
}

ConnectionProfile ofAddress(const Daemon& daemon)
{
    return redisProfile("unix://" + daemon.redisSocket());
}

QString journalOf(const Daemon& daemon)
{
    return QString::fromStdString("sqlite://" + (daemon.directory() / "state/journal.db").string());
}

Result<Pushed> tryPush(OpenedSession& session, const std::string& id, Millis delay)
{
    PushOptions order;
    order.job.topic = "order";
    order.job.body = "close it";
    order.job.bizKey = "17";
    order.job.id = id;
    order.delay = delay;
    return session.answer<Pushed>(
        [&](auto reply) { session.commands().push(order, std::move(reply)); });
}

/// The first page of the table.
JobRows page(OpenedSession& session)
{
    return session
        .answer<JobRows>([&](auto reply) {
            session.source().page({1, {}, 0, 200}, std::move(reply));
        })
        .value_or(JobRows{});
}

/// What is found of a filter.
std::vector<JobRow> found(OpenedSession& session, const std::string& filter)
{
    ScanRequest request;
    request.view.filter = JobFilter::parse(filter).value();
    return session
        .answer<ScanBatch>([&](auto reply) { session.source().scan(request, std::move(reply)); })
        .value_or(ScanBatch{})
        .rows;
}

std::vector<std::string> idsOf(const std::vector<JobRow>& rows)
{
    std::vector<std::string> ids;
    for (const auto& row : rows) {
        ids.push_back(row.id);
    }
    return ids;
}

std::uint64_t scheduled(OpenedSession& session)
{
    return session
        .answer<StoreCounts>([&](auto reply) { session.source().counts(std::move(reply)); })
        .value_or(StoreCounts{})
        .states[JobState::Scheduled];
}

class ColdJobsInTheConsole : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(session.settled(), Phase::Ready) << session.problem(); }

    bool isInRedis(const std::string& id) const
    {
        const auto key = "rst:{s0}:j:" + id.substr(0, id.size() - 1);
        const auto record = redis::blockingCommand(
            daemon.redisSocket(), {"HEXISTS", key, id.substr(id.size() - 1)}, Millis{5'000});
        EXPECT_TRUE(record);
        return record && *record->integer() == 1;
    }
    void push(const std::string& id, Millis delay)
    {
        const auto pushed = tryPush(session, id, delay);
        EXPECT_TRUE(pushed) << pushed.error().message;
        // What a person pushes is stored in Redis first. When it leaves, it is on neither side's
        // list until the journal has recorded that.
        EXPECT_TRUE(delay == kNear || until([&] { return !isInRedis(id) && isListed(id); }));
    }
    bool isListed(const std::string& id)
    {
        const auto ids = idsOf(found(session, "biz_key:17"));
        return std::find(ids.begin(), ids.end(), id) != ids.end();
    }
    Result<JobView> shown(const std::string& id)
    {
        return session.answer<JobView>(
            [&](auto reply) { session.source().show(id, std::move(reply)); });
    }
    JobState stateOf(const std::string& id)
    {
        const auto view = shown(id);
        EXPECT_TRUE(view) << view.error().message;
        return view ? view->state : JobState::Done;
    }
    void act(BulkAction::Verb verb, const std::string& id, TimePoint due = {})
    {
        BulkRequest order;
        order.verb = verb;
        order.selection.ids = {id};
        order.selection.count = 1;
        order.due = due;
        const auto report = session.runBulk(order);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(report->done, 1U);
    }

    Daemon daemon{{.set = {"sip.listen=", "queue.hot_horizon=1h"}}};
    OpenedSession session{ofConfiguration(daemon)};
};

TEST_F(ColdJobsInTheConsole, areInTheTableTheCountsTheSearchAndTheDetail)
{
    EXPECT_EQ(session.link().whyNotServed, QString());
    push("near", kNear);
    push("far", kFar);
    ASSERT_FALSE(isInRedis("far"));
    const auto table = page(session);
    EXPECT_THAT(idsOf(table.rows), ElementsAre("near", "far"));
    EXPECT_THAT(idsOf(found(session, "due>2h")), ElementsAre("far"));
    EXPECT_THAT(idsOf(found(session, "biz_key:17")), ElementsAre("near", "far"));
    EXPECT_EQ(scheduled(session), 2U);
    const auto view = shown("far");
    ASSERT_TRUE(view) << view.error().message;
    EXPECT_EQ(view->state, JobState::Scheduled);
    EXPECT_EQ(view->job.body, "close it");
    EXPECT_FALSE(isInRedis("far"));  // looking moves nothing
}

TEST_F(ColdJobsInTheConsole, takeEveryAction)
{
    push("far", kFar);
    act(BulkAction::Verb::Trash, "far");
    EXPECT_EQ(stateOf("far"), JobState::Trashed);
    act(BulkAction::Verb::Restore, "far");
    EXPECT_EQ(stateOf("far"), JobState::Scheduled);
    EXPECT_TRUE(until([&] { return !isInRedis("far"); }));  // moved out again
    const auto soon = session.source().now() + kNear;
    act(BulkAction::Verb::Reschedule, "far", soon);
    EXPECT_TRUE(isInRedis("far"));
    EXPECT_EQ(shown("far")->due, soon);
    push("now", kFar);
    act(BulkAction::Verb::RunNow, "now");
    EXPECT_EQ(stateOf("now"), JobState::Ready);
    push("held", kFar);
    act(BulkAction::Verb::Hold, "held");
    EXPECT_EQ(stateOf("held"), JobState::Held);
    push("gone", kFar);
    act(BulkAction::Verb::Purge, "gone");
    EXPECT_FALSE(shown("gone"));
    EXPECT_EQ(scheduled(session), 1U);
}

TEST_F(ColdJobsInTheConsole, haveTheirIdsForThemselves)
{
    push("far", kFar);
    const auto again = tryPush(session, "far", kNear);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->alreadyThere);
    EXPECT_FALSE(isInRedis("far"));
}

TEST_F(ColdJobsInTheConsole, areMissedInWordsWhenNobodyNamesTheJournal)
{
    push("near", kNear);
    push("far", kFar);
    OpenedSession blind(ofAddress(daemon));
    ASSERT_EQ(blind.settled(), Phase::Ready) << blind.problem();
    EXPECT_THAT(
        blind.link().whyNotServed.toStdString(),
        AllOf(HasSubstr("nobody knows how many"), HasSubstr("Enter the journal's address")));
    EXPECT_THAT(idsOf(page(blind).rows), ElementsAre("near"));
    // A job of that id may be among them.
    const auto refused = tryPush(blind, "far", kNear);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
    EXPECT_TRUE(tryPush(blind, "", kNear));
    EXPECT_FALSE(isInRedis("far"));

    auto named = ofAddress(daemon);
    named.journalUrl = journalOf(daemon);
    OpenedSession seeing(named);
    ASSERT_EQ(seeing.settled(), Phase::Ready) << seeing.problem();
    EXPECT_EQ(seeing.link().whyNotServed, QString());
    EXPECT_EQ(page(seeing).total, 3U);
}

TEST_F(ColdJobsInTheConsole, areNotTakenFromAnotherStoresJournal)
{
    const Daemon other({.set = {"sip.listen="}});
    auto profile = ofAddress(daemon);
    profile.journalUrl = journalOf(other);
    OpenedSession wrong(profile);
    ASSERT_EQ(wrong.settled(), Phase::Ready) << wrong.problem();
    EXPECT_THAT(wrong.link().whyNotServed.toStdString(),
                AllOf(HasSubstr("another store"), HasSubstr("journal.db")));
}

}  // namespace
}  // namespace restante::gui::test
