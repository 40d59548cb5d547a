#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "core/redis/store/script.h"
#include "sipplugin/lua/script.h"
#include "tests/integration/sip/plugin_host.h"
#include "tests/support/logged.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

/// Alice and Bob at a plugin on a fresh Redis.
class Delivery : public ::testing::Test {
protected:
    static PluginHost::Settings settings()
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        settings.sip.retry = RetrySchedule::parse("0s,1s,1s").value();
        settings.sip.answerTimeout = Millis{2'000};
        return settings;
    }
    SipPhone phone(const std::string& user, SipTransport transport = SipTransport::Udp)
    {
        auto server = host_.server(transport);
        return SipPhone({user, "localhost", server});
    }
    void write(SipPhone& from, const std::string& to, int count)
    {
        for (int i = 0; i < count; ++i) {
            ASSERT_EQ(from.say(to, "message " + std::to_string(i)), 202);
        }
    }
    static std::vector<std::string> numbered(int count)
    {
        std::vector<std::string> bodies;
        for (int i = 0; i < count; ++i) {
            bodies.push_back("message " + std::to_string(i));
        }
        return bodies;
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
    bool eventuallyNoneIs(SipPhone& worker, JobState state)
    {
        return worker.workUntil([&] { return jobs(state).empty(); }, 10s);
    }

    RedisServer& redis_ = sharedRedis();  ///< which each call empties
    PluginHost host_{settings()};
};

TEST_F(Delivery, bringsWhatWaitsInOrderOnceTheRecipientRegisters)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    write(alice, bob.aor(), 100);

    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(100));
    EXPECT_EQ(bob.bodies(), numbered(100));
    EXPECT_TRUE(eventuallyNoneIs(bob, JobState::Leased));
    EXPECT_TRUE(jobs(JobState::Held).empty());
}

TEST_F(Delivery, costsTwoScriptCallsForWhoeverReturns)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    write(alice, bob.aor(), 1);
    // Its first attempt, which finds nobody, is over: on a busy machine it comes late.
    ASSERT_TRUE(bob.workUntil([&] {
        const auto held = jobs(JobState::Held);
        return held.size() == 1 && held[0].due > SystemClock().now();
    }));
    redis_.send({"CONFIG", "SET", "slowlog-log-slower-than", "0"});
    redis_.send({"CONFIG", "SET", "slowlog-max-len", "10000"});
    redis_.send({"SLOWLOG", "RESET"});
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(bob.receive(1));
    ASSERT_TRUE(eventuallyNoneIs(bob, JobState::Leased));

    std::map<std::string, int> calls;
    const auto log = redis_.send({"SLOWLOG", "GET", "-1"});
    redis_.send({"CONFIG", "SET", "slowlog-log-slower-than", "10000"});
    for (const auto& entry : *log.array()) {
        const auto& words = entry.at(3);
        if (words.at(0).textOrEmpty() == "EVALSHA") {
            ++calls[std::string(words.at(1).textOrEmpty())];
        }
    }
    const auto callsOf = [&](const redis::Script& script) {
        return calls[std::string(script.sha1)];
    };
    // One is refused at first: Redis has not seen the script before.
    EXPECT_LE(callsOf(sip::script("arrive")), 2);
    EXPECT_GE(callsOf(sip::script("arrive")), 1);
    EXPECT_GE(callsOf(redis::script("finish")), 1);
    EXPECT_EQ(callsOf(redis::script("release_mailbox")), 0);
    EXPECT_EQ(callsOf(redis::script("claim_mailbox")), 0);
}

TEST_F(Delivery, bringsAThousandMessagesInOrderOneAtATime)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    write(alice, bob.aor(), 1'000);

    ASSERT_EQ(bob.registerFor(60s).status, 200);
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_TRUE(bob.receive(1'000));
    const auto elapsed = std::chrono::steady_clock::now() - begun;

    EXPECT_EQ(bob.bodies(), numbered(1'000));
    RecordProperty("milliseconds",
                   static_cast<int>(std::chrono::duration_cast<Millis>(elapsed).count()));
}

TEST_F(Delivery, bringsAMessageForARegisteredRecipientAtOnce)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_EQ(alice.say(bob.aor(), "now"), 202);

    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"now"});
}

TEST_F(Delivery, saysWhoseItIsAndOneHopLess)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    auto far = alice.message(bob.aor(), "far");
    far.set("Max-Forwards", "9");
    ASSERT_EQ(alice.say(bob.aor(), "near"), 202);
    ASSERT_EQ(alice.ask(far).status, 202);
    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(2));
    EXPECT_EQ(bob.received().at(0).header("Max-Forwards"), "69");
    EXPECT_EQ(bob.received().at(1).header("Max-Forwards"), "8");
    const auto store = bob.received().at(0).header("X-Restante-Store");
    EXPECT_NE(store, "");

    auto back = alice.message(bob.aor(), "come back");
    back.set("X-Restante-Job", "0ABC").set("X-Restante-Store", store);
    EXPECT_EQ(alice.ask(back).status, 480) << "our own";
    auto other = alice.message(bob.aor(), "from another operator");
    other.set("X-Restante-Job", "0ABC").set("X-Restante-Store", "another");
    EXPECT_EQ(alice.ask(other).status, 202);
    ASSERT_TRUE(bob.receive(3));
    EXPECT_EQ(bob.received().at(2).all("X-Restante-Store").size(), 1U);
}

