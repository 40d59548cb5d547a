#include "core/queue/topic.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "tests/integration/redis/store_fixture.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>

#include <map>

namespace restante::test {

class StoreGroupCommit : public StoreFixture {
protected:
    std::int64_t scriptCalls() const
    {
        const std::string stats = text({"INFO", "commandstats"});
        const std::string key = "cmdstat_evalsha:calls=";
        const auto at = stats.find(key);
        return at == std::string::npos ? 0 : std::stoll(stats.substr(at + key.size()));
    }
    /// A callback that counts an answer, which must be a success.
    template <class T>
    Done<T> countSuccess()
    {
        return [this](Result<T> result) {
            EXPECT_TRUE(result) << result.error().message;
            ++answers_;
        };
    }
    bool untilAnswered(int count)
    {
        return runUntil([&] { return answers_ == count; });
    }
    void pushLater(const Job& job)
    {
        store_->push({.job = job, .due = clock_.now()}, countSuccess<PushOutcome>());
    }

    int answers_ = 0;
};

TEST_F(StoreGroupCommit, sendsTheCallsOfOneTurnTogether)
{
    ASSERT_TRUE(push(order()));  // the script is known from now on
    const auto before = scriptCalls();
    for (int i = 0; i < 100; ++i) {
        pushLater(order());
    }
    ASSERT_TRUE(untilAnswered(100));
    EXPECT_EQ(scriptCalls() - before, 3) << "two as soon as they are large, and the others";
}

TEST_F(StoreGroupCommit, sendsALargeCallWithinTheTurn)
{
    ASSERT_TRUE(push(order()));  // the script is known from now on
    for (int i = 0; i < 32; ++i) {
        pushLater(order());
    }
    // The loop has not run.
    EXPECT_TRUE(eventually([&] { return number({"ZCARD", "rst:{s0}:due:pull:5:order"}) == 33; }));
    EXPECT_EQ(answers_, 0);
    ASSERT_TRUE(untilAnswered(32));
}

TEST_F(StoreGroupCommit, appendsOneEventABatchWithItsIds)
{
    std::vector<std::string> ids{"order-1", "order-2", "other"};
    for (const auto& id : ids) {
        auto job = order();
        job.id = id;
        pushLater(job);
    }
    ASSERT_TRUE(untilAnswered(3));
    const auto events = send({"XRANGE", "rst:{s0}:events", "-", "+"});
    ASSERT_EQ(events.array()->size(), 1U);
    std::vector<std::string> fields;
    for (const auto& field : *events.array()->at(0).array()->at(1).array()) {
        fields.push_back(*field.text());
    }
    EXPECT_THAT(fields,
                testing::ElementsAre("t", "push", "at", std::to_string(toEpochMs(clock_.now())),
                                     "ids", "order-\t12 other"));
}

/// Whatever an operator writes: a script has no separator that it could contain.
TEST_F(StoreGroupCommit, tellsActorAndReasonAsTheyWereGiven)
{
    const std::string actor = "olga\n@root";
    const std::string reason = "line one\nline two, " + std::string(300, 'x') + " \xc3\xbc";
    const auto job = order();
    ASSERT_TRUE(await<PushOutcome>([&](auto done) {
        store_->push({.job = job, .due = clock_.now(), .actor = actor, .reason = reason}, done);
    }));
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store_->claim({Channel::Pull, {"order"}, 1, actor, reason}, done);
    });
    ASSERT_EQ(claimed->size(), 1U);
    ASSERT_TRUE(finish({.id = job.id, .attempt = 1, .actor = actor, .reason = reason}));
    const auto events = send({"XRANGE", "rst:{s0}:events", "-", "+"});
    ASSERT_EQ(events.array()->size(), 3U);
    for (const auto& event : *events.array()) {
        std::map<std::string, std::string> fields;
        const auto& words = *event.array()->at(1).array();
        for (std::size_t n = 0; n + 1 < words.size(); n += 2) {
            fields[*words[n].text()] = *words[n + 1].text();
        }
        EXPECT_EQ(fields["by"], actor) << fields["t"];
        EXPECT_EQ(fields["why"], reason) << fields["t"];
    }
}

