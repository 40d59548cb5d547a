#include "tests/contract/store_contract.h"

#include <algorithm>
#include <set>

namespace restante::test {
namespace {

RESTANTE_CONTRACT(Claim);

TEST_P(Claim, leasesADueJobForItsTtr)
{
    auto job = newJob();
    job.ttr = 7s;
    storeJob(job);
    const auto due = now();
    clock().advance(3s);
    const auto claimed = claim();
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].job, job);
    EXPECT_EQ(claimed[0].attempt, 1U);
    EXPECT_EQ(claimed[0].due, due);
    EXPECT_EQ(claimed[0].leaseEnds, now() + 7s);
    EXPECT_EQ(stateOf(job.id), JobState::Leased);
    EXPECT_EQ(view(job.id).attempt, 1U);
    EXPECT_EQ(view(job.id).due, now() + 7s);
}

TEST_P(Claim, leavesAJobThatIsNotYetDue)
{
    storeJob(newJob(), 1'000ms);
    clock().advance(999ms);
    EXPECT_TRUE(claim().empty());
    clock().advance(1ms);
    EXPECT_EQ(claim().size(), 1U);
}

TEST_P(Claim, leavesAJobThatSomebodyElseHas)
{
    leaseJob(newJob());
    EXPECT_TRUE(claim().empty());
}

TEST_P(Claim, goesByPriorityThenDueThenArrival)
{
    const auto late = storeJob(newJob(5), 3s).id;
    const auto early = storeJob(newJob(5), 1s).id;
    const auto twin = storeJob(newJob(5), 1s).id;
    const auto urgent = storeJob(newJob(0), 5s).id;
    const auto idle = storeJob(newJob(9), 0s).id;
    clock().advance(5s);
    EXPECT_EQ(claimIds(10), (std::vector{urgent, early, twin, late, idle}));
}

TEST_P(Claim, goesByPriorityAcrossTopics)
{
    const auto second = storeJob(newJob(5, "a")).id;
    const auto first = storeJob(newJob(1, "b")).id;
    EXPECT_EQ(claimIds(2, {"a", "b"}), (std::vector{first, second}));
}

TEST_P(Claim, keepsArrivalOrderOfManyJobsOfOneMoment)
{
    std::vector<std::string> pushed;
    for (int i = 0; i < 50; ++i) {
        pushed.push_back(storeJob(newJob()).id);
    }
    auto first = claimIds(20);
    const auto rest = claimIds(50);
    first.insert(first.end(), rest.begin(), rest.end());
    EXPECT_EQ(first, pushed);
}

TEST_P(Claim, takesAtMostAsManyAsAsked)
{
    for (int i = 0; i < 5; ++i) {
        storeJob(newJob());
    }
    EXPECT_EQ(claim(3).size(), 3U);
    EXPECT_EQ(claim(3).size(), 2U);
}

TEST_P(Claim, takesOnlyTheTopicsAskedFor)
{
    storeJob(newJob(5, "a"));
    const auto wanted = storeJob(newJob(5, "b")).id;
    storeJob(newJob(5, "bb"));
    EXPECT_EQ(claimIds(9, {"b", "none"}), std::vector{wanted});
}

TEST_P(Claim, takesOnlyTheChannelAskedFor)
{
    auto job = newJob();
    job.channel = Channel::Webhook;
    job.recipient = "https://example.org/";
    storeJob(job);
    EXPECT_TRUE(claim(9).empty());
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store().claim({Channel::Webhook, {"order"}, 9}, done);
    });
    EXPECT_EQ(idsOf(*claimed), std::vector{job.id});
}

TEST_P(Claim, takesEveryTopicWhenNoneIsNamed)
{
    storeJob(newJob(5, "a"));
    storeJob(newJob(5, "b"));
    EXPECT_EQ(claim(9, {}).size(), 2U);
}

TEST_P(Claim, findsJobsOnEveryShard)
{
    std::set<std::string> pushed;
    for (std::uint32_t i = 0; i < 12; ++i) {
        auto job = newJob();
        job.id = newId(i % shards());
        pushed.insert(storeJob(job).id);
    }
    std::set<std::string> claimed;
    for (auto more = claimIds(5); !more.empty(); more = claimIds(5)) {
        EXPECT_LE(more.size(), 5U);
        claimed.insert(more.begin(), more.end());
    }
    EXPECT_EQ(claimed, pushed);
}

