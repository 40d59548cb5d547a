// Devices that answer 3xx.

#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "tests/integration/sip/plugin_host.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class Redirected : public ::testing::Test {
protected:
    static PluginHost::Settings settings()
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        settings.sip.retry = RetrySchedule::parse("0s,1h").value();
        settings.sip.answerTimeout = Millis{5'000};
        settings.sip.redirects = 3;
        return settings;
    }
    SipPhone phone(const std::string& user, const PluginHost& host)
    {
        return SipPhone({user, "localhost", host.server()});
    }
    SipPhone phone(const std::string& user) { return phone(user, host_); }
    /// Answers `status` with these Contacts from now on.
    static void redirect(SipPhone& device, int status, const std::vector<std::string>& contacts)
    {
        device.answerWith([status](const SipText&) { return status; });
        for (const auto& contact : contacts) {
            device.addToRefusals("Contact", contact);
        }
    }
    std::vector<JobView> held(PluginHost& host)
    {
        std::vector<JobView> found;
        host.onThread([&](auto&, auto& inspector, auto done) {
            JobQuery query;
            query.state = JobState::Held;
            inspector.list(query, [&found, done](const Result<JobPage>& page) {
                found = page.value().jobs;
                done();
            });
        });
        return found;
    }
    /// What its attempt came to, once that has failed.
    std::string failure(SipPhone& worker)
    {
        std::string error;
        EXPECT_TRUE(worker.workUntil([&] {
            const auto jobs = held(host_);
            error = jobs.empty() ? "" : jobs.front().lastError;
            return !error.empty();
        }));
        return error;
    }

    PluginHost host_{settings()};
};

TEST_F(Redirected, messageFollowsToAnotherOfOurUsers)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    auto carol = phone("carol");
    redirect(bob, 302, {"<" + carol.aor() + ">"});
    ASSERT_EQ(alice.say(bob.aor(), "hello"), 202);
    ASSERT_EQ(carol.registerFor(60s).status, 200);
    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.workUntil([&] {
        carol.work(0ms);
        return !carol.received().empty();
    }));

    EXPECT_EQ(carol.bodies(), std::vector<std::string>{"hello"});
    EXPECT_THAT(carol.received()[0].header("To"), HasSubstr(bob.aor()));
    EXPECT_EQ(carol.received()[0].header("Call-ID"), bob.offered().at(0).header("Call-ID"));
    EXPECT_NE(carol.received()[0].header("CSeq"), bob.offered().at(0).header("CSeq"));
    EXPECT_TRUE(bob.workUntil([&] { return held(host_).empty(); }));
}

TEST_F(Redirected, messageTriesTheContactsInTurn)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    auto carol = phone("carol");
    auto dora = phone("dora");
    redirect(
        bob, 300,
        {"<" + dora.aor() + ">;q=0.1", "<sip:nobody@localhost>", "<" + carol.aor() + ">;q=0.5"});
    carol.answerWith([](const SipText&) { return 480; });
    ASSERT_EQ(alice.say(bob.aor(), "hello"), 202);
    ASSERT_EQ(carol.registerFor(60s).status, 200);
    ASSERT_EQ(dora.registerFor(60s).status, 200);
    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.workUntil([&] {
        carol.work(0ms);
        dora.work(0ms);
        return !dora.received().empty();
    }));
    EXPECT_EQ(carol.offered().size(), 1U);
}

TEST_F(Redirected, messageIsNeverSentOutOfOurDomains)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    auto stranger = phone("stranger");
    redirect(bob, 302,
             {"<sip:a@foreign.invalid>", "<sip:b@127.0.0.2:" + std::to_string(5060) + ">"});
    ASSERT_EQ(alice.say(bob.aor(), "kept"), 202);
    ASSERT_EQ(bob.registerFor(60s).status, 200);

    EXPECT_THAT(failure(bob), HasSubstr("not followed out of sip.domain"));
    EXPECT_TRUE(stranger.offered().empty());
}

TEST_F(Redirected, messageDoesNotRunInCircles)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    auto carol = phone("carol");
    redirect(bob, 302, {"<" + carol.aor() + ">"});
    redirect(carol, 301, {"<" + bob.aor() + ">", "<" + carol.aor() + ";x=1>"});
    ASSERT_EQ(alice.say(bob.aor(), "kept"), 202);
    ASSERT_EQ(carol.registerFor(60s).status, 200);
    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.workUntil([&] {
        carol.work(0ms);
        const auto jobs = held(host_);
        return !jobs.empty() && !jobs.front().lastError.empty();
    }));
    EXPECT_EQ(bob.offered().size(), 1U);
    EXPECT_EQ(carol.offered().size(), 1U);
}

TEST_F(Redirected, messageIgnoresADeviceThatNamesAProxy)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    auto carol = phone("carol");
    redirect(bob, 305, {"<" + carol.aor() + ">"});
    ASSERT_EQ(alice.say(bob.aor(), "kept"), 202);
    ASSERT_EQ(carol.registerFor(60s).status, 200);
    ASSERT_EQ(bob.registerFor(60s).status, 200);

    EXPECT_THAT(failure(bob), HasSubstr("305"));
    carol.work(0ms);
    EXPECT_TRUE(carol.offered().empty());
}

TEST_F(Redirected, messageIsDeadWhenWhoeverItWasLedToRefusesIt)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    auto carol = phone("carol");
    redirect(bob, 302, {"<" + carol.aor() + ">"});
    carol.answerWith([](const SipText&) { return 415; });
    ASSERT_EQ(alice.say(bob.aor(), "unwanted"), 202);
    ASSERT_EQ(carol.registerFor(60s).status, 200);
    ASSERT_EQ(bob.registerFor(60s).status, 200);

    EXPECT_TRUE(bob.workUntil([&] {
        carol.work(0ms);
        return !carol.offered().empty() && held(host_).empty();
    }));
}

TEST_F(Redirected, messageGoesThroughTheProxyWhereThereIsOne)
{
    SipSocket proxy({SipTransport::Udp, "127.0.0.1", host_.server().port});
    auto behind = settings();
    behind.sip.proxy = {"sip:" + proxy.address()};
    PluginHost host{behind};
    auto alice = phone("alice", host);
    ASSERT_EQ(alice.say("sip:bob@localhost", "hello"), 202);
    auto first = proxy.receive(30s);
    ASSERT_TRUE(first);
    auto moved = first->message.answer(302, "Moved Temporarily");
    moved.headers.emplace_back("Contact", "<sip:carol@localhost>");
    proxy.answer(*first, moved.toString());

    auto second = proxy.receive(30s);
    while (second && second->message.requestUri() == first->message.requestUri()) {
        second = proxy.receive(30s);  // repeated before it was answered
    }

    ASSERT_TRUE(second);
    EXPECT_EQ(second->message.requestUri(), "sip:carol@localhost");
    proxy.answer(*second, second->message.answer(200, "OK").toString());
    EXPECT_TRUE(alice.workUntil([&] { return held(host).empty(); }));
}

}  // namespace
}  // namespace restante::test