TEST_F(StoreGroupCommit, keepsApartWhoseNamesAndReasonsAreTheSameWhenJoined)
{
    std::vector<Job> jobs{order(), order()};
    store_->push(
        {.job = jobs[0], .due = clock_.now(), .onceKey = "1", .actor = "a\nb", .reason = "c"},
        countSuccess<PushOutcome>());
    store_->push(
        {.job = jobs[1], .due = clock_.now(), .onceKey = "2", .actor = "a", .reason = "b\nc"},
        countSuccess<PushOutcome>());
    ASSERT_TRUE(untilAnswered(2));
    EXPECT_EQ(number({"XLEN", "rst:{s0}:events"}), 2);
}

TEST_F(StoreGroupCommit, keepsTheOrderOfTheCallsForOneJob)
{
    auto job = order();
    store_->push({.job = job, .due = clock_.now()}, countSuccess<PushOutcome>());
    store_->trash({job.id, "olga", ""}, countSuccess<void>());
    store_->restore({job.id, "olga", ""}, countSuccess<void>());
    store_->purge({job.id, "olga", ""}, countSuccess<void>());
    job.body = "other content, so no conflict only if it was purged before";
    store_->push({.job = job, .due = clock_.now()}, countSuccess<PushOutcome>());
    ASSERT_TRUE(untilAnswered(5));
    EXPECT_EQ(claim()->at(0).job.body, job.body);
}

TEST_F(StoreGroupCommit, letsAClaimSeeWhatWasPushedBeforeIt)
{
    pushLater(order());
    std::size_t claimed = 0;
    store_->claim({Channel::Pull, {"order"}, 1}, [&](auto jobs) { claimed = jobs->size(); });
    pushLater(order());
    ASSERT_TRUE(untilAnswered(2));
    EXPECT_EQ(claimed, 1U);
}

TEST_F(StoreGroupCommit, sendsLargeClaimsBesideEachOtherAndSmallOnesTogether)
{
    ASSERT_TRUE(push(order()));
    const auto claims = [this](int count, std::uint32_t max) {
        const auto before = scriptCalls();
        answers_ = 0;
        for (int i = 0; i < count; ++i) {
            store_->claim({Channel::Pull, {"nothing"}, max},
                          countSuccess<std::vector<ClaimedJob>>());
        }
        EXPECT_TRUE(untilAnswered(count));
        return scriptCalls() - before;
    };
    claims(1, 1);  // the script is known from now on
    EXPECT_EQ(claims(10, 3), 1);
    EXPECT_EQ(claims(4, 100), 4);
}

/// As consumers do who each pop a job, finish it and pop the next.
TEST_F(StoreGroupCommit, sendsClaimsAndFinishesInTurnInFewCalls)
{
    constexpr std::uint32_t kConsumers = 8;
    for (std::uint32_t i = 0; i < 1 + 2 * kConsumers; ++i) {
        ASSERT_TRUE(push(order()));
    }
    ASSERT_TRUE(finish(leaseOf(claim(1)->at(0))));  // the scripts are known from now on
    const auto first = claim(kConsumers);
    ASSERT_EQ(first->size(), kConsumers);
    const auto before = scriptCalls();
    std::size_t claimed = 0;
    for (const auto& job : *first) {
        store_->claim({Channel::Pull, {"order"}, 1},
                      [&](const auto& jobs) { claimed += jobs->size(); });
        store_->finish(leaseOf(job), countSuccess<std::uint64_t>());
    }
    ASSERT_TRUE(untilAnswered(kConsumers));
    ASSERT_TRUE(runUntil([&] { return claimed == kConsumers; }));
    EXPECT_EQ(scriptCalls() - before, 3) << "the first claim, all that is finished, other claims";
}

