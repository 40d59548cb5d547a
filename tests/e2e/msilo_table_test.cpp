// The table "What the msilo modules get wrong" of the design, row by row: stand-alone, where phones
// register with Restante itself, and behind Kamailio; over each transport and both IPs. Behind
// Kamailio the IP is that between the two servers.

#include "tests/e2e/letters.h"
#include "tests/support/eventually.h"
#include "tests/support/instance_phone.h"
#include "tests/support/kamailio_pair.h"
#include "tests/support/sip_path.h"
#include "tests/support/tls_socket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace restante::test {

namespace {

enum class Setting { StandAlone, BehindKamailio };

std::ostream& operator<<(std::ostream& out, Setting setting)
{
    return out << (setting == Setting::StandAlone ? "stand-alone" : "behind Kamailio");
}

using Case = std::tuple<Setting, SipPath>;

std::string nameOfCase(const ::testing::TestParamInfo<Case>& info)
{
    const auto& [setting, path] = info.param;
    return (setting == Setting::StandAlone ? "standAlone_" : "behindKamailio_") + name(path);
}

/// Where phones register, and a Restante that keeps what is for those who are away.
class Place {
public:
    Place(Setting setting, const SipPath& path, std::vector<std::string> set)
        : transport_(path.transport)
    {
        if (setting == Setting::StandAlone) {
            // After a crash a phone is called where it listens, not where it called from.
            set.emplace_back("sip.contacts.allow=127.0.0.1,::1");
            alone_.emplace(
                Daemon::Settings{std::move(set), path.host(),
                                 transport_ == SipTransport::Tls ? loopbackTls() : nullptr});
        } else {
            KamailioPair::Settings settings{transport_, std::move(set)};
            settings.overIpv6 = path.overIpv6;
            behind_.emplace(settings);
        }
    }

    Daemon& restante() { return alone_ ? *alone_ : behind_->restante; }
    SipPhone phone(const std::string& user)
    {
        return alone_ ? phoneOf(*alone_, user, transport_) : behind_->phone(user);
    }
    SipPhone registered(const std::string& user)
    {
        return alone_ ? registeredPhone(*alone_, user, transport_) : behind_->registered(user);
    }
    std::string logs() { return alone_ ? alone_->process().allOutput() : behind_->logs(); }

private:
    SipTransport transport_;
    std::optional<Daemon> alone_;
    std::optional<KamailioPair> behind_;
};

}  // namespace

class MsiloTable : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override { skipsWithout(path()); }
    static const SipPath& path() { return std::get<SipPath>(GetParam()); }
    Place& begin(std::vector<std::string> set = {})
    {
        return place_.emplace(std::get<Setting>(GetParam()), path(), std::move(set));
    }
    /// All in bob's mailbox, and not under way any more: their first attempt has found nobody.
    void storeForBob(const std::vector<std::string>& texts)
    {
        auto alice = place_->phone("alice");
        for (const auto& text : texts) {
            ASSERT_EQ(alice.say(kBob, text), 202) << place_->logs();
        }
        awaitHeld(texts.size());
    }
    void awaitHeld(std::size_t count)
    {
        ASSERT_TRUE(
            eventually([&] { return place_->restante().jobs()["held"] == count; }, kProcessTimeout))
            << place_->logs();
    }
    /// While `phone` answers what it is still asked.
    bool isEmptied(SipPhone& phone)
    {
        return phone.workUntil([&] { return place_->restante().jobsInAll() == 0; });
    }

    std::optional<Place> place_;
};

