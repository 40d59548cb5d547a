#include "core/queue/memory_job_store.h"
#include "sipplugin/mailbox_flush.h"
#include "tests/support/manual_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::sip::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kBob = "sip:bob@localhost";

/// One device, at an address where nobody answers.
class OneDevice final : public BindingStore {
public:
    explicit OneDevice(EventLoop& loop) : loop_(loop) {}
    void lookup(std::string, Done<std::vector<Binding>> done) override
    {
        Binding binding;
        binding.contact = "sip:bob@127.0.0.1:9";
        binding.transport = "udp";
        loop_.post([done = std::move(done), binding] { done(std::vector{binding}); });
    }
    void update(BindingUpdate, Done<std::vector<Binding>> done) override
    {
        loop_.post([done = std::move(done)] { done(std::vector<Binding>{}); });
    }

private:
    EventLoop& loop_;
};

/// Tells when a mailbox has been asked for.
class NotingStore final : public MemoryJobStore {
public:
    using MemoryJobStore::MemoryJobStore;
    void claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done) override
    {
        asked = true;
        MemoryJobStore::claimMailbox(std::move(claim), std::move(done));
    }
    bool asked = false;
};

class Flush : public ::testing::Test {
protected:
    void keep(const std::string& body)
    {
        PushOrder order;
        order.job.topic = "sip";
        order.job.channel = Channel::Sip;
        order.job.recipient = kBob;
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
        }
        EXPECT_TRUE(reached());
    }

    SuLoop loop_;
    restante::test::ManualClock clock_;
    NotingStore store_{loop_, clock_};
    DelayQueue queue_{store_, clock_, {}};
    OneDevice bindings_{loop_};
    std::unique_ptr<Agent> agent_ =
        Agent::open(loop_, {{{Transport::Udp, "127.0.0.1", 0}}, 65'536, 32s}, [](auto) {}).value();
    LocalDomains domains_{{}, {}};
    SipCourier courier_{{*agent_, bindings_, domains_, clock_}, {}};
    MailboxFlush::Settings settings_;
    DeliveryPace pace_{0ms, 0};
    FlushMemory memory_{64UL << 20U};
};

TEST_F(Flush, thatIsStoppedWhileItClaimsGivesBackWhatItGets)
{
    keep("one");
    keep("two");
    const auto flush =
        std::make_shared<MailboxFlush>(MailboxFlush::Parts{loop_, queue_, bindings_, courier_},
                                       MailboxFlush::Shared{pace_, memory_}, settings_, kBob);
    bool ended = false;
    flush->start(
        MailboxPass::Absence::PutsOff, [] {}, [&](const auto&) { ended = true; });
    turnUntil([&] { return store_.asked; });  // the answer comes in the next turn

    flush->stop();

    turnUntil([&] { return ended; });
    EXPECT_EQ(jobs(JobState::Held).size(), 2U);
    EXPECT_EQ(jobs(JobState::Held).at(0).attempt, 0U);
}

}  // namespace
}  // namespace restante::sip::test