TEST_F(StoreGroupCommit, letsTheEndsOfManyAttemptsPassAClaimThatWaits)
{
    constexpr std::uint32_t kMany = 40;
    for (std::uint32_t i = 0; i <= kMany; ++i) {
        ASSERT_TRUE(push(order()));
    }
    ASSERT_TRUE(finish(leaseOf(claim(1)->at(0))));  // the scripts are known from now on
    const auto leased = claim(kMany);
    ASSERT_EQ(leased->size(), kMany);
    std::vector<std::string> answered;
    const auto claimLater = [&](const std::string& what, std::uint32_t max) {
        store_->claim({Channel::Pull, {"nothing"}, max},
                      [&answered, what](const auto&) { answered.push_back(what); });
    };
    claimLater("large claim", 50);
    claimLater("small claim", 1);
    for (const auto& job : *leased) {
        store_->finish(leaseOf(job), [&](const auto&) { answered.emplace_back("finish"); });
    }
    ASSERT_TRUE(runUntil([&] { return answered.size() == kMany + 2; }));
    EXPECT_EQ(answered.front(), "large claim");
    EXPECT_EQ(answered[1], "finish");
}

TEST_F(StoreGroupCommit, gathersWhatComesWhileACallOfAnotherScriptIsInFlight)
{
    ASSERT_TRUE(push(order()));
    ASSERT_TRUE(finish(leaseOf(claim(1)->at(0))));  // the scripts are known from now on
    const auto before = scriptCalls();
    const auto runTurn = [this] {
        bool over = false;
        loop_.post([&over] { over = true; });
        EXPECT_TRUE(runUntil([&over] { return over; }));
    };
    send({"CLIENT", "PAUSE", "60000", "WRITE"});
    store_->claim({Channel::Pull, {"nothing"}, 1}, countSuccess<std::vector<ClaimedJob>>());
    runTurn();
    for (int turn = 0; turn < 3; ++turn) {
        pushLater(order());
        runTurn();
    }
    send({"CLIENT", "UNPAUSE"});
    ASSERT_TRUE(untilAnswered(4));
    EXPECT_EQ(scriptCalls() - before, 2) << "the claim, and all pushes";
}

TEST_F(StoreGroupCommit, letsAClaimSeeWhatWasFinishedBeforeIt)
{
    const TopicLimits one{.concurrency = 1};
    ASSERT_TRUE(await<void>([&](auto done) {
        store_->limitTopic({"order", "olga", ""}, one, done);
    }));
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(push(order()));
    }
    ASSERT_TRUE(finish(leaseOf(claim(1)->at(0))));  // the scripts are known from now on
    const auto first = claim(2);
    ASSERT_EQ(first->size(), 1U);
    std::size_t claimed = 0;
    store_->claim({Channel::Pull, {"nothing"}, 1}, countSuccess<std::vector<ClaimedJob>>());
    store_->finish(leaseOf(first->at(0)), countSuccess<std::uint64_t>());
    store_->claim({Channel::Pull, {"order"}, 1}, [&](const auto& jobs) {
        claimed = jobs->size();
        ++answers_;
    });
    ASSERT_TRUE(untilAnswered(3));
    EXPECT_EQ(claimed, 1U);
}

