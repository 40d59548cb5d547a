// Several threads that serve SIP: what people see is the same as with one.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace restante::test {

namespace {

/// A recipient for each of the threads, and more.
constexpr std::size_t kPeople = 24;

std::string person(std::size_t number)
{
    return "person" + std::to_string(number);
}

SipTransport transportOf(std::size_t number)
{
    return number % 2 == 0 ? SipTransport::Udp : SipTransport::Tcp;
}

class SipThreads : public ::testing::Test {
protected:
    void start(std::vector<std::string> set = {})
    {
        set.emplace_back("sip.threads=4");
        daemon_ = std::make_unique<Daemon>(Daemon::Settings{std::move(set)});
    }
    /// Says each text to each person, one sender over one socket, and waits until all are stored.
    static void sayToAll(SipPhone& sender,
                         std::size_t people,
                         const std::vector<std::string>& texts,
                         int status = 202)
    {
        for (const auto& text : texts) {
            std::vector<std::string> branches;
            for (std::size_t i = 0; i < people; ++i) {
                branches.push_back(sender.start(sender.message(Daemon::aor(person(i)), text)));
            }
            ASSERT_TRUE(sender.workUntil([&] { return sender.inFlight() == 0; }));
            for (const auto& branch : branches) {
                ASSERT_EQ(sender.takeOutcome(branch).value_or(SipPhone::Outcome{}).status, status);
            }
        }
    }
    std::vector<SipPhone> registerAll(std::size_t people)
    {
        std::vector<SipPhone> phones;
        phones.reserve(people);
        for (std::size_t i = 0; i < people; ++i) {
            phones.push_back(registeredPhone(*daemon_, person(i), transportOf(i)));
        }
        return phones;
    }

