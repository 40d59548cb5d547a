#include "core/base/metrics.h"
#include "core/delivery/dispatcher.h"
#include "core/queue/memory_job_store.h"
#include "core/schedule/lease_reaper.h"
#include "tests/support/manual_clock.h"
#include "tests/support/manual_loop.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace restante::delivery {
namespace {

using namespace std::chrono_literals;
using Kind = Outcome::Kind;

/// Keeps what it is given until the test says what became of it.
class FakeCourier final : public Courier {
public:
    struct Load {
        std::vector<ClaimedJob> jobs;
        Report report;
    };

    Channel channel() const noexcept override { return Channel::Webhook; }
    std::size_t capacity() const noexcept override { return isDraining ? 0 : space - inFlight(); }
    void deliver(std::vector<ClaimedJob> jobs, Report report) override
    {
        loads.push_back({std::move(jobs), std::move(report)});
        if (answersAtOnce) {
            loop.post([this] { answer(*answersAtOnce); });
        }
    }
    bool mayJoin(const std::vector<ClaimedJob>& group, const ClaimedJob& next) const override
    {
        return group.size() < groupLimit && group.front().job.recipient == next.job.recipient;
    }
    void drain() override { isDraining = true; }

    /// What becomes of the oldest load.
    void answer(const Outcome& outcome)
    {
        auto load = std::move(loads.front());
        loads.erase(loads.begin());
        load.report(std::vector<Outcome>(load.jobs.size(), outcome));
    }
    std::size_t inFlight() const
    {
        std::size_t count = 0;
        for (const auto& load : loads) {
            count += load.jobs.size();
        }
        return count;
    }

    explicit FakeCourier(EventLoop& itsLoop) : loop(itsLoop) {}

    EventLoop& loop;
    std::vector<Load> loads;
    std::size_t space = 10;
    std::size_t groupLimit = 1;
    bool isDraining = false;
    std::optional<Outcome> answersAtOnce;
};

/// Can be out of reach, before or after it has done what it was asked.
class FlakyStore final : public MemoryJobStore {
public:
    FlakyStore(EventLoop& loop, const Clock& clock) : MemoryJobStore(loop, clock), loop_(loop) {}

    void finish(Lease lease, Done<std::uint64_t> done) override
    {
        ++finishes;
        notes.push_back(lease.note);
        if (!losesAnswers) {
            return MemoryJobStore::finish(std::move(lease), std::move(done));
        }
        if (stillWorks) {
            MemoryJobStore::finish(std::move(lease), [](const auto&) {});
        }
        loop_.post([done] { done(failure(ErrorCode::Unavailable, "test: no answer")); });
    }
    void bury(Lease lease, std::string reason, Done<void> done) override
    {
        notes.push_back(lease.note);
        MemoryJobStore::bury(std::move(lease), std::move(reason), std::move(done));
    }
    void retry(RetryRequest request, Done<void> done) override
    {
        notes.push_back(request.lease.note);
        if (!losesAnswers) {
            return MemoryJobStore::retry(std::move(request), std::move(done));
        }
        if (stillWorks) {
            MemoryJobStore::retry(std::move(request), [](const auto&) {});
        }
        loop_.post([done] { done(failure(ErrorCode::Unavailable, "test: no answer")); });
    }
    void claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done) override
    {
        MemoryJobStore::claim(std::move(request), [this, done](auto jobs) {
            if (onClaimed) {
                onClaimed();
            }
            done(std::move(jobs));
        });
    }
    void touch(Lease lease, Millis ttr, Done<TimePoint> done) override
    {
        ++touches;
        MemoryJobStore::touch(std::move(lease), ttr, std::move(done));
    }

    std::function<void()> onClaimed;  ///< before the answer arrives
    bool losesAnswers = false;
    bool stillWorks = false;
    std::vector<std::string> notes;  ///< that came with outcomes
    int finishes = 0;
    int touches = 0;

private:
    EventLoop& loop_;
};

class DispatcherTest : public testing::Test {
protected:
    void push(const std::string& id, Millis delay = 0ms, const std::string& to = "https://a.org/")
    {
        Job job;
        job.id = id;
        job.topic = "hooks";
        job.channel = Channel::Webhook;
        job.recipient = to;
        job.body = "body of " + id;
        job.ttr = ttr_;
        job.retry = retry_;
        queue_.push({.job = job, .delay = delay}, [](const auto& stored) { ASSERT_TRUE(stored); });
        loop_.settle();
    }
    std::optional<JobView> view(const std::string& id)
    {
        std::optional<JobView> seen;
        store_.show(id, [&](const Result<JobView>& job) {
            if (job) {
                seen = *job;
            }
        });
        loop_.settle();
        return seen;
    }
    std::vector<std::string> carriedIds() const
    {
        std::vector<std::string> ids;
        for (const auto& load : courier_.loads) {
            for (const auto& one : load.jobs) {
                ids.push_back(one.job.id);
            }
        }
        return ids;
    }
    void answer(const Outcome& outcome)
    {
        courier_.answer(outcome);
        loop_.settle();
    }