TEST_F(StoreGroupCommit, sendsTheMovesOfManyMailboxesTogether)
{
    const auto message = [this](const std::string& recipient) {
        auto job = order();
        job.topic = "sip";
        job.channel = Channel::Sip;
        job.recipient = recipient;
        return job;
    };
    std::vector<std::string> recipients;
    for (int i = 0; i < 20; ++i) {
        recipients.push_back("sip:u" + std::to_string(i) + "@example.org");
    }
    const auto pushTo = [&](const std::string& recipient) {
        store_->push({.job = message(recipient), .placement = Placement::Mailbox},
                     countSuccess<PushOutcome>());
    };
    // Each mailbox is filled, released, emptied and filled again, all asked for in one turn.
    const auto cycles = [&] {
        answers_ = 0;
        std::size_t claimed = 0;
        for (const auto& recipient : recipients) {
            pushTo(recipient);
            store_->releaseMailbox(recipient, countSuccess<std::uint64_t>());
            store_->claimMailbox({recipient, 1, 0}, [&](const auto& jobs) {
                claimed += jobs->size();
                store_->finish(leaseOf(jobs->at(0)), countSuccess<std::uint64_t>());
                pushTo(recipient);
            });
        }
        EXPECT_TRUE(untilAnswered(80));
        EXPECT_EQ(claimed, 20U);
    };
    cycles();  // the scripts are known from now on
    for (const auto& recipient : recipients) {
        const auto again = await<std::vector<ClaimedJob>>([&](auto done) {
            store_->claimMailbox({recipient, 9, 0}, done);
        });
        ASSERT_EQ(again->size(), 1U) << recipient;
        ASSERT_TRUE(finish(leaseOf(again->at(0))));
    }
    const auto before = scriptCalls();
    cycles();
    EXPECT_EQ(scriptCalls() - before, 5) << "push, release, claim; finish, push";
}

TEST_F(StoreGroupCommit, keepsTheOrderOfTheCallsForOneMailbox)
{
    auto job = order();
    job.channel = Channel::Sip;
    job.recipient = "sip:bob@example.org";
    auto other = job;
    other.id = ids_.generate(0);
    std::vector<std::size_t> claimed;
    const auto claim = [&] {
        store_->claimMailbox({job.recipient, 9, 0},
                             [&](const auto& jobs) { claimed.push_back(jobs->size()); });
    };
    claim();
    store_->push({.job = job, .placement = Placement::Mailbox}, countSuccess<PushOutcome>());
    claim();
    store_->push({.job = other, .placement = Placement::Mailbox}, countSuccess<PushOutcome>());
    store_->finish({job.id, 1, job.recipient}, countSuccess<std::uint64_t>());
    store_->trash({other.id, "olga", ""}, countSuccess<void>());
    claim();
    store_->restore({other.id, "olga", ""}, countSuccess<void>());
    claim();
    ASSERT_TRUE(untilAnswered(5));
    ASSERT_TRUE(runUntil([&] { return claimed.size() == 4; }));
    EXPECT_THAT(claimed, testing::ElementsAre(0, 1, 0, 1));
}

TEST_F(StoreGroupCommit, answersEachItemOfABatchByItself)
{
    const auto known = order();
    ASSERT_TRUE(push(known));
    auto other = known;
    other.body = "other";
    std::vector<std::string> answers;
    const auto note = [&](Result<PushOutcome> outcome) {
        answers.emplace_back(!outcome                                ? name(outcome.error().code)
                             : outcome->status == PushStatus::Stored ? "stored"
                                                                     : "there");
    };
    for (const auto& job : {order(), known, other, order()}) {
        store_->push({.job = job, .due = clock_.now()}, note);
    }
    ASSERT_TRUE(runUntil([&] { return answers.size() == 4; }));
    EXPECT_THAT(answers, testing::ElementsAre("stored", "there", "conflict", "stored"));
}

TEST_F(StoreGroupCommit, storesOneOfTwoPushesOfTheSameIdInOneTurn)
{
    const auto job = order();
    auto other = job;
    other.body = "other";
    std::vector<bool> stored;
    for (const auto& one : {job, other}) {
        store_->push({.job = one, .due = clock_.now()},
                     [&](auto outcome) { stored.push_back(outcome.has_value()); });
    }
    ASSERT_TRUE(runUntil([&] { return stored.size() == 2; }));
    EXPECT_THAT(stored, testing::ElementsAre(true, false));
    EXPECT_EQ(claim()->at(0).job.body, job.body);
}

