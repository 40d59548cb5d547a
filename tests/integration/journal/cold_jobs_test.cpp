// Jobs that are due in a long while: in SQL alone, moved out and in, and what a crash between two
// steps of a move leaves (docs/decisions/0042-cold-jobs.md).

#include "core/cold/hot_horizon.h"
#include "core/journal/cold/sql_cold_jobs.h"
#include "core/journal/cold/store_with_cold_jobs.h"
#include "core/journal/sql/sql_cold.h"
#include "core/journal/sql/sql_session.h"
#include "core/queue/topic_view.h"
#include "core/redis/store/job_codec.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "tests/integration/journal/journal_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <set>

namespace restante::test {
namespace {

using cold::ColdRow;
using cold::ColdState;
using ::testing::ElementsAre;

class ColdJobsTest : public JournalFixture, public ::testing::WithParamInterface<SqlKind> {
protected:
    void SetUp() override
    {
        useDatabase(newDatabase(GetParam()));
        config_.queue.hotHorizon = 1h;
        config_.retention.trash = 1h;
        openQueue();
        ASSERT_TRUE(sql().open());
        openWithColdJobs();
    }
    void TearDown() override
    {
        withColdJobs_.reset();
        journal_.reset();
    }

    void openWithColdJobs()
    {
        withColdJobs_ = std::make_unique<journal::StoreWithColdJobs>(
            journal::HotStore{loop_, queue_->clock(), queue_->store(), queue_->shards(),
                              queue_->inspector()},
            journal::parseJournalUrl(url_).value(), config_.queue.hotHorizon,
            redis::queueSettingsOf(config_));
    }
    void startMover()
    {
        movesColdJobs_ = true;
        openJournal();
    }

    journal::SqlJournal& sql()
    {
        if (!sql_) {
            sql_ = std::make_unique<journal::SqlJournal>(journal::parseJournalUrl(url_).value());
        }
        return *sql_;
    }
    template <class Work>
    auto inSql(Work work)
    {
        using Value = decltype(work(std::declval<journal::SqlSession&>()));
        Value value{};
        const auto ran = sql().run([&](journal::SqlSession& session) { value = work(session); });
        EXPECT_TRUE(ran) << (ran ? "" : ran.error().message);
        return value;
    }
    std::optional<ColdRow> row(const std::string& id)
    {
        auto rows = inSql([&](auto& session) { return journal::findCold(session, {id}); });
        return rows.empty() ? std::nullopt : std::optional(rows.front());
    }
    void execute(const std::string& statement)
    {
        inSql([&](auto& session) { return session.execute(statement); });
    }
    /// From now on the table takes no cold job with that key.
    void refuseBizKey(const std::string& key)
    {
        execute(GetParam() == SqlKind::Sqlite
                    ? "CREATE TRIGGER guard BEFORE INSERT ON cold_job WHEN NEW.biz_key = '" + key +
                          "' BEGIN SELECT RAISE(ABORT, 'a guard says no'); END"
                    : "ALTER TABLE cold_job ADD CONSTRAINT guard CHECK (biz_key <> '" + key + "')");
    }
    /// The journal has the job in that state since the move of its row began.
    void record(const ColdRow& its, const std::string& state)
    {
        execute(fmt::format(
            "INSERT INTO message (id, shard, topic, channel, state, recipient, sender, biz_key,"
            " priority, due_ms, due_order, expires_ms, created_ms, attempts, arrival, last_error,"
            " record, updated_ms) VALUES ('{}', 0, 'order', 'pull', '{}', '', '', '', 0, 0, 0, 0,"
            " 0, 0, 0, '', '', {})",
            its.id, state, its.version));
    }
    /// As if its claim were long ago.
    void age(const std::string& id)
    {
        const auto long_ago = toEpochMs(queue_->clock().now()) - 60'000;
        execute(fmt::format("UPDATE cold_job SET version = {} WHERE id = '{}'", long_ago, id));
        const auto mark = redis_->send({"HGET", "rst:{s0}:crossing", id});
        if (const auto* text = mark.text()) {
            redis_->send({"HSET", "rst:{s0}:crossing", id,
                          text->substr(0, text->find(' ') + 1) + std::to_string(long_ago)});
        }
    }

