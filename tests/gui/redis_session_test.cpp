// The store's side of a session on a real Redis: what is asked and written arrives.

#include "tests/gui/support/open_session.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

using restante::test::RedisServer;
using Phase = LinkState::Phase;
using Verb = BulkAction::Verb;

class RedisSession : public testing::Test {
protected:
    void SetUp() override
    {
        redis.send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
        session.emplace(redisProfile("unix://" + redis.socketPath()));
        ASSERT_EQ(session->settled(), Phase::Ready) << session->problem();
    }

    std::string push(const std::string& topic, Millis delay = std::chrono::hours{1})
    {
        PushOptions order;
        order.job.topic = topic;
        order.job.body = "{}";
        order.job.bizKey = "key-" + topic;
        order.delay = delay;
        const auto pushed = session->answer<Pushed>(
            [&](auto reply) { session->commands().push(order, std::move(reply)); });
        EXPECT_TRUE(pushed) << (pushed ? "" : pushed.error().message);
        return pushed ? pushed->ids.front() : std::string{};
    }
    JobRows page(const JobsView& view)
    {
        return session
            ->answer<JobRows>([&](auto reply) {
                session->source().page({7, view, 0, 200}, std::move(reply));
            })
            .value_or(JobRows{});
    }

    RedisServer redis;
    std::optional<OpenedSession> session;
};

TEST_F(RedisSession, pushesAndShowsTheDueTimeOfTheStore)
{
    PushOptions order;
    order.job.topic = "order";
    order.at = session->source().now() + std::chrono::minutes{30};
    const auto pushed = session->answer<Pushed>(
        [&](auto reply) { session->commands().push(order, std::move(reply)); });
    ASSERT_TRUE(pushed);
    const auto shown = session->answer<JobView>(
        [&](auto reply) { session->source().show(pushed->ids.front(), std::move(reply)); });
    ASSERT_TRUE(shown);
    EXPECT_EQ(shown->due, *order.at);
    EXPECT_EQ(pushed->dues.front(), *order.at);
}

TEST_F(RedisSession, pagesByRankWithTheEpochOfTheQuestion)
{
    for (int n = 0; n < 5; ++n) {
        push("order", std::chrono::hours{n + 1});
    }
    const auto rows = page({});
    EXPECT_EQ(rows.epoch, 7U);
    EXPECT_EQ(rows.total, 5U);
    ASSERT_EQ(rows.rows.size(), 5U);
    EXPECT_LT(rows.rows.front().due, rows.rows.back().due);
}