TEST_F(Delivery, leavesHeadersAndBytesAsTheyWere)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    const std::string body("\0\x01\xff caf\xc3\xa9\r\n\r\n--x--", 18);
    auto message = alice.message(bob.aor(), body);
    message.set("From", "\"Alice, \\\"A\\\"\" <" + alice.aor() + ">;tag=1")
        .set("Content-Type", "multipart/mixed;boundary=\"x y\";charset=ISO-8859-1")
        .set("Date", "Thu, 29 Feb 2024 23:29:00 GMT")
        .set("Subject", "what  was written");
    ASSERT_EQ(alice.ask(message).status, 202);

    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(1));
    const auto& got = bob.received().front();
    EXPECT_EQ(got.body, body);
    EXPECT_EQ(got.header("Content-Type"), message.header("Content-Type"));
    EXPECT_EQ(got.header("Date"), "Thu, 29 Feb 2024 23:29:00 GMT");
    EXPECT_EQ(got.header("Subject"), "what  was written");
    EXPECT_EQ(got.header("From").substr(0, got.header("From").find(";tag")),
              "\"Alice, \\\"A\\\"\" <" + alice.aor() + ">");
    EXPECT_FALSE(got.has("Contact"));
}

TEST_F(Delivery, triesADeviceAgainThatWasUnavailableAndKeepsTheOrder)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    write(alice, bob.aor(), 3);
    int refusals = 2;
    bob.answerWith([&](const SipText&) { return refusals-- > 0 ? 480 : 200; });

    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(3));
    EXPECT_EQ(bob.bodies(), numbered(3));
    ASSERT_EQ(bob.offered().size(), 5U);
    EXPECT_EQ(bob.offered()[0].header("Call-ID"), bob.offered()[2].header("Call-ID"));
    EXPECT_EQ(bob.offered()[0].header("From"), bob.offered()[2].header("From"));
}

TEST_F(Delivery, buriesWhatIsRefusedForGoodAndGoesOn)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    write(alice, bob.aor(), 3);
    bob.answerWith([](const SipText& message) { return message.body == "message 1" ? 415 : 200; });

    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(2));
    EXPECT_EQ(bob.bodies(), (std::vector<std::string>{"message 0", "message 2"}));
    ASSERT_TRUE(bob.workUntil([&] { return !jobs(JobState::Dead).empty(); }, 10s));
    const auto dead = jobs(JobState::Dead);
    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead.front().job.body, "message 1");
    EXPECT_NE(dead.front().lastError.find("415"), std::string::npos) << dead.front().lastError;
}

TEST_F(Delivery, goesOnWithTheNextDeviceWhenTheOldOneHasVanished)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    write(alice, bob.aor(), 5);
    int answered = 0;
    bob.answerWith([&](const SipText&) { return ++answered <= 2 ? 200 : 0; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return bob.offered().size() >= 3; }));

    auto other = phone("bob");
    ASSERT_EQ(other.registerFor(60s).status, 200);

    ASSERT_TRUE(other.receive(3));
    EXPECT_EQ(other.bodies(), (std::vector<std::string>{"message 2", "message 3", "message 4"}));
    EXPECT_EQ(other.received().front().header("Call-ID"), bob.offered()[2].header("Call-ID"));
}

TEST_F(Delivery, reachesADeviceOverItsOwnTcpConnection)
{
    auto alice = phone("alice", SipTransport::Tcp);
    auto bob = phone("bob", SipTransport::Tcp);
    write(alice, bob.aor(), 20);

    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(20));
    EXPECT_EQ(bob.bodies(), numbered(20));
}

