// Peers that mean harm, or do as if, against the real daemon: the others must not notice.

#include "tests/fault/raw_connections.h"
#include "tests/support/daemon.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <utility>
#include <vector>

namespace restante::test {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// A sanitizer keeps what was freed, and makes everything slow.
#ifdef __SANITIZE_ADDRESS__
constexpr int kSlack = 6;
#else
constexpr int kSlack = 1;
#endif

/// As many descriptors as the machine allows; how many.
std::size_t raiseDescriptors()
{
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

/// Does something again and again, on a thread of its own, until its end.
class Attack {
public:
    explicit Attack(std::function<void()> blow)
        : thread_([this, blow = std::move(blow)] {
              while (!over_) {
                  blow();
              }
          })
    {
    }
    Attack(const Attack&) = delete;
    Attack& operator=(const Attack&) = delete;
    ~Attack()
    {
        over_ = true;
        thread_.join();
    }

private:
    std::atomic<bool> over_{false};
    std::thread thread_;
};

class HostileInput : public ::testing::Test {
protected:
    HostileInput() : usual_(p99()), before_(daemon_.residentKilobytes()) {}

    /// The 99th percentile of the time in which somebody well-behaved gets their 202.
    Millis p99()
    {
        constexpr int kMessages = 300;
        std::vector<Millis> times;
        for (int i = 0; i < kMessages; ++i) {
            const auto begin = SteadyClock::now();
            EXPECT_EQ(sender_.say(daemon_.aor("friend"), "hello"), 202);
            times.push_back(std::chrono::ceil<Millis>(SteadyClock::now() - begin));
            peak_ = std::max(peak_, daemon_.residentKilobytes());
        }
        std::sort(times.begin(), times.end());
        return times[times.size() * 99 / 100];
    }

    /// 100 ms, on a machine where nobody else keeps the daemon waiting: so what it needs without
    /// any harm is added, and one round of three has to do it.
    void expectOthersUndisturbed()
    {
        const auto limit = usual_ * 2 + Millis{100} * kSlack;
        Millis best = p99();
        for (int round = 1; round < 3 && best > limit; ++round) {
            best = std::min(best, p99());
        }
        EXPECT_LE(best, limit) << "p99; without an attack it was " << usual_.count() << " ms";
        RecordProperty("p99_ms", static_cast<int>(best.count()));
    }

    /// Less than 64 MB more at any time, and most of it given back.
    void expectMemoryBack()
    {
        constexpr std::size_t kMost = 64 * 1024 * kSlack;
        EXPECT_LT(peak_, before_ + kMost) << before_ << " kB before";
        EXPECT_TRUE(eventually([&] { return daemon_.residentKilobytes() < before_ + kMost / 2; },
                               kProcessTimeout))
            << before_ << " kB before, " << daemon_.residentKilobytes() << " kB now";
        RecordProperty("grown_kb", static_cast<int>(peak_ - std::min(peak_, before_)));
    }
    static std::string messageFrom(SipSocket& socket, const std::string& user, std::size_t body)
    {
        return fmt::format("MESSAGE {} SIP/2.0\r\nVia: {}\r\nFrom: <sip:{}@{}>;tag=1\r\n"
                           "To: <{}>\r\nCall-ID: {}\r\nCSeq: 1 MESSAGE\r\nMax-Forwards: 70\r\n"
                           "Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{}",
                           Daemon::aor("victim"), socket.via("z9hG4bK" + uniqueToken()), user,
                           kDomain, Daemon::aor("victim"), uniqueToken(), body,
                           std::string(body, 'x'));
    }
    /// A bout of a flood: as many messages as the daemon takes at a time, whatever it answers.
    static void flood(SipSocket& socket, const std::function<std::string()>& user)
    {
        constexpr int kBout = 50;
        for (int i = 0; i < kBout; ++i) {
            socket.send(messageFrom(socket, user(), 100));
        }
        constexpr Millis kNextBout{10};
        while (socket.receive(kNextBout)) {
        }
    }

    Daemon daemon_{{{"sip.limits.connections_per_address=20", "sip.limits.message_time=1s",
                     "sip.limits.per_sender=1000", "sip.mailbox.max_messages=100000"}}};
    SipPhone sender_ = phoneOf(daemon_, "sender");
    std::size_t peak_ = 0;
    Millis usual_;
    std::size_t before_;
};

TEST_F(HostileInput, tenThousandIdleConnectionsDoNotDelayOthers)
{
    // Ours, and those of the daemon, which keeps some for other things.
    constexpr std::size_t kOthers = 600;
    const auto count = std::min<std::size_t>(10'000, raiseDescriptors() - kOthers);
    RecordProperty("connections", static_cast<int>(count));
    std::vector<FileDescriptor> idle;
    while (idle.size() < count) {
        idle.push_back(connectFrom("127.0.0.1", daemon_.tcp()));
        ASSERT_TRUE(idle.back()) << idle.size();
    }
    expectOthersUndisturbed();
    EXPECT_EQ(living(idle), count);
    auto phone = phoneOf(daemon_, "late", SipTransport::Tcp);
    EXPECT_EQ(phone.say(daemon_.aor("friend"), "over the next connection"), 202);
    idle.clear();
    expectOthersUndisturbed();
    expectMemoryBack();
}

TEST_F(HostileInput, anAddressGetsNoMoreThanItsConnections)
{
    std::vector<FileDescriptor> greedy;
    for (int i = 0; i < 60; ++i) {
        greedy.push_back(connectFrom("127.0.0.9", daemon_.tcp()));
        ASSERT_TRUE(greedy.back());
    }
    EXPECT_TRUE(eventually([&] { return living(greedy) <= 20; }, kProcessTimeout));
    EXPECT_EQ(living(greedy), 20U);
    const auto other = connectFrom("127.0.0.10", daemon_.tcp());
    auto phone = phoneOf(daemon_, "other", SipTransport::Tcp);
    EXPECT_EQ(phone.say(daemon_.aor("friend"), "hello"), 202);
    EXPECT_FALSE(isCut(other));
    // Places that are given back can be taken again.
    greedy.clear();
    EXPECT_TRUE(eventually(
        [&] {
            const auto again = connectFrom("127.0.0.9", daemon_.tcp());
            return again && !eventually([&] { return isCut(again); }, Millis{300});
        },
        kProcessTimeout));
}

TEST_F(HostileInput, whoeverDripsAMessageIsCutOff)
{
    std::vector<FileDescriptor> slow;
    for (int i = 0; i < 10; ++i) {
        slow.push_back(connectFrom("127.0.0.9", daemon_.tcp()));
        ASSERT_TRUE(slow.back());
    }
    const std::string text =
        "MESSAGE sip:bob@restante.test SIP/2.0\r\nSubject: " + std::string(100'000, 'x');
    std::size_t sent = 0;
    expectOthersUndisturbed();
    // A byte in each turn: sofia's own time for the rest begins again with every one.
    EXPECT_TRUE(eventually(
        [&] {
            for (const auto& fd : slow) {
                ::send(fd.get(), &text[sent], 1, MSG_NOSIGNAL);
            }
            ++sent;
            return sent == text.size() || living(slow) == 0;
        },
        kProcessTimeout));
    EXPECT_EQ(living(slow), 0U);
    EXPECT_LT(sent, text.size());
}

TEST_F(HostileInput, aConnectionThatKeepsTalkingIsNotTakenForASlowOne)
{
    auto phone = phoneOf(daemon_, "chatty", SipTransport::Tcp);
    const auto end = SteadyClock::now() + std::chrono::seconds{12};
    while (SteadyClock::now() < end) {
        // Not OPTIONS, which is answered 503 while a busy machine lets the store wait.
        ASSERT_EQ(phone.ask(phone.request("INFO", "sip:" + daemon_.udp().hostPort())).status, 405);
    }
    EXPECT_FALSE(phone.socket().takeDisconnected());
}

TEST_F(HostileInput, slowSendersDoNotDelayOthers)
{
    std::vector<FileDescriptor> slow(20);
    std::size_t next = 0;
    const Attack attack([&] {
        auto& fd = slow[next++ % slow.size()];
        if (!fd || isCut(fd)) {
            fd = connectFrom("127.0.0.9", daemon_.tcp());
        }
        ::send(fd.get(), "M", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        pollfd pause{-1, 0, 0};
        ::poll(&pause, 1, 1);
    });
    expectOthersUndisturbed();
    expectMemoryBack();
}

TEST_F(HostileInput, fullDatagramsDoNotDelayOthers)
{
    SipSocket attacker(daemon_.udp());
    const Attack attack([&] {
        attacker.send(messageFrom(attacker, "mallory", 65'000));
        attacker.send(std::string(65'000, 'x'));
        attacker.send("MESSAGE sip:a@b SIP/2.0\r\n" + std::string(60'000, '\n'));
        while (attacker.receive(Millis{10})) {
        }
    });
    expectOthersUndisturbed();
    expectMemoryBack();
}

TEST_F(HostileInput, fiftyReplaysAreStoredOnce)
{
    SipSocket attacker(daemon_.udp());
    const auto text = messageFrom(attacker, "mallory", 100);
    const auto before = daemon_.jobsInAll();
    for (int i = 0; i < 50; ++i) {
        attacker.send(text);
        const auto answer = attacker.receive(kProcessTimeout);
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->message.status(), 202);
    }
    EXPECT_EQ(daemon_.jobsInAll(), before + 1);
}

TEST_F(HostileInput, aFloodFromOneIdentityDoesNotDelayOthers)
{
    SipSocket attacker(daemon_.udp());
    const Attack attack([&] { flood(attacker, [] { return "mallory"; }); });
    expectOthersUndisturbed();
    expectMemoryBack();
}

TEST_F(HostileInput, aFloodFromFiveHundredIdentitiesDoesNotDelayOthers)
{
    SipSocket attacker(daemon_.udp());
    int next = 0;
    const Attack attack(
        [&] { flood(attacker, [&] { return fmt::format("mallory{}", next++ % 500); }); });
    expectOthersUndisturbed();
    expectMemoryBack();
}

TEST_F(HostileInput, aFloodDoesNotKeepTheDaemonFromStoppingInOrder)
{
    SipSocket attacker(daemon_.udp());
    for (int round = 0; round < 3; ++round) {
        {
            // Nobody waits for answers here: something comes at every moment of the stop.
            const Attack attack([&] { attacker.send(messageFrom(attacker, "mallory", 100)); });
            EXPECT_EQ(phoneOf(daemon_, "good", SipTransport::Tcp).say(daemon_.aor("friend"), "hi"),
                      202);
            EXPECT_EQ(daemon_.stop(), 0);
        }
        daemon_.start();
    }
}

}  // namespace
}  // namespace restante::test
