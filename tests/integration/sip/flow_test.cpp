// A device that is reached by the connection it has made (RFC 5626).

#include "core/base/file_descriptor.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "tests/integration/sip/plugin_host.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <fmt/format.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

/// A phone as a NAT shows it: always from the same port.
class PortPhone {
public:
    PortPhone(const SipServer& server, std::uint16_t own)
        : own_(own),
          fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        const int on = 1;
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        const auto from = loopback(own);
        EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from), 0);
        const auto to = loopback(server.port);
        EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    }
    /// Answers the status.
    int registerAs(const std::string& user)
    {
        send(fmt::format("REGISTER sip:localhost SIP/2.0\r\n"
                         "Via: SIP/2.0/TCP 127.0.0.1:{0};branch=z9hG4bK{1}{2}\r\n"
                         "From: <sip:{1}@localhost>;tag=1\r\nTo: <sip:{1}@localhost>\r\n"
                         "Call-ID: {1}\r\nCSeq: {2} REGISTER\r\n"
                         "Contact: <sip:{1}@127.0.0.1:{0};transport=tcp>;expires=60\r\n"
                         "Content-Length: 0\r\n\r\n",
                         own_, user, ++cseq_));
        const bool answered = hears("\r\n\r\n");
        return answered && heard_.starts_with("SIP/2.0 ") ? std::stoi(heard_.substr(8, 3)) : 0;
    }
    /// Whether that has come, or comes in time; a message may come right behind an answer.
    bool hears(std::string_view text, Millis timeout = 5s)
    {
        const auto end = std::chrono::steady_clock::now() + timeout;
        while (heard_.find(text) == std::string::npos) {
            const auto left =
                std::chrono::ceil<Millis>(end - std::chrono::steady_clock::now()).count();
            pollfd wait{fd_.get(), POLLIN, 0};
            if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) {
                return false;
            }
            std::array<char, 8'192> bytes{};
            const auto got = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
            if (got <= 0) {
                return false;
            }
            heard_.append(bytes.data(), static_cast<std::size_t>(got));
        }
        return true;
    }
    /// Without a FIN's wait, so that the port is free at once.
    void reset()
    {
        const linger now{1, 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
        fd_.close();
    }

private:
    static sockaddr_in loopback(std::uint16_t port)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        return address;
    }
    void send(const std::string& bytes)
    {
        ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }

    std::uint16_t own_;
    FileDescriptor fd_;
    int cseq_ = 0;
    std::string heard_;
};

class Flow : public ::testing::Test {
protected:
    enum class Devices { First, All };

    explicit Flow(const std::string& retry = "0s,1h", Devices devices = Devices::First)
        : settings_(settings(retry, devices))
    {
    }

    PluginHost::Settings settings(const std::string& retry, Devices devices) const
    {
        auto settings = PluginHost::settings();
        settings.redis = redis_.url();
        settings.sip.retry = RetrySchedule::parse(retry).value();
        settings.sip.devices =
            devices == Devices::All ? Config::Devices::All : Config::Devices::First;
        settings.sip.answerTimeout = Millis{2'000};
        return settings;
    }
    std::vector<JobView> jobs()
    {
        std::vector<JobView> found;
        host_.onThread([&](auto&, auto& inspector, auto done) {
            inspector.list({}, [&found, done](const Result<JobPage>& page) {
                found = page.value().jobs;
                done();
            });
        });
        return found;
    }
    std::string heldError()
    {
        std::string error;
        host_.onThread([&](auto&, auto& inspector, auto done) {
            JobQuery query;
            query.state = JobState::Held;
            inspector.list(query, [&error, done](const Result<JobPage>& page) {
                error = page.value().jobs.empty() ? "" : page.value().jobs.front().lastError;
                done();
            });
        });
        return error;
    }

    RedisServer& redis_ = sharedRedis();
    PluginHost::Settings settings_;
    PluginHost host_{settings_};
    SipServer tcp_ = host_.server(SipTransport::Tcp);
    std::uint16_t port_ = freePort();
    SipPhone alice_{{"alice", "localhost", host_.server()}};
};

TEST_F(Flow, isTheWayToADevice)
{
    PortPhone bob{tcp_, port_};
    ASSERT_EQ(bob.registerAs("bob"), 200);
    ASSERT_EQ(alice_.say("sip:bob@localhost", "hello"), 202);
    EXPECT_TRUE(bob.hears("MESSAGE sip:bob@"));
}

TEST_F(Flow, ofOneDeviceIsNotThatOfAnotherWithItsPort)
{
    PortPhone bob{tcp_, port_};
    ASSERT_EQ(bob.registerAs("bob"), 200);
    bob.reset();
    PortPhone carol{tcp_, port_};
    ASSERT_EQ(carol.registerAs("carol"), 200);
    ASSERT_EQ(alice_.say("sip:bob@localhost", "for bob's eyes"), 202);
    EXPECT_TRUE(eventually([&] { return heldError().starts_with("430"); }, 10s)) << heldError();
    EXPECT_FALSE(carol.hears("MESSAGE", 200ms));
    // He registers again, and has it.
    PortPhone again{tcp_, freePort()};
    ASSERT_EQ(again.registerAs("bob"), 200);
    EXPECT_TRUE(again.hears("for bob's eyes"));
}

/// Two daemons on one store; Bob's connection is with the other one than Alice's.
class FlowOfAnother : public Flow {
protected:
    explicit FlowOfAnother(const std::string& retry = "0s,1h", Devices devices = Devices::First)
        : Flow(retry, devices)
    {
        // The run and the UDP socket of each.
        EXPECT_TRUE(eventually(
            [&] {
                return redis_.send({"PUBSUB", "CHANNELS", "rst:{s0}:flows:*"}).array()->size() == 4;
            },
            10s));
    }
    /// What only its connection reaches (RFC 5626).
    static int registerFlow(SipPhone& phone, const std::string& device = "phone")
    {
        auto request = phone.registration(60s);
        request.set("Contact",
                    phone.contact() + ";+sip.instance=\"<urn:uuid:" + device + ">\";reg-id=1");
        return phone.ask(request).status;
    }
    /// The attempts as which the device was offered messages.
    static std::vector<std::string> attempts(const SipPhone& phone)
    {
        std::vector<std::string> all;
        for (const auto& message : phone.offered()) {
            all.push_back(message.header("CSeq"));
        }
        return all;
    }
    static bool isOf(const SipText& message, const SipServer& server)
    {
        return message.header("Via").find(":" + std::to_string(server.port) + ";") !=
               std::string::npos;
    }

