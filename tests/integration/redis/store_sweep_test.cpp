#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_sweep.h"
#include "tests/integration/redis/script_cut_short_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace restante::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Mode = redis::StoreSweep::Mode;

class StoreSweepTest : public ScriptCutShortFixture {
protected:
    void SetUp() override
    {
        open(sharedRedis(), {});
        half_ = connect(server_->url());
    }

    /// A job whose id a script cut short has taken out of its lane.
    Job lost(Millis delay = 0ms)
    {
        auto job = stored(plain(), delay);
        EXPECT_EQ(number({"ZREM", kLane, job.id}), 1);
        return job;
    }
    redis::SweepReport repaired(redis::StoreSweep::JournalLookup journal = {})
    {
        auto report = sweep(Mode::Repair, std::move(journal));
        EXPECT_TRUE(report) << report.error().message;
        return report.value_or(redis::SweepReport{});
    }
    redis::Reply runScript(std::string_view name, std::vector<std::string> arguments)
    {
        std::vector<std::string> words{"EVAL", std::string(redis::script(name).text), "1",
                                       kShard, std::to_string(toEpochMs(now())),      "1000",
                                       "test"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return send(words);
    }

    static constexpr const char* kShard = "rst:{s0}:";
    static constexpr const char* kLane = "rst:{s0}:due:pull:5:order";
};

TEST_F(StoreSweepTest, findsNothingInASoundStore)
{
    for (int i = 0; i < 300; ++i) {
        stored(plain(), 1h);
    }
    held(message());
    leased(plain());
    const auto report = repaired();
    EXPECT_EQ(report.faults(), 0U) << ::testing::PrintToString(report.examples);
    EXPECT_EQ(report.jobs, 302U);
    EXPECT_TRUE(report.isComplete);
}

TEST_F(StoreSweepTest, putsALostJobBackWhereItIsDelivered)
{
    const auto job = lost();
    EXPECT_TRUE(claimedIds(1).empty());
    const auto report = repaired();
    EXPECT_EQ(report.lost, 1U);
    EXPECT_EQ(report.examples, std::vector{"lost " + job.id});
    EXPECT_EQ(claimedIds(1), std::vector{job.id});
}

TEST_F(StoreSweepTest, showsALostJobAsItWillBe)
{
    const auto job = lost(1h);
    const auto shown = show(job.id);
    ASSERT_TRUE(shown) << shown.error().message;
    EXPECT_EQ(shown->state, JobState::Ready);
    EXPECT_THAT(shown->lastError, HasSubstr("in no set"));
    repaired();
    EXPECT_EQ(show(job.id)->state, JobState::Ready);
    EXPECT_THAT(show(job.id)->lastError, IsEmpty());
}

TEST_F(StoreSweepTest, believesTheJournalAboutALostJob)
{
    const auto job = lost(1h);
    const auto due = now() + 1h;
    const auto report = repaired([&](std::vector<std::string> ids, auto done) {
        EXPECT_EQ(ids, std::vector{job.id});
        done(std::vector<redis::JournalledState>{
            {job.id, "scheduled", std::to_string(toEpochMs(due)), "", "", ""}});
    });
    EXPECT_EQ(report.lost, 1U);
    EXPECT_EQ(show(job.id)->state, JobState::Scheduled);
    EXPECT_EQ(show(job.id)->due, due);
}

TEST_F(StoreSweepTest, leavesALostJobWhileItsJournalCannotBeAsked)
{
    const auto job = lost();
    const auto report = repaired(
        [](auto, auto done) { done(failure(ErrorCode::Unavailable, "the database is away")); });
    EXPECT_EQ(report.lost, 0U);
    EXPECT_EQ(report.left, 1U);
    EXPECT_EQ(report.journalProblem, "the database is away");
    EXPECT_TRUE(claimedIds(1).empty());
    EXPECT_EQ(repaired([](auto, auto done) { done(std::vector<redis::JournalledState>{}); }).lost,
              1U);
    EXPECT_EQ(claimedIds(1), std::vector{job.id});
}

TEST_F(StoreSweepTest, doesNotBringBackWhatTheJournalSawEnd)
{
    const auto job = lost();
    repaired([&](auto, auto done) {
        done(std::vector<redis::JournalledState>{{job.id, "done", "", "", "", ""}});
    });
    EXPECT_EQ(show(job.id)->state, JobState::Done);
}

/// As an operator held it, so that its due time is kept for the release.
TEST_F(StoreSweepTest, keepsTheDueTimeOfALostJobThatWasHeldByItself)
{
    const auto job = stored(plain(), 1h);
    const auto due = now() + 1h;
    const auto release = [&] {
        must<void>([&](auto done) { store().release({.id = job.id, .actor = "ann"}, done); });
        return show(job.id)->due;
    };
    for (const bool inOrigin : {true, false}) {
        SCOPED_TRACE(inOrigin);
        must<void>([&](auto done) { store().hold({.lease = {.id = job.id}}, done); });
        if (!inOrigin) {
            EXPECT_EQ(number({"HDEL", "rst:{s0}:origin", job.id}), 1);
        }
        EXPECT_EQ(number({"ZREM", "rst:{s0}:held", job.id}), 1);
        const auto origin = "scheduled " + std::to_string(toEpochMs(due)) + " - -";
        repaired([&](auto, auto done) {
            done(std::vector<redis::JournalledState>{{job.id, "held",
                                                      std::to_string(toEpochMs(now())), "", "",
                                                      inOrigin ? "" : origin}});
        });
        EXPECT_EQ(show(job.id)->state, JobState::Held);
        EXPECT_EQ(release(), due);
    }
}

TEST_F(StoreSweepTest, keepsTheAttemptsOfALostJob)
{
    const auto job = leased(plain());
    must<void>([&](auto done) { store().retry({leaseOf(job), now(), "busy"}, done); });
    send({"ZREM", kLane, job.job.id});
    repaired();
    EXPECT_EQ(claim(1).value().at(0).attempt, 2U);
    EXPECT_EQ(show(job.job.id)->lastError, "busy");
}

TEST_F(StoreSweepTest, leavesAJobAloneThatHasMovedSinceItWasFound)
{
    const auto job = stored(plain(), 1h);
    const auto reply = runScript("repair", {job.id, "", "dead", "1", "", "", "", "test", ""});
    EXPECT_EQ(*reply.array()->at(0).text(), "sound");
    EXPECT_EQ(show(job.id)->state, JobState::Scheduled);
}

TEST_F(StoreSweepTest, leavesAJobAloneThatIsAnotherOneThanWasFound)
{
    auto job = lost(1h);
    const auto shards = redis::shardQueues(loop_, *half_, clock_, "rst", 1);
    Done<std::vector<redis::JournalledState>> answer;
    const auto its = redis::StoreSweep::make(
        loop_, *half_, shards, {}, [&](auto /*ids*/, auto done) { answer = std::move(done); });
    std::optional<Result<redis::SweepReport>> report;
    its->run([&](Result<redis::SweepReport> found) { report = std::move(found); });
    ASSERT_TRUE(runUntil([&] { return answer != nullptr; }));

    // The journal speaks of the job that was there; by now its id is another one's, lost as well.
    const auto front = job.id.substr(0, job.id.size() - 1);
    EXPECT_EQ(number({"HDEL", kShard + ("j:" + front), job.id.substr(front.size())}), 1);
    job.body = "another one";
    stored(job, 1h);
    send({"ZREM", kLane, job.id});
    answer(std::vector<redis::JournalledState>{{job.id, "done", "", "", "", ""}});
    ASSERT_TRUE(runUntil([&] { return report.has_value(); }));
    EXPECT_EQ(report->value().faults(), 0U);
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:done"}), 0);

    EXPECT_EQ(repaired().lost, 1U);
    EXPECT_EQ(claim(1)->at(0).job.body, "another one");
}

TEST_F(StoreSweepTest, leavesAJobAloneThatIsBrokenInAnotherWayThanWasFound)
{
    const auto job = lost(1h);
    const auto found = runScript("faults", {job.id.substr(0, job.id.size() - 1)});
    const auto& told = *found.array()->at(0).array();
    ASSERT_EQ(*told.at(2).text(), "lost");
    const auto repair = [&] {
        return *runScript("repair",
                          {job.id, *told.at(3).text(), "dead", "1", "", "", "", "test", ""})
                    .array()
                    ->at(0)
                    .text();
    };
    send({"ZADD", "rst:{s0}:held", "0", job.id});
    send({"ZADD", "rst:{s0}:lease", "1", job.id});
    EXPECT_EQ(repair(), "moved");
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:lease"}), 1);
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:held"}), 1);
    send({"DEL", "rst:{s0}:held", "rst:{s0}:lease"});
    EXPECT_EQ(repair(), "lost");
    EXPECT_EQ(show(job.id)->state, JobState::Dead);
}

TEST_F(StoreSweepTest, leavesAnEntryAloneWhoseJobHasComeSinceItWasFound)
{
    const auto job = stored(plain(), 1h);
    const auto reply = runScript("clear", {"zset", "due:pull:5:order", "clear", "1", job.id});
    EXPECT_TRUE(reply.array()->at(0).array()->empty());
    EXPECT_EQ(number({"ZCARD", kLane}), 1);
}

TEST_F(StoreSweepTest, takesOutIdsWithoutAJob)
{
    const auto id = plain().id;
    for (const char* set : {"due:pull:5:order", "lease", "held", "expiry", "dead", "trash", "done",
                            "box:sip:bob@example.org"}) {
        send({"ZADD", kShard + std::string(set), "1", id});
    }
    send({"ZADD", "rst:{s0}:index", "0", std::string("b\0order-7\0", 10) + id});
    for (const char* notes : {"past", "forgotten", "error", "origin", "taken"}) {
        send({"HSET", kShard + std::string(notes), id, "1"});
    }
    EXPECT_EQ(sweep(Mode::ReportOnly)->stray, 14U);
    EXPECT_EQ(number({"EXISTS", "rst:{s0}:lease"}), 1);
    EXPECT_EQ(repaired().stray, 14U);
    EXPECT_EQ(send({"KEYS", "rst:{s0}:*"}).array()->size(), 0U);
}

TEST_F(StoreSweepTest, completesWhatIsMissingBesideAPlace)
{
    auto job = plain();
    job.bizKey = "order-7";
    job.findByKey = true;
    job.expires = now() + 2h;
    stored(job, 1h);
    const auto first = held(message());
    send({"ZREM", "rst:{s0}:expiry", job.id});
    send({"DEL", "rst:{s0}:index", "rst:{s0}:lanes", "rst:{s0}:boxes"});
    EXPECT_EQ(repaired().partial, 2U);
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:expiry"}), 1);
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:index"}), 1);
    EXPECT_EQ(number({"SCARD", "rst:{s0}:lanes"}), 1);
    EXPECT_EQ(claimBox().at(0).job.id, first.id);
}

TEST_F(StoreSweepTest, tellsTheHistoryOfEachJob)
{
    const auto job = lost();
    repaired();
    const auto entries = send({"XREVRANGE", "rst:{s0}:events", "+", "-", "COUNT", "1"});
    const auto& fields = *entries.array()->at(0).array()->at(1).array();
    std::string text;
    for (const auto& field : fields) {
        text += *field.text() + " ";
    }
    EXPECT_THAT(text, HasSubstr("t repair "));
    EXPECT_THAT(text, HasSubstr("ids " + job.id));
    EXPECT_THAT(text, HasSubstr("by restanted "));
    EXPECT_THAT(text, HasSubstr("why it was in no set"));
}

TEST_F(StoreSweepTest, countsARecordThatItDoesNotKnowAndLeavesIt)
{
    const auto job = stored(plain(), 1h);
    const auto key = "rst:{s0}:j:" + job.id.substr(0, job.id.size() - 1);
    send({"HSET", key, job.id.substr(job.id.size() - 1), "\x07 of another time"});
    const auto report = repaired();
    EXPECT_EQ(report.unreadable, 1U);
    EXPECT_EQ(report.faults(), 0U);
    EXPECT_EQ(number({"HLEN", key}), 1);
}

TEST_F(StoreSweepTest, goesThroughEveryShard)
{
    redis::RedisJobStore::Settings settings;
    settings.shards = 3;
    open(*server_, settings);
    for (std::uint32_t shard = 0; shard < 3; ++shard) {
        const auto job = order(shard);
        stored(job, 1h);
        send({"DEL", "rst:{s" + std::to_string(shard) + "}:due:pull:5:order"});
    }
    const auto shards = redis::shardQueues(loop_, *half_, clock_, "rst", 3);
    const auto its = redis::StoreSweep::make(loop_, *half_, shards, {});
    const auto report = await<redis::SweepReport>([&](auto done) { its->run(done); });
    EXPECT_EQ(report->lost, 3U);
    EXPECT_EQ(claimedIds(10).size(), 3U);
}

TEST_F(StoreSweepTest, stopsAtItsBudget)
{
    for (int i = 0; i < 400; ++i) {
        auto job = plain();
        job.id = "job-" + std::to_string(i) + "-x";  // a hash each
        stored(job, 1h);
    }
    redis::StoreSweep::Settings settings;
    settings.maxJobs = 50;
    const auto shards = redis::shardQueues(loop_, *half_, clock_, "rst", 1);
    const auto its = redis::StoreSweep::make(loop_, *half_, shards, settings);
    const auto report = await<redis::SweepReport>([&](auto done) { its->run(done); });
    EXPECT_FALSE(report->isComplete);
    EXPECT_LT(report->jobs, 400U);
}

/// What moves is not broken: jobs run through the store while it is swept again and again.
TEST_F(StoreSweepTest, takesNoJobThatMovesForALostOne)
{
    for (int i = 0; i < 500; ++i) {
        stored(plain());
    }
    const auto shards = redis::shardQueues(loop_, *half_, clock_, "rst", 1);
    int sweeps = 0;
    std::uint64_t found = 0;
    std::shared_ptr<redis::StoreSweep> its;
    std::function<void()> again = [&] {
        its = redis::StoreSweep::make(loop_, *half_, shards, redis::StoreSweep::Settings{});
        its->run([&](const Result<redis::SweepReport>& report) {
            found += report ? report->faults() : 1'000;
            ++sweeps;
            loop_.post(again);
        });
    };
    again();
    std::size_t finished = 0;
    while (finished < 500) {
        const auto jobs = claim(20);
        ASSERT_TRUE(jobs);
        for (const auto& job : *jobs) {
            // Every second one goes round once more.
            if (job.attempt == 1 && job.job.id.back() % 2 == 0) {
                must<void>([&](auto done) { store().retry({leaseOf(job), now(), "busy"}, done); });
            } else {
                must<std::uint64_t>([&](auto done) { store().finish(leaseOf(job), done); });
                ++finished;
            }
        }
    }
    its.reset();
    EXPECT_GT(sweeps, 0);
    EXPECT_EQ(found, 0U);
}

TEST_F(StoreSweepTest, isADutyThatHurriesWhenItIsTold)
{
    const auto job = lost();
    const auto scheduler = redis::SweepScheduler::make(loop_, *half_, clock_, {});
    scheduler->sweepNow();
    EXPECT_TRUE(runUntil([&] { return number({"ZCARD", kLane}) == 1; }));
    EXPECT_TRUE(runUntil([&] { return number({"EXISTS", "rst:{s0}:swept"}) == 1; }));
    EXPECT_EQ(claimedIds(1), std::vector{job.id});
}

TEST_F(StoreSweepTest, isADutyThatOneDaemonAtATimeDoes)
{
    lost();
    send({"SET", "rst:{s0}:swept", std::to_string(toEpochMs(now() - 10s))});
    redis::SweepScheduler::Settings settings;
    settings.firstPause = Millis{1};
    const auto scheduler = redis::SweepScheduler::make(loop_, *half_, clock_, settings);
    EXPECT_FALSE(runUntil([&] { return number({"ZCARD", kLane}) == 1; }, Millis{300}));
}

}  // namespace
}  // namespace restante::test