    std::unique_ptr<Daemon> daemon_;
};

TEST_F(SipThreads, storeWhatOneSenderSaysToManyAndDeliverItInOrder)
{
    start();
    constexpr std::size_t kMany = 200;
    auto alice = phoneOf(*daemon_, "alice");
    sayToAll(alice, kMany, {"first", "second", "third"});
    EXPECT_EQ(daemon_->jobs()["held"], 3 * kMany);
    for (std::size_t i = 0; i < kMany; ++i) {
        auto phone = registeredPhone(*daemon_, person(i), transportOf(i));
        ASSERT_TRUE(phone.receive(3)) << person(i);
        EXPECT_EQ(phone.bodies(), (std::vector<std::string>{"first", "second", "third"}));
    }
    EXPECT_TRUE(eventually([this] { return daemon_->jobsInAll() == 0; }));
}

TEST_F(SipThreads, storeARepeatedMessageOnce)
{
    start();
    auto alice = phoneOf(*daemon_, "alice");
    for (std::size_t i = 0; i < kPeople; ++i) {
        const auto text = alice.message(Daemon::aor(person(i)), "once").toString();
        for (int repeated = 0; repeated < 3; ++repeated) {
            alice.socket().send(text);
            ASSERT_TRUE(alice.socket().receive(Millis{10'000}));
        }
    }
    EXPECT_EQ(daemon_->jobsInAll(), kPeople);
}

TEST_F(SipThreads, deliverToWhoeverIsRegisteredAtAnyOfThem)
{
    start();
    auto phones = registerAll(kPeople);
    auto overUdp = phoneOf(*daemon_, "alice");
    auto overTcp = phoneOf(*daemon_, "carol", SipTransport::Tcp);
    sayToAll(overUdp, kPeople, {"by datagram"});
    for (auto& phone : phones) {
        EXPECT_TRUE(phone.receive(1)) << phone.aor();
    }
    sayToAll(overTcp, kPeople, {"by connection"});
    for (auto& phone : phones) {
        EXPECT_TRUE(phone.receive(2)) << phone.aor();
        EXPECT_EQ(phone.bodies(), (std::vector<std::string>{"by datagram", "by connection"}));
    }
    EXPECT_TRUE(eventually([this] { return daemon_->jobsInAll() == 0; }));
}

TEST_F(SipThreads, reachEveryDeviceOfAPersonWhereverItsConnectionIs)
{
    start({"sip.devices=all"});
    std::vector<std::unique_ptr<SipPhone>> devices;
    for (std::size_t i = 0; i < 6; ++i) {
        devices.push_back(
            std::make_unique<SipPhone>(registeredPhone(*daemon_, "bob", transportOf(i))));
    }
    auto alice = phoneOf(*daemon_, "alice");
    ASSERT_EQ(alice.say(Daemon::aor("bob"), "to all of you"), 202);
    for (auto& device : devices) {
        EXPECT_TRUE(device->receive(1));
    }
}

/// The thread that takes the next message has found them away; another one has their REGISTER.
TEST_F(SipThreads, knowAtOnceThatSomebodyIsBackWhoWasAway)
{
    start();
    auto alice = phoneOf(*daemon_, "alice");
    auto away = registerAll(kPeople);
    for (auto& phone : away) {
        phone.answerWith(
            [](const SipText& request) { return request.method() == "MESSAGE" ? 480 : 200; });
    }
    sayToAll(alice, kPeople, {"are you there?"});
    for (auto& phone : away) {
        ASSERT_TRUE(phone.workUntil([&] { return !phone.offered().empty(); })) << phone.aor();
        phone.unregister();
    }
    auto back = registerAll(kPeople);
    for (auto& phone : back) {
        ASSERT_TRUE(phone.receive(1)) << phone.aor();
    }
    sayToAll(alice, kPeople, {"now"});
    for (auto& phone : back) {
        EXPECT_TRUE(phone.receive(2)) << phone.aor() << " waits for the retry schedule";
        EXPECT_EQ(phone.bodies(), (std::vector<std::string>{"are you there?", "now"}));
    }
}

/// The thread that takes what comes over UDP has found bob away; another one, which has the
/// connection of some friend, delivers to him. He does not register again.
TEST_F(SipThreads, knowAtOnceThatSomebodyIsBackToWhomAnotherHasDelivered)
{
    start();
    const auto bobsAor = Daemon::aor("bob");
    auto bob = registeredPhone(*daemon_, "bob");
    bob.answerWith([](const SipText&) { return 480; });
    auto alice = phoneOf(*daemon_, "alice");
    ASSERT_EQ(alice.say(bobsAor, "are you there?"), 202);
    ASSERT_TRUE(bob.workUntil([&] { return !bob.offered().empty(); }));
    ASSERT_TRUE(bob.workUntil([this] { return daemon_->jobs()["held"] == 1; }));

    bob.answerWith([](const SipText&) { return 200; });
    constexpr std::size_t kFriends = 12;  // of whom hardly all have the first thread
    for (std::size_t i = 0; i < kFriends; ++i) {
        auto one = phoneOf(*daemon_, person(i), SipTransport::Tcp);
        ASSERT_EQ(one.say(bobsAor, "hello"), 202);
    }
    ASSERT_TRUE(bob.receive(1 + kFriends)) << "what the first thread has left alone is tried, too";
    ASSERT_EQ(alice.say(bobsAor, "now"), 202);
    ASSERT_TRUE(bob.receive(2 + kFriends)) << "it waits for the retry schedule";
    EXPECT_EQ(bob.bodies().front(), "are you there?");
    EXPECT_EQ(bob.bodies().back(), "now");
}

TEST_F(SipThreads, startAgainAfterACrashWithWhatTheyHad)
{
    start();
    auto alice = phoneOf(*daemon_, "alice");
    sayToAll(alice, kPeople, {"before"});
    daemon_->kill9();
    daemon_->start();
    auto phones = registerAll(kPeople);
    for (auto& phone : phones) {
        EXPECT_TRUE(phone.receive(1)) << phone.aor();
    }
    sayToAll(alice, kPeople, {"after"});
    for (auto& phone : phones) {
        EXPECT_TRUE(phone.receive(2)) << phone.aor();
    }
    EXPECT_TRUE(eventually([this] { return daemon_->jobsInAll() == 0; }));
    EXPECT_EQ(daemon_->stop(), 0);
}

TEST_F(SipThreads, allReadAgainWhatAHangupIsFor)
{
    const TempDir directory;
    const auto file = (directory / "users").string();
    std::ofstream(file) << "somebody\n";
    start({"sip.users=" + file});
    auto alice = phoneOf(*daemon_, "alice");
    sayToAll(alice, kPeople, {"hello"}, 404);
    {
        std::ofstream users(file);
        for (std::size_t i = 0; i < kPeople; ++i) {
            users << person(i) << "\n";
        }
    }
    daemon_->process().signal(SIGHUP);
    ASSERT_TRUE(eventually([&] {
        for (std::size_t i = 0; i < kPeople; ++i) {
            if (alice.say(Daemon::aor(person(i)), "hello again") != 202) {
                return false;
            }
        }
        return true;
    }));
}

TEST_F(SipThreads, letNoOtherDaemonHaveTheirPorts)
{
    start();
    for (const auto* threads : {"1", "4"}) {
        const TempDir directory;
        const auto second =
            run({{builtProgram("restanted"), "--set", "state_dir=" + (directory / "state").string(),
                  "--set", "sip.listen=" + daemon_->udp().hostPort(), "--set", "http.listen=off",
                  "--set", std::string("sip.threads=") + threads},
                 {},
                 {}});
        EXPECT_EQ(second.status, 1);
        EXPECT_NE(second.errors.find("another program has this port"), std::string::npos)
            << second.errors;
    }
}

TEST_F(SipThreads, tellAPhoneOfAMessageThatAnotherHasTaken)
{
    start({"sip.mwi=true", "sip.retry=1h"});
    std::vector<SipPhone> phones;
    phones.reserve(kPeople);
    for (std::size_t i = 0; i < kPeople; ++i) {
        auto& phone = phones.emplace_back(phoneOf(*daemon_, person(i), transportOf(i)));
        auto subscribe = phone.request("SUBSCRIBE", phone.aor());
        subscribe.set("Contact", phone.contact());
        subscribe.set("Event", "message-summary");
        subscribe.set("Expires", "600");
        ASSERT_EQ(phone.ask(subscribe).status, 200);
        ASSERT_TRUE(phone.receive(1)) << "the first NOTIFY";
    }
    auto alice = phoneOf(*daemon_, "alice");
    sayToAll(alice, kPeople, {"read me"});
    for (auto& phone : phones) {
        ASSERT_TRUE(phone.receive(2)) << phone.aor();
        EXPECT_NE(phone.received().back().body.find("Messages-Waiting: yes"), std::string::npos);
    }
}

}  // namespace

}  // namespace restante::test
