// Several daemons on one Redis and one mailbox: each message leaves once and in order, whoever
// delivers it, and a request that is sent again is stored once, whoever takes it.

#include "tests/support/eventually.h"
#include "tests/support/instance_phone.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

using RunningDaemons = std::vector<std::unique_ptr<Daemon>>;

/// The one of some daemons that is stopped for a while, with all that it has heard and not read.
class Hung {
public:
    explicit Hung(const RunningDaemons& daemons) : daemons_(daemons) {}
    Hung(const Hung&) = delete;
    Hung& operator=(const Hung&) = delete;
    ~Hung()
    {
        if (daemon_ != nullptr) {
            daemon_->process().signal(SIGCONT);
        }
    }

    void stop(Daemon& daemon)
    {
        daemon_ = &daemon;
        daemon.process().signal(SIGSTOP);
    }
    /// Of the first such message only.
    void stopTheSenderOf(const SipText& message)
    {
        for (const auto& one : daemons_) {
            if (daemon_ == nullptr && isOf(message, *one)) {
                stop(*one);
            }
        }
    }
    bool hasSent(const SipText& message) const { return isOf(message, *daemon_); }
    /// It goes on and is told of a message to Bob, once it has heard what was sent to it meanwhile
    /// and has its store again.
    void goesOnAndIsTold(const std::string& text)
    {
        daemon_->process().signal(SIGCONT);
        auto carol = phoneOf(*daemon_, "carol");
        const auto serves = [&] {
            return carol.ask(carol.request("OPTIONS", std::string("sip:") + kDomain)).status == 200;
        };
        EXPECT_TRUE(eventually(serves, kProcessTimeout));
        EXPECT_TRUE(eventually([&] { return carol.say(kBob, text) == 202; }, kProcessTimeout));
    }

private:
    static bool isOf(const SipText& message, const Daemon& daemon)
    {
        const auto port = ":" + std::to_string(daemon.udp().port);
        return message.header("Via").find(port) != std::string::npos;
    }

    const RunningDaemons& daemons_;
    Daemon* daemon_ = nullptr;
};

class Flushers : public ::testing::Test {
protected:
    std::unique_ptr<Daemon> daemon(std::vector<std::string> more = {})
    {
        more.push_back("redis.url=" + redis_.url().toString());
        more.emplace_back("journal.mode=off");
        more.emplace_back("sip.retry=0s,300ms,300ms,300ms");
        return std::make_unique<Daemon>(Daemon::Settings{.set = std::move(more)});
    }
    std::vector<std::unique_ptr<Daemon>> three(const std::vector<std::string>& more = {})
    {
        std::vector<std::unique_ptr<Daemon>> all;
        for (int i = 0; i < 3; ++i) {
            all.push_back(daemon(more));
        }
        return all;
    }
    RunningDaemons two()
    {
        RunningDaemons both;
        both.push_back(daemon());
        both.push_back(daemon());
        return both;
    }
    /// Writes to Bob through the daemons in turn, one after the other; answers the texts in order.
    static std::vector<std::string> write(const std::vector<std::unique_ptr<Daemon>>& daemons,
                                          std::size_t count)
    {
        std::vector<SipPhone> alices;
        alices.reserve(daemons.size());
        for (const auto& one : daemons) {
            alices.push_back(phoneOf(*one, "alice"));
        }
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < count; ++i) {
            texts.push_back("letter " + std::to_string(i));
            EXPECT_EQ(alices[i % alices.size()].say(kBob, texts.back()), 202);
        }
        return texts;
    }
    static bool isEmpty(const Daemon& daemon)
    {
        return eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout);
    }

    RedisServer redis_;
};

TEST_F(Flushers, bringAThousandMessagesOnceAndInOrderAmongThem)
{
    // The copies register Bob's port from their own.
    const auto daemons = three({"sip.contacts.allow=127.0.0.1"});
    const auto texts = write(daemons, 1'000);
    auto bob = phoneOf(*daemons[0], "bob");
    // All three are told that Bob is there, and again and again while he is being served.
    std::vector<SipPhone> copies;
    for (const auto& one : daemons) {
        copies.push_back(phoneOf(*one, "bob"));
    }
    const auto tellAll = [&] {
        for (auto& copy : copies) {
            auto registration = copy.registration(kRegistration);
            registration.set("Contact", bob.contact());
            copy.start(registration);
            copy.work(1ms);
        }
    };
    tellAll();
    std::size_t told = 0;
    ASSERT_TRUE(workTogether({&bob, &copies[0], &copies[1], &copies[2]}, [&] {
        if (bob.received().size() / 100 > told) {
            ++told;
            tellAll();
        }
        return bob.received().size() == texts.size();
    }));
    EXPECT_EQ(bob.bodies(), texts);
    EXPECT_TRUE(isEmpty(*daemons[0]));
    EXPECT_EQ(bob.offered().size(), texts.size()) << "none was offered twice";
}

TEST_F(Flushers, keepTheOrderWhenTheDeviceIsAwayInBetween)
{
    const auto daemons = three();
    const auto texts = write(daemons, 60);
    auto bob = phoneOf(*daemons[0], "bob");
    std::size_t offers = 0;
    bob.answerWith([&](const SipText&) { return ++offers % 20 == 0 ? 480 : 200; });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.receive(texts.size()));
    EXPECT_EQ(bob.bodies(), texts);
    EXPECT_TRUE(isEmpty(*daemons[0]));
}

