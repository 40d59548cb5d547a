#include "sipplugin/mwi/message_summaries.h"
#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/retransmission_cache.h"
#include "tests/integration/sip/listen_sockets.h"
#include "tests/support/manual_loop.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace restante::sip {
namespace {

/// Knows how many timers are armed.
class CountedLoop final : public EventLoop {
public:
    explicit CountedLoop(EventLoop& loop) : loop_(loop) {}

    std::size_t timers() const { return timers_->size(); }

    // EventLoop
    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler) override
    {
        return loop_.addWatch(fd, wanted, std::move(handler));
    }
    void changeWatch(WatchId id, Readiness wanted) override { loop_.changeWatch(id, wanted); }
    void removeWatch(WatchId id) noexcept override { loop_.removeWatch(id); }
    TimerId armTimer(Millis after, Task task) override
    {
        const auto id = std::make_shared<TimerId>(0);
        *id = loop_.armTimer(after, [timers = timers_, id, task = std::move(task)] {
            timers->erase(*id);
            task();
        });
        timers_->insert(*id);
        return *id;
    }
    void cancelTimer(TimerId id) noexcept override
    {
        timers_->erase(id);
        loop_.cancelTimer(id);
    }
    void post(Task task) override { loop_.post(std::move(task)); }

private:
    EventLoop& loop_;
    std::shared_ptr<std::set<TimerId>> timers_ = std::make_shared<std::set<TimerId>>();
};

/// A store that does not answer, so that nothing is sent.
class NoSizes final : public MailboxSizes {
public:
    void count(const std::string& /*aor*/, Done<std::uint64_t> done) override
    {
        done(failure(ErrorCode::Unavailable, "down"));
    }
};

/// Bob's SUBSCRIBEs, each with the next CSeq.
class Subscriber {
public:
    explicit Subscriber(MessageSummaries& summaries) : summaries_(summaries) {}

    int subscribe(const std::string& expires = "600")
    {
        const auto cseq = std::to_string(++cseq_) + " SUBSCRIBE";
        const auto to = "<sip:bob@example.com>" + (tag_.empty() ? "" : ";tag=" + tag_);
        ReceivedRequest request;
        request.method = "SUBSCRIBE";
        request.requestUri = "sip:bob@example.com";
        request.headers = {{"Via", "SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK1"},
                           {"From", "<sip:bob@example.com>;tag=b1"},
                           {"To", to},
                           {"Call-ID", "c1"},
                           {"CSeq", cseq},
                           {"Contact", "<sip:bob@127.0.0.1:9>"},
                           {"Event", "message-summary"},
                           {"Expires", expires}};
        request.sourceHost = "127.0.0.1";
        request.sourcePort = 9;
        if (tag_.empty()) {
            lastTag_ = transactionKey(request).hex();
        }
        int status = 0;
        summaries_.handle(request, [&](const SipAnswer& answer) { status = answer.status; });
        return status;
    }
    /// The next ones are refreshes of the dialog that was made last.
    void stayInDialog() { tag_ = lastTag_; }

private:
    MessageSummaries& summaries_;
    std::string tag_;      ///< ours, of the dialog that is refreshed
    std::string lastTag_;  ///< of the dialog that was made last
    int cseq_ = 0;
};

class Summaries : public ::testing::Test {
protected:
    int subscribe(const std::string& expires = "600") { return bob_.subscribe(expires); }

    SuLoop loop_;
    CountedLoop counted_{loop_};
    SystemClock clock_;
    NoSizes sizes_;
    std::unique_ptr<Agent> agent_ =
        Agent::open(loop_, {test::socketsOf("127.0.0.1:0")}, [](auto) {}).value();
    MessageSummaries summaries_{{counted_, clock_, sizes_, *agent_}};
    Subscriber bob_{summaries_};
};

TEST_F(Summaries, holdNoMoreTimersWhenTheyAreMadeAgain)
{
    ASSERT_EQ(subscribe(), 200);
    const auto timers = counted_.timers();
    EXPECT_EQ(timers, 2U) << "its end, and the next count";
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(subscribe(), 200);
    }
    EXPECT_EQ(summaries_.subscriptions(), 1U);
    EXPECT_EQ(counted_.timers(), timers);
}

TEST_F(Summaries, holdNoMoreTimersWhenTheyAreRefreshed)
{
    ASSERT_EQ(subscribe(), 200);
    const auto timers = counted_.timers();
    bob_.stayInDialog();
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(subscribe(), 200);
    }
    EXPECT_EQ(counted_.timers(), timers);
    ASSERT_EQ(subscribe("0"), 200);
    EXPECT_EQ(counted_.timers(), timers - 1) << "it has ended";
}

/// A store whose answers the test gives.
class HeldSizes final : public MailboxSizes {
public:
    void count(const std::string& /*aor*/, Done<std::uint64_t> done) override
    {
        asked_.push_back(std::move(done));
    }
    std::size_t asked() const { return asked_.size(); }
    void answer(std::size_t index, std::uint64_t waiting) { asked_[index](waiting); }
    void fail(std::size_t index) { asked_[index](failure(ErrorCode::Unavailable, "down")); }

private:
    std::deque<Done<std::uint64_t>> asked_;  ///< an answer may lead to another count
};

/// Its first count has failed, and the next is under way.
class SummariesThatCount : public ::testing::Test {
protected:
    void SetUp() override
    {
        ASSERT_EQ(bob_.subscribe(), 200);
        ASSERT_EQ(sizes_.asked(), 1U);
        sizes_.fail(0);
        loop_.advance(Millis{1'000});
        ASSERT_EQ(sizes_.asked(), 2U);
    }

    SuLoop agentLoop_;  ///< does not turn: nobody answers a NOTIFY
    restante::test::ManualClock clock_;
    restante::test::ManualLoop loop_{clock_};
    HeldSizes sizes_;
    std::unique_ptr<Agent> agent_ =
        Agent::open(agentLoop_, {test::socketsOf("127.0.0.1:0")}, [](auto) {}).value();
    MessageSummaries summaries_{{loop_, clock_, sizes_, *agent_}};
    Subscriber bob_{summaries_};
};

TEST_F(SummariesThatCount, countAgainAfterAChangeMeanwhile)
{
    summaries_.handleMailboxChange("sip:bob@example.com");
    sizes_.answer(1, 0);
    loop_.advance(Millis{1'000});
    EXPECT_EQ(sizes_.asked(), 3U);
    sizes_.answer(2, 0);
    loop_.advance(std::chrono::minutes{1});
    EXPECT_EQ(sizes_.asked(), 3U) << "nothing waits";
}

TEST_F(SummariesThatCount, pauseAlsoWhenTwoCountsAreUnderWay)
{
    bob_.stayInDialog();
    ASSERT_EQ(bob_.subscribe(), 200);
    ASSERT_EQ(sizes_.asked(), 3U) << "for the NOTIFY of the refresh";
    sizes_.fail(2);
    loop_.advance(Millis{1'000});
    ASSERT_EQ(sizes_.asked(), 4U);
    sizes_.answer(1, 0);
    sizes_.fail(3);
    loop_.advance(Millis{1'999});
    EXPECT_EQ(sizes_.asked(), 4U);
    loop_.advance(Millis{1});
    EXPECT_EQ(sizes_.asked(), 5U);
}

}  // namespace
}  // namespace restante::sip
