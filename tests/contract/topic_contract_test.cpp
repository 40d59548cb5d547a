#include "core/queue/topic.h"
#include "core/queue/topic_view.h"
#include "tests/contract/store_contract.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace restante::test {
namespace {

using Kind = DueSource::Kind;

class Topics : public StoreContract {
protected:
    Result<void> pause(const std::string& topic, const std::string& reason = "gateway down")
    {
        return await<void>([&](auto done) { store().pauseTopic({topic, "olga", reason}, done); });
    }
    Result<void> resume(const std::string& topic)
    {
        return await<void>([&](auto done) { store().resumeTopic({topic, "olga", "up"}, done); });
    }
    Result<void> limit(const std::string& topic, TopicLimits limits)
    {
        return await<void>([&](auto done) {
            store().limitTopic({topic, "olga", "slow peer"}, limits, done);
        });
    }
    std::vector<TopicView> topics()
    {
        auto views = await<std::vector<TopicView>>([&](auto done) { inspector().topics(done); });
        EXPECT_DONE(views);
        return views.value_or(std::vector<TopicView>{});
    }
    TopicView topic(const std::string& name)
    {
        const auto all = topics();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const auto& view) { return view.topic == name; });
        EXPECT_NE(found, all.end()) << name;
        return found == all.end() ? TopicView{} : *found;
    }
    /// `count` due jobs of "order", on the shards in turn.
    void pushMany(std::uint32_t count)
    {
        for (std::uint32_t i = 0; i < count; ++i) {
            auto job = newJob();
            job.id = newId(i % shards());
            storeJob(job);
        }
    }
    std::optional<TimePoint> nextOrder()
    {
        return earliest({Kind::Lanes, Channel::Pull, {"order"}});
    }
    /// `count` recipients whose mailboxes are on the shard of Bob's, in alphabetical order.
    std::vector<std::string> neighboursOfBob(std::size_t count)
    {
        std::set<std::string> names;
        for (int i = 0; names.size() < count; ++i) {
            const auto name = "sip:carol" + std::to_string(i) + "@example.org";
            if (shardOfMailbox(name, shards()) == shardOfMailbox(kBob, shards())) {
                names.insert(name);
            }
        }
        return {names.begin(), names.end()};
    }
};

class Pause : public Topics {};
INSTANTIATE_TEST_SUITE_P(Store, Pause, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(Pause, keepsTheTopicsJobsFromBeingClaimed)
{
    pushMany(4);
    const auto other = storeJob(newJob(5, "other")).id;
    EXPECT_DONE(pause("order"));
    EXPECT_TRUE(claim(9, {"order"}).empty());
    EXPECT_EQ(claimIds(9, {"order", "other"}), std::vector{other});
}

TEST_P(Pause, countsForAClaimOfAWholeChannel)
{
    pushMany(4);
    EXPECT_DONE(pause("order"));
    EXPECT_TRUE(claim(9, {}).empty());
}

TEST_P(Pause, holdsOnEveryChannel)
{
    auto job = newJob();
    job.channel = Channel::Webhook;
    job.recipient = "https://example.org/";
    storeJob(job);
    EXPECT_DONE(pause("order"));
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store().claim({Channel::Webhook, {}, 9}, done);
    });
    EXPECT_TRUE(claimed->empty());
}

TEST_P(Pause, letsWhatIsLeasedGoOn)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(pause("order"));
    EXPECT_DONE(touch(leaseOf(claimed), 5min));
    EXPECT_DONE(finish(leaseOf(claimed)));
}

TEST_P(Pause, letsPushesGoOn)
{
    EXPECT_DONE(pause("order"));
    const auto job = storeJob(newJob());
    EXPECT_EQ(stateOf(job.id), JobState::Ready);
}

TEST_P(Pause, tellsWhoWhyAndSinceWhen)
{
    const auto since = now();
    EXPECT_DONE(pause("order", "ünder repair; ask\\ola"));
    const auto view = topic("order");
    ASSERT_TRUE(view.pause);
    EXPECT_EQ(view.pause->since, since);
    EXPECT_EQ(view.pause->actor, "olga");
    EXPECT_EQ(view.pause->reason, "ünder repair; ask\\ola");
}