// | content | charset and boundary lost, CPIM turned into text, prefix added, Subject lost |
TEST_P(MsiloTable, keepsTheContentByteForByte)
{
    auto& place = begin();
    auto alice = place.phone("alice");
    std::vector<SipText> sent;
    for (const auto& [type, body] : std::vector<std::pair<std::string, std::string>>{
             {"text/plain;charset=iso-8859-1", "Gr\xfc\xdf"
                                               "e"},
             {"multipart/mixed;boundary=\"a b\"", "--a b\r\n\r\none\r\n--a b--\r\n"},
             {"message/cpim",
              "From: <im:alice@restante.test>\r\n\r\nContent-Type: text/plain\r\n\r\nhi"},
             {"application/octet-stream", std::string("\0\x01\xff\r\n\r\n", 7)}}) {
        auto message = alice.message(kBob, body);
        message.set("From", "\"Alice at work\" <" + alice.aor() + ">;tag=" + uniqueToken())
            .set("Content-Type", type)
            .set("Subject", "the key")
            .set("Date", "Sat, 20 Nov 2032 08:00:00 GMT")
            .set("Expires", "100000000");
        ASSERT_EQ(alice.ask(message).status, 202) << place.logs();
        sent.push_back(std::move(message));
    }
    awaitHeld(sent.size());
    auto bob = place.registered("bob");
    ASSERT_TRUE(bob.receive(sent.size())) << place.logs();
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const auto& arrived = bob.received()[i];
        EXPECT_EQ(arrived.body, sent[i].body);
        for (const auto* name : {"Content-Type", "Subject", "Date"}) {
            EXPECT_EQ(arrived.header(name), sent[i].header(name));
        }
        EXPECT_TRUE(arrived.header("From").starts_with("\"Alice at work\" <" + alice.aor() + ">"));
    }
}

/// What is longer than a datagram should be.
class MsiloTableOfStreams : public MsiloTable {};

