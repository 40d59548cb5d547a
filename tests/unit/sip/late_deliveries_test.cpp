#include "core/queue/memory_job_store.h"
#include "sipplugin/outbound/late_deliveries.h"
#include "tests/support/manual_clock.h"
#include "tests/support/manual_loop.h"
#include "tests/unit/sip/examples.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

/// A store in memory that can be away.
class Store final : public MemoryJobStore {
public:
    Store(EventLoop& loop, const Clock& clock) : MemoryJobStore(loop, clock), loop_(loop) {}

    void finishLate(Lease lease, Done<void> done) override
    {
        ++asked;
        if (isAway) {
            return loop_.post([done] { done(failure(ErrorCode::Unavailable, "away")); });
        }
        MemoryJobStore::finishLate(std::move(lease), std::move(done));
    }

    bool isAway = false;
    int asked = 0;

private:
    EventLoop& loop_;
};

/// One message in Bob's mailbox.
class LateDelivery : public ::testing::Test {
protected:
    LateDelivery() { push("hello"); }

    void push(const std::string& body, bool replaces = false)
    {
        PushRequest request;
        request.job.id = "m";
        request.job.created = clock_.now();
        request.job.topic = "sip";
        request.job.channel = Channel::Sip;
        request.job.recipient = kBob;
        request.job.body = body;
        request.placement = Placement::Mailbox;
        request.replace = replaces;
        store_.push(request, [](const auto& pushed) { ASSERT_TRUE(pushed); });
        loop_.settle();
    }
    /// The message, or with `deviceUri` a device's copy.
    LateDeliveries::Message message(const std::string& id = "m",
                                    const std::string& deviceUri = "") const
    {
        return {id, created_, deviceUri};
    }
    ClaimedJob claim()
    {
        std::optional<ClaimedJob> claimed;
        store_.claimMailbox({kBob, 1}, [&](const auto& jobs) { claimed = jobs->at(0); });
        loop_.settle();
        return claimed.value();
    }
    /// An attempt that failed: the message waits again.
    void attempt()
    {
        const auto claimed = claim();
        store_.hold({.lease = leaseOf(claimed), .nextAttempt = clock_.now() + 1h}, [](auto) {});
        late_.recordFailure(message(), claimed.attempt);
        loop_.settle();
    }
    /// The next attempt, which another thread makes and which fails.
    void attemptElsewhere()
    {
        const auto claimed = claim();
        store_.hold({.lease = leaseOf(claimed), .nextAttempt = clock_.now() + 1h}, [](auto) {});
        elsewhere_.recordFailure(message(), claimed.attempt);
        loop_.settle();
    }
    /// Another thread hears of all that it is told.
    void hearElsewhere()
    {
        for (const auto& delivery : told_) {
            elsewhere_.handleTakenElsewhere(delivery);
        }
        loop_.settle();
    }
    void taken(std::uint32_t attempt)
    {
        late_.handleTaken({message(), kBob, attempt, "note"});
        loop_.settle();
    }
    std::optional<JobState> state()
    {
        std::optional<JobState> found;
        store_.show("m", [&](const auto& view) {
            found = view ? std::optional{view->state} : std::nullopt;
        });
        loop_.settle();
        return found;
    }

    restante::test::ManualClock clock_;
    restante::test::ManualLoop loop_{clock_};
    const TimePoint created_ = clock_.now();
    Store store_{loop_, clock_};
    std::vector<std::string> reachable_;
    std::vector<std::string> informed_;           ///< the messages whose senders were to be told
    std::vector<LateDeliveries::Delivery> told_;  ///< to the other threads
    bool canTell_ = true;
    LateDeliveries late_{loop_,
                         store_,
                         clock_,
                         {[this](const std::string& who) { reachable_.push_back(who); },
                          [this](const LateDeliveries::Message& message, Done<void> done) {
                              informed_.push_back(message.id);
                              canTell_ ? done({}) : done(failure(ErrorCode::Unavailable, "away"));
                          },
                          [this](const auto& delivery) { told_.push_back(delivery); }}};
    LateDeliveries elsewhere_{
        loop_, store_, clock_, {[this](const std::string& who) { reachable_.push_back(who); }}};
};