TEST_P(Pause, twiceKeepsTheMoment)
{
    const auto since = now();
    EXPECT_DONE(pause("order", "first"));
    clock().advance(1h);
    EXPECT_DONE(pause("order", "second"));
    EXPECT_EQ(topic("order").pause->since, since);
    EXPECT_EQ(topic("order").pause->reason, "second");
}

TEST_P(Pause, leavesTheNextMomentToOtherTopics)
{
    pushMany(3);
    storeJob(newJob(5, "other"), 1h);
    EXPECT_DONE(pause("order"));
    EXPECT_EQ(nextOrder(), std::nullopt);
    EXPECT_EQ(earliest({Kind::Lanes, Channel::Pull, {}}), now() + 1h);
}

TEST_P(Pause, keepsMessagesInTheirMailbox)
{
    const auto job = storeHeldJob(messageTo(kBob), 0ms);
    EXPECT_DONE(pause("sip"));
    EXPECT_TRUE(claimMailbox(kBob).empty());
    EXPECT_EQ(stateOf(job.id), JobState::Held);
    EXPECT_TRUE(dueMailboxes().empty());
}

TEST_P(Pause, ofOneTopicLetsTheOthersOfAMailboxPass)
{
    storeHeldJob(messageTo(kBob), 0ms);
    auto alert = messageTo(kBob);
    alert.topic = "alert";
    storeHeldJob(alert, 0ms);
    EXPECT_DONE(pause("sip"));
    EXPECT_EQ(idsOf(claimMailbox(kBob)), std::vector{alert.id});
}

