#include "core/queue/memory_job_store.h"
#include "sipplugin/delivery/delivery_scheduler.h"
#include "sipplugin/sofia/su_loop.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::sip::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kRecipient = "sip:bob@localhost";
const std::vector<std::string> kTexts{"one", "two", "three", "four", "five", "six"};

/// One device, or two: the first at an address where nobody answers, until it is given another.
class OneDevice final : public BindingStore {
public:
    explicit OneDevice(EventLoop& loop) : loop_(loop) {}
    std::string contact = "sip:bob@127.0.0.1:9";
    std::string second;  ///< of the other device; empty = there is none
    int lookups = 0;
    void lookup(std::string, Done<std::vector<Binding>> done) override
    {
        ++lookups;
        std::vector<Binding> bindings;
        for (const auto& one : {contact, second}) {
            if (!one.empty()) {
                bindings.emplace_back();
                bindings.back().contact = one;
                bindings.back().transport = "udp";
            }
        }
        loop_.post([done = std::move(done), bindings] { done(bindings); });
    }
    void update(BindingUpdate, Done<Arrival> done) override
    {
        loop_.post([done = std::move(done)] { done(Arrival{}); });
    }

private:
    EventLoop& loop_;
};

/// Tells when a mailbox has been asked for; and may be away, or have forgotten who has which lease.
class NotingStore final : public MemoryJobStore {
public:
    NotingStore(EventLoop& itsLoop, const Clock& clock)
        : MemoryJobStore(itsLoop, clock),
          loop(itsLoop)
    {
    }
    void claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done) override
    {
        asked = true;
        ++claims;
        MemoryJobStore::claimMailbox(std::move(claim), std::move(done));
    }
    void finish(Lease lease, Done<std::uint64_t> done) override
    {
        ++finishes;
        if (away) {
            return loop.post([done] { done(failure(ErrorCode::Unavailable, "away")); });
        }
        MemoryJobStore::finish(std::move(lease), std::move(done));
    }
    void touch(Lease lease, Millis ttr, Done<TimePoint> done) override
    {
        ++touches;
        if (forgetful || lease.id == forgotten) {
            return loop.post([done] { done(failure(ErrorCode::Stale, "not yours")); });
        }
        MemoryJobStore::touch(std::move(lease), ttr, std::move(done));
    }
    EventLoop& loop;
    bool asked = false;
    int claims = 0;
    bool away = false;
    bool forgetful = false;
    std::string forgotten;  ///< the id of a message that it has given to somebody else
    int finishes = 0;
    int touches = 0;
};

class Flush : public ::testing::Test {
protected:
    void keep(const std::string& body)
    {
        PushOptions order;
        order.job.topic = "sip";
        order.job.channel = Channel::Sip;
        order.job.recipient = kRecipient;
        order.job.body = body;
        order.placement = Placement::Mailbox;
        bool kept = false;
        queue_.push(std::move(order), [&](const auto& pushed) { kept = pushed.has_value(); });
        turnUntil([&] { return kept; });
    }
    std::vector<JobView> jobs(JobState state)
    {
        std::optional<JobPage> page;
        JobQuery query;
        query.state = state;
        store_.list(query, [&](Result<JobPage> found) { page = found.value(); });
        turnUntil([&] { return page.has_value(); });
        return page->jobs;
    }
    template <class Reached>
    void turnUntil(Reached reached)
    {
        const auto end = std::chrono::steady_clock::now() + 5s;
        while (!reached() && std::chrono::steady_clock::now() < end) {
            loop_.turn(10ms);
            phone_.work(0ms);
        }
        EXPECT_TRUE(reached());
    }

    static std::string uriOf(const restante::test::SipPhone& phone)
    {
        const auto contact = phone.contact();  // <sip:...>
        return contact.substr(1, contact.find('>') - 1);
    }

    /// What the second device is offered of one message, when the first is away and says so after
    /// that long.
    std::size_t offeredToTheSecondAfter(Millis silence)
    {
        restante::test::SipPhone second{
            {"bob", "localhost", {restante::test::SipTransport::Udp, "127.0.0.1", 9}}};
        bindings_.contact = uriOf(phone_);
        bindings_.second = uriOf(second);
        phone_.answerWith([&](const auto&) {
            clock_.advance(silence);
            return 480;
        });
        keep("one");
        const auto flush = std::make_shared<DeliveryRun>(
            DeliveryRun::Parts{loop_, queue_, bindings_, uac_},
            DeliveryRun::Limits{pace_, memory_, logLimiter_}, settings_, kRecipient);
        flush->start(
            MailboxRun::NoDevice::Postpone, [] {}, [this](const auto&) { ended_ = true; });
        turnUntil([&] {
            second.work(0ms);
            return ended_;
        });
        return second.offered().size();
    }