TEST_F(Delivery, bringsALongMessageWhole)
{
    auto alice = phone("alice", SipTransport::Tcp);
    auto bob = phone("bob", SipTransport::Tcp);
    const std::string body(40'000, 'x');
    ASSERT_EQ(alice.say(bob.aor(), body), 202);

    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.received().front().body, body);
}

TEST_F(Delivery, buriesWhatIsTooLongForADeviceWithoutTcp)
{
    auto alice = phone("alice", SipTransport::Tcp);
    auto bob = phone("bob");
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_EQ(alice.say(bob.aor(), std::string(65'500, 'x')), 202);
    ASSERT_EQ(alice.say(bob.aor(), "short"), 202);

    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"short"});
    ASSERT_TRUE(bob.workUntil([&] { return !jobs(JobState::Dead).empty(); }));
    EXPECT_NE(jobs(JobState::Dead)[0].lastError.find("513 Too large for UDP"), std::string::npos);
}

TEST_F(Delivery, asksTheDeviceOnceAboutATransientMessage)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    auto typing = alice.message(bob.aor(), "<isComposing/>");
    typing.set("Content-Type", "application/im-iscomposing+xml");
    EXPECT_EQ(alice.ask(typing).status, 480);

    ASSERT_EQ(bob.registerFor(60s).status, 200);
    bob.answerWith([](const SipText&) { return 486; });
    auto again = alice.message(bob.aor(), "<isComposing/>");
    again.set("Content-Type", "application/im-iscomposing+xml");
    const auto branch = alice.start(again);
    ASSERT_TRUE(bob.workUntil([&] { return bob.offered().size() == 1; }));
    ASSERT_TRUE(alice.workUntil([&] { return alice.outcomes().count(branch) == 1; }));

    EXPECT_EQ(alice.outcomes().at(branch).status, 486);
    EXPECT_TRUE(jobs(JobState::Held).empty());
}

TEST_F(Delivery, logsWhyATransientMessageWasNotForwarded)
{
    auto alice = phone("alice");
    const std::string bob = "sip:bob@localhost";
    redis_.send({"SET", "rst:{s0}:aor:" + bob, "no hash"});
    auto typing = alice.message(bob, "<isComposing/>");
    typing.set("Content-Type", "application/im-iscomposing+xml");
    SipPhone::Outcome outcome;
    const auto lines = loggedBy([&] { outcome = alice.ask(typing); });
    EXPECT_EQ(outcome.status, 500);
    EXPECT_NE(lines.find("1 messages were not forwarded, the last to " + bob + ": "),
              std::string::npos)
        << lines;
    EXPECT_NE(lines.find("WRONGTYPE"), std::string::npos) << lines;
}

TEST_F(Delivery, bringsADueReminderFromItsLane)
{
    auto bob = phone("bob");
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    host_.onThread([&](auto& queue, auto&, auto done) {
        PushOptions order;
        order.job.topic = "reminder";
        order.job.channel = Channel::Sip;
        order.job.recipient = bob.aor();
        order.job.body = "pay";
        order.job.contentType = "text/plain";
        order.delay = 300ms;
        queue.push(std::move(order), [done](const Result<PushOutcome>& pushed) {
            EXPECT_TRUE(pushed.has_value());
            done();
        });
    });

    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"pay"});
}

TEST_F(Delivery, bringsAReminderForAnAddressThatIsWrittenInAnotherWayOnRegistration)
{
    auto bob = phone("bob");
    host_.onThread([&](auto& queue, auto&, auto done) {
        PushOptions order;
        order.job.topic = "reminder";
        order.job.channel = Channel::Sip;
        order.job.recipient = "sip:bob@LOCALHOST:5060";
        order.job.body = "pay";
        order.job.contentType = "text/plain";
        queue.push(std::move(order), [done](const Result<PushOutcome>& pushed) {
            EXPECT_TRUE(pushed.has_value());
            done();
        });
    });
    ASSERT_TRUE(bob.workUntil([&] {
        const auto held = jobs(JobState::Held);
        return held.size() == 1 && held.front().job.recipient == bob.aor();
    }));

    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"pay"});
}

TEST_F(Delivery, givesBackUntriedWhatItHadClaimedWhenItDrains)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    write(alice, bob.aor(), 5);
    bob.answerWith([](const SipText&) { return 0; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return !bob.offered().empty(); }));

    host_.drain();

    const auto held = jobs(JobState::Held);
    ASSERT_EQ(held.size(), 5U);
    EXPECT_TRUE(jobs(JobState::Leased).empty());
    EXPECT_EQ(held[1].attempt, 0U);
}