TEST_F(LateDelivery, isToldToItsSenderBeforeItIsFinished)
{
    attempt();
    canTell_ = false;
    taken(1);
    EXPECT_EQ(informed_, std::vector<std::string>{"m"});
    EXPECT_EQ(store_.asked, 0) << "what the sender was not told is not finished";
    canTell_ = true;
    loop_.advance(2s);
    EXPECT_EQ(informed_.size(), 2U);
    EXPECT_EQ(store_.asked, 1);
    EXPECT_EQ(state(), std::nullopt);
}

TEST_F(LateDelivery, finishesTheMessageWhereItWaitsAndTellsThatTheRecipientIsThere)
{
    attempt();
    taken(1);
    EXPECT_EQ(state(), std::nullopt);
    EXPECT_EQ(reachable_, std::vector<std::string>{kBob});
    EXPECT_FALSE(late_.isTaken(message()));
    EXPECT_TRUE(told_.empty()) << "nobody attempts it again";
}

TEST_F(LateDelivery, countsAlsoWhenAnotherAttemptHasFailedSince)
{
    attempt();
    attempt();
    taken(1);
    EXPECT_EQ(state(), std::nullopt);
}

TEST_F(LateDelivery, leavesTheAttemptThatIsUnderWayToDecide)
{
    attempt();
    claim();
    taken(1);
    EXPECT_EQ(state(), JobState::Leased);
    EXPECT_TRUE(late_.isTaken(message()));  // should that attempt fail
    EXPECT_TRUE(reachable_.empty());
}

TEST_F(LateDelivery, isFinishedByTheThreadWhoseAttemptHasFailedSince)
{
    attempt();
    attemptElsewhere();
    taken(1);
    EXPECT_EQ(state(), JobState::Held);
    hearElsewhere();
    EXPECT_EQ(state(), std::nullopt);
    EXPECT_EQ(reachable_, std::vector<std::string>{kBob});
}

TEST_F(LateDelivery, isKnownToTheThreadThatMakesTheNextAttempt)
{
    attempt();
    claim();
    taken(1);
    hearElsewhere();
    EXPECT_EQ(state(), JobState::Leased);
    EXPECT_TRUE(elsewhere_.isTaken(message()));  // should that attempt fail
    EXPECT_EQ(store_.asked, 1) << "nothing is finished where nothing has failed";
}

TEST_F(LateDelivery, isToldNoFurtherByWhoHasHeardOfIt)
{
    attempt();
    attemptElsewhere();
    claim();
    taken(1);
    hearElsewhere();  // it cannot finish it, either
    ASSERT_EQ(told_.size(), 1U);
    late_.handleTakenElsewhere(told_.front());
    loop_.settle();
    EXPECT_EQ(told_.size(), 1U);
    EXPECT_EQ(store_.asked, 2);
}

TEST_F(LateDelivery, isFinishedOnceAlthoughSeveralDevicesTookIt)
{
    attempt();
    store_.isAway = true;
    taken(1);
    taken(1);
    EXPECT_EQ(store_.asked, 1);
}

TEST_F(LateDelivery, isRepeatedWhileTheStoreIsAway)
{
    attempt();
    store_.isAway = true;
    taken(1);
    loop_.advance(10s);
    EXPECT_TRUE(late_.isTaken(message()));
    EXPECT_GT(store_.asked, 3);
    EXPECT_EQ(state(), JobState::Held);

    store_.isAway = false;
    loop_.advance(2s);
    EXPECT_EQ(state(), std::nullopt);
    EXPECT_EQ(reachable_.size(), 1U);
}

TEST_F(LateDelivery, isForgottenAfterAWhile)
{
    attempt();
    EXPECT_TRUE(late_.hasEntries());
    loop_.advance(LateDeliveries::kKeptFor);
    late_.recordFailure(message("another"), 1);
    EXPECT_FALSE(late_.isTaken(message()));
    taken(1);  // its sender has forgotten it as well; if it has not, the fence still holds
    EXPECT_EQ(state(), std::nullopt);
}