    std::optional<PluginHost> other_{std::in_place, settings_};
    SipPhone bob_{{"bob", "localhost", other_->server(SipTransport::Tcp)}};
};

TEST_F(FlowOfAnother, isUsedByItAtOnceAndNoAttemptIsCounted)
{
    ASSERT_EQ(registerFlow(bob_), 200);
    ASSERT_EQ(alice_.say(bob_.aor(), "hello"), 202);
    ASSERT_TRUE(bob_.receive(1, 2s));
    EXPECT_EQ(attempts(bob_), std::vector<std::string>{"1 MESSAGE"});
    EXPECT_TRUE(isOf(bob_.offered().front(), other_->server(SipTransport::Tcp)));
    ASSERT_EQ(alice_.say(bob_.aor(), "again"), 202);
    EXPECT_TRUE(bob_.receive(2, 2s));
}

TEST_F(FlowOfAnother, keepsTheOrderAndRepeatsNothing)
{
    SipPhone carol{{"carol", "localhost", other_->server()}};
    ASSERT_EQ(registerFlow(bob_), 200);
    std::vector<std::string> texts;
    for (int i = 0; i < 100; ++i) {
        texts.push_back("letter " + std::to_string(i));
        ASSERT_EQ((i % 3 == 0 ? carol : alice_).say(bob_.aor(), texts.back()), 202);
        bob_.work(Millis{0});
    }
    ASSERT_TRUE(bob_.receive(texts.size()));
    EXPECT_EQ(bob_.bodies(), texts);
    EXPECT_EQ(bob_.offered().size(), texts.size());
}

TEST_F(FlowOfAnother, thatIsGoneKeepsTheMessageForTheNextRegistration)
{
    ASSERT_EQ(registerFlow(bob_), 200);
    other_.reset();
    ASSERT_EQ(alice_.say(bob_.aor(), "for later"), 202);
    EXPECT_TRUE(eventually([&] { return heldError().starts_with("503"); }, 10s)) << heldError();

    SipPhone again{{"bob", "localhost", tcp_}};
    ASSERT_EQ(registerFlow(again), 200);
    ASSERT_TRUE(again.receive(1, 2s));
    EXPECT_EQ(again.bodies(), std::vector<std::string>{"for later"});
}

TEST_F(FlowOfAnother, thatHasEndedThereWaitsForTheNextRegistration)
{
    {
        SipPhone gone{{"bob", "localhost", other_->server(SipTransport::Tcp)}};
        ASSERT_EQ(registerFlow(gone), 200);
    }
    ASSERT_EQ(alice_.say(bob_.aor(), "for later"), 202);
    EXPECT_TRUE(eventually([&] { return heldError().starts_with("430"); }, 10s)) << heldError();
    ASSERT_EQ(registerFlow(bob_), 200);
    EXPECT_TRUE(bob_.receive(1, 2s));
}

TEST_F(FlowOfAnother, isUsedByItAlsoBehindANatOverUdp)
{
    SipPhone bob{{"bob", "localhost", other_->server()}};
    auto request = bob.registration(60s);
    const auto via = request.header("Via");
    request.set("Via", "SIP/2.0/UDP 192.168.1.7:5060;rport;" + via.substr(via.find("branch")));
    request.set("Contact", "<sip:bob@192.168.1.7:5060>");
    ASSERT_EQ(bob.ask(request).status, 200);
    ASSERT_EQ(alice_.say(bob.aor(), "through the NAT"), 202);
    ASSERT_TRUE(bob.receive(1, 2s));
    EXPECT_EQ(attempts(bob), std::vector<std::string>{"1 MESSAGE"});
    EXPECT_TRUE(isOf(bob.offered().front(), other_->server()));
}

/// The one that has stored the message has looked for a device because the mailbox was due, and
/// hears nothing of the REGISTER.
TEST_F(FlowOfAnother, thatFollowsADueAttemptWithoutADeviceIsFoundSoon)
{
    other_.reset();  // only one can find nobody
    ASSERT_EQ(alice_.say(bob_.aor(), "before"), 202);
    host_.onThread([&](DelayQueue& queue, auto&, auto done) {
        queue.store().releaseMailbox(bob_.aor(), [done](const auto& released) {
            EXPECT_TRUE(released);
            done();
        });
    });
    ASSERT_TRUE(eventually([&] {
        const auto all = jobs();
        return all.size() == 1 && all[0].state == JobState::Held &&
               all[0].due > SystemClock().now() + 10min && all[0].due < SystemClock().now() + 20min;
    })) << "the attempt without a device has not put it off";

    other_.emplace(settings_);
    SipPhone bob{{"bob", "localhost", other_->server()}};
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(bob.receive(1));
    ASSERT_TRUE(bob.workUntil([this] { return jobs().empty(); }));
    ASSERT_EQ(alice_.say(bob.aor(), "right after"), 202);
    EXPECT_TRUE(bob.receive(2)) << "it waits for the next attempt";
}

/// Both daemons wake when the mailbox is due, and either may be the first.
class DueFlowOfAnother : public FlowOfAnother {
protected:
    DueFlowOfAnother() : FlowOfAnother("0s,50ms") {}
};

TEST_F(DueFlowOfAnother, isTriedByItAlone)
{
    constexpr std::size_t kRefusals = 8;
    bob_.answerWith([&](const SipText&) { return bob_.offered().size() <= kRefusals ? 480 : 200; });
    ASSERT_EQ(registerFlow(bob_), 200);
    ASSERT_EQ(alice_.say(bob_.aor(), "persistent"), 202);
    ASSERT_TRUE(bob_.receive(1, 30s));
    std::vector<std::string> each;
    for (std::size_t i = 1; i <= kRefusals + 1; ++i) {
        each.push_back(std::to_string(i) + " MESSAGE");
    }
    EXPECT_EQ(attempts(bob_), each) << "none was counted by who cannot reach him";
}

/// Each message goes to each device, and each device is at a daemon of its own.
class FlowsOfEveryDevice : public FlowOfAnother {
protected:
    FlowsOfEveryDevice() : FlowOfAnother("0s,50ms", Devices::All) {}
};

TEST_F(FlowsOfEveryDevice, areUsedByTheirOwners)
{
    constexpr std::size_t kMessages = 30;
    SipPhone tablet{{"bob", "localhost", tcp_}};
    ASSERT_EQ(registerFlow(bob_), 200);
    ASSERT_EQ(registerFlow(tablet, "tablet"), 200);
    std::size_t refused = 0;
    bob_.answerWith([&](const SipText&) { return refused++ < 3 ? 480 : 200; });
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < kMessages; ++i) {
        texts.push_back("letter " + std::to_string(i));
        ASSERT_EQ(alice_.say(bob_.aor(), texts.back()), 202);
    }
    ASSERT_TRUE(bob_.workUntil([&] {
        tablet.work(Millis{0});
        return bob_.received().size() == kMessages && tablet.received().size() == kMessages;
    }));
    EXPECT_EQ(bob_.bodies(), texts);
    EXPECT_EQ(tablet.bodies(), texts);
    const std::vector<std::string> first{"1 MESSAGE", "2 MESSAGE", "3 MESSAGE", "4 MESSAGE"};
    const auto all = attempts(bob_);
    ASSERT_GE(all.size(), first.size());
    EXPECT_EQ(std::vector(all.begin(), all.begin() + 4), first)
        << "none was counted by who cannot reach the device";
    EXPECT_EQ(all.size(), kMessages + 3);
}

}  // namespace
}  // namespace restante::test