    /// Messages for a phone that answers; the store is away before the first is finished. Before
    /// that is known, another two are under way.
    std::shared_ptr<DeliveryRun> beginWithAStoreThatGoesAway()
    {
        for (const auto& body : kTexts) {
            keep(body);
        }
        bindings_.contact = uriOf(phone_);
        phone_.answerWith([](const auto&) { return 200; });
        store_.away = true;
        auto flush = std::make_shared<DeliveryRun>(
            DeliveryRun::Parts{loop_, queue_, bindings_, uac_},
            DeliveryRun::Limits{pace_, memory_, logLimiter_}, settings_, kRecipient);
        flush->start(
            MailboxRun::NoDevice::Postpone, [] {}, [this](const auto&) { ended_ = true; });
        turnUntil([&] { return store_.finishes > 10; });  // each again and again
        EXPECT_LE(phone_.bodies().size(), 3U);
        return flush;
    }

    SuLoop loop_;
    restante::test::SipPhone phone_{
        {"bob", "localhost", {restante::test::SipTransport::Udp, "127.0.0.1", 9}}};
    bool ended_ = false;
    restante::test::ManualClock clock_;
    NotingStore store_{loop_, clock_};
    DelayQueue queue_{store_, clock_, {}};
    OneDevice bindings_{loop_};
    std::unique_ptr<Agent> agent_ =
        Agent::open(loop_, {{{Transport::Udp, "127.0.0.1", 0}}, 65'536, 32s}, [](auto) {}).value();
    LocalDomains domains_{{}, {}};
    Uac uac_{{*agent_, bindings_, domains_, clock_}, {}};
    DeliveryRun::Settings settings_;
    DeliveryRateLimiter pace_{0ms, 0};
    MemoryBudget memory_{64UL << 20U};
    LogRateLimiter logLimiter_{clock_};
};

TEST_F(Flush, thatIsStoppedWhileItClaimsGivesBackWhatItGets)
{
    keep("one");
    keep("two");
    const auto flush = std::make_shared<DeliveryRun>(
        DeliveryRun::Parts{loop_, queue_, bindings_, uac_},
        DeliveryRun::Limits{pace_, memory_, logLimiter_}, settings_, kRecipient);
    bool ended = false;
    flush->start(
        MailboxRun::NoDevice::Postpone, [] {}, [&](const auto&) { ended = true; });
    turnUntil([&] { return store_.asked; });  // the answer comes in the next turn

    flush->stop();

    turnUntil([&] { return ended; });
    EXPECT_EQ(jobs(JobState::Held).size(), 2U);
    EXPECT_EQ(jobs(JobState::Held).at(0).attempt, 0U);
}

TEST_F(Flush, asksOnlyForWhatItKnowsToBeThere)
{
    for (const auto& body : kTexts) {
        keep(body);
    }
    bindings_.contact = uriOf(phone_);
    phone_.answerWith([](const auto&) { return 200; });
    settings_.batch = 4;
    const auto flush = std::make_shared<DeliveryRun>(
        DeliveryRun::Parts{loop_, queue_, bindings_, uac_},
        DeliveryRun::Limits{pace_, memory_, logLimiter_}, settings_, kRecipient);
    flush->start(
        MailboxRun::NoDevice::Postpone, [] {}, [this](const auto&) { ended_ = true; });
    turnUntil([&] { return ended_; });
    EXPECT_EQ(phone_.bodies(), kTexts);
    EXPECT_EQ(store_.claims, 2) << "six in batches of four, and nothing behind them";
}

TEST_F(Flush, asksOnceMoreWhenTheEndOfItsLastMessageDoesNotSayWhatIsLeft)
{
    keep("one");
    keep("two");
    bindings_.contact = uriOf(phone_);
    phone_.answerWith([](const auto&) { return 603; });
    const auto flush = std::make_shared<DeliveryRun>(
        DeliveryRun::Parts{loop_, queue_, bindings_, uac_},
        DeliveryRun::Limits{pace_, memory_, logLimiter_}, settings_, kRecipient);
    flush->start(
        MailboxRun::NoDevice::Postpone, [] {}, [this](const auto&) { ended_ = true; });
    turnUntil([&] { return ended_; });
    EXPECT_EQ(jobs(JobState::Dead).size(), 2U);
    EXPECT_EQ(store_.claims, 2);
}

TEST_F(Flush, goesOnWithWhatIsStillItsWhenTheStoreIsBack)
{
    const auto flush = beginWithAStoreThatGoesAway();
    store_.away = false;
    turnUntil([&] { return ended_; });
    EXPECT_GE(store_.touches, 3) << "of those that were not offered yet";
    EXPECT_EQ(phone_.bodies(), kTexts);
    EXPECT_TRUE(jobs(JobState::Leased).empty());
}

TEST_F(Flush, offersNothingThatAStoreThatIsBackDoesNotKnowAsItsOwn)
{
    const auto flush = beginWithAStoreThatGoesAway();
    const auto before = phone_.bodies();
    store_.forgetful = true;
    store_.away = false;
    turnUntil([&] { return ended_; });
    EXPECT_EQ(phone_.bodies(), before);
}

TEST_F(Flush, leavesWhatIsBehindAMessageThatIsNoLongerItsToo)
{
    const auto flush = beginWithAStoreThatGoesAway();
    const auto before = phone_.bodies();
    for (const auto& job : jobs(JobState::Leased)) {
        store_.forgotten = job.job.body == kTexts.at(before.size()) ? job.job.id : store_.forgotten;
    }
    ASSERT_NE(store_.forgotten, "");
    store_.away = false;
    turnUntil([&] { return ended_; });
    EXPECT_EQ(phone_.bodies(), before) << "another one would overtake it";
    EXPECT_EQ(jobs(JobState::Leased).size(), 1U) << "the one that somebody else has";
    ASSERT_EQ(jobs(JobState::Held).size(), kTexts.size() - before.size() - 1);
    EXPECT_EQ(jobs(JobState::Held).at(0).attempt, 0U);
}

TEST_F(Flush, offersToTheNextDeviceWhatTheFirstDoesNotTake)
{
    EXPECT_EQ(offeredToTheSecondAfter(0ms), 1U);
    EXPECT_TRUE(jobs(JobState::Leased).empty());
}

/// The first device refuses one message and is away for the other; the second is away for both.
TEST_F(Flush, endsWhenNoDeviceIsLeftForWhatIsBehindTwoMessagesThatAreUnderWay)
{
    restante::test::SipPhone second{
        {"bob", "localhost", {restante::test::SipTransport::Udp, "127.0.0.1", 9}}};
    bindings_.contact = uriOf(phone_);
    bindings_.second = uriOf(second);
    phone_.answerWith([](const auto& message) { return message.body == "one" ? 415 : 480; });
    second.answerWith([](const auto&) { return 480; });
    settings_.window = 2;
    for (const auto* body : {"one", "two", "three"}) {
        keep(body);
    }
    const auto flush = std::make_shared<DeliveryRun>(
        DeliveryRun::Parts{loop_, queue_, bindings_, uac_},
        DeliveryRun::Limits{pace_, memory_, logLimiter_}, settings_, kRecipient);
    flush->start(
        MailboxRun::NoDevice::Postpone, [] {}, [this](const auto&) { ended_ = true; });
    turnUntil([&] {
        second.work(0ms);
        return ended_;
    });
    EXPECT_EQ(phone_.offered().size(), 2U);
    EXPECT_EQ(second.offered().size(), 2U);
    const auto held = jobs(JobState::Held);
    EXPECT_EQ(held.size(), 3U);
    for (const auto& one : held) {
        EXPECT_EQ(one.attempt, one.job.body == "three" ? 0U : 1U) << one.job.body;
    }
}

/// The daemon hung meanwhile, and another one has the message.
TEST_F(Flush, offersNothingToTheNextDeviceOnceItsLeaseIsOver)
{
    EXPECT_EQ(offeredToTheSecondAfter(10min), 0U);
}

/// The second REGISTER may fail in our own queue, before the first is answered.
TEST_F(Flush, waitsForTheRegisterThatClaimsAndNotForAnother)
{
    bindings_.contact = uriOf(phone_);
    phone_.answerWith([](const auto&) { return 200; });
    keep("one");
    DeliveryScheduler scheduler{DeliveryRun::Parts{loop_, queue_, bindings_, uac_}, {}};
    scheduler.open();
    const auto first = scheduler.prepareArrival(kRecipient);
    const auto second = scheduler.prepareArrival(kRecipient);
    EXPECT_GT(first.messages, 0U);
    EXPECT_EQ(second.messages, 0U);

    scheduler.handleArrival(kRecipient, second,
                            failure(ErrorCode::Unavailable, "it came too late"));
    scheduler.schedule(kRecipient, DeliveryScheduler::Cause::Stored);
    EXPECT_EQ(bindings_.lookups, 0) << "a run has begun although the other may bring messages";
    scheduler.handleArrival(kRecipient, first, Arrival{});
    EXPECT_EQ(bindings_.lookups, 1);
    turnUntil([&] { return phone_.bodies() == std::vector<std::string>{"one"}; });
    turnUntil([&] { return jobs(JobState::Leased).empty() && jobs(JobState::Held).empty(); });
}

}  // namespace
}  // namespace restante::sip::test
