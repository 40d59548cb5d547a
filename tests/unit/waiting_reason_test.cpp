// Why a job waits: one reason for each, the one that matters most.

#include "core/queue/waiting_reason.h"

#include <gtest/gtest.h>

namespace restante {
namespace {

using Why = WaitingReason::Why;
using std::chrono::hours;

constexpr TimePoint kNow{hours{500'000}};

JobView job(JobState state, Channel channel = Channel::Webhook)
{
    JobView view;
    view.job.id = "j";
    view.job.topic = "order";
    view.job.channel = channel;
    view.job.recipient = channel == Channel::Sip ? "sip:carol@example.org" : "";
    view.state = state;
    view.due = state == JobState::Ready ? kNow - hours{1} : kNow + hours{1};
    return view;
}

WaitingFacts alive()
{
    WaitingFacts facts;
    facts.isChannelServed = true;
    facts.topic.emplace().topic = "order";
    return facts;
}

TEST(WhyItWaits, isThatItsTimeHasNotCome)
{
    const auto reason = whyItWaits(job(JobState::Scheduled), alive(), kNow);
    EXPECT_EQ(reason.why, Why::NotDue);
    EXPECT_EQ(reason.next, kNow + hours{1});
}

TEST(WhyItWaits, isTheAttemptThatFailed)
{
    auto view = job(JobState::Scheduled);
    view.attempt = 2;
    view.lastError = "503";
    view.job.retry = *RetrySchedule::parse("0s,2m,10m");
    const auto reason = whyItWaits(view, alive(), kNow);
    EXPECT_EQ(reason.why, Why::Retrying);
    EXPECT_EQ(reason.error, "503");
    EXPECT_EQ(reason.attempts, 2U);
    EXPECT_EQ(reason.attemptsAllowed, 3U);
}

TEST(WhyItWaits, isThePauseOfItsTopicBeforeAnythingElse)
{
    auto facts = alive();
    facts.isChannelServed = false;
    facts.topic->pause = TopicPause{kNow - hours{2}, "ops@desk", "update"};
    for (const auto state : {JobState::Scheduled, JobState::Ready, JobState::Held}) {
        const auto reason = whyItWaits(job(state), facts, kNow);
        EXPECT_EQ(reason.why, Why::TopicPaused) << name(state);
        EXPECT_EQ(reason.since, kNow - hours{2});
        EXPECT_EQ(reason.actor, "ops@desk");
    }
}

TEST(WhyItWaits, isThatNobodyDelivers)
{
    auto facts = alive();
    facts.isChannelServed = false;
    EXPECT_EQ(whyItWaits(job(JobState::Ready), facts, kNow).why, Why::NobodyDelivers);
    // Of what consumers pull themselves no daemon has to take care.
    EXPECT_EQ(whyItWaits(job(JobState::Ready, Channel::Pull), facts, kNow).why,
              Why::AwaitsConsumer);
}

TEST(WhyItWaits, saysNothingOfDaemonsWhenNobodyKnows)
{
    auto facts = alive();
    facts.isChannelServed.reset();
    facts.topic.reset();
    const auto reason = whyItWaits(job(JobState::Ready), facts, kNow);
    EXPECT_EQ(reason.why, Why::InTurn);
    EXPECT_EQ(reason.since, kNow - hours{1});
}

TEST(WhyItWaits, isTheLimitOfItsTopicOnlyWhileThatIsReached)
{
    auto facts = alive();
    facts.topic->limits.concurrency = 4;
    facts.topic->leased = 3;
    EXPECT_EQ(whyItWaits(job(JobState::Ready), facts, kNow).why, Why::InTurn);
    facts.topic->leased = 4;
    const auto reason = whyItWaits(job(JobState::Ready), facts, kNow);
    EXPECT_EQ(reason.why, Why::TopicFull);
    EXPECT_EQ(reason.count, 4U);
    EXPECT_EQ(whyItWaits(job(JobState::Scheduled), facts, kNow).why, Why::NotDue);
}

TEST(WhyItWaits, isTheRateOfItsTopic)
{
    auto facts = alive();
    facts.topic->limits.rate = {10, Millis{1'000}};
    EXPECT_EQ(whyItWaits(job(JobState::Ready), facts, kNow).why, Why::TopicPaced);
}

TEST(WhyItWaits, isTheDeviceThatIsMissing)
{
    auto facts = alive();
    auto view = job(JobState::Held, Channel::Sip);
    view.job.expires = kNow + hours{144};
    facts.recipient = Reachability::NoDevice;
    facts.recipientSince = kNow - hours{3};
    const auto reason = whyItWaits(view, facts, kNow);
    EXPECT_EQ(reason.why, Why::NoDevice);
    EXPECT_EQ(reason.since, kNow - hours{3});
    EXPECT_EQ(reason.next, kNow + hours{1});
    EXPECT_EQ(reason.expires, kNow + hours{144});
}

TEST(WhyItWaits, isTheDeviceThatIsThereAndCouldNotBeReached)
{
    auto facts = alive();
    auto view = job(JobState::Held, Channel::Sip);
    view.attempt = 1;
    view.lastError = "480 Temporarily Unavailable";
    facts.recipient = Reachability::Registered;
    EXPECT_EQ(whyItWaits(view, facts, kNow).why, Why::DeviceFailed);
    facts.recipient = Reachability::Unknown;
    const auto reason = whyItWaits(view, facts, kNow);
    EXPECT_EQ(reason.why, Why::AwaitsRecipient);
    EXPECT_EQ(reason.error, "480 Temporarily Unavailable");
}

TEST(WhyItWaits, isItsTurnInTheMailboxOfSomebodyWhoIsRegistered)
{
    auto facts = alive();
    facts.recipient = Reachability::Registered;
    const auto view = job(JobState::Held, Channel::Sip);
    const auto reason = whyItWaits(view, facts, kNow);
    EXPECT_EQ(reason.why, Why::InTurnOfMailbox);
    EXPECT_EQ(reason.next, kNow + hours{1});
    facts.topic->limits.concurrency = 4;
    facts.topic->leased = 4;
    EXPECT_EQ(whyItWaits(view, facts, kNow).why, Why::TopicFull);
}

TEST(WhyItWaits, hasNoNextMomentOfAMailboxThatOnlyARegistrationOpens)
{
    auto view = job(JobState::Held, Channel::Sip);
    view.due = TimePoint::max();
    const auto reason = whyItWaits(view, alive(), kNow);
    EXPECT_EQ(reason.why, Why::AwaitsRecipient);
    EXPECT_EQ(reason.next, TimePoint{});
}

TEST(WhyItWaits, isThePersonWhoHoldsIt)
{
    auto view = job(JobState::Held);
    view.heldOutsideMailbox = true;
    EXPECT_EQ(whyItWaits(view, alive(), kNow).why, Why::HeldOutsideMailbox);
    EXPECT_EQ(whyItWaits(view, alive(), kNow).next, kNow + hours{1});
    view.due = TimePoint::max();
    EXPECT_EQ(whyItWaits(view, alive(), kNow).next, TimePoint{});
}

TEST(WhyItWaits, isTheEndOfWhatHasEnded)
{
    auto view = job(JobState::Dead);
    view.job.expires = kNow;
    view.lastError = "expired";
    EXPECT_EQ(whyItWaits(view, alive(), kNow).why, Why::Expired);
    EXPECT_FALSE(whyItWaits(view, alive(), kNow).expires);
    view.lastError = "410 Gone";
    EXPECT_EQ(whyItWaits(view, alive(), kNow).why, Why::Dead);
    EXPECT_EQ(whyItWaits(job(JobState::Trashed), alive(), kNow).why, Why::Trashed);
    EXPECT_EQ(whyItWaits(job(JobState::Done), alive(), kNow).why, Why::Delivered);
}

TEST(WhyItWaits, isThatSomebodyIsAtIt)
{
    EXPECT_EQ(whyItWaits(job(JobState::Leased), alive(), kNow).why, Why::BeingDelivered);
    EXPECT_EQ(whyItWaits(job(JobState::Leased, Channel::Pull), alive(), kNow).why,
              Why::BeingWorkedOn);
}

}  // namespace
}  // namespace restante
