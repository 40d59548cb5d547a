#include "core/queue/memory_job_store.h"
#include "core/schedule/long_poll_queue.h"
#include "tests/support/logged.h"
#include "tests/support/manual_clock.h"
#include "tests/support/manual_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Takes nothing back when `refusal` is set.
class RetryRefusingStore final : public MemoryJobStore {
public:
    RetryRefusingStore(EventLoop& loop, const Clock& clock)
        : MemoryJobStore(loop, clock),
          loop_(loop)
    {
    }

    void retry(RetryRequest request, Done<void> done) override
    {
        if (!refusal) {
            return MemoryJobStore::retry(std::move(request), std::move(done));
        }
        loop_.post([done = std::move(done), error = *refusal] { done(tl::unexpected(error)); });
    }

    std::optional<Error> refusal;

private:
    EventLoop& loop_;
};

class LongPollQueueTest : public testing::Test {
protected:
    /// The answer is noted under `who`.
    LongPollQueue::RequestId pop(const std::string& who, LongPollQueue::Request request)
    {
        return longPolls_->pop(std::move(request), [this, who](Result<LongPollQueue::Jobs> jobs) {
            order_.push_back(who);
            auto& answer = answers_[who];
            if (!jobs) {
                errors_[who] = jobs.error().code;
                return;
            }
            for (const auto& job : *jobs) {
                answer.push_back(job.job.id);
            }
            last_ = *jobs;
        });
    }
    void push(const std::string& id, const std::string& topic = "order", Millis delay = 0ms)
    {
        Job job;
        job.id = id;
        job.topic = topic;
        store_.push({.job = job, .due = clock_.now() + delay}, [](const auto&) {});
    }
    bool answered(const std::string& who) const { return answers_.contains(who); }

    test::ManualClock clock_;
    test::ManualLoop loop_{clock_};
    RetryRefusingStore store_{loop_, clock_};
    DueWatcher due_{loop_, clock_, store_};
    std::shared_ptr<LongPollQueue> longPolls_ =
        LongPollQueue::make(loop_, due_, store_, LongPollQueue::Settings{3});
    std::map<std::string, std::vector<std::string>> answers_;
    std::map<std::string, ErrorCode> errors_;
    std::vector<std::string> order_;  ///< who was answered, in order
    LongPollQueue::Jobs last_;
};

TEST_F(LongPollQueueTest, givesWhatIsDueAtOnce)
{
    push("a");
    push("b");
    push("c");
    pop("anna", {{"order"}, 2, 10s});
    loop_.settle();
    EXPECT_THAT(answers_["anna"], ElementsAre("a", "b"));
    EXPECT_EQ(longPolls_->parked(), 0U);
}

TEST_F(LongPollQueueTest, answersNothingAtOnceToWhoDoesNotWait)
{
    pop("anna", {{"order"}, 1, 0ms});
    loop_.settle();
    EXPECT_TRUE(answered("anna"));
    EXPECT_THAT(answers_["anna"], IsEmpty());
}