TEST_F(Flushers, bringEveryDeviceEachMessageOnceAndInOrder)
{
    const auto daemons = three({"sip.devices=all"});
    const auto texts = write(daemons, 200);
    auto phone = phoneOf(*daemons[0], "bob");
    auto tablet = phoneOf(*daemons[1], "bob");
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    ASSERT_EQ(registerAs(tablet, "urn:uuid:tablet"), 200);
    ASSERT_TRUE(workTogether({&phone, &tablet}, [&] {
        return phone.received().size() == texts.size() && tablet.received().size() == texts.size();
    }));
    EXPECT_EQ(phone.bodies(), texts);
    EXPECT_EQ(tablet.bodies(), texts);
    EXPECT_EQ(phone.offered().size(), texts.size());
    EXPECT_EQ(tablet.offered().size(), texts.size());
}

TEST_F(Flushers, bringADeviceWhatACrashedOneLeftWithoutARepetitionOfWhatItHad)
{
    auto daemons = three({"sip.devices=all"});
    const auto texts = write(daemons, 100);
    auto phone = phoneOf(*daemons[0], "bob");
    bool crashed = false;
    phone.answerWith([&](const SipText&) {
        if (phone.received().size() == 50 && !std::exchange(crashed, true)) {
            for (auto& one : daemons) {
                one->kill9();
            }
        }
        return 200;
    });
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    ASSERT_TRUE(phone.workUntil([&] { return crashed; }));
    daemons[1]->start();
    ASSERT_TRUE(phone.workUntil([&] {
        const auto got = phone.bodies();
        return std::set(got.begin(), got.end()).size() == texts.size();
    }));
    std::map<std::string, std::set<std::string>> callIds;
    for (const auto& message : phone.received()) {
        callIds[message.body].insert(message.header("Call-ID"));
    }
    for (const auto& [text, ids] : callIds) {
        EXPECT_EQ(ids.size(), 1U) << text << ": a repetition has the same Call-ID";
    }
    // What was not marked yet: the settings' 32 at most.
    EXPECT_LE(phone.received().size(), texts.size() + 32);
}

TEST_F(Flushers, bringWhatAKilledOneHadInHandWhenItsLeaseEnds)
{
    // A failure would wait for ten minutes; that a daemon was killed is none.
    std::vector<std::unique_ptr<Daemon>> daemons;
    for (int i = 0; i < 2; ++i) {
        daemons.push_back(daemon({"sip.retry=0s,10m"}));
    }
    auto alice = phoneOf(*daemons[0], "alice");
    auto bob = phoneOf(*daemons[1], "bob");
    std::string killed;
    bob.answerWith([&](const SipText& message) {
        const auto via = message.header("Via");
        for (auto& one : daemons) {
            // Whichever was quicker.
            const auto port = ":" + std::to_string(one->udp().port);
            if (killed.empty() && via.find(port) != std::string::npos) {
                killed = port;
                one->kill9();
            }
        }
        return 200;
    });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_EQ(alice.say(kBob, "in hand"), 202);
    // The message's lease is 10 s; 60 s at most, once it has been made longer.
    ASSERT_TRUE(bob.receive(2, 30s)) << "killed: " << killed;
    EXPECT_EQ(bob.bodies(), (std::vector<std::string>{"in hand", "in hand"}));
    EXPECT_EQ(bob.offered().size(), 2U) << "once by each";
    EXPECT_EQ(bob.received().back().header("Via").find(killed), std::string::npos);
    EXPECT_TRUE(eventually(
        [&] {
            return redis_.send({"KEYS", "rst:{s0}:box:*"}).array()->empty();
        },
        kProcessTimeout));
}