    Result<PushOutcome> tryPush(PushOptions options)
    {
        return await<PushOutcome>(
            [&](auto done) { withColdJobs_->queue().push(options, std::move(done)); });
    }
    std::string pushCold(const Job& job, Millis delay = 24h)
    {
        const auto pushed = tryPush({.job = job, .delay = delay});
        EXPECT_TRUE(pushed) << pushed.error().message;
        return pushed ? pushed->id : "";
    }
    Result<void> actCold(void (JobStore::*verb)(OperatorAction, Done<void>), const std::string& id)
    {
        return await<void>([&](auto done) {
            (withColdJobs_->store().*verb)({id, "olga", "test"}, std::move(done));
        });
    }
    Result<JobView> shown(const std::string& id)
    {
        return await<JobView>(
            [&](auto done) { withColdJobs_->inspector().show(id, std::move(done)); });
    }
    bool isInRedis(const std::string& id) { return view(id).has_value(); }
    std::optional<Millis> markedHorizon()
    {
        return await<std::optional<Millis>>([&](auto done) {
                   cold::readHotHorizon(queue_->connection(), "rst", std::move(done));
               })
            .value_or(std::nullopt);
    }
    Result<void> checkJournal(const std::string& url)
    {
        journal::SqlThread thread(journal::parseJournalUrl(url).value(),
                                  journal::SqlJournal::Schema::Require);
        return await<void>([&](auto done) {
            journal::checkColdJournal(loop_, thread, queue_->connection(), "rst", std::move(done));
        });
    }
    /// Asked again when the answer is refused: this loop stands still while others are waited for,
    /// and a connection may be given up for that.
    std::uint64_t scheduled()
    {
        std::optional<StoreCounts> counts;
        EXPECT_TRUE(eventually([&] {
            const auto answer = await<StoreCounts>(
                [&](auto done) { withColdJobs_->inspector().counts(std::move(done)); });
            counts = answer ? std::optional{*answer} : std::nullopt;
            return counts.has_value();
        }));
        return counts ? counts->states[JobState::Scheduled] : 0;
    }
    /// Rows whose journal has been told are settled, marks are gone.
    bool isSettled()
    {
        const auto crossing = inSql([](auto& session) {
            return session.query("SELECT id FROM cold_job WHERE state <> 'cold'", 1).size();
        });
        return crossing == 0 && *redis_->send({"HLEN", "rst:{s0}:crossing"}).integer() == 0;
    }
    std::string runScript(const std::string& name, const std::vector<std::string>& arguments)
    {
        auto reply = await<redis::Reply>([&](auto done) {
            queue_->shards()[0]->add(redis::script(name), arguments.front(), arguments, done);
        });
        return reply ? std::string(reply->textOrEmpty()) : reply.error().message;
    }
    ColdRow copyOf(const std::string& id)
    {
        const auto its = view(id).value();
        ColdRow copy;
        copy.id = id;
        copy.dueMs = toEpochMs(its.due);
        copy.dueOrder = its.position->order;
        redis::encodeRecord(its.job, copy.record);
        copy.version = toEpochMs(queue_->clock().now());
        return copy;
    }
    std::string cool(const ColdRow& its)
    {
        return runScript("cool", {its.id, std::to_string(its.version), cold::scoreOf(its), "0",
                                  its.lastError, its.record});
    }
    std::string warm(const ColdRow& its)
    {
        return runScript("warm", {its.id, std::to_string(its.version), cold::scoreOf(its), "0", "0",
                                  "", its.record});
    }

