#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

namespace restante::test {

/// What is noted of the bytes of mailboxes that have a limit, and when a push does without.
class MailboxWeights : public StoreFixture {
protected:
    static constexpr std::size_t kLimit = 10'000;
    const std::string bob_ = "sip:bob@example.org";
    const std::string carol_ = "sip:carol@example.org";

    PushRequest messageTo(const std::string& recipient, std::size_t bytes)
    {
        Job job;
        job.id = ids_.generate(0);
        job.topic = "sip";
        job.channel = Channel::Sip;
        job.recipient = recipient;
        job.body.assign(bytes, 'x');
        job.created = clock_.now();
        return {.job = std::move(job),
                .due = clock_.now(),
                .placement = Placement::Mailbox,
                .mailboxBytes = kLimit};
    }
    Result<PushOutcome> store(PushRequest request)
    {
        return await<PushOutcome>([&](auto done) { store_->push(std::move(request), done); });
    }
    Result<PushOutcome> store(const std::string& recipient, std::size_t bytes)
    {
        return store(messageTo(recipient, bytes));
    }
    std::vector<ClaimedJob> claimFrom(const std::string& recipient)
    {
        return await<std::vector<ClaimedJob>>([&](auto done) {
                   store_->claimMailbox({recipient, 10}, done);
               })
            .value();
    }
    bool isNoted(const std::string& recipient) const
    {
        const auto day = std::chrono::floor<std::chrono::days>(clock_.now().time_since_epoch());
        return number({"HEXISTS", fmt::format("rst:{{s0}}:weights:{}", day.count()), recipient}) ==
               1;
    }
};

TEST_F(MailboxWeights, areNotedOnceAMessageComesToOthers)
{
    ASSERT_TRUE(store(bob_, 1'000));
    EXPECT_FALSE(isNoted(bob_));
    ASSERT_TRUE(store(bob_, 1'000));
    EXPECT_TRUE(isNoted(bob_));
    for (int n = 2; n < 9; ++n) {
        ASSERT_TRUE(store(bob_, 1'000)) << n;
    }
    EXPECT_EQ(store(bob_, 1'000).error().code, ErrorCode::MailboxFull);
}

TEST_F(MailboxWeights, countTheFirstMessageThoughItWasNotNoted)
{
    ASSERT_TRUE(store(carol_, 6'000));
    EXPECT_EQ(store(carol_, 6'000).error().code, ErrorCode::MailboxFull);
    EXPECT_TRUE(store(carol_, 3'000));
    EXPECT_EQ(store(carol_, 1'000).error().code, ErrorCode::MailboxFull);
    EXPECT_EQ(store(bob_, kLimit).error().code, ErrorCode::MailboxFull);
}

TEST_F(MailboxWeights, areForgottenWhenTheMailboxIsEmpty)
{
    ASSERT_TRUE(store(bob_, 1'000));
    ASSERT_TRUE(store(bob_, 1'000));
    ASSERT_TRUE(isNoted(bob_));
    for (const auto& claimed : claimFrom(bob_)) {
        ASSERT_TRUE(finish({claimed.job.id, claimed.attempt, bob_}));
    }
    ASSERT_TRUE(store(bob_, 100));
    EXPECT_FALSE(isNoted(bob_));
}

TEST_F(MailboxWeights, countWhatCameFromALane)
{
    auto later = messageTo(bob_, 6'000);
    later.placement = Placement::Lane;
    later.mailboxBytes = 0;
    ASSERT_TRUE(store(later));
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store_->claim({Channel::Sip, {"sip"}, 1}, done);
    });
    ASSERT_EQ(claimed->size(), 1U);
    ASSERT_TRUE(await<void>([&](auto done) {
        store_->hold({.lease = {later.job.id, 1, bob_}, .nextAttempt = clock_.now()}, done);
    }));
    EXPECT_TRUE(store(bob_, 3'000));
    EXPECT_EQ(store(bob_, 3'000).error().code, ErrorCode::MailboxFull);
}

TEST_F(MailboxWeights, countWhatIsLeased)
{
    ASSERT_TRUE(store(bob_, 6'000));
    ASSERT_EQ(claimFrom(bob_).size(), 1U);  // a lease keeps its place
    EXPECT_TRUE(store(bob_, 3'000));
    EXPECT_EQ(store(bob_, 3'000).error().code, ErrorCode::MailboxFull);
}

/// One that is there already makes the batch go message by message.
TEST_F(MailboxWeights, areKeptByAPushThatGoesMessageByMessage)
{
    const auto first = messageTo(bob_, 3'000);
    ASSERT_TRUE(store(first));
    std::vector<bool> stored;
    for (const auto& one :
         {first, messageTo(bob_, 3'000), messageTo(bob_, 3'000), messageTo(bob_, 3'000)}) {
        store_->push(one, [&](const Result<PushOutcome>& outcome) {
            stored.push_back(outcome.has_value());
        });
    }
    ASSERT_TRUE(runUntil([&] { return stored.size() == 4; }));
    EXPECT_THAT(stored, testing::ElementsAre(true, true, true, false));
    EXPECT_EQ(store(bob_, 3'000).error().code, ErrorCode::MailboxFull);
}

}  // namespace restante::test