// | 40 kB or empty body, type over 32 characters | 503 |
TEST_P(MsiloTableOfStreams, storesFortyKilobytesAnEmptyBodyAndALongType)
{
    auto& place = begin({"limits.body=41000"});
    auto alice = place.phone("alice");
    auto large = alice.message(kBob, std::string(40'000, 'x'));
    large.set("Content-Type", "application/vnd.restante.something-with-a-long-name+json");
    auto empty = alice.message(kBob, "");
    ASSERT_EQ(alice.ask(large).status, 202) << place.logs();
    ASSERT_EQ(alice.ask(empty).status, 202) << place.logs();
    EXPECT_EQ(alice.say(kBob, std::string(42'000, 'x')), 413);  // by the configured limit
    awaitHeld(2);

    auto bob = place.registered("bob");
    ASSERT_TRUE(bob.receive(2)) << place.logs();
    EXPECT_EQ(bob.received()[0].body, large.body);
    EXPECT_EQ(bob.received()[0].header("Content-Type"), large.header("Content-Type"));
    EXPECT_EQ(bob.received()[1].body, "");
}

class MsiloTableAtLength : public MsiloTable {};

// | flood of 1,000 on registration | up to 222 inversions, 43 lost in one run |
TEST_P(MsiloTableAtLength, deliversAThousandOnRegistrationInOrderOneAtATimeAndLosesNone)
{
    auto& place = begin();
    const auto texts = numbered(1'000);
    storeForBob(texts);
    auto bob = place.registered("bob");
    ASSERT_TRUE(bob.receive(texts.size())) << bob.received().size() << place.logs();
    EXPECT_EQ(bob.bodies(), texts);
    EXPECT_EQ(bob.offered().size(), texts.size());
    EXPECT_TRUE(isEmptied(bob));
}

// | device answers 480/408/503 | waits for the next REGISTER |
TEST_P(MsiloTableAtLength, triesADeviceAgainByItsOwnScheduleAndHonoursRetryAfter)
{
    auto& place = begin({"sip.retry=0s,100ms,100ms,100ms,100ms,100ms"});
    storeForBob({"not now?"});
    auto bob = place.phone("bob");
    std::vector<int> answers{480, 503, 408};
    bob.answerWith([&](const SipText&) {
        const auto next = bob.offered().size() - 1;
        return next < answers.size() ? answers[next] : 200;
    });
    bob.addToRefusals("Retry-After", "2");
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    const auto first = std::chrono::steady_clock::now();
    ASSERT_TRUE(bob.receive(1)) << bob.offered().size() << place.logs();
    // No REGISTER in between; and at least after the 480 its wish counted.
    EXPECT_GE(std::chrono::steady_clock::now() - first, std::chrono::seconds{2});
    EXPECT_EQ(bob.offered().size(), 4);
    EXPECT_TRUE(isEmptied(bob));
}

// | device answers 415/6xx | offered again at every REGISTER |
TEST_P(MsiloTable, buriesWhatIsRefusedForGoodWithTheReasonAndGoesOn)
{
    auto& place = begin();
    storeForBob({"a picture", "unwanted", "last"});
    auto bob = place.phone("bob");
    bob.answerWith([](const SipText& message) {
        return message.body == "a picture" ? 415 : message.body == "unwanted" ? 603 : 200;
    });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.receive(1)) << place.logs();
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"last"});
    ASSERT_TRUE(bob.workUntil([&] { return place.restante().jobs()["dead"] == 2; }));
    const auto errors = place.restante().lastErrors();
    EXPECT_NE(errors.find("415"), std::string::npos) << errors;
    EXPECT_NE(errors.find("603"), std::string::npos) << errors;

    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    auto alice = place.phone("alice");
    alice.start(alice.message(kBob, "after that"));
    ASSERT_TRUE(bob.receive(2));
    EXPECT_EQ(bob.offered().size(), 4);
}

// | crash after delivery | 100 of 100 delivered again |
TEST_P(MsiloTable, deliversAgainAfterACrashOnlyWhatWasUnderWayAndWithTheSameCallId)
{
    constexpr std::size_t kUnconfirmed = 32;  // docs/sip-behaviour.md, "What an answer means"
    auto& place = begin({"sip.retry=0s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s"});
    const auto texts = numbered(100);
    storeForBob(texts);
    auto bob = place.registered("bob");
    ASSERT_TRUE(bob.receive(50)) << place.logs();
    place.restante().kill9();
    place.restante().start();
    ASSERT_TRUE(isEmptied(bob)) << bob.received().size() << place.logs();

    std::map<std::string, std::set<std::string>> callIds;
    for (const auto& message : bob.received()) {
        callIds[message.body].insert(message.header("Call-ID"));
    }
    EXPECT_EQ(callIds.size(), texts.size());
    EXPECT_LE(bob.received().size(), texts.size() + kUnconfirmed);
    EXPECT_TRUE(std::all_of(callIds.begin(), callIds.end(),
                            [](const auto& each) { return each.second.size() == 1; }));
}

// | client resend | two copies |
TEST_P(MsiloTable, keepsOneCopyOfWhatAClientSendsTwice)
{
    auto& place = begin();
    auto alice = place.phone("alice");
    auto message = alice.message(kBob, "once");
    ASSERT_EQ(alice.ask(message).status, 202) << place.logs();
    message.set("Via", alice.socket().via("z9hG4bK" + uniqueToken()));
    ASSERT_EQ(alice.ask(message).status, 202);
    awaitHeld(1);
    auto bob = place.registered("bob");
    ASSERT_TRUE(isEmptied(bob));
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"once"});
}

// | `Expires` | ignored |
TEST_P(MsiloTable, neverStoresExpiresZeroAndChecksItAgainAtDelivery)
{
    auto& place = begin();
    auto alice = place.phone("alice");
    auto now = alice.message(kBob, "only if you are there");
    now.set("Expires", "0");
    EXPECT_EQ(alice.ask(now).status, 480) << place.logs();
    EXPECT_EQ(place.restante().jobsInAll(), 0);

    auto lunch = alice.message(kBob, "lunch?");
    lunch.set("Expires", "1");
    ASSERT_EQ(alice.ask(lunch).status, 202) << place.logs();
    ASSERT_TRUE(eventually([&] { return place.restante().jobs()["dead"] == 1; }, kProcessTimeout));
    ASSERT_EQ(alice.say(kBob, "dinner?"), 202);
    awaitHeld(1);
    auto bob = place.registered("bob");
    ASSERT_TRUE(bob.receive(1)) << place.logs();
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"dinner?"});
    EXPECT_EQ(bob.offered().size(), 1);
}