TEST_F(RedisSession, readsMailboxesWithMessagesAndDevices)
{
    const std::string bob = "sip:bob@example.org";
    PushOptions message;
    message.job.topic = "sip";
    message.job.channel = Channel::Sip;
    message.job.recipient = bob;
    message.job.body = "are you there?";
    message.placement = Placement::Mailbox;
    message.delay = std::chrono::hours{1};
    ASSERT_TRUE(session->answer<Pushed>(
        [&](auto reply) { session->commands().push(message, std::move(reply)); }));
    redis.send({"HSET", "rst:{s0}:seen:" + bob, "desk", "0 1000 2000 sip:bob@192.0.2.1 Phone/1"});
    const auto page = session->answer<MailboxPage>(
        [&](auto reply) { session->source().mailboxes({.name = "BOB"}, std::move(reply)); });
    ASSERT_TRUE(page);
    ASSERT_EQ(page->mailboxes.size(), 1U);
    EXPECT_EQ(page->mailboxes[0].waiting, 1U);
    EXPECT_EQ(page->mailboxes[0].awaySince(), TimePoint{Millis{2'000}});
    const auto content = session->answer<MailboxContent>([&](auto reply) {
        session->source().mailbox({bob, 10}, std::move(reply));
    });
    ASSERT_TRUE(content);
    ASSERT_EQ(content->messages.size(), 1U);
    EXPECT_EQ(content->messages[0].job.body, "are you there?");
    EXPECT_EQ(content->mailbox.devices.at(0).agent, "Phone/1");
}

TEST_F(RedisSession, tellsOfWhatHappensAndLeavesATrail)
{
    std::set<std::string> changed;
    QObject receiver;
    QObject::connect(
        &session->source(), &JobSource::changed, &receiver,
        [&](const ChangeBatch& batch) { changed.insert(batch.ids.begin(), batch.ids.end()); });
    const auto id = push("order");
    BulkRequest order;
    order.verb = BulkAction::Verb::Trash;
    order.selection.ids = {id};
    order.selection.count = 1;
    order.reason = "by mistake";
    const auto report = session->runBulk(order);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->done, 1U);
    EXPECT_TRUE(until([&] { return changed.count(id) == 1; }));

    const auto audit = session->answer<AuditBatch>(
        [&](auto reply) { session->source().audit({}, std::move(reply)); });
    ASSERT_TRUE(audit);
    ASSERT_EQ(audit->rows.size(), 2U);
    EXPECT_EQ(audit->rows[1].verb, QStringLiteral("push"));
    EXPECT_EQ(audit->rows[0].object.toStdString(), id);
    EXPECT_EQ(audit->rows[0].verb, QStringLiteral("trash"));
    EXPECT_EQ(audit->rows[0].to, QStringLiteral("trashed"));
    EXPECT_EQ(audit->rows[0].reason, QStringLiteral("by mistake"));
    EXPECT_EQ(audit->rows[0].actor.toStdString(), session->commands().actor());
    EXPECT_TRUE(audit->cursor.empty());

    const auto history = session->answer<std::vector<HistoryRow>>(
        [&](auto reply) { session->source().history(id, std::move(reply)); });
    ASSERT_TRUE(history);
    ASSERT_EQ(history->size(), 2U);
    EXPECT_EQ(history->front().transition, "push");
    EXPECT_EQ(history->back().transition, "trash");
}

TEST_F(RedisSession, auditsPausesAndResumesByTopicAndFilters)
{
    push("order");
    for (const auto verb : {JobWriter::TopicVerb::Pause, JobWriter::TopicVerb::Resume}) {
        ASSERT_TRUE(session->answer<void>([&](auto reply) {
            session->commands().changeTopic(verb, {"order", {}, "maintenance"}, std::move(reply));
        }));
    }
    AuditRequest request;
    request.verb = QStringLiteral("pause");
    const auto audit = session->answer<AuditBatch>(
        [&](auto reply) { session->source().audit(request, std::move(reply)); });
    ASSERT_TRUE(audit);
    ASSERT_EQ(audit->rows.size(), 1U);
    EXPECT_EQ(audit->rows[0].object, QStringLiteral("order"));
    EXPECT_EQ(audit->rows[0].reason, QStringLiteral("maintenance"));
}

TEST(RedisSessionOfTwoShards, goesOnWithTheAuditOfOneShardWhenTheOtherIsThrough)
{
    RedisServer redis;
    redis.send({"HSET", "rst:meta", "schema", "1", "shards", "2"});
    constexpr std::size_t kEntries = 501;  // one more than are read at once
    redis.send({"EVAL",
                "for n = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 't', 'trash', "
                "'at', '1700000000000', 'ids', 'job', 'by', 'ann') end",
                "1", "rst:{s1}:events", std::to_string(kEntries)});
    OpenedSession session(redisProfile("unix://" + redis.socketPath()));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    AuditRequest request;
    std::size_t rows = 0;
    do {
        const auto page = session.answer<AuditBatch>(
            [&](auto reply) { session.source().audit(request, std::move(reply)); });
        ASSERT_TRUE(page);
        ASSERT_FALSE(page->rows.empty());
        rows += page->rows.size();
        ASSERT_LE(rows, kEntries) << "it read something twice";
        request.cursor = page->cursor;
    } while (!request.cursor.empty());
    EXPECT_EQ(rows, kEntries);
}

TEST_F(RedisSession, storesLimitsAndTellsWhichThereWereBefore)
{
    const auto limit = [&](const TopicLimits& limits) {
        return session->answer<void>([&](auto reply) {
            session->commands().setTopicLimits({"sms", "", ""}, limits, std::move(reply));
        });
    };
    ASSERT_TRUE(limit({4, {}}));
    ASSERT_TRUE(limit({8, {}}));
    const auto refused = limit({1'000'000, {}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Invalid);
    const auto topics = session->answer<std::vector<TopicView>>(
        [&](auto reply) { session->source().topics(std::move(reply)); });
    ASSERT_TRUE(topics);
    ASSERT_EQ(topics->size(), 1U);
    EXPECT_EQ(topics->front().limits, (TopicLimits{8, {}}));
    const auto audit = session->answer<AuditBatch>(
        [&](auto reply) { session->source().audit({}, std::move(reply)); });
    ASSERT_TRUE(audit);
    ASSERT_EQ(audit->rows.size(), 2U);
    EXPECT_EQ(audit->rows[0].from, QStringLiteral("4 0 1000"));
    EXPECT_EQ(audit->rows[0].to, QStringLiteral("8 0 1000"));
}

TEST_F(RedisSession, tellsFromWhenToWhenSomebodyHasMovedAJob)
{
    const auto id = push("order");
    const auto before = session->source().now() + std::chrono::hours{5};
    const auto after = before + std::chrono::hours{1};
    for (const auto due : {before, after}) {
        BulkRequest request;
        request.verb = BulkAction::Verb::Reschedule;
        request.selection.ids = {id};
        request.selection.count = 1;
        request.due = due;
        ASSERT_TRUE(session->answer<BulkReport>(
            [&](auto reply) { session->commands().runBulk(request, {}, std::move(reply)); }));
    }
    const auto audit = session->answer<AuditBatch>(
        [&](auto reply) { session->source().audit({}, std::move(reply)); });
    ASSERT_TRUE(audit);
    ASSERT_FALSE(audit->rows.empty());
    EXPECT_EQ(audit->rows[0].dueBefore, before);
    EXPECT_EQ(audit->rows[0].dueAfter, after);
}

TEST_F(RedisSession, claimsNoStateThatAnEventDoesNotTell)
{
    PushOptions message;
    message.job.topic = "sip";
    message.job.channel = Channel::Sip;
    message.job.recipient = "sip:bob@example.org";
    message.job.body = "are you there?";
    message.placement = Placement::Mailbox;
    const auto pushed = session->answer<Pushed>(
        [&](auto reply) { session->commands().push(message, std::move(reply)); });
    ASSERT_TRUE(pushed);
    const auto inMailbox = pushed->ids.front();
    const auto notDue = push("order");
    const auto act = [&](Verb verb, const std::string& id) {
        BulkRequest request;
        request.verb = verb;
        request.selection.ids = {id};
        request.selection.count = 1;
        request.due = session->source().now() + std::chrono::hours{5};
        const auto report = session->runBulk(request);
        return report && report->done == 1;
    };
    ASSERT_TRUE(act(Verb::Release, inMailbox));
    ASSERT_TRUE(act(Verb::RunNow, inMailbox));
    ASSERT_TRUE(act(Verb::Hold, notDue));
    ASSERT_TRUE(act(Verb::Release, notDue));
    ASSERT_TRUE(act(Verb::Reschedule, notDue));
    ASSERT_TRUE(act(Verb::Purge, notDue));

    const auto states = [&](const std::string& id) {
        const auto history = session->answer<std::vector<HistoryRow>>(
            [&](auto reply) { session->source().history(id, std::move(reply)); });
        std::vector<std::string> words;
        for (const auto& row : history.value_or(std::vector<HistoryRow>{})) {
            words.push_back(row.transition + ": " + (row.toIsKnown ? row.to : "unknown"));
        }
        return words;
    };
    EXPECT_THAT(states(inMailbox),
                testing::ElementsAre("push: unknown", "release: unknown", "run_now: unknown"));
    EXPECT_THAT(states(notDue),
                testing::ElementsAre("push: unknown", "hold: held", "release: unknown",
                                     "reschedule: scheduled", "purge: "));
    const auto audit = session->answer<AuditBatch>(
        [&](auto reply) { session->source().audit({}, std::move(reply)); });
    ASSERT_TRUE(audit);
    for (const auto& row : audit->rows) {
        if (row.verb == QStringLiteral("release") || row.verb == QStringLiteral("run_now")) {
            EXPECT_EQ(row.to, QString()) << row.verb.toStdString();
        }
    }
}

TEST_F(RedisSession, tellsWhatWorkersNotedOfTheirAttemptsAlsoWithoutAJournal)
{
    const std::string note = "attempt 1: 2026-12-31T09:00:00.120Z sip:b@h 480 Away (3 ms)\n";
    redis.send({"EVAL",
                "local function add(...) redis.call('XADD', KEYS[1], '*', 'at', '1700000000000', "
                "'ids', 'other job', ...) end "
                "add('t', 'claim', 'w', 'host/1') "
                "add('t', 'hold', 'note', cmsgpack.pack({'', ARGV[1]}), 'w', 'host/1') "
                "add('t', 'claim') "
                "add('t', 'hold')",
                "1", "rst:{s0}:events", note});
    const auto history = session->answer<std::vector<HistoryRow>>(
        [&](auto reply) { session->source().history("job", std::move(reply)); });
    ASSERT_TRUE(history);
    ASSERT_EQ(history->size(), 4U);
    const auto& noted = (*history)[1];
    EXPECT_EQ(noted.note, note);
    EXPECT_EQ(noted.from, "leased");
    EXPECT_TRUE(noted.noteIsKnown);
    // While no journal listens, no worker and no note is in the events.
    const auto& unknown = (*history)[3];
    EXPECT_EQ(unknown.note, "");
    EXPECT_EQ(unknown.from, "leased");
    EXPECT_FALSE(unknown.noteIsKnown);
}

TEST_F(RedisSession, countsMoreDeadJobsThanItLooksAtOnceInTheBackground)
{
    constexpr int kJobs = 1'300;
    PushOptions order;
    order.job.topic = "graveyard";
    order.delay = std::chrono::hours{1};
    for (int n = 0; n < kJobs; ++n) {
        const auto id = "dead-" + std::to_string(n);
        order.job.id = id;
        ASSERT_TRUE(session->answer<Pushed>(
            [&](auto reply) { session->commands().push(order, std::move(reply)); }));
        redis.send({"ZREM", "rst:{s0}:due:pull:5:graveyard", id});
        redis.send({"ZADD", "rst:{s0}:dead", std::to_string(n + 1), id});
    }
    const auto dead = [&] {
        return session
            ->answer<TopicActivity>(
                [&](auto reply) { session->source().activity(std::move(reply)); })
            .value_or(TopicActivity{})
            .dead;
    };
    const auto first = dead();
    EXPECT_FALSE(first.isComplete);
    EXPECT_EQ(first.jobs.at("graveyard"), 1'000U);
    ASSERT_TRUE(until([&] { return dead().isComplete; }));
    const auto counted = dead();
    EXPECT_EQ(counted.jobs.at("graveyard"), static_cast<std::uint64_t>(kJobs));
    EXPECT_TRUE(counted.asOf);
    const auto place = std::pair{Channel::Pull, std::string("graveyard")};
    EXPECT_EQ(counted.byChannelAndTopic.at(place), static_cast<std::uint64_t>(kJobs));
}

TEST_F(RedisSession, refusesATopicActionThatIsWrongBeforeItIsStored)
{
    const auto refused = session->answer<void>([&](auto reply) {
        session->commands().changeTopic(JobWriter::TopicVerb::Pause, {"two words", {}, {}},
                                        std::move(reply));
    });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Invalid);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("topic"));
}

TEST_F(RedisSession, findsWhatIsRelatedByKeyAndRecipient)
{
    const auto id = push("order");
    push("other");
    RelatedRequest request;
    request.by = RelatedRequest::By::BizKey;
    request.value = "key-order";
    const auto related = session->answer<RelatedJobs>(
        [&](auto reply) { session->source().related(request, std::move(reply)); });
    ASSERT_TRUE(related);
    ASSERT_EQ(related->rows.size(), 1U);
    EXPECT_EQ(related->rows.front().id, id);
    EXPECT_TRUE(related->isComplete);
}

TEST_F(RedisSession, tellsNoPartOfWhatIsRelatedWhenAllIsWanted)
{
    push("order");
    push("order");
    push("order");
    RelatedRequest request;
    request.by = RelatedRequest::By::BizKey;
    request.value = "key-order";
    request.limit = 2;
    const auto related = [&] {
        return session->answer<RelatedJobs>(
            [&](auto reply) { session->source().related(request, std::move(reply)); });
    };
    const auto some = related();
    ASSERT_TRUE(some);
    EXPECT_EQ(some->rows.size(), 2U);
    EXPECT_FALSE(some->isComplete);
    request.mustBeComplete = true;
    const auto tooMany = related();
    ASSERT_FALSE(tooMany);
    EXPECT_EQ(tooMany.error().code, ErrorCode::Unavailable);
    request.limit = 4;
    const auto all = related();
    ASSERT_TRUE(all);
    EXPECT_EQ(all->rows.size(), 3U);
    EXPECT_TRUE(all->isComplete);
}

TEST_F(RedisSession, samplesWhatTheStoreHasDone)
{
    push("order", Millis{0});
    const auto sample = session->answer<Sample>(
        [&](auto reply) { session->source().sample({}, std::move(reply)); });
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_EQ(sample->moves.at("push"), 1U);
    EXPECT_EQ(sample->counts.states.at(JobState::Ready), 1U);
    EXPECT_TRUE(sample->lateness);
    const auto other = session->answer<Sample>(
        [&](auto reply) { session->source().sample({.topic = "other"}, std::move(reply)); });
    ASSERT_TRUE(other);
    EXPECT_FALSE(other->lateness) << "nothing of that topic is ready";
    const auto past =
        session->answer<Past>([&](auto reply) { session->source().past({}, std::move(reply)); });
    ASSERT_FALSE(past);
    EXPECT_THAT(past.error().message, testing::HasSubstr("no journal"));
}

TEST_F(RedisSession, makesRemindersAndShowsThemBefore)
{
    reminder::ReminderRequest request;
    request.to = "sip:bob@example.org";
    request.in = "2h";
    request.text = "hello";
    const auto times = session->answer<std::vector<TimePoint>>(
        [&](auto reply) { session->commands().preview(request, 3, std::move(reply)); });
    ASSERT_TRUE(times) << times.error().message;
    ASSERT_EQ(times->size(), 1U);
    const auto made = session->answer<Pushed>(
        [&](auto reply) { session->commands().createReminder(request, std::move(reply)); });
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->ids.size(), 1U);
    request.in = "soon";
    const auto refused = session->answer<Pushed>(
        [&](auto reply) { session->commands().createReminder(request, std::move(reply)); });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Invalid);
}

