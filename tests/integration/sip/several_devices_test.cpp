// Somebody with more than one device, of which the first that takes a message gets it.

#include "core/queue/job_inspector.h"
#include "tests/integration/sip/plugin_host.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

class TwoDevices : public ::testing::Test {
protected:
    static PluginHost::Settings settings()
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        settings.sip.retry = RetrySchedule::parse("0s,1h").value();
        settings.sip.answerTimeout = Millis{2'000};
        return settings;
    }
    SipPhone phone(const std::string& user)
    {
        return SipPhone({user, "localhost", host_.server()});
    }
    /// The desk phone is asked first, as the mobile one wishes.
    void registerBoth()
    {
        auto second = mobile_.registration(60s);
        second.set("Contact", second.header("Contact") + ";q=0.5");
        ASSERT_EQ(mobile_.ask(second).status, 200);
        ASSERT_EQ(desk_.registerFor(60s).status, 200);
    }
    bool workBothUntil(const std::function<bool()>& reached)
    {
        return desk_.workUntil(
            [&] {
                mobile_.work(Millis{0});
                return reached();
            },
            10s);
    }
    static void answer(SipPhone& device, int status)
    {
        device.answerWith([status](const SipText&) { return status; });
    }
    std::vector<JobView> jobs(JobState state)
    {
        std::vector<JobView> found;
        host_.onThread([&](auto&, auto& inspector, auto done) {
            JobQuery query;
            query.state = state;
            inspector.list(query, [&found, done](const Result<JobPage>& page) {
                found = page.value().jobs;
                done();
            });
        });
        return found;
    }

    PluginHost host_{settings()};
    SipPhone alice_ = phone("alice");
    SipPhone desk_ = phone("bob");
    SipPhone mobile_ = phone("bob");
};

class RefusedByOne : public TwoDevices, public ::testing::WithParamInterface<int> {};

TEST_P(RefusedByOne, isOfferedToTheNext)
{
    answer(desk_, GetParam());
    registerBoth();
    ASSERT_EQ(alice_.say(desk_.aor(), "one"), 202);
    ASSERT_EQ(alice_.say(desk_.aor(), "two"), 202);

    ASSERT_TRUE(workBothUntil([&] { return mobile_.received().size() == 2; }));

    EXPECT_EQ(mobile_.bodies(), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(desk_.offered().size(), 2U) << "the desk phone is there, and may take the next";
    EXPECT_TRUE(jobs(JobState::Dead).empty());
}

INSTANTIATE_TEST_SUITE_P(ByItself, RefusedByOne, ::testing::Values(400, 403, 405, 415, 488, 501));

TEST_F(TwoDevices, thatBothRefuseAMessageLeaveItDeadAndTheNextGoesOn)
{
    int answered = 0;
    answer(desk_, 415);
    mobile_.answerWith([&](const SipText&) { return answered++ == 0 ? 488 : 200; });
    registerBoth();
    ASSERT_EQ(alice_.say(desk_.aor(), "strange"), 202);
    ASSERT_EQ(alice_.say(desk_.aor(), "plain"), 202);

    ASSERT_TRUE(workBothUntil(
        [&] { return mobile_.received().size() == 1 && jobs(JobState::Dead).size() == 1; }));

    EXPECT_EQ(mobile_.bodies(), std::vector<std::string>{"plain"});
    EXPECT_EQ(jobs(JobState::Dead).front().job.body, "strange");
}

TEST_F(TwoDevices, ofWhichOneSpeaksForItsUserAreNotBothAsked)
{
    answer(desk_, 603);
    registerBoth();
    ASSERT_EQ(alice_.say(desk_.aor(), "no"), 202);

    ASSERT_TRUE(workBothUntil([&] { return jobs(JobState::Dead).size() == 1; }));
    EXPECT_TRUE(mobile_.offered().empty());
}

TEST_F(TwoDevices, ofWhichOneRefusesAndOneIsAwayKeepTheMessage)
{
    answer(desk_, 415);
    answer(mobile_, 480);
    registerBoth();
    ASSERT_EQ(alice_.say(desk_.aor(), "later"), 202);

    ASSERT_TRUE(workBothUntil([&] {
        const auto held = jobs(JobState::Held);
        return !held.empty() && held.front().lastError.starts_with("480");
    }));
    EXPECT_TRUE(jobs(JobState::Dead).empty());
}

TEST_F(TwoDevices, ofWhichOneRefusesAndOneIsAwayHoldUpNothingElse)
{
    desk_.answerWith([](const SipText& message) { return message.body == "strange" ? 415 : 200; });
    answer(mobile_, 480);
    for (const auto* body : {"strange", "plain", "simple"}) {
        ASSERT_EQ(alice_.say(desk_.aor(), body), 202);
    }
    registerBoth();
    ASSERT_TRUE(workBothUntil([&] { return desk_.received().size() == 2; }));
    EXPECT_EQ(desk_.bodies(), (std::vector<std::string>{"plain", "simple"}));
    ASSERT_TRUE(workBothUntil([&] { return jobs(JobState::Held).size() == 1; }));
    EXPECT_EQ(jobs(JobState::Held).front().job.body, "strange");
    EXPECT_TRUE(jobs(JobState::Dead).empty());
}

}  // namespace
}  // namespace restante::test