TEST(Drain, endsWhenTheSenderOfWhatIsBeingStoredHasItsAnswer)
{
    RedisServer redis;
    auto settings = PluginHost::settings();
    settings.redis = redis.url();
    auto host = std::make_unique<PluginHost>(settings);
    SipPhone alice({"alice", "localhost", host->server(SipTransport::Tcp)});
    redis.send({"CLIENT", "PAUSE", "1200"});  // less than the time-out of the store
    const auto branch = alice.start(alice.message("sip:bob@localhost", "just in time"));
    // Behind the message on the same connection, and asks nothing of the store.
    ASSERT_EQ(alice.ask(alice.request("OPTIONS", "sip:localhost")).status, 200);
    ASSERT_FALSE(alice.outcomes().contains(branch));

    host->drain();
    host.reset();

    ASSERT_TRUE(alice.workUntil([&] { return alice.outcomes().contains(branch); }));
    EXPECT_EQ(alice.outcomes().at(branch).status, 202);
}

TEST(Registration, makesUpForTheTimeInWhichTheRecipientWasOutOfReach)
{
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.sip.retry = RetrySchedule::parse("0s,1h").value();
    PluginHost host(settings);
    SipPhone alice({"alice", "localhost", host.server()});
    SipPhone bob({"bob", "localhost", host.server()});
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    bob.answerWith([](const SipText&) { return 480; });
    auto fleeting = alice.message(bob.aor(), "fleeting");
    fleeting.set("Expires", "1");
    ASSERT_EQ(alice.ask(fleeting).status, 202);
    ASSERT_TRUE(bob.workUntil([&] { return !bob.offered().empty(); }));
    const auto isEmpty = [&] {
        std::uint64_t mailboxes = 1;
        host.onThread([&](auto&, auto& inspector, auto done) {
            inspector.counts([&, done](const Result<StoreCounts>& counts) {
                mailboxes = counts.value().mailboxes;
                done();
            });
        });
        return mailboxes == 0;
    };
    // It expires, so that at the next REGISTER nothing waits.
    ASSERT_TRUE(bob.workUntil(isEmpty, 10s));

    bob.answerWith([](const SipText&) { return 200; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_EQ(alice.say(bob.aor(), "now"), 202);

    EXPECT_TRUE(bob.receive(1));
}

TEST(SipV6, deliversOverIpv6)
{
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.sip.listen = {{true, true, {"::1", 0}}};
    PluginHost host(settings);
    SipPhone alice({"alice", "[::1]", host.server()});
    SipPhone bob({"bob", "[::1]", host.server()});
    ASSERT_EQ(alice.say(bob.aor(), "six"), 202);

    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"six"});
}

TEST(Restart, deliversAtOnceWhatACrashedPredecessorHadInHand)
{
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.soleOwner = true;
    auto first = std::make_unique<PluginHost>(settings);
    SipPhone alice({"alice", "localhost", first->server()});
    SipPhone bob({"bob", "localhost", first->server()});
    ASSERT_EQ(alice.say(bob.aor(), "one"), 202);
    ASSERT_EQ(alice.say(bob.aor(), "two"), 202);
    bob.answerWith([](const SipText&) { return 0; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return !bob.offered().empty(); }));
    first.reset();  // with both messages leased

    bob.answerWith([](const SipText&) { return 200; });
    PluginHost second(settings);
    bob.socket().moveTo(second.server());

    ASSERT_TRUE(bob.receive(2, 10s));
    EXPECT_EQ(bob.bodies(), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(bob.received().front().header("Call-ID"), bob.offered().front().header("Call-ID"));
}

TEST(Restart, deliversToARegisteredRecipientWhatWasStoredJustBeforeACrash)
{
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    auto first = std::make_unique<PluginHost>(settings);
    SipPhone bob({"bob", "localhost", first->server()});
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    first->onThread([&](DelayQueue& queue, JobInspector&, auto done) {
        PushOptions order;  // what the receiver does before its 202, and then no more
        order.job.topic = "sip";
        order.job.channel = Channel::Sip;
        order.job.recipient = bob.aor();
        order.job.body = "just stored";
        order.job.contentType = "text/plain";
        order.placement = Placement::Mailbox;
        order.delay = Millis{3'600'000};
        queue.push(std::move(order), [done](const Result<PushOutcome>& stored) {
            EXPECT_TRUE(stored);
            done();
        });
    });
    first.reset();

    PluginHost second(settings);
    bob.socket().moveTo(second.server());

    ASSERT_TRUE(bob.receive(1, 10s));
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"just stored"});
}