    test::ManualClock clock_;
    test::ManualLoop loop_{clock_};
    FlakyStore store_{loop_, clock_};
    DelayQueue queue_{store_, clock_, {}};
    DueWatcher due_{loop_, clock_, store_};
    LeaseReaper leaseReaper_{queue_, due_};
    FakeCourier courier_{loop_};
    std::shared_ptr<Dispatcher> dispatcher_ = Dispatcher::make(loop_, queue_, due_, courier_);
    const TimePoint start_ = clock_.now();
    Millis ttr_ = 60s;
    RetrySchedule retry_;
};

TEST_F(DispatcherTest, carriesAJobTheMomentItIsDue)
{
    push("a", 1'234ms);
    loop_.advance(1'233ms);
    EXPECT_EQ(courier_.inFlight(), 0U);
    loop_.advance(1ms);
    ASSERT_EQ(courier_.inFlight(), 1U);
    EXPECT_EQ(courier_.loads.front().jobs.front().job.body, "body of a");
    EXPECT_EQ(courier_.loads.front().jobs.front().attempt, 1U);
}

TEST_F(DispatcherTest, finishesWhatWasDelivered)
{
    push("a");
    answer({});
    EXPECT_FALSE(view("a"));
    EXPECT_EQ(dispatcher_->inFlight(), 0U);
}

TEST_F(DispatcherTest, buriesWhatIsRefusedForGood)
{
    push("a");
    answer({.kind = Kind::Dead, .reason = "410 from a.org"});
    EXPECT_EQ(view("a")->state, JobState::Dead);
    EXPECT_EQ(view("a")->lastError, "410 from a.org");
}

TEST_F(DispatcherTest, handsOnWhatACourierTellsOfTheAttempt)
{
    for (const auto kind : {Kind::Delivered, Kind::Dead, Kind::Retry}) {
        push(std::to_string(static_cast<int>(kind)));
        answer({.kind = kind, .reason = "503", .note = "attempt 1: ..."});
        ASSERT_FALSE(store_.notes.empty());
        EXPECT_EQ(store_.notes.back(), "attempt 1: ...");
    }
    EXPECT_EQ(store_.notes.size(), 3U);
}

TEST_F(DispatcherTest, triesAgainAfterTheNextInterval)
{
    push("a");
    answer({.kind = Kind::Retry, .reason = "500 from a.org"});
    EXPECT_EQ(view("a")->due, start_ + 2min);
    EXPECT_EQ(view("a")->lastError, "500 from a.org");
}

TEST_F(DispatcherTest, waitsAsLongAsThePeerAsks)
{
    push("a");
    answer({.kind = Kind::Retry, .reason = "503 from a.org", .wait = 5min});
    EXPECT_EQ(view("a")->due, start_ + 5min);
}

TEST_F(DispatcherTest, doesNotCountWhatWasReturned)
{
    push("a");
    answer({.kind = Kind::Returned, .wait = 3s});
    EXPECT_EQ(view("a")->due, start_ + 3s);
    EXPECT_EQ(view("a")->attempt, 0U);
    loop_.advance(3s);
    EXPECT_EQ(courier_.loads.front().jobs.front().attempt, 1U);
}

// What did not count has the same number when somebody else claims it.
TEST_F(DispatcherTest, takesNothingFromOthersWhenItRepeatsAReturn)
{
    push("a");
    courier_.space = 0;
    store_.losesAnswers = true;
    store_.stillWorks = true;
    answer({.kind = Kind::Returned, .wait = 3s});
    clock_.advance(3s);
    std::size_t theirs = 0;
    store_.claim({Channel::Webhook, {"hooks"}, 1},
                 [&](const auto& jobs) { theirs = jobs->size(); });
    loop_.settle();
    ASSERT_EQ(theirs, 1U);
    loop_.advance(10s);
    EXPECT_EQ(view("a")->state, JobState::Leased);
}

TEST_F(DispatcherTest, playsTheEightStepsOfANotificationAndThenGivesUp)
{
    std::vector<Millis> attempts;
    push("notice");
    while (view("notice")->state != JobState::Dead && attempts.size() < 20) {
        if (courier_.inFlight() > 0) {
            attempts.push_back(clock_.now() - start_);
            answer({.kind = Kind::Retry, .reason = "500 from a.org"});
        } else {
            loop_.advance(1min);
        }
    }
    EXPECT_EQ(attempts, (std::vector<Millis>{0min, 2min, 12min, 22min, 1h + 22min, 3h + 22min,
                                             9h + 22min, 24h + 22min}));
    EXPECT_EQ(view("notice")->attempt, 8U);
    EXPECT_EQ(view("notice")->lastError, "500 from a.org");
}

TEST_F(DispatcherTest, endsTheNotificationWhenItIsAcknowledged)
{
    push("notice");
    answer({.kind = Kind::Retry, .reason = "500 from a.org"});
    loop_.advance(2min);
    answer({});
    EXPECT_FALSE(view("notice"));
    loop_.advance(48h);
    EXPECT_EQ(courier_.inFlight(), 0U);
}

TEST_F(DispatcherTest, claimsNoMoreThanTheCourierHasRoomFor)
{
    courier_.space = 2;
    for (const char* id : {"a", "b", "c", "d", "e"}) {
        push(id);
    }
    EXPECT_THAT(carriedIds(), testing::ElementsAre("a", "b"));
    EXPECT_EQ(view("c")->state, JobState::Ready);
    answer({});
    EXPECT_THAT(carriedIds(), testing::ElementsAre("b", "c"));
    answer({});
    answer({});
    answer({});
    answer({});
    EXPECT_FALSE(view("e"));
}

TEST_F(DispatcherTest, worksOffWhatIsFarMoreThanItsRoom)
{
    courier_.answersAtOnce = Outcome{};
    for (int i = 0; i < 250; ++i) {
        push("job-" + std::to_string(i), 1s);
    }
    loop_.advance(1s);
    EXPECT_EQ(dispatcher_->inFlight(), 0U);
    EXPECT_FALSE(view("job-0"));
    EXPECT_FALSE(view("job-249"));
}

TEST_F(DispatcherTest, sendsJobsOfOneInstantTogetherWhereTheCourierWants)
{
    courier_.groupLimit = 3;
    const auto elsewhere = "https://b.org/";
    push("a", 1s);
    push("b", 1s, elsewhere);
    push("c", 1s);
    push("d", 1s);
    push("e", 1s);
    push("later", 1'001ms);
    loop_.advance(1'000ms);
    std::vector<std::size_t> sizes;
    for (const auto& load : courier_.loads) {
        sizes.push_back(load.jobs.size());
    }
    EXPECT_THAT(sizes, testing::ElementsAre(3U, 1U, 1U));
    loop_.advance(1ms);
    EXPECT_EQ(courier_.loads.back().jobs.size(), 1U);
}

TEST_F(DispatcherTest, keepsTheLeaseOfWhatIsOnItsWay)
{
    ttr_ = 1s;
    push("slow");
    loop_.advance(10min);
    EXPECT_EQ(courier_.inFlight(), 1U);
    EXPECT_EQ(view("slow")->state, JobState::Leased);
    EXPECT_GT(store_.touches, 10);
    answer({});
    EXPECT_FALSE(view("slow"));
}

TEST_F(DispatcherTest, doesNotTouchWhatIsDeliveredInTime)
{
    push("quick");
    loop_.advance(10s);
    answer({});
    loop_.advance(10min);
    EXPECT_EQ(store_.touches, 0);
}

TEST_F(DispatcherTest, recordsADeliveryUntilTheStoreAnswers)
{
    push("a");
    store_.losesAnswers = true;
    answer({});
    loop_.advance(20s);
    EXPECT_GT(store_.finishes, 3);
    EXPECT_LT(store_.finishes, 30);
    EXPECT_EQ(dispatcher_->inFlight(), 1U);
    store_.losesAnswers = false;
    loop_.advance(3s);
    EXPECT_FALSE(view("a"));
    EXPECT_EQ(dispatcher_->inFlight(), 0U);
    EXPECT_EQ(courier_.inFlight(), 0U) << "delivered again";
}

TEST_F(DispatcherTest, countsAWaitFromItsReportHoweverLateItIsRecorded)
{
    for (const auto kind : {Kind::Returned, Kind::Retry}) {
        const auto id = std::to_string(static_cast<int>(kind));
        push(id);
        const auto reported = clock_.now();
        store_.losesAnswers = true;
        answer({.kind = kind, .reason = "503", .wait = 10min});
        loop_.advance(20s);
        ASSERT_EQ(view(id)->state, JobState::Leased);
        store_.losesAnswers = false;
        loop_.advance(10s);
        EXPECT_EQ(view(id)->due, reported + 10min);
    }
}

TEST_F(DispatcherTest, takesALostAnswerForWhatItWas)
{
    push("a");
    store_.losesAnswers = true;
    store_.stillWorks = true;
    answer({});
    store_.losesAnswers = false;
    loop_.advance(3s);
    EXPECT_EQ(dispatcher_->inFlight(), 0U);
    EXPECT_EQ(store_.finishes, 2);
}

TEST_F(DispatcherTest, leavesAloneWhatSomebodyElseHasTakenMeanwhile)
{
    push("a");
    store_.trash({.id = "a"}, [](const auto& done) { EXPECT_TRUE(done); });
    loop_.settle();
    answer({.kind = Kind::Retry, .reason = "500"});
    EXPECT_EQ(view("a")->state, JobState::Trashed);
    EXPECT_EQ(dispatcher_->inFlight(), 0U);
}

TEST_F(DispatcherTest, leavesWhatIsReportedAnotherWayToItsLease)
{
    push("a");
    answer({.kind = Kind::Awaited, .wait = 24h});
    EXPECT_EQ(dispatcher_->inFlight(), 0U);
    loop_.advance(23h);
    EXPECT_EQ(view("a")->state, JobState::Leased);
    store_.finish({.id = "a", .attempt = 1}, [](const auto& done) { EXPECT_TRUE(done); });
    loop_.settle();
    EXPECT_FALSE(view("a"));
}

TEST_F(DispatcherTest, doesNotWarnWhenAnAwaitedResultIsThereFirst)
{
    push("a");
    store_.finish({.id = "a", .attempt = 1}, [](const auto& done) { EXPECT_TRUE(done); });
    loop_.settle();
    testing::internal::CaptureStderr();
    answer({.kind = Kind::Awaited, .wait = 24h});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(dispatcher_->inFlight(), 0U);
}

TEST_F(DispatcherTest, doesNotSendWhatItWasGivenTooLate)
{
    ttr_ = 1s;
    store_.onClaimed = [this] { clock_.advance(2s); };
    push("late");
    store_.onClaimed = {};
    EXPECT_EQ(courier_.inFlight(), 0U);
    loop_.advance(3min);
    ASSERT_EQ(courier_.inFlight(), 1U);
    EXPECT_EQ(courier_.loads.front().jobs.front().attempt, 2U);
}

TEST_F(DispatcherTest, countsWhatBecameOfItsJobs)
{
    const auto count = [](const char* outcome) {
        return metrics::counter("restante_deliveries_total", {"webhook", outcome}).value();
    };
    auto& inFlight = metrics::gauge("restante_deliveries_in_flight", {"webhook"});
    const auto delivered = count("delivered");
    const auto retried = count("retry");
    const auto before = inFlight.value();
    push("a");
    push("b");
    EXPECT_EQ(inFlight.value(), before + 2);
    answer({});
    answer({.kind = Kind::Retry, .reason = "500"});
    EXPECT_EQ(count("delivered"), delivered + 1);
    EXPECT_EQ(count("retry"), retried + 1);
    EXPECT_EQ(inFlight.value(), before);
}

TEST_F(DispatcherTest, drainsWhatIsOnItsWayAndTakesNothingNew)
{
    push("a");
    bool drained = false;
    dispatcher_->drain([&] { drained = true; });
    EXPECT_TRUE(courier_.isDraining);
    push("b");
    loop_.advance(1min);
    EXPECT_FALSE(drained);
    answer({});
    EXPECT_TRUE(drained);
    EXPECT_FALSE(view("a"));
    EXPECT_EQ(view("b")->state, JobState::Ready);
}

TEST_F(DispatcherTest, givesBackWhatIsClaimedWhileItStops)
{
    Job job;
    job.id = "a";
    job.topic = "hooks";
    job.channel = Channel::Webhook;
    job.recipient = "https://a.org/";
    queue_.push({.job = job}, [](const auto&) {});
    // The claim is on its way when the drain begins.
    bool drained = false;
    loop_.post([&] { dispatcher_->drain([&] { drained = true; }); });
    loop_.settle();
    EXPECT_TRUE(drained);
    EXPECT_EQ(view("a")->state, JobState::Ready);
    EXPECT_EQ(view("a")->attempt, 0U);
}

TEST_F(DispatcherTest, isDrainedAtOnceWhenNothingIsCarried)
{
    int drained = 0;
    dispatcher_->drain([&] { ++drained; });
    EXPECT_EQ(drained, 0) << "answered from inside the call";
    loop_.advance(1min);
    EXPECT_EQ(drained, 1);
}

TEST_F(DispatcherTest, mayGoWhileTheCourierStillCarries)
{
    push("a");
    dispatcher_.reset();
    courier_.answer({});
    loop_.settle();
    EXPECT_EQ(view("a")->state, JobState::Leased);
}

}  // namespace
}  // namespace restante::delivery