TEST_F(Flushers, bringWhatAHangingOneHasInHandWhenItsLeaseEnds)
{
    const auto daemons = two();
    auto alice = phoneOf(*daemons[0], "alice");
    auto bob = phoneOf(*daemons[1], "bob");
    Hung hung{daemons};
    bob.answerWith([&](const SipText& message) {
        hung.stopTheSenderOf(message);
        return 200;
    });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_EQ(alice.say(kBob, "in hand"), 202);
    ASSERT_TRUE(bob.receive(2, 60s)) << "the first answer was not heard";
    EXPECT_EQ(bob.received()[0].header("Call-ID"), bob.received()[1].header("Call-ID"));
    EXPECT_FALSE(hung.hasSent(bob.received()[1]));

    // It hears the first answer now, which is of no matter any more.
    hung.goesOnAndIsTold("next");
    ASSERT_TRUE(bob.receive(3));
    EXPECT_EQ(bob.bodies(), (std::vector<std::string>{"in hand", "in hand", "next"}));
    EXPECT_EQ(bob.offered().size(), 3U);
    EXPECT_TRUE(isEmpty(*daemons[0]));
}

TEST_F(Flushers, leaveTheNextDeviceToTheOneThatHasTheMessageNow)
{
    const auto daemons = two();
    auto alice = phoneOf(*daemons[0], "alice");
    auto desk = phoneOf(*daemons[1], "bob");
    auto mobile = phoneOf(*daemons[1], "bob");
    Hung hung{daemons};
    desk.answerWith([&](const SipText& message) {
        hung.stopTheSenderOf(message);
        return 480;
    });
    for (auto* device : {&desk, &mobile}) {
        auto registration = device->registration(kRegistration);
        registration.set("Contact", device->contact() + (device == &desk ? ";q=1" : ";q=0.5"));
        ASSERT_EQ(device->ask(registration).status, 200);
    }
    ASSERT_EQ(alice.say(kBob, "in hand"), 202);
    ASSERT_TRUE(workTogether({&desk, &mobile}, [&] { return mobile.received().size() == 1; }));
    EXPECT_EQ(desk.offered().size(), 2U) << "once by each";

    // It hears the desk phone's answer now.
    hung.goesOnAndIsTold("next");
    ASSERT_TRUE(workTogether({&desk, &mobile}, [&] {
        const auto got = mobile.bodies();
        return !got.empty() && got.back() == "next";
    }));
    EXPECT_EQ(mobile.bodies(), (std::vector<std::string>{"in hand", "next"}));
    EXPECT_TRUE(isEmpty(*daemons[0]));
}

TEST_F(Flushers, bringByANewConnectionWhatWaitsForOneThatHangs)
{
    const auto daemons = two();
    auto bob = phoneOf(*daemons[0], "bob", SipTransport::Tcp);
    ASSERT_EQ(registerAs(bob, "urn:uuid:phone"), 200);
    Hung hung{daemons};
    hung.stop(*daemons[0]);
    auto alice = phoneOf(*daemons[1], "alice");
    ASSERT_EQ(alice.say(kBob, "for the one that hangs"), 202);
    // As a phone does that misses the answers to its keep-alives.
    auto again = phoneOf(*daemons[1], "bob", SipTransport::Tcp);
    ASSERT_EQ(registerAs(again, "urn:uuid:phone"), 200);
    ASSERT_TRUE(again.receive(1));

    hung.goesOnAndIsTold("next");
    ASSERT_TRUE(again.receive(2));
    EXPECT_EQ(again.bodies(), (std::vector<std::string>{"for the one that hangs", "next"}));
    bob.work(Millis{0});
    EXPECT_TRUE(bob.offered().empty());
    EXPECT_TRUE(isEmpty(*daemons[0]));
}

TEST_F(Flushers, storeARequestOnceThatComesByAnyWayToAnyOfThem)
{
    const auto first = daemon();
    const auto second = daemon();
    auto alice = phoneOf(*first, "alice");
    const auto message = alice.message(kBob, "once");
    const auto resendTo = [&](const Daemon& to, SipTransport transport) {
        auto phone = phoneOf(to, "alice", transport);
        auto again = message;
        const auto via = phone.message(kBob, "").header("Via");  // a transaction of its own
        return phone.ask(again.set("Via", via)).status;
    };
    ASSERT_EQ(resendTo(*first, SipTransport::Udp), 202);
    EXPECT_EQ(resendTo(*first, SipTransport::Tcp), 202);
    EXPECT_EQ(resendTo(*second, SipTransport::Udp), 202);
    EXPECT_EQ(resendTo(*second, SipTransport::Tcp), 202);
    EXPECT_EQ(first->jobsInAll(), 1U);
    first->kill9();
    first->start();
    EXPECT_EQ(resendTo(*first, SipTransport::Tcp), 202);
    EXPECT_EQ(first->jobsInAll(), 1U);

    // Nor is it stored again once it has been delivered.
    auto bob = registeredPhone(*second, "bob");
    ASSERT_TRUE(bob.receive(1));
    ASSERT_TRUE(isEmpty(*second));
    EXPECT_EQ(resendTo(*first, SipTransport::Udp), 202);
    EXPECT_EQ(resendTo(*second, SipTransport::Tcp), 202);
    EXPECT_EQ(second->jobsInAll(), 0U);
}

}  // namespace
}  // namespace restante::test