    std::unique_ptr<journal::SqlJournal> sql_;
    std::unique_ptr<journal::StoreWithColdJobs> withColdJobs_;
};

// A push beyond the horizon.

TEST_P(ColdJobsTest, storesWhatIsDueBeyondTheHorizonInSqlAlone)
{
    auto job = order();
    job.bizKey = "key 17";
    job.recipient = "somebody";
    const auto id = pushCold(job);
    EXPECT_FALSE(isInRedis(id));
    const auto its = shown(id);
    ASSERT_TRUE(its) << its.error().message;
    EXPECT_EQ(its->state, JobState::Scheduled);
    EXPECT_EQ(its->job.body, job.body);
    EXPECT_EQ(its->job.bizKey, job.bizKey);
    EXPECT_NEAR(static_cast<double>((its->due - queue_->clock().now()).count()), 86'400'000,
                10'000);
    EXPECT_EQ(scheduled(), 1U);
}

TEST_P(ColdJobsTest, keepsWhatIsDueWithinTheHorizonOrIsForSipInRedis)
{
    EXPECT_TRUE(isInRedis(pushCold(order(), 59min)));
    EXPECT_TRUE(isInRedis(pushCold(message("sip:bob@example.com"))));
    auto once = order();
    const auto pushed = tryPush({.job = once, .delay = 24h, .onceKey = "k", .onceFor = 1h});
    EXPECT_TRUE(isInRedis(pushed.value().id));
}

TEST_P(ColdJobsTest, knowsAnIdOnBothSides)
{
    auto mine = order("mine");
    EXPECT_EQ(tryPush({.job = mine, .delay = 24h})->status, PushStatus::Stored);
    EXPECT_EQ(tryPush({.job = mine, .delay = 24h})->status, PushStatus::AlreadyThere);
    EXPECT_EQ(tryPush({.job = mine, .delay = 1min})->status, PushStatus::AlreadyThere);
    EXPECT_FALSE(isInRedis("mine"));
    mine.body = "other";
    EXPECT_EQ(tryPush({.job = mine, .delay = 24h}).error().code, ErrorCode::Conflict);
    EXPECT_EQ(tryPush({.job = mine, .delay = 1min}).error().code, ErrorCode::Conflict);

    const auto hot = order("hot");
    EXPECT_EQ(tryPush({.job = hot, .delay = 1min})->status, PushStatus::Stored);
    EXPECT_EQ(tryPush({.job = hot, .delay = 24h})->status, PushStatus::AlreadyThere);
    EXPECT_FALSE(row("hot"));
    EXPECT_TRUE(eventually([&] { return isSettled(); }));
}

TEST_P(ColdJobsTest, knowsTheGeneratedIdThatItsCallerPushesOnceMore)
{
    auto mine = order();
    mine.id = pushCold(mine);
    mine.rememberId = true;  // as HTTP says of an id in the request
    const auto pushed = tryPush({.job = mine, .delay = 1min});
    EXPECT_FALSE(pushed && pushed->status == PushStatus::Stored);
    EXPECT_FALSE(isInRedis(mine.id));
    EXPECT_EQ(scheduled(), 1U);
}

TEST_P(ColdJobsTest, comesBackBesideTheMarkOfALeavingThatIsOver)
{
    const auto id = pushCold(order());
    // The owner of the leaving has ended between SQL and taking the mark away.
    redis_->send({"HSET", "rst:{s0}:crossing", id, "out 1"});
    EXPECT_TRUE(actCold(&JobStore::runNow, id));
    EXPECT_TRUE(isInRedis(id));
}

TEST_P(ColdJobsTest, replacesAColdJob)
{
    auto mine = order("mine");
    tryPush({.job = mine, .delay = 24h});
    mine.body = "other";
    const auto replaced = tryPush({.job = mine, .delay = 1min, .replace = true});
    ASSERT_TRUE(replaced) << replaced.error().message;
    EXPECT_EQ(replaced->status, PushStatus::Stored);
    EXPECT_EQ(view("mine")->job.body, "other");
    startMover();
    EXPECT_TRUE(eventually([&] { return isSettled(); }));
    EXPECT_FALSE(row("mine"));
    EXPECT_EQ(scheduled(), 1U);
}

TEST_P(ColdJobsTest, replacesAColdJobOfTheSameContentForTheSakeOfItsTimes)
{
    auto mine = order("mine");
    tryPush({.job = mine, .delay = 24h});
    const auto again = tryPush({.job = mine, .delay = 48h, .replace = true});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    mine.ttr = 5min;
    const auto replaced = tryPush({.job = mine, .delay = 1min, .replace = true});
    ASSERT_TRUE(replaced) << replaced.error().message;
    EXPECT_EQ(replaced->status, PushStatus::Stored);
    EXPECT_EQ(view("mine")->job.ttr, mine.ttr);
}

TEST_P(ColdJobsTest, refusesAloneAPushWhoseRowTheDatabaseRefuses)
{
    refuseBizKey("poison");
    std::vector<Result<PushOutcome>> pushed;
    for (int n = 0; n < 10; ++n) {
        auto job = order();
        job.bizKey = n == 6 ? "poison" : "fine";
        withColdJobs_->queue().push({.job = job, .delay = 24h},
                                    [&](auto outcome) { pushed.push_back(std::move(outcome)); });
    }
    ASSERT_TRUE(runUntil([&] { return pushed.size() == 10; }));
    std::vector<Error> errors;
    for (const auto& outcome : pushed) {
        if (!outcome) {
            errors.push_back(outcome.error());
        }
    }
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].code, ErrorCode::Invalid);
    EXPECT_EQ(scheduled(), 9U);
}

TEST_P(ColdJobsTest, refusesAnIdThatSomebodyElseIsJustPushing)
{
    const auto until = toEpochMs(queue_->clock().now()) + 60'000;
    redis_->send({"HSET", "rst:{s0}:crossing", "mine", "push " + std::to_string(until) + " 1"});
    EXPECT_EQ(tryPush({.job = order("mine"), .delay = 24h}).error().code, ErrorCode::Unavailable);
    redis_->send({"HSET", "rst:{s0}:crossing", "mine", "push 1 1"});  // long over
    EXPECT_EQ(tryPush({.job = order("mine"), .delay = 24h})->status, PushStatus::Stored);
}

// Moves.

TEST_P(ColdJobsTest, bringsInWhatIsDueSoonAndDeliversIt)
{
    startMover();
    const auto id = pushCold(order());
    execute(
        fmt::format("UPDATE cold_job SET due_ms = {}", toEpochMs(queue_->clock().now()) + 6'000));
    ASSERT_TRUE(eventually([&] { return isInRedis(id); }));
    EXPECT_TRUE(eventually([&] { return isSettled() && !row(id); }));
    EXPECT_EQ(scheduled(), 1U);
    std::vector<ClaimedJob> claimed;
    ASSERT_TRUE(runUntil([&] {
        claimed = claim();
        return !claimed.empty();
    }));
    EXPECT_EQ(claimed[0].job.id, id);
    EXPECT_EQ(claimed[0].attempt, 1U);
    finish(claimed[0]);
    EXPECT_THAT(moves(id, 4), ElementsAre("push:>cold", "warm:cold>scheduled", "claim:ready>leased",
                                          "finish:leased>done"));
}

TEST_P(ColdJobsTest, bringsInWhatIsDueSoonBehindAPageOfRowsThatRedisRefusesForGood)
{
    const auto id = pushCold(order());
    const auto now = toEpochMs(queue_->clock().now());
    execute(fmt::format("UPDATE cold_job SET due_ms = {}", now + 120'000));
    std::vector<ColdRow> rows;
    for (int n = 0; n < 1'000; ++n) {  // as many as are claimed together
        ColdRow unreadable;
        unreadable.id = fmt::format("later-{}", n);
        unreadable.dueMs = now + 60'000;
        unreadable.record = "\x07 of a later version";
        unreadable.version = now;
        rows.push_back(std::move(unreadable));
    }
    inSql([&](auto& session) { return journal::insertCold(session, rows, "test"); });
    startMover();
    EXPECT_TRUE(eventually([&] { return isInRedis(id); }));
    EXPECT_TRUE(eventually([&] {
        const auto refused = row("later-0");
        return refused && refused->state == ColdState::Cold;
    })) << "it is given back";
    EXPECT_FALSE(isInRedis("later-0"));
}

TEST_P(ColdJobsTest, movesOutWhatIsDueBeyondTheHorizonWithAllThatItHas)
{
    auto job = order();
    job.bizKey = "key";
    const auto id = push(job);
    const auto claimed = claim();
    ASSERT_EQ(claimed.size(), 1U);
    ASSERT_TRUE(await<void>([&](auto done) {
        queue_->store().retry({leaseOf(claimed[0]), queue_->clock().now() + 24h, "no answer"},
                              std::move(done));
    }));
    const auto before = view(id).value();
    startMover();
    ASSERT_TRUE(eventually([&] { return !isInRedis(id); }));
    ASSERT_TRUE(eventually([&] { return isSettled(); }));
    EXPECT_EQ(row(id)->state, ColdState::Cold);
    const auto after = shown(id).value();
    EXPECT_EQ(after.job, before.job);
    EXPECT_EQ(after.due, before.due);
    EXPECT_EQ(after.attempt, 1U);
    EXPECT_EQ(after.lastError, "no answer");
    EXPECT_EQ(scheduled(), 1U);
    // Nothing but what every store has is left of it.
    EXPECT_TRUE(redis_->send({"KEYS", "rst:{s0}:j:*"}).array()->empty());
    EXPECT_EQ(*redis_->send({"HLEN", "rst:{s0}:past"}).integer(), 0);

    ASSERT_TRUE(actCold(&JobStore::runNow, id));
    const auto again = claim();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].attempt, 2U);
    EXPECT_EQ(again[0].job, before.job);
}

TEST_P(ColdJobsTest, movesOutTheOthersOfAPageWhenTheDatabaseRefusesARow)
{
    refuseBizKey("poison");
    auto poison = order("poison");
    poison.bizKey = "poison";
    for (const auto& job : {order("a"), poison, order("z")}) {
        push(job, 24h);
    }
    startMover();
    EXPECT_TRUE(eventually([&] { return !isInRedis("a") && !isInRedis("z") && isSettled(); }));
    EXPECT_TRUE(isInRedis("poison"));
    EXPECT_FALSE(row("poison"));
    EXPECT_EQ(scheduled(), 3U);
}

TEST_P(ColdJobsTest, movesManyBothWaysAndCountsThemExactly)
{
    pushMany(2'500);
    redis_->send({"HSET", "unrelated", "a", "b"});
    for (int n = 0; n < 2'500; ++n) {
        redis_->send({"ZADD", "rst:{s0}:due:pull:5:order", "XX",
                      std::to_string(toEpochMs(queue_->clock().now()) + 86'400'000 + n),
                      "job-" + std::to_string(n)});
    }
    startMover();
    ASSERT_TRUE(eventually(
        [&] {
            return *redis_->send({"ZCARD", "rst:{s0}:due:pull:5:order"}).integer() == 0 &&
                   isSettled();
        },
        60s));
    EXPECT_EQ(scheduled(), 2'500U);
    journal_.reset();
    withColdJobs_.reset();
    config_.queue.hotHorizon = 0ms;  // switched off
    openWithColdJobs();
    startMover();
    ASSERT_TRUE(eventually(
        [&] {
            return *redis_->send({"ZCARD", "rst:{s0}:due:pull:5:order"}).integer() == 2'500 &&
                   isSettled();
        },
        60s));
    EXPECT_EQ(scheduled(), 2'500U);
    EXPECT_FALSE(inSql([](auto& session) { return journal::hasColdRows(session); }));
}

TEST_P(ColdJobsTest, movesJobsOfOneMomentOutWithoutWaitingBetweenPages)
{
    constexpr int kJobs = 7'000;  // seven pages, between two of which there are 5 s otherwise
    pushMany(kJobs);
    const auto due = std::to_string(toEpochMs(queue_->clock().now()) + 86'400'000);
    for (int n = 0; n < kJobs; ++n) {
        redis_->send({"ZADD", "rst:{s0}:due:pull:5:order", "XX", due, "job-" + std::to_string(n)});
    }
    startMover();
    EXPECT_TRUE(eventually(
        [&] {
            return *redis_->send({"ZCARD", "rst:{s0}:due:pull:5:order"}).integer() == 0;
        },
        25s));
}

TEST_P(ColdJobsTest, leavesAJobThatHasChangedSinceItWasCopied)
{
    const auto id = push(order(), 24h);
    auto copy = copyOf(id);
    ASSERT_TRUE(act(&JobStore::runNow, id));
    EXPECT_EQ(cool(copy), "changed");
    EXPECT_EQ(*redis_->send({"HLEN", "rst:{s0}:crossing"}).integer(), 0);
    copy = copyOf(push(order(), 24h));
    copy.lastError = "another";
    EXPECT_EQ(cool(copy), "changed");
}

TEST_P(ColdJobsTest, refusesWhoComesLate)
{
    auto copy = copyOf(push(order(), 24h));
    copy.version -= 60'000;
    EXPECT_EQ(cool(copy), "late");
    EXPECT_TRUE(isInRedis(copy.id));
    auto other = copy;
    other.id = "other";
    EXPECT_EQ(warm(other), "late");
    EXPECT_FALSE(isInRedis("other"));
}

// A crash between two steps: what the next owner finds.

/// Redis may have been asked for it, and have lost the store, before the journal had that it left.
TEST_P(ColdJobsTest, dropsNoCopyOfAJobThatTheJournalHasAsCold)
{
    pushCold(order("mine"));
    execute("UPDATE cold_job SET state = 'leaving'");
    const auto left = row("mine").value();
    record(left, "cold");
    inSql([&](auto& session) {
        journal::dropCopies(session, {left});
        return true;
    });
    EXPECT_TRUE(row("mine"));
}

TEST_P(ColdJobsTest, bringsInNoJobAgainOfWhichTheJournalHasThatItCame)
{
    pushCold(order("mine"));
    execute("UPDATE cold_job SET state = 'entering'");
    const auto claimed = row("mine").value();
    const auto reclaim = [&] {
        return inSql([&](auto& session) {
                   return journal::reclaimCold(session, {claimed}, claimed.version + 60'000);
               })
            .size();
    };
    record(claimed, "done");
    EXPECT_EQ(reclaim(), 0U);
    execute("UPDATE message SET state = 'cold'");
    EXPECT_EQ(reclaim(), 1U);
}

/// Else a push that was answered as failed, and repeated under another id or in Redis, would be
/// stored at last, too.
TEST_P(ColdJobsTest, leavesUndoneWhatNobodyWaitsForAnyMoreWhenItsTurnComes)
{
    pushCold(order("locked"));
    pushCold(order("behind"));
    journal::SqlColdJobs jobs(loop_, journal::parseJournalUrl(url_).value());
    journal::SqlSession session(journal::parseJournalUrl(url_).value());
    auto lock = std::make_unique<journal::SqlSession::Transaction>(session);
    session.execute("UPDATE cold_job SET last_error = 'none' WHERE id = 'locked'");
    const auto now = queue_->clock().now();
    jobs.claim("locked", now, [](const Result<cold::RowClaim>& /*claim*/) {});
    const auto behind =
        await<cold::RowClaim>([&](auto done) { jobs.claim("behind", now, std::move(done)); });
    ASSERT_FALSE(behind);
    EXPECT_EQ(behind.error().code, ErrorCode::Unavailable);
    lock.reset();
    // In the same order as the claims.
    const auto given = await<void>([&](auto done) { jobs.giveBack("nobody", 1, std::move(done)); });
    ASSERT_TRUE(given) << given.error().message;
    EXPECT_EQ(row("behind")->state, ColdState::Cold);
}

TEST_P(ColdJobsTest, dropsTheCopyOfAJobThatRedisStillHas)
{
    const auto id = push(order(), 24h);
    auto copy = copyOf(id);
    copy.version -= 60'000;
    inSql([&](auto& session) { return journal::copyToCold(session, {copy}); });
    config_.queue.hotHorizon = 48h;  // so that it does not leave again
    startMover();
    EXPECT_TRUE(eventually([&] { return !row(id); }));
    EXPECT_TRUE(isInRedis(id));
}

TEST_P(ColdJobsTest, dropsTheCopyOfAJobThatHasEndedInRedis)
{
    const auto id = push(order(), 24h);
    auto copy = copyOf(id);
    copy.version -= 60'000;
    inSql([&](auto& session) { return journal::copyToCold(session, {copy}); });
    ASSERT_TRUE(act(&JobStore::purge, id));
    startMover();
    EXPECT_TRUE(eventually([&] { return !row(id); }));
    EXPECT_FALSE(isInRedis(id));
    EXPECT_EQ(scheduled(), 0U);
}

TEST_P(ColdJobsTest, keepsAJobThatLeftRedisBeforeItsOwnerDied)
{
    openJournal();  // which records, and moves nothing
    const auto id = push(order(), 24h);
    const auto copy = copyOf(id);
    inSql([&](auto& session) { return journal::copyToCold(session, {copy}); });
    ASSERT_EQ(cool(copy), "ok");
    EXPECT_TRUE(shown(id));  // already here
    journal_.reset();
    age(id);
    startMover();
    EXPECT_TRUE(eventually([&] { return isSettled(); }));
    ASSERT_TRUE(row(id));
    EXPECT_EQ(row(id)->state, ColdState::Cold);
    EXPECT_EQ(scheduled(), 1U);
}

TEST_P(ColdJobsTest, bringsInWhatSomebodyHadClaimedAndNotBroughtIn)
{
    const auto id = pushCold(order());
    inSql([&](auto& session) {
        return journal::claimCold(session, id, toEpochMs(queue_->clock().now()));
    });
    age(id);
    EXPECT_FALSE(isInRedis(id));
    config_.queue.hotHorizon = 48h;
    startMover();
    EXPECT_TRUE(eventually([&] { return isInRedis(id) && isSettled() && !row(id); }));
    EXPECT_EQ(scheduled(), 1U);
}

TEST_P(ColdJobsTest, neverBringsInAJobTwiceThatHasCameAndEnded)
{
    openJournal();
    const auto id = pushCold(order());
    const auto taken = inSql([&](auto& session) {
        return journal::claimCold(session, id, toEpochMs(queue_->clock().now()));
    });
    ASSERT_EQ(taken.status, cold::RowClaim::Status::Claimed);
    ASSERT_EQ(warm(taken.row), "ok");
    // Delivered, and its owner has died before it could delete the row.
    ASSERT_TRUE(act(&JobStore::runNow, id));
    const auto claimed = claim();
    ASSERT_EQ(claimed.size(), 1U);
    finish(claimed[0]);
    EXPECT_EQ(warm(taken.row), "there");
    journal_.reset();
    startMover();
    EXPECT_TRUE(eventually([&] { return isSettled() && !row(id); }));
    EXPECT_FALSE(isInRedis(id));
    EXPECT_EQ(scheduled(), 0U);
}

TEST_P(ColdJobsTest, endsAJobThatHasComeAndEndedInAGapOfTheJournal)
{
    openJournal();
    const auto id = push(order(), 24h);
    const auto copy = copyOf(id);
    inSql([&](auto& session) { return journal::copyToCold(session, {copy}); });
    ASSERT_EQ(cool(copy), "ok");
    ASSERT_TRUE(eventually([&] {
        const auto settled =
            inSql([](auto& session) { return journal::settleCold(session, 0, 10); });
        return !settled.out.empty();
    }));
    ASSERT_EQ(runScript("crossed", {id, "out"}), "ok");
    journal_.reset();
    const auto taken = inSql([&](auto& session) {
        return journal::claimCold(session, id, toEpochMs(queue_->clock().now()));
    });
    ASSERT_EQ(warm(taken.row), "ok");
    ASSERT_TRUE(act(&JobStore::runNow, id));
    const auto claimed = claim();
    ASSERT_EQ(claimed.size(), 1U);
    finish(claimed[0]);
    age(id);
    // What told of it is cut off.
    push(order("other"), 30min);
    redis_->send({"XTRIM", "rst:{s0}:events", "MAXLEN", "1"});
    startMover();
    EXPECT_TRUE(eventually([&] { return isSettled() && !row(id); }));
    EXPECT_FALSE(isInRedis(id));
    EXPECT_EQ(scheduled(), 1U);  // the other one
    EXPECT_EQ(sql().rowsOf({id})->at(0).status.state, "gone");
}

TEST_P(ColdJobsTest, survivesTheLossOfRedisOnBothSidesOfAMove)
{
    startMover();
    const auto cold = pushCold(order("cold"));
    const auto out = push(order("out"), 24h);
    const auto in = pushCold(order("in"));
    execute(fmt::format("UPDATE cold_job SET due_ms = {} WHERE id = 'in'",
                        toEpochMs(queue_->clock().now()) + 600'000));
    ASSERT_TRUE(eventually([&] { return isInRedis(in) && !isInRedis(out) && isSettled(); }));
    ASSERT_TRUE(eventually([&] { return isRecorded(); }));
    journal_.reset();
    withColdJobs_.reset();
    loseRedis();
    openWithColdJobs();
    startMover();
    EXPECT_TRUE(isInRedis(in));
    EXPECT_FALSE(isInRedis(out));
    EXPECT_FALSE(isInRedis(cold));
    EXPECT_EQ(scheduled(), 3U);
}

TEST_P(ColdJobsTest, forgetsAgainWhatAnOlderRedisBringsBack)
{
    openJournal();
    const auto id = push(order(), 24h);
    ASSERT_TRUE(eventually([&] { return isRecorded(); }));
    redis_->send({"SAVE"});
    journal_.reset();
    startMover();
    ASSERT_TRUE(eventually([&] { return !isInRedis(id) && isSettled(); }));
    ASSERT_TRUE(eventually([&] { return isRecorded(); }));
    redis_->kill9();
    redis_->restart();  // as it was at the SAVE: with the job
    EXPECT_TRUE(eventually([&] {
        const auto its = view(id);
        return !its && its.error().code == ErrorCode::NotFound;
    }));
    EXPECT_EQ(scheduled(), 1U);
    EXPECT_EQ(row(id)->state, ColdState::Cold);
}

TEST_P(ColdJobsTest, bringsInAJobDespiteTheMarkOfAnEarlierMove)
{
    const auto id = pushCold(order());
    redis_->send({"HSET", "rst:{s0}:crossing", id, "in 1"});  // of an older Redis
    const auto longAgo = toEpochMs(queue_->clock().now()) - 60'000;
    inSql([&](auto& session) { return journal::claimCold(session, id, longAgo); });
    EXPECT_TRUE(shown(id));
    config_.queue.hotHorizon = 48h;
    startMover();
    EXPECT_TRUE(eventually([&] { return isInRedis(id) && isSettled() && !row(id); }));
    EXPECT_EQ(scheduled(), 1U);
}

// What the store says of its cold jobs.

TEST_P(ColdJobsTest, saysInRedisThatThereMayBeColdJobsUntilThereAreNoneAndWillBeNone)
{
    EXPECT_EQ(markedHorizon(), std::nullopt);
    const auto id = pushCold(order());
    startMover();
    EXPECT_TRUE(eventually([&] { return markedHorizon() == Millis{1h}; }));
    redis_->send({"HDEL", "rst:meta", "hot_horizon"});  // as when Redis is lost
    EXPECT_TRUE(eventually([&] { return markedHorizon() == Millis{1h}; }));
    journal_.reset();
    config_.queue.hotHorizon = 0ms;
    startMover();
    EXPECT_TRUE(eventually([&] { return isInRedis(id) && isSettled(); }));
    EXPECT_TRUE(eventually([&] { return markedHorizon() == std::nullopt; }));
}

TEST_P(ColdJobsTest, takesTheColdJobsOfTheStoresOwnJournalAlone)
{
    EXPECT_EQ(checkJournal(url_).error().code, ErrorCode::Unavailable);  // nobody has compared it
    openJournal();
    EXPECT_TRUE(eventually([&] { return checkJournal(url_).has_value(); }));
    redis_->send({"HSET", "rst:{s0}:store", "identity", "another"});
    EXPECT_EQ(checkJournal(url_).error().code, ErrorCode::Conflict);
    EXPECT_EQ(checkJournal("sqlite:///nowhere/at/all/journal.db").error().code,
              ErrorCode::Unavailable);
}

// What is done to a cold job.

TEST_P(ColdJobsTest, trashesAndRestoresAColdJob)
{
    startMover();
    const auto id = pushCold(order());
    const auto due = shown(id)->due;
    ASSERT_TRUE(actCold(&JobStore::trash, id));
    EXPECT_EQ(shown(id)->state, JobState::Trashed);
    EXPECT_TRUE(eventually([&] { return isSettled(); }));
    EXPECT_EQ(scheduled(), 0U);
    ASSERT_TRUE(actCold(&JobStore::restore, id));
    EXPECT_TRUE(eventually([&] { return !isInRedis(id) && isSettled(); }));
    EXPECT_EQ(shown(id)->due, due);
    EXPECT_EQ(scheduled(), 1U);
}

TEST_P(ColdJobsTest, saysOfAColdJobThatCannotBeReadThatNoRepetitionHelps)
{
    ColdRow unreadable;
    unreadable.id = "later";
    unreadable.version = toEpochMs(queue_->clock().now());
    unreadable.dueMs = unreadable.version + 86'400'000;
    unreadable.record = "\x07 of a later version";
    inSql([&](auto& session) { return journal::insertCold(session, {unreadable}, "test"); });
    const auto refused = actCold(&JobStore::trash, "later");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Internal);
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("run the version that wrote it"));
    EXPECT_TRUE(eventually([&] { return row("later")->state == ColdState::Cold; }));
}

TEST_P(ColdJobsTest, reschedulesOverTheHorizonBothWays)
{
    startMover();
    const auto id = pushCold(order());
    const auto at = [&](Millis delay) {
        return await<void>([&](auto done) {
            withColdJobs_->store().reschedule({id, "olga", "test"}, {queue_->clock().now() + delay},
                                              std::move(done));
        });
    };
    ASSERT_TRUE(at(1min));
    EXPECT_TRUE(isInRedis(id));
    EXPECT_TRUE(eventually([&] { return isSettled(); }));
    ASSERT_TRUE(at(48h));
    EXPECT_TRUE(eventually([&] { return !isInRedis(id) && isSettled(); }));
    EXPECT_EQ(scheduled(), 1U);
    ASSERT_TRUE(at(72h));
    EXPECT_TRUE(eventually([&] { return !isInRedis(id) && isSettled(); }));
    EXPECT_GT(shown(id)->due, queue_->clock().now() + 71h);
}

TEST_P(ColdJobsTest, holdsReleasesAndPurgesAColdJob)
{
    const auto held = pushCold(order());
    ASSERT_TRUE(await<void>(
        [&](auto done) { withColdJobs_->queue().hold({.id = held}, std::move(done)); }));
    EXPECT_EQ(shown(held)->state, JobState::Held);
    ASSERT_TRUE(actCold(&JobStore::release, held));
    EXPECT_EQ(shown(held)->state, JobState::Scheduled);
    const auto purged = pushCold(order());
    ASSERT_TRUE(actCold(&JobStore::purge, purged));
    EXPECT_EQ(actCold(&JobStore::purge, purged).error().code, ErrorCode::NotFound);
    EXPECT_EQ(shown(purged).error().code, ErrorCode::NotFound);
    const auto buried = pushCold(order());
    ASSERT_TRUE(await<void>([&](auto done) {
        withColdJobs_->queue().bury({.id = buried}, "no more", std::move(done));
    }));
    EXPECT_EQ(shown(buried)->state, JobState::Dead);
    EXPECT_EQ(actCold(&JobStore::trash, "nobody").error().code, ErrorCode::NotFound);
    const auto finished = pushCold(order());
    const auto refused = await<std::uint64_t>(
        [&](auto done) { withColdJobs_->store().finish({.id = finished}, std::move(done)); });
    EXPECT_EQ(refused.error().code, ErrorCode::Conflict);  // as of any that nobody has
}

// Looking.

TEST_P(ColdJobsTest, listsSearchesAndCountsBothSides)
{
    std::set<std::string> all;
    for (int n = 0; n < 25; ++n) {
        auto job = order();
        job.bizKey = n % 5 == 0 ? "five" : "other";
        job.topic = n % 2 == 0 ? "even" : "odd";
        all.insert(pushCold(job, n < 10 ? Millis{1min} * (n + 1) : 24h + Millis{1min} * n));
    }
    for (const auto order : {JobSearch::Order::Ascending, JobSearch::Order::Descending}) {
        std::vector<std::string> seen;
        JobSearch search;
        search.order = order;
        search.limit = 7;
        do {
            const auto page = await<SearchPage>(
                [&](auto done) { withColdJobs_->inspector().search(search, std::move(done)); });
            ASSERT_TRUE(page) << page.error().message;
            EXPECT_LE(page->jobs.size(), 7U);
            for (const auto& job : page->jobs) {
                seen.push_back(job.job.id);
            }
            search.cursor = page->cursor;
        } while (!search.cursor.empty());
        EXPECT_EQ(seen.size(), all.size());
        EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), all);

        std::vector<std::string> ranked;
        RankQuery query;
        query.order = order;
        query.limit = 4;
        for (; query.offset < 28; query.offset += 4) {
            const auto page = await<RankPage>(
                [&](auto done) { withColdJobs_->inspector().ranked(query, std::move(done)); });
            ASSERT_TRUE(page) << page.error().message;
            EXPECT_EQ(page->total, 25U);
            for (const auto& job : page->jobs) {
                ranked.push_back(job.job.id);
            }
        }
        EXPECT_EQ(ranked, seen);
    }
    const auto count = [&](const std::string& filter) {
        JobSearch search;
        search.filter = JobFilter::parse(filter).value();
        const auto counted = await<JobCount>(
            [&](auto done) { withColdJobs_->inspector().count(search, std::move(done)); });
        EXPECT_TRUE(counted) << counted.error().message;
        return counted->states.at(JobState::Scheduled);
    };
    EXPECT_EQ(count(""), 25U);
    EXPECT_EQ(count("topic:even"), 13U);
    EXPECT_EQ(count("biz_key:five"), 5U);
    EXPECT_EQ(count("due>10h topic:odd"), 7U);
    const auto found = await<JobPage>([&](auto done) {
        withColdJobs_->inspector().indexed({IndexQuery::Kind::BizKey, "five", {}, 3},
                                           std::move(done));
    });
    EXPECT_EQ(found->jobs.size(), 3U);
    EXPECT_FALSE(found->cursor.empty());
    const auto indexed = await<std::uint64_t>([&](auto done) {
        withColdJobs_->inspector().countIndexed(IndexQuery::Kind::BizKey, "five", std::move(done));
    });
    EXPECT_EQ(indexed.value(), 5U);
    const auto topics = await<std::vector<TopicView>>(
        [&](auto done) { withColdJobs_->inspector().topics(std::move(done)); });
    ASSERT_EQ(topics->size(), 2U);
    EXPECT_EQ(topics->at(0).channels.at(0).scheduled, 13U);
    EXPECT_EQ(topics->at(1).channels.at(0).scheduled, 12U);
}

INSTANTIATE_TEST_SUITE_P(Database,
                         ColdJobsTest,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

/// Two daemons take themselves for the owner of a shard, as when one of them has lost Redis. SQLite
/// lets only one of them write at a time.
class ColdJobsOfTwoDaemons : public ColdJobsTest {
protected:
    /// As when a job has just left Redis. Returns its row.
    ColdRow pushLeaving()
    {
        const auto id = pushCold(order());
        execute("UPDATE cold_job SET state = 'leaving'");
        execute("UPDATE cold_count SET jobs = 0");
        return row(id).value();
    }
    bool isSomebodyWaiting()
    {
        return inSql([](auto& session) {
                   return session.query("SELECT 1 FROM pg_locks WHERE NOT granted", 1).size();
               }) > 0;
    }
    /// How many jobs are counted when `work` makes the leaving one cold while another daemon does.
    std::uint64_t countBesideAnother(const std::function<void(journal::SqlSession&)>& work)
    {
        const auto url = journal::parseJournalUrl(url_).value();
        std::future<Result<void>> working;  // ends after the transaction of the other one
        journal::SqlSession session(url);
        journal::SqlSession::Transaction other(session);
        session.execute("UPDATE cold_job SET state = 'cold'");
        session.execute("UPDATE cold_count SET jobs = 1");
        working = std::async(std::launch::async, [&url, &work] {
            journal::SqlJournal one(url, journal::SqlJournal::Schema::Require);
            return one.run(work);
        });
        EXPECT_TRUE(eventually([&] { return isSomebodyWaiting(); }, 10s));
        other.commit();
        const auto worked = working.get();
        EXPECT_TRUE(worked) << (worked ? "" : worked.error().message);
        const auto counts = inSql([](auto& reader) { return journal::countCold(reader); });
        return counts.empty() ? 0 : counts.front().jobs;
    }
};

TEST_P(ColdJobsOfTwoDaemons, countAJobOnceThatBothSettle)
{
    const auto left = pushLeaving();
    record(left, "cold");
    EXPECT_EQ(countBesideAnother([](auto& session) { journal::settleCold(session, 0, 10); }), 1U);
}

TEST_P(ColdJobsOfTwoDaemons, countAJobOnceThatBothConfirm)
{
    const auto left = pushLeaving();
    EXPECT_EQ(countBesideAnother(
                  [&left](auto& session) { journal::confirmCold(session, {left}, left.version); }),
              1U);
}

INSTANTIATE_TEST_SUITE_P(Database,
                         ColdJobsOfTwoDaemons,
                         ::testing::Values(SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

/// SQL is away.
class ColdJobsOutage : public JournalFixture {};

TEST_F(ColdJobsOutage, refusesWhatItCannotStoreAndGoesOnWithTheRest)
{
    openQueue();
    config_.queue.hotHorizon = 1h;
    journal::StoreWithColdJobs withColdJobs(
        {loop_, queue_->clock(), queue_->store(), queue_->shards(), queue_->inspector()},
        journal::parseJournalUrl("sqlite:///nowhere/at/all/journal.db").value(), 1h,
        redis::queueSettingsOf(config_));
    const auto push = [&](const Job& job, Millis delay) {
        return await<PushOutcome>([&](auto done) {
            withColdJobs.queue().push({.job = job, .delay = delay}, std::move(done));
        });
    };
    EXPECT_EQ(push(order(), 24h).error().code, ErrorCode::Unavailable);
    EXPECT_EQ(push(order("mine"), 24h).error().code, ErrorCode::Unavailable);
    EXPECT_EQ(push(order("mine"), 1min).error().code, ErrorCode::Unavailable);
    EXPECT_TRUE(push(order(), 1min));
    EXPECT_FALSE(view("mine"));
}

/// Who asks may own what must not be destroyed on the database's thread.
TEST_F(ColdJobsOutage, letsGoOfWhoStillWaitsWhenItEnds)
{
    auto jobs = std::make_unique<journal::SqlColdJobs>(
        loop_, journal::parseJournalUrl("sqlite:///nowhere/at/all/journal.db").value());
    auto owned = std::make_shared<int>(0);
    const std::weak_ptr<int> watch = owned;
    jobs->find("mine", [owned = std::move(owned)](const auto& /*found*/) {});
    EXPECT_FALSE(watch.expired());
    jobs.reset();
    EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace restante::test