TEST_F(RedisSession, anOrderThatLosesItsStoreEndsWithWhatItDid)
{
    for (int n = 0; n < 50; ++n) {
        push("order");
    }
    BulkRequest order;
    order.verb = BulkAction::Verb::Trash;
    order.selection.all = true;
    order.selection.count = 50;
    std::optional<Result<BulkReport>> report;
    QObject receiver;
    redis.pause();
    session->commands().runBulk(order, {},
                                {&receiver, [&](Result<BulkReport> r) { report = std::move(r); }});
    redis.kill9();
    ASSERT_TRUE(until([&] { return report.has_value(); }));
    if (*report) {
        EXPECT_TRUE((*report)->stopped);
    } else {
        EXPECT_EQ(report->error().code, ErrorCode::Unavailable);
    }
    EXPECT_TRUE(until([&] { return session->link().phase == Phase::Lost; }));
}

TEST_F(RedisSession, endsWithQuestionsOnTheirWay)
{
    push("order");
    QObject receiver;
    for (int n = 0; n < 100; ++n) {
        session->source().counts({&receiver, [](const Result<StoreCounts>&) {}});
        session->source().scan({}, {&receiver, [](const Result<ScanBatch>&) {}});
    }
    session.reset();
}

}  // namespace
}  // namespace restante::gui::test