TEST(Restart, acknowledgesNothingThatTheStoreHasNotAnsweredWhenItEnds)
{
    RedisServer redis;
    auto settings = PluginHost::settings();
    settings.redis = redis.url();
    auto host = std::make_unique<PluginHost>(settings);
    SipPhone alice({"alice", "localhost", host->server()});
    ASSERT_EQ(alice.say("sip:bob@localhost", "warm"), 202);
    redis.pause();
    const auto branch = alice.start(alice.message("sip:bob@localhost", "lost"));
    alice.workUntil([] { return false; }, 50ms);

    host.reset();
    redis.resume();

    alice.workUntil([&] { return alice.outcomes().count(branch) == 1; }, 200ms);
    EXPECT_TRUE(alice.outcomes().count(branch) == 0 || alice.outcomes().at(branch).status >= 400);
}

TEST(FirstWait, isHonouredAndARegistrationComesFirst)
{
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.sip.retry = RetrySchedule::parse("1h,1h").value();
    PluginHost host(settings);
    SipPhone alice({"alice", "localhost", host.server()});
    SipPhone bob({"bob", "localhost", host.server()});
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_EQ(alice.say(bob.aor(), "not yet"), 202);
    ASSERT_EQ(alice.say("sip:carol@localhost", "other"), 202);
    host.onThread([&](DelayQueue&, JobInspector& inspector, auto done) {
        JobQuery query;
        query.recipient = bob.aor();
        inspector.list(query, [done](const Result<JobPage>& page) {
            EXPECT_EQ(page.value().jobs.size(), 1U);
            if (!page.value().jobs.empty()) {
                EXPECT_EQ(page.value().jobs.front().state, JobState::Held);
                EXPECT_EQ(page.value().jobs.front().attempt, 0U);
                EXPECT_GT(page.value().jobs.front().due, SystemClock().now() + 59min);
                EXPECT_LT(page.value().jobs.front().due, SystemClock().now() + 61min);
            }
            done();
        });
    });

    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(bob.receive(1, 10s));
    EXPECT_EQ(bob.offered().size(), 1U);
}

TEST(Options, areAnsweredTryLaterWithoutAStoreAndWhileDraining)
{
    RedisServer redis;
    auto settings = PluginHost::settings();
    settings.redis = redis.url();
    PluginHost host(settings);
    SipPhone proxy({"proxy", "localhost", host.server()});
    EXPECT_EQ(proxy.ask(proxy.request("OPTIONS", "sip:localhost")).status, 200);
    redis.kill9();
    EXPECT_TRUE(proxy.workUntil(
        [&] { return proxy.ask(proxy.request("OPTIONS", "sip:localhost")).status == 503; }, 10s));
}

TEST_F(Delivery, answersOptionsWithTryLaterWhileItDrains)
{
    auto alice = phone("alice");
    host_.drain();
    const auto answer = alice.ask(alice.request("OPTIONS", "sip:localhost"));
    EXPECT_EQ(answer.status, 503);
    EXPECT_TRUE(answer.response.has("Retry-After"));
}

TEST(Outage, goesOnWithTheMailboxWhenTheStoreIsBack)
{
    RedisServer redis;
    auto settings = PluginHost::settings();
    settings.redis = redis.url();
    PluginHost host(settings);
    SipPhone alice({"alice", "localhost", host.server()});
    SipPhone bob({"bob", "localhost", host.server()});
    constexpr std::size_t kMessages = 200;
    for (std::size_t i = 0; i < kMessages; ++i) {
        ASSERT_EQ(alice.say(bob.aor(), std::to_string(i)), 202);
    }
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(bob.receive(20));

    redis.pause();
    const auto before = bob.received().size();
    bob.workUntil([] { return false; }, 700ms);
    constexpr std::size_t kUnconfirmed = 32;  // DeliveryRun::Settings
    EXPECT_LE(bob.received().size(), before + kUnconfirmed)
        << "sends on although nothing is confirmed";
    const auto unconfirmed = bob.received().size();
    bob.workUntil([] { return false; }, 100ms);
    EXPECT_EQ(bob.received().size(), unconfirmed) << "sends on although nothing is confirmed";
    redis.resume();

    ASSERT_TRUE(bob.receive(kMessages));
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < kMessages; ++i) {
        expected.push_back(std::to_string(i));
    }
    EXPECT_EQ(bob.bodies(), expected);
}

}  // namespace
}  // namespace restante::test