TEST_F(LateDelivery, isKeptAsLongAsAnyOtherWhenItIsRememberedAgain)
{
    attempt();
    taken(1);
    loop_.advance(LateDeliveries::kKeptFor - 1min);
    taken(1);  // by another device: the message has gone
    ASSERT_TRUE(late_.isTaken(message()));
    loop_.advance(1min);
    late_.recordFailure(message("another"), 1);
    EXPECT_TRUE(late_.isTaken(message())) << "it went with its earlier entry";
    loop_.advance(LateDeliveries::kKeptFor - 1min);
    late_.recordFailure(message("another"), 2);
    EXPECT_FALSE(late_.isTaken(message()));
}

TEST_F(LateDelivery, doesNotCountWhenTheMessageIsToBeDeliveredAnew)
{
    const std::string phone = "sip:bob@10.0.0.1";
    for (const auto& id : {std::string("m"), std::string("m2")}) {
        elsewhere_.handleTakenElsewhere({message(id), kBob, 1, "note"});
        elsewhere_.handleTakenElsewhere({message(id, phone), kBob, 1, "note"});
    }
    ASSERT_TRUE(elsewhere_.isTaken(message()));
    ASSERT_TRUE(elsewhere_.isTaken(message("m", phone)));
    elsewhere_.forgetMessage("m");  // somebody has restored it
    EXPECT_FALSE(elsewhere_.isTaken(message()));
    EXPECT_FALSE(elsewhere_.isTaken(message("m", phone)));
    EXPECT_TRUE(elsewhere_.isTaken(message("m2")));
    EXPECT_TRUE(elsewhere_.isTaken(message("m2", phone)));
    loop_.advance(LateDeliveries::kKeptFor);
    elsewhere_.recordFailure(message("another"), 1);
    EXPECT_FALSE(elsewhere_.isTaken(message("m2")));
}

TEST_F(LateDelivery, isForgottenForANewOneOnly)
{
    late_.handleTaken({message("m", "sip:bob@10.0.0.1"), kBob, 1, ""});
    for (std::size_t i = 1; i < LateDeliveries::kMostEntries; ++i) {
        late_.recordFailure(message(std::to_string(i)), 1);
    }
    late_.recordFailure(message("m", "sip:bob@10.0.0.1"), 2);
    EXPECT_TRUE(late_.isTaken(message("m", "sip:bob@10.0.0.1")));
    late_.recordFailure(message("one too many"), 1);
    EXPECT_FALSE(late_.isTaken(message("m", "sip:bob@10.0.0.1")));
}

TEST_F(LateDelivery, ofADevicesOwnCopyFinishesNothingAndIsNotOfferedAgain)
{
    late_.recordFailure(message("m", "sip:bob@10.0.0.1"), 1);
    late_.handleTaken({message("m", "sip:bob@10.0.0.1"), kBob, 1, ""});
    loop_.settle();
    EXPECT_EQ(state(), JobState::Held);
    EXPECT_TRUE(late_.isTaken(message("m", "sip:bob@10.0.0.1")));
    EXPECT_FALSE(late_.isTaken(message("m", "sip:bob@10.0.0.2")));
    EXPECT_EQ(reachable_.size(), 1U);
    hearElsewhere();
    EXPECT_TRUE(elsewhere_.isTaken(message("m", "sip:bob@10.0.0.1")));
    EXPECT_EQ(state(), JobState::Held);
}

TEST_F(LateDelivery, isNotOfTheMessageThatHasReplacedIt)
{
    attempt();
    clock_.advance(1ms);
    push("another", true);
    taken(1);
    EXPECT_EQ(state(), JobState::Held);
    EXPECT_TRUE(reachable_.empty());
    EXPECT_FALSE(late_.isTaken({"m", clock_.now(), ""})) << "it was not attempted yet";
    late_.forgetMessage("m");
    EXPECT_FALSE(late_.isTaken(message()));
}

TEST_F(LateDelivery, ofAMessageThatIsNotStoredIsNothing)
{
    late_.handleTaken({message("transient"), kBob, 1, ""});
    loop_.settle();
    EXPECT_EQ(state(), JobState::Held);
    EXPECT_TRUE(reachable_.empty());
}

}  // namespace
}  // namespace restante::sip
