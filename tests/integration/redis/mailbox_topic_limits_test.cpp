#include "core/queue/topic.h"
#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {

/// Claims of many mailboxes that share a call of the script, and whose topic has limits.
class MailboxTopicLimits : public StoreFixture {
protected:
    void limit(const TopicLimits& limits)
    {
        ASSERT_TRUE(await<void>(
            [&](auto done) { store_->limitTopic({.topic = "order"}, limits, std::move(done)); }));
    }
    static std::string recipientOf(int number)
    {
        return "sip:" + std::to_string(number) + "@example.org";
    }
    void fill(int mailboxes, int messages)
    {
        int stored = 0;
        for (int n = 0; n < mailboxes * messages; ++n) {
            auto job = order();
            job.recipient = recipientOf(n % mailboxes);
            job.channel = Channel::Sip;
            store_->push({.job = job, .due = clock_.now(), .placement = Placement::Mailbox},
                         [&](const Result<PushOutcome>& outcome) {
                             EXPECT_TRUE(outcome);
                             ++stored;
                         });
        }
        ASSERT_TRUE(runUntil([&] { return stored == mailboxes * messages; }));
    }
    /// All in one turn; what each is given.
    std::vector<std::vector<ClaimedJob>> claimAll(int mailboxes, std::uint32_t max)
    {
        std::vector<std::vector<ClaimedJob>> given;
        for (int n = 0; n < mailboxes; ++n) {
            store_->claimMailbox({.recipient = recipientOf(n), .max = max},
                                 [&](Result<std::vector<ClaimedJob>> jobs) {
                                     EXPECT_TRUE(jobs) << jobs.error().message;
                                     given.push_back(jobs.value_or(std::vector<ClaimedJob>{}));
                                 });
        }
        EXPECT_TRUE(runUntil([&] { return static_cast<int>(given.size()) == mailboxes; }));
        return given;
    }
};

TEST_F(MailboxTopicLimits, parkBehindWhatOthersOfTheSameCallWereGiven)
{
    limit({.concurrency = 1});
    fill(2, 1);
    const auto given = claimAll(2, 10);
    ASSERT_EQ(given[0].size(), 1U);
    EXPECT_THAT(given[1], testing::IsEmpty());
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:parked:order"}), 1);
    ASSERT_TRUE(finish(leaseOf(given[0].front())));
    EXPECT_EQ(claimAll(2, 10)[1].size(), 1U);
}

TEST_F(MailboxTopicLimits, tellWhenTheRateGivesWayToOthersOfTheSameCall)
{
    limit({.rate = {.count = 10, .per = 1s}});
    fill(20, 1);
    claimAll(20, 10);
    // The lease of what was given ends later; all others are tried as soon as the rate allows it.
    const auto soon = std::to_string(toEpochMs(clock_.now()) + 5'000);
    EXPECT_EQ(number({"ZCOUNT", "rst:{s0}:boxes", soon, "+inf"}), 1);
}

TEST_F(MailboxTopicLimits, countAsManyMessagesAsACallGivesOut)
{
    constexpr int kMailboxes = 50;
    constexpr int kMessages = 100;
    limit({.concurrency = 100'000});
    fill(kMailboxes, kMessages);
    std::size_t given = 0;
    for (const auto& jobs : claimAll(kMailboxes, kMessages)) {
        given += jobs.size();
    }
    EXPECT_EQ(given, kMailboxes * kMessages);
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:busy:order"}), kMailboxes * kMessages);
}

TEST_F(MailboxTopicLimits, leaseNothingWhereTheyCannotBeRead)
{
    limit({.concurrency = 5});
    fill(2, 1);
    send({"SET", "rst:{s0}:busy:order", "of another type"});
    int answers = 0;
    for (int n = 0; n < 2; ++n) {
        store_->claimMailbox({.recipient = recipientOf(n), .max = 1},
                             [&](const Result<std::vector<ClaimedJob>>& jobs) {
                                 EXPECT_FALSE(jobs);
                                 ++answers;
                             });
    }
    ASSERT_TRUE(runUntil([&] { return answers == 2; }));
    EXPECT_EQ(number({"ZCARD", "rst:{s0}:lease"}), 0);
}

}  // namespace restante::test