// | undeliverable header | 202, then never delivered and blocks the dump |
TEST_P(MsiloTable, refusesAHeaderThatCouldNotBeDeliveredBeforeIt202s)
{
    auto& place = begin();
    auto alice = place.phone("alice");
    for (const auto& [name, value] :
         std::vector<std::pair<std::string, std::string>>{{"Content-Type", "text"},
                                                          {"Date", "yesterday"},
                                                          {"Subject", "a\x01"
                                                                      "b"}}) {
        auto message = alice.message(kBob, "cannot be delivered later");
        message.set(name, value);
        EXPECT_EQ(alice.ask(message).status, 400) << name << place.logs();
    }
    EXPECT_EQ(place.restante().jobsInAll(), 0);
    storeForBob({"fine"});
    auto bob = place.registered("bob");
    ASSERT_TRUE(bob.receive(1)) << place.logs();
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"fine"});
}

// | second device | gets nothing |
TEST_P(MsiloTable, reachesTheSecondDeviceWhenTheFirstIsGone)
{
    auto& place = begin({"sip.retry=exponential(base=300ms,cap=1s,jitter=0,attempts=60)"});
    storeForBob({"to whoever is there"});
    auto gone = place.phone("bob");
    gone.answerWith([](const SipText&) { return 480; });
    ASSERT_EQ(gone.registerFor(kRegistration).status, 200);
    auto there = place.registered("bob");
    ASSERT_TRUE(there.workUntil([&] {
        gone.receive(1, Millis{1});
        return there.received().size() == 1 && place.restante().jobsInAll() == 0;
    })) << place.logs();
    EXPECT_TRUE(gone.received().empty());
}

TEST_P(MsiloTable, bringsItToEveryDeviceOnceAlsoToOneThatComesLater)
{
    auto& place =
        begin({"sip.devices=all", "sip.retry=exponential(base=300ms,cap=1s,jitter=0,attempts=60)"});
    storeForBob({"one", "two"});
    auto phone = place.phone("bob");
    auto tablet = place.phone("bob");
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    ASSERT_TRUE(phone.receive(2)) << place.logs();
    ASSERT_EQ(registerAs(tablet, "urn:uuid:tablet"), 200);
    ASSERT_TRUE(workTogether({&phone, &tablet}, [&] { return tablet.received().size() == 2; }))
        << place.logs();
    // What has come once more would be there before what is told of next.
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    auto watch = place.phone("bob");
    ASSERT_EQ(registerAs(watch, "urn:uuid:watch"), 200);
    ASSERT_TRUE(workTogether({&phone, &tablet, &watch}, [&] {
        return watch.received().size() == 2;
    })) << place.logs();
    for (auto* device : {&phone, &tablet, &watch}) {
        EXPECT_EQ(device->bodies(), (std::vector<std::string>{"one", "two"}));
        EXPECT_EQ(device->offered().size(), 2U) << "each once";
        EXPECT_EQ(device->received()[0].header("Call-ID"), phone.received()[0].header("Call-ID"));
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         MsiloTable,
                         ::testing::Combine(::testing::Values(Setting::StandAlone,
                                                              Setting::BehindKamailio),
                                            ::testing::ValuesIn(kEveryPath)),
                         nameOfCase);
INSTANTIATE_TEST_SUITE_P(All,
                         MsiloTableAtLength,
                         ::testing::Combine(::testing::Values(Setting::StandAlone,
                                                              Setting::BehindKamailio),
                                            ::testing::ValuesIn(kSomePaths)),
                         nameOfCase);
INSTANTIATE_TEST_SUITE_P(All,
                         MsiloTableOfStreams,
                         ::testing::Combine(::testing::Values(Setting::StandAlone,
                                                              Setting::BehindKamailio),
                                            ::testing::ValuesIn(kStreams)),
                         nameOfCase);

}  // namespace restante::test