TEST_P(Pause, countsNoBytesOfItsMessagesForAClaimOfOthers)
{
    auto first = messageTo(kBob);
    first.topic = "alert";
    storeHeldJob(first, 0ms);
    auto large = messageTo(kBob);
    large.body = std::string(10'000, 'x');
    storeHeldJob(large, 0ms);
    auto second = messageTo(kBob);
    second.topic = "alert";
    storeHeldJob(second, 0ms);
    EXPECT_DONE(pause("sip"));
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store().claimMailbox({.recipient = kBob, .max = 10, .maxBytes = 5'000}, done);
    });
    ASSERT_TRUE(claimed) << claimed.error().message;
    EXPECT_EQ(idsOf(*claimed), (std::vector{first.id, second.id}));
}

TEST_P(Pause, refusesWhatIsNoTopicOrText)
{
    EXPECT_REFUSED(pause(""), Invalid);
    EXPECT_REFUSED(pause("two words"), Invalid);
    EXPECT_REFUSED(pause("a,b"), Invalid);
    EXPECT_REFUSED(pause(std::string(129, 'x')), Invalid);
    EXPECT_REFUSED(pause("order", "line\nbreak"), Invalid);
    EXPECT_REFUSED(pause("order", std::string(1'025, 'x')), Invalid);
    EXPECT_TRUE(topics().empty());
}

class Resume : public Topics {};
INSTANTIATE_TEST_SUITE_P(Store, Resume, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(Resume, givesTheJobsOutAgain)
{
    pushMany(7);
    EXPECT_DONE(pause("order"));
    EXPECT_DONE(resume("order"));
    EXPECT_EQ(nextOrder(), now());
    EXPECT_FALSE(topic("order").pause);
    EXPECT_EQ(claim(9).size(), 7U);
}

TEST_P(Resume, ofATopicThatIsNotPausedIsASuccess)
{
    EXPECT_DONE(resume("order"));
    EXPECT_REFUSED(resume("no topic"), Invalid);
}

TEST_P(Resume, makesItsMailboxesDue)
{
    storeHeldJob(messageTo(kBob), 0ms);
    EXPECT_DONE(pause("sip"));
    claimMailbox(kBob);
    clock().advance(1s);
    EXPECT_DONE(resume("sip"));
    EXPECT_EQ(earliest({Kind::Mailboxes}), now());
    EXPECT_EQ(dueMailboxes(), std::vector{kBob});
    EXPECT_EQ(claimMailbox(kBob).size(), 1U);
}

TEST_P(Resume, wakesWhoSleeps)
{
    pushMany(shards());
    EXPECT_DONE(pause("order"));
    std::vector<Wake> wakes;
    store().onWake([&](const Wake& wake) { wakes.push_back(wake); });
    const auto isTold = [&] {
        return std::any_of(wakes.begin(), wakes.end(), [&](const Wake& wake) {
            return wake.kind == Kind::Lanes && wake.topic == "order" && wake.due == now();
        });
    };
    // A subscription takes a moment.
    for (int i = 0; i < 100 && !isTold(); ++i) {
        EXPECT_DONE(pause("order"));
        EXPECT_DONE(resume("order"));
        loop().runUntil(isTold, 100ms);
    }
    EXPECT_TRUE(isTold());
    store().onWake({});
}

class Limit : public Topics {};
INSTANTIATE_TEST_SUITE_P(Store, Limit, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(Limit, ofConcurrencyIsNeverExceeded)
{
    pushMany(40);
    EXPECT_DONE(limit("order", {.concurrency = 5}));
    auto claimed = claim(3);
    EXPECT_LE(claimed.size(), 3U);
    const auto more = claim(9);
    claimed.insert(claimed.end(), more.begin(), more.end());
    EXPECT_EQ(claimed.size(), 5U);
    EXPECT_TRUE(claim(9).empty());
    EXPECT_EQ(topic("order").leased, 5U);
    EXPECT_EQ(topic("order").limits, (TopicLimits{.concurrency = 5}));
}

TEST_P(Limit, ofConcurrencyCountsWhatIsLeasedAlready)
{
    pushMany(4 * shards());
    EXPECT_EQ(claim(3 * shards()).size(), 3 * shards());
    EXPECT_DONE(limit("order", {.concurrency = 3 * shards()}));
    const auto more = claim(9);
    EXPECT_EQ(topic("order").leased.value_or(0), 3 * shards() + more.size());
    EXPECT_LE(more.size(), 3 * shards());
}

TEST_P(Limit, ofOneTopicLeavesTheOthersAlone)
{
    pushMany(9);
    for (int i = 0; i < 9; ++i) {
        storeJob(newJob(7, "other"));
    }
    EXPECT_DONE(limit("order", {.concurrency = shards()}));
    EXPECT_EQ(claim(99, {}).size(), 9U + shards());
}

TEST_P(Limit, ofConcurrencyGivesTheNextOutWhenALeaseEnds)
{
    pushMany(40);
    EXPECT_DONE(limit("order", {.concurrency = shards()}));
    auto claimed = claim(9);
    ASSERT_EQ(claimed.size(), shards());
    const auto lease = leaseOf(claimed[0]);
    const auto next = [&] { return claim(9).at(0); };

    EXPECT_DONE(finish(lease));
    auto now1 = next();
    EXPECT_DONE(retry(leaseOf(now1), 1h));
    now1 = next();
    EXPECT_DONE(bury(leaseOf(now1), "no"));
    now1 = next();
    EXPECT_DONE(hold({.lease = leaseOf(now1)}));
    now1 = next();
    EXPECT_DONE(trash(now1.job.id));
    now1 = next();
    EXPECT_DONE(purge(now1.job.id));
    now1 = next();
    clock().advance(61s);
    EXPECT_DONE(
        reap({.lease = leaseOf(now1), .action = ReapVerdict::Action::Dead, .reason = "lapsed"}));
    EXPECT_EQ(claim(9).size(), 1U);
}

TEST_P(Limit, ofConcurrencyMovesTheNextMomentBehindALease)
{
    pushMany(2 * shards());
    EXPECT_DONE(limit("order", {.concurrency = shards()}));
    EXPECT_EQ(nextOrder(), now());
    const auto claimed = claim(9);
    EXPECT_EQ(nextOrder(), now() + 60s);
    EXPECT_DONE(finish(leaseOf(claimed.at(0))));
    EXPECT_EQ(nextOrder(), now());
}

TEST_P(Limit, ofConcurrencyCountsALeaseUntilItIsReaped)
{
    pushMany(2 * shards());
    EXPECT_DONE(limit("order", {.concurrency = shards()}));
    EXPECT_EQ(claim(9).size(), shards());
    clock().advance(2min);
    EXPECT_TRUE(claim(9).empty());
    EXPECT_GT(nextOrder(), now());
}

TEST_P(Limit, ofConcurrencyFollowsALeaseThatIsExtended)
{
    pushMany(2 * shards());
    EXPECT_DONE(limit("order", {.concurrency = shards()}));
    for (const auto& one : claim(9)) {
        EXPECT_DONE(touch(leaseOf(one), 1h));
    }
    clock().advance(2min);
    EXPECT_TRUE(claim(9).empty());
}

TEST_P(Limit, ofOneHoldsForAllShardsTogether)
{
    pushMany(4 * shards());
    EXPECT_DONE(limit("order", {.concurrency = 1}));
    std::set<std::string> given;
    for (std::uint32_t i = 0; i < 4 * shards(); ++i) {
        const auto claimed = claim(9);
        ASSERT_EQ(claimed.size(), 1U) << i;
        EXPECT_TRUE(claim(9, {}).empty());
        EXPECT_EQ(topic("order").leased, 1U);
        given.insert(claimed[0].job.id);
        EXPECT_DONE(finish(leaseOf(claimed[0])));
    }
    EXPECT_EQ(given.size(), 4 * shards());
    EXPECT_TRUE(claim(9).empty());
}

TEST_P(Limit, goesToTheShardWhereTheJobsAre)
{
    for (std::uint32_t shard = 0; shard < shards(); ++shard) {
        for (int i = 0; i < 6; ++i) {
            auto job = newJob();
            job.id = newId(shard);
            storeJob(job);
        }
        EXPECT_DONE(limit("order", {.concurrency = 5}));
        const auto claimed = claim(9);
        EXPECT_EQ(claimed.size(), 5U) << "shard " << shard;
        EXPECT_TRUE(claim(9).empty());
        for (const auto& one : claimed) {
            EXPECT_DONE(finish(leaseOf(one)));
        }
        const auto last = claim(9);
        ASSERT_EQ(last.size(), 1U);
        EXPECT_EQ(topic("order").leased, 1U);
        EXPECT_DONE(finish(leaseOf(last[0])));
        EXPECT_DONE(limit("order", {}));
        EXPECT_TRUE(topics().empty());
    }
}

TEST_P(Limit, thatIsLoweredLetsNothingOutUntilFewEnoughAreLeased)
{
    pushMany(20);
    EXPECT_DONE(limit("order", {.concurrency = 6}));
    auto claimed = claim(9);
    ASSERT_EQ(claimed.size(), 6U);
    EXPECT_DONE(limit("order", {.concurrency = 2}));
    for (std::size_t left = 6; left > 2; --left) {
        EXPECT_TRUE(claim(9).empty()) << left << " are leased";
        EXPECT_EQ(topic("order").leased, left);
        EXPECT_DONE(finish(leaseOf(claimed.back())));
        claimed.pop_back();
    }
    EXPECT_TRUE(claim(9).empty());
    EXPECT_DONE(finish(leaseOf(claimed.back())));
    EXPECT_EQ(claim(9).size(), 1U);
    EXPECT_EQ(topic("order").leased, 2U);
}

TEST_P(Limit, thatIsRaisedLetsTheDifferenceOut)
{
    pushMany(20);
    EXPECT_DONE(limit("order", {.concurrency = 1}));
    EXPECT_EQ(claim(9).size(), 1U);
    EXPECT_DONE(limit("order", {.concurrency = 4}));
    EXPECT_EQ(claim(9).size(), 3U);
    EXPECT_TRUE(claim(9).empty());
    EXPECT_EQ(topic("order").limits, (TopicLimits{.concurrency = 4}));
}

TEST_P(Limit, ofOneWakesWhoSleepsForAJobOfAnyShard)
{
    pushMany(2 * shards());
    EXPECT_DONE(limit("order", {.concurrency = 1}));
    const auto claimed = claim(9);
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_TRUE(claim(9).empty());
    EXPECT_GT(nextOrder(), now());
    EXPECT_DONE(finish(leaseOf(claimed[0])));
    for (int i = 0; i < 500 && nextOrder() != now(); ++i) {
        loop().runUntil([] { return false; }, Millis{10});
    }
    EXPECT_EQ(nextOrder(), now());
    EXPECT_EQ(claim(9).size(), 1U);
}

TEST_P(Limit, ofOneReachesTheMailboxesOfEveryShard)
{
    std::map<std::uint32_t, std::string> recipients;
    for (int i = 0; recipients.size() < shards(); ++i) {
        const auto name = "sip:carol" + std::to_string(i) + "@example.org";
        recipients.emplace(shardOfMailbox(name, shards()), name);
    }
    EXPECT_DONE(limit("sip", {.concurrency = 1}));
    for (const auto& [shard, recipient] : recipients) {
        storeHeldJob(messageTo(recipient), 0ms);
        storeHeldJob(messageTo(recipient), 0ms);
    }
    for (const auto& [shard, recipient] : recipients) {
        const auto claimed = claimMailbox(recipient, 9);
        ASSERT_EQ(claimed.size(), 1U) << "shard " << shard;
        for (const auto& [other, another] : recipients) {
            EXPECT_TRUE(other == shard || claimMailbox(another, 9).empty());
        }
        EXPECT_EQ(topic("sip").leased, 1U);
        EXPECT_DONE(finish(leaseOf(claimed[0])));
    }
}

TEST_P(Limit, outsideWhatIsAllowedIsRefused)
{
    EXPECT_REFUSED(limit("order", {.concurrency = 100'001}), Invalid);
    EXPECT_REFUSED(limit("order", {.rate = {100'001, 1s}}), Invalid);
    EXPECT_REFUSED(limit("order", {.rate = {1, 999ms}}), Invalid);
    EXPECT_REFUSED(limit("no topic", {.concurrency = 9}), Invalid);
    EXPECT_TRUE(topics().empty());
}

TEST_P(Limit, ofRateSpacesTheJobsEvenly)
{
    pushMany(40 * shards());
    // Each shard keeps its part, so all of them are asked.
    EXPECT_DONE(limit("order", {.rate = {10 * shards(), 1s}}));
    std::size_t given = claim(99).size();
    EXPECT_EQ(given, shards());
    for (int i = 0; i < 100; ++i) {
        clock().advance(10ms);
        given += claim(99).size();
    }
    EXPECT_GE(given, 10U * shards());
    EXPECT_LE(given, 11U * shards());
}

TEST_P(Limit, ofRateNamesTheMomentOfTheNextJob)
{
    for (int i = 0; i < 3; ++i) {
        storeJob(newJob());
    }
    EXPECT_DONE(limit("order", {.rate = {shards(), 1s}}));
    EXPECT_EQ(claim(9).size(), 1U);
    const auto next = nextOrder();
    EXPECT_EQ(next, now() + 1s - kRateSlack);
    clock().set(*next - 1ms);
    EXPECT_TRUE(claim(9).empty());
    clock().set(*next);
    EXPECT_EQ(claim(9).size(), 1U);
}

TEST_P(Limit, ofRateSavesNothingUpWhileThereIsNothingToDo)
{
    EXPECT_DONE(limit("order", {.rate = {shards(), 1s}}));
    clock().advance(1h);
    for (int i = 0; i < 9; ++i) {
        storeJob(newJob());
    }
    EXPECT_EQ(claim(9).size(), 1U);
}

TEST_P(Limit, ofRateDoesNotHideALaterJobOfAnotherTopic)
{
    storeJob(newJob());
    storeJob(newJob());
    storeJob(newJob(5, "other"), 200ms);
    EXPECT_DONE(limit("order", {.rate = {shards(), 1min}}));
    EXPECT_EQ(claim(9, {}).size(), 1U);
    EXPECT_EQ(earliest({Kind::Lanes, Channel::Pull, {}}), now() + 200ms);
}

TEST_P(Limit, ofZeroIsNone)
{
    pushMany(9 * shards());
    EXPECT_DONE(limit("order", {.concurrency = shards(), .rate = {shards(), 1h}}));
    claim(99);
    EXPECT_DONE(limit("order", {}));
    EXPECT_EQ(claim(99).size(), 8U * shards());
    EXPECT_TRUE(topics().empty());
}

TEST_P(Limit, ofConcurrencyHoldsForMailboxes)
{
    for (int i = 0; i < 9; ++i) {
        storeHeldJob(messageTo(kBob), 0ms);
    }
    EXPECT_DONE(limit("sip", {.concurrency = 2 * shards()}));
    const auto claimed = claimMailbox(kBob, 9);
    EXPECT_EQ(claimed.size(), 2U);
    storeHeldJob(messageTo(kBob), 0ms);
}

TEST_P(Limit, ofConcurrencyParksAMailboxUntilALeaseEnds)
{
    const auto carol = neighboursOfBob(1).front();
    storeHeldJob(messageTo(kBob), 0ms);
    EXPECT_DONE(limit("sip", {.concurrency = shards()}));
    const auto claimed = claimMailbox(kBob);
    storeHeldJob(messageTo(carol), 0ms);
    EXPECT_TRUE(claimMailbox(carol).empty());
    EXPECT_TRUE(dueMailboxes().empty());
    EXPECT_DONE(finish(leaseOf(claimed.at(0))));
    EXPECT_EQ(dueMailboxes(), std::vector{carol});
    EXPECT_EQ(claimMailbox(carol).size(), 1U);
}

TEST_P(Limit, ofConcurrencyPassesOverAMailboxThatWaitsNoMore)
{
    const auto others = neighboursOfBob(2);
    storeHeldJob(messageTo(kBob), 0ms);
    EXPECT_DONE(limit("sip", {.concurrency = shards()}));
    const auto claimed = claimMailbox(kBob);
    const auto first = storeHeldJob(messageTo(others[0]), 0ms);
    storeHeldJob(messageTo(others[1]), 0ms);
    EXPECT_TRUE(claimMailbox(others[0]).empty());
    EXPECT_TRUE(claimMailbox(others[1]).empty());
    EXPECT_DONE(purge(first.id));
    EXPECT_DONE(finish(leaseOf(claimed.at(0))));
    EXPECT_EQ(dueMailboxes(), std::vector{others[1]});
}

TEST_P(Limit, ofConcurrencyDoesNotOfferASlotToTheMailboxThatHasHadIt)
{
    const auto others = neighboursOfBob(3);
    storeHeldJob(messageTo(kBob), 0ms);
    EXPECT_DONE(limit("sip", {.concurrency = shards()}));
    const auto claimed = claimMailbox(kBob);
    for (const auto& recipient : others) {
        storeHeldJob(messageTo(recipient), 0ms);
        storeHeldJob(messageTo(recipient), 0ms);
        EXPECT_TRUE(claimMailbox(recipient).empty());
    }
    EXPECT_DONE(finish(leaseOf(claimed.at(0))));
    EXPECT_EQ(dueMailboxes(), std::vector{others[0]});
    const auto winner = claimMailbox(others[1]);
    EXPECT_DONE(finish(leaseOf(winner.at(0))));
    EXPECT_EQ(dueMailboxes(), (std::vector{others[0], others[2]}));
}

TEST_P(Limit, ofRateHoldsForMailboxes)
{
    for (int i = 0; i < 9; ++i) {
        storeHeldJob(messageTo(kBob), 0ms);
    }
    EXPECT_DONE(limit("sip", {.rate = {shards(), 1s}}));
    const auto first = claimMailbox(kBob, 9);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_DONE(finish(leaseOf(first[0])));
    EXPECT_TRUE(claimMailbox(kBob, 9).empty());
    EXPECT_EQ(earliest({Kind::Mailboxes}), now() + 1s - kRateSlack);
}

class TopicViews : public Topics {};
INSTANTIATE_TEST_SUITE_P(Store, TopicViews, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(TopicViews, countWhatWaitsOnEachChannel)
{
    pushMany(4);
    storeJob(newJob(), 1h);
    auto hook = newJob(1);
    hook.channel = Channel::Webhook;
    hook.recipient = "https://example.org/";
    storeJob(hook);
    storeJob(newJob(5, "aaa"), 1h);
    const auto all = topics();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].topic, "aaa");
    ASSERT_EQ(all[1].channels.size(), 2U);
    EXPECT_EQ(all[1].channels[0].channel, Channel::Pull);
    EXPECT_EQ(all[1].channels[0].ready, 4U);
    EXPECT_EQ(all[1].channels[0].scheduled, 1U);
    EXPECT_EQ(all[1].channels[1].channel, Channel::Webhook);
    EXPECT_EQ(all[1].channels[1].ready, 1U);
}

RESTANTE_CONTRACT(EarliestLiving);

TEST_P(EarliestLiving, passesOverWhatHasExpired)
{
    auto expired = newJob();
    expired.expires = now() + 1s;
    storeJob(expired);
    storeJob(newJob(), 2s);
    clock().advance(1s);
    EXPECT_EQ(earliest({Kind::Lanes, Channel::Pull, {"order"}}), now() + 1s);
}

}  // namespace
}  // namespace restante::test