TEST_F(LongPollQueueTest, wakesWhoWaitsAtTheMillisecondOfTheDueTime)
{
    push("a", "order", 1'500ms);
    pop("anna", {{"order"}, 1, 10s});
    loop_.advance(1'499ms);
    EXPECT_FALSE(answered("anna"));
    loop_.advance(1ms);
    EXPECT_THAT(answers_["anna"], ElementsAre("a"));
}

TEST_F(LongPollQueueTest, answersNothingWhenTheWaitIsOver)
{
    pop("anna", {{"order"}, 1, 10s});
    loop_.advance(9'999ms);
    EXPECT_FALSE(answered("anna"));
    loop_.advance(1ms);
    EXPECT_TRUE(answered("anna"));
    EXPECT_THAT(answers_["anna"], IsEmpty());
    push("a");
    loop_.settle();
    pop("ben", {{"order"}, 1, 0ms});
    loop_.settle();
    EXPECT_THAT(answers_["ben"], ElementsAre("a"));
}

TEST_F(LongPollQueueTest, servesInTheOrderOfArrival)
{
    for (const auto* who : {"anna", "ben", "cleo"}) {
        pop(who, {{"order"}, 1, 10s});
        loop_.settle();
    }
    push("a");
    push("b");
    loop_.settle();
    EXPECT_THAT(order_, ElementsAre("anna", "ben"));
    push("c");
    loop_.settle();
    EXPECT_THAT(answers_["cleo"], ElementsAre("c"));
}

TEST_F(LongPollQueueTest, letsNobodyOvertakeThoseWhoWait)
{
    pop("anna", {{"order"}, 1, 10s});
    loop_.settle();
    push("a");
    pop("ben", {{"order"}, 1, 10s});
    loop_.settle();
    EXPECT_THAT(answers_["anna"], ElementsAre("a"));
    EXPECT_FALSE(answered("ben"));
}

TEST_F(LongPollQueueTest, waitsForSeveralTopics)
{
    pop("anna", {{"order", "mail", "order"}, 1, 10s});
    loop_.settle();
    push("m", "mail");
    loop_.settle();
    EXPECT_THAT(answers_["anna"], ElementsAre("m"));
    push("o", "order");
    loop_.settle();
    pop("ben", {{"order"}, 1, 0ms});
    loop_.settle();
    EXPECT_THAT(answers_["ben"], ElementsAre("o"));
}

TEST_F(LongPollQueueTest, givesBackTheSecondOfTwoJobsForOneWhoWaits)
{
    pop("anna", {{"mail", "order"}, 1, 10s});
    loop_.settle();
    push("m", "mail");
    push("o", "order");
    loop_.settle();
    pop("ben", {{"mail", "order"}, 1, 0ms});
    loop_.settle();
    EXPECT_THAT(answers_["anna"], testing::SizeIs(1));
    ASSERT_THAT(answers_["ben"], testing::SizeIs(1));
    EXPECT_NE(answers_["anna"], answers_["ben"]);
    EXPECT_EQ(last_.front().attempt, 1U) << "the attempt of the job that was given back counted";
}

TEST_F(LongPollQueueTest, givesTheJobOfWhoHasGoneToTheNext)
{
    const auto id = pop("anna", {{"order"}, 1, 10s});
    pop("ben", {{"order"}, 1, 10s});
    loop_.settle();
    push("a");
    longPolls_->cancel(id);
    loop_.settle();
    EXPECT_FALSE(answered("anna"));
    EXPECT_THAT(answers_["ben"], ElementsAre("a"));
}

/// With the call that waited ends its request; the next one of its connection may wait as well.
TEST_F(LongPollQueueTest, isAskedAgainByWhatACancelledRequestHeld)
{
    std::shared_ptr<void> call(nullptr, [this](void*) {
        for (const auto* who : {"ben", "cleo", "dora", "emil"}) {
            pop(who, {{"order"}, 1, 10s});
        }
    });
    const auto id = longPolls_->pop({{"order"}, 1, 10s}, [held = std::move(call)](const auto&) {});
    loop_.settle();
    longPolls_->cancel(id);
    push("a");
    push("b");
    loop_.settle();
    EXPECT_THAT(answers_["ben"], ElementsAre("a"));
    EXPECT_THAT(answers_["cleo"], ElementsAre("b"));
}

TEST_F(LongPollQueueTest, givesBackWhatWasBeingClaimedForWhoHasGone)
{
    push("a");
    longPolls_->cancel(pop("anna", {{"order"}, 1, 10s}));
    loop_.settle();
    EXPECT_FALSE(answered("anna"));
    pop("ben", {{"order"}, 1, 0ms});
    loop_.settle();
    EXPECT_THAT(answers_["ben"], ElementsAre("a"));
    EXPECT_EQ(last_.front().attempt, 1U);
}

TEST_F(LongPollQueueTest, makesWhatIsGivenBackDueAgainAsItWas)
{
    push("a");
    const auto due = clock_.now();
    pop("anna", {{"order"}, 1, 0ms});
    loop_.advance(5s);
    longPolls_->requeue(last_);
    pop("ben", {{"order"}, 1, 10s});
    loop_.settle();
    EXPECT_THAT(answers_["ben"], ElementsAre("a"));
    EXPECT_EQ(last_.front().attempt, 1U);
    EXPECT_EQ(last_.front().due, due);
}

TEST_F(LongPollQueueTest, tellsOfWhatStaysLeasedOnly)
{
    const auto logOfRequeue = [this] {
        return test::loggedBy([this] {
            longPolls_->requeue(last_);
            loop_.settle();
        });
    };
    push("a");
    pop("anna", {{"order"}, 1, 0ms});
    loop_.settle();
    store_.refusal = Error{ErrorCode::Unavailable, "test: no answer"};
    EXPECT_THAT(logOfRequeue(), HasSubstr("job a may stay leased"));
    store_.refusal.reset();
    store_.purge({"a", "olga", "by mistake"}, [](const auto&) {});
    loop_.settle();
    EXPECT_THAT(logOfRequeue(), IsEmpty());
}

TEST_F(LongPollQueueTest, turnsAwayWhoWouldWaitBesideTooMany)
{
    for (const auto* who : {"anna", "ben", "cleo", "dora"}) {
        pop(who, {{"order"}, 1, 10s});
        loop_.settle();
    }
    EXPECT_EQ(longPolls_->parked(), 3U);
    EXPECT_EQ(errors_.at("dora"), ErrorCode::Busy);
}

TEST_F(LongPollQueueTest, answersNothingToAllWhoWaitWhenItStops)
{
    pop("anna", {{"order"}, 1, 10s});
    pop("ben", {{"mail"}, 1, 10s});
    loop_.settle();
    longPolls_->stop();
    pop("cleo", {{"order"}, 1, 10s});
    loop_.settle();
    EXPECT_THAT(order_, UnorderedElementsAre("anna", "ben", "cleo"));
    EXPECT_EQ(longPolls_->parked(), 0U);
}

TEST_F(LongPollQueueTest, servesManyInOneGo)
{
    longPolls_ = LongPollQueue::make(loop_, due_, store_, LongPollQueue::Settings{1'000});
    for (int i = 0; i < 1'000; ++i) {
        pop(std::to_string(i), {{"order"}, 1, 10s});
    }
    loop_.settle();
    for (int i = 0; i < 1'000; ++i) {
        push("job-" + std::to_string(i));
    }
    loop_.settle();
    EXPECT_EQ(order_.size(), 1'000U);
    EXPECT_EQ(longPolls_->parked(), 0U);
}

}  // namespace
}  // namespace restante