TEST_F(StoreGroupCommit, loadsItsScriptsAgainWhenTheServerHasForgottenThem)
{
    ASSERT_TRUE(push(order()));
    send({"SCRIPT", "FLUSH"});
    std::vector<std::string> pushed;
    for (int i = 0; i < 1'000; ++i) {
        const auto job = order();
        pushed.push_back(job.id);
        pushLater(job);
    }
    ASSERT_TRUE(untilAnswered(1'000));
    const auto claimed = claimedIds(1'000);
    EXPECT_EQ(claimed.size(), 1'000U);  // one more was there before
    EXPECT_EQ(claimed[1], pushed[0]);
    EXPECT_TRUE(std::equal(claimed.begin() + 1, claimed.end(), pushed.begin()));
}

TEST_F(StoreGroupCommit, answersEveryCallWhenItIsClosed)
{
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
        store_->push({.job = order(), .due = clock_.now()}, [&](auto outcome) {
            refused += outcome ? 0 : 1;
            EXPECT_EQ(outcome.error().code, ErrorCode::Unavailable);
        });
    }
    store_.reset();
    EXPECT_EQ(refused, 300);
}

TEST_F(StoreGroupCommit, letsNoCallOvertakeOneWhoseScriptTheServerHasForgotten)
{
    const auto other = order();
    ASSERT_TRUE(push(other));
    send({"SCRIPT", "FLUSH"});
    store_->trash({other.id, "olga", ""}, countSuccess<void>());
    ASSERT_TRUE(untilAnswered(1));  // the server knows this script again, and that of push not
    const auto job = order();
    pushLater(job);
    store_->trash({job.id, "olga", ""}, countSuccess<void>());
    ASSERT_TRUE(untilAnswered(3));
}

TEST_F(StoreGroupCommit, refusesWhatIsAskedWhileItIsClosed)
{
    auto queue = std::make_unique<redis::ScriptQueue>(loop_, *connection_, clock_,
                                                      redis::ScriptQueue::Settings{"rst:{s0}:"});
    auto* closing = queue.get();
    int refused = 0;
    const auto claimMany = [&](redis::ScriptQueue::Answer answer) {
        constexpr std::size_t kMany = 100;
        closing->add(redis::script("claim"), redis::ScriptSubject::ofReady(),
                     {"pull", "100", "", "1", "order"}, std::move(answer), kMany);
    };
    claimMany(
        [&](const auto&) { claimMany([&](const auto& again) { refused += again ? 0 : 1; }); });
    queue.reset();
    EXPECT_EQ(refused, 1);
}

TEST_F(StoreGroupCommit, answersUnavailableWhenTheServerDies)
{
    RedisServer server;
    open(server, {});
    ASSERT_TRUE(push(order()));
    server.kill9();
    const auto outcome = push(order());
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::Unavailable);
}

TEST_F(StoreGroupCommit, hasOnDiskWhatItHasAcknowledgedWhenTheServerIsKilled)
{
    RedisServer::Settings durable;
    durable.appendOnly = RedisServer::AppendOnly::Yes;
    durable.extra = {"--appendfsync", "always"};
    RedisServer server(durable);
    open(server, {});
    std::vector<std::string> stored;
    for (int i = 0; i < 2'000; ++i) {
        const auto job = order();
        store_->push({.job = job, .due = clock_.now()}, [&, id = job.id](auto outcome) {
            if (outcome) {
                stored.push_back(id);
            }
        });
    }
    ASSERT_TRUE(runUntil([&] { return stored.size() >= 500; }));
    server.kill9();
    store_.reset();
    server.restart();
    open(server, {});
    for (const auto& id : stored) {
        EXPECT_EQ(number({"HEXISTS", "rst:{s0}:j:" + id.substr(0, id.size() - 1),
                          id.substr(id.size() - 1)}),
                  1)
            << id;
    }
}

}  // namespace restante::test