TEST_P(Claim, skipsWhatHasExpired)
{
    auto expired = newJob();
    expired.expires = now() + 10s;
    storeJob(expired);
    auto lasting = newJob();
    lasting.expires = now() + 10'001ms;
    storeJob(lasting);
    clock().advance(10s);
    EXPECT_EQ(claimIds(9), std::vector{lasting.id});
    EXPECT_EQ(stateOf(expired.id), JobState::Ready);
}

TEST_P(Claim, isNotBlockedByExpiredJobsBeforeALivingOne)
{
    for (int i = 0; i < 5; ++i) {
        auto expired = newJob();
        expired.expires = now() + 1s;
        storeJob(expired);
    }
    const auto living = storeJob(newJob());
    clock().advance(1s);
    EXPECT_EQ(claimIds(1), std::vector{living.id});
}

TEST_P(Claim, neverRepeatsAnAttemptNumberAfterAFailure)
{
    const auto job = storeJob(newJob());
    for (std::uint32_t attempt = 1; attempt <= 4; ++attempt) {
        const auto claimed = claim();
        ASSERT_EQ(claimed.size(), 1U);
        EXPECT_EQ(claimed[0].attempt, attempt);
        EXPECT_DONE(retry(leaseOf(claimed[0]), 0ms));
    }
}

RESTANTE_CONTRACT(ClaimMailbox);

TEST_P(ClaimMailbox, leasesTheOldestInTheOrderOfTheirArrival)
{
    std::vector<std::string> ids;
    for (int i = 0; i < 20; ++i) {
        ids.push_back(storeHeldJob(messageTo(kBob)).id);
        clock().advance(i % 3 == 0 ? 1ms : 0ms);
    }
    const auto claimed = claimMailbox(kBob, 15);
    EXPECT_EQ(idsOf(claimed), std::vector(ids.begin(), ids.begin() + 15));
    for (const auto& one : claimed) {
        EXPECT_EQ(one.attempt, 1U);
        EXPECT_EQ(one.leaseEnds, now() + 60s);
        EXPECT_EQ(stateOf(one.job.id), JobState::Leased);
    }
    EXPECT_EQ(stateOf(ids.back()), JobState::Held);
}

TEST_P(ClaimMailbox, takesNothingOfAnotherRecipient)
{
    storeHeldJob(messageTo("sip:carol@example.org"));
    EXPECT_TRUE(claimMailbox(kBob).empty());
}

TEST_P(ClaimMailbox, takesNothingWhileOneMessageIsLeased)
{
    storeHeldJob(messageTo(kBob));
    storeHeldJob(messageTo(kBob));
    const auto first = claimMailbox(kBob, 1);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_TRUE(claimMailbox(kBob, 1).empty());
    EXPECT_DONE(finish(leaseOf(first[0])));
    EXPECT_EQ(claimMailbox(kBob, 1).size(), 1U);
}

TEST_P(ClaimMailbox, pushesTheNextAttemptBehindTheLease)
{
    storeHeldJob(messageTo(kBob), 0ms);
    EXPECT_EQ(dueMailboxes(), std::vector{kBob});
    const auto claimed = claimMailbox(kBob);
    EXPECT_TRUE(dueMailboxes().empty());
    EXPECT_GE(*earliest({kMailboxes}), claimed.at(0).leaseEnds);
}

TEST_P(ClaimMailbox, leavesNoMailboxDueThatSomebodyIsFlushing)
{
    storeHeldJob(messageTo(kBob));
    const auto flushing = claimMailbox(kBob);
    storeHeldJob(messageTo(kBob), 0ms);
    EXPECT_TRUE(claimMailbox(kBob).empty());
    EXPECT_TRUE(dueMailboxes().empty());
    EXPECT_GE(*earliest({kMailboxes}), flushing.at(0).leaseEnds);
}

TEST_P(ClaimMailbox, skipsWhatHasExpired)
{
    auto expired = messageTo(kBob);
    expired.expires = now() + 1s;
    storeHeldJob(expired);
    const auto living = storeHeldJob(messageTo(kBob));
    clock().advance(1s);
    EXPECT_EQ(idsOf(claimMailbox(kBob)), std::vector{living.id});
}

TEST_P(ClaimMailbox, leavesNoMailboxDueWhoseMessagesHaveAllExpired)
{
    auto expired = messageTo(kBob);
    expired.expires = now() + 1s;
    storeHeldJob(expired, 1s);
    clock().advance(1s);
    EXPECT_TRUE(claimMailbox(kBob).empty());
    EXPECT_TRUE(dueMailboxes().empty());
}

}  // namespace
}  // namespace restante::test
