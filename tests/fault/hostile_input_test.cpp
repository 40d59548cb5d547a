// Peers that mean harm, or do as if, against the real daemon: the others must not notice.

#include "core/base/file_descriptor.h"
#include "tests/support/daemon.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <vector>

namespace restante::test {
namespace {

using Clock = std::chrono::steady_clock;

/// A TCP connection to the daemon from any address of this machine.
FileDescriptor connectFrom(const std::string& source, const SipServer& server)
{
    FileDescriptor fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    inet_pton(AF_INET, source.c_str(), &address.sin_addr);
    ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    inet_pton(AF_INET, server.host.c_str(), &address.sin_addr);
    address.sin_port = htons(server.port);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fd.close();
    }
    return fd;
}

/// The server has ended that connection.
bool isCut(const FileDescriptor& fd)
{
    char byte = 0;
    const auto got = ::recv(fd.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
}

std::size_t living(const std::vector<FileDescriptor>& connections)
{
    return static_cast<std::size_t>(std::count_if(connections.begin(), connections.end(),
                                                  [](const auto& fd) { return !isCut(fd); }));
}

/// As many descriptors as the machine allows; how many.
std::size_t raiseDescriptors()
{
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

class HostileInput : public ::testing::Test {
protected:
    /// The 99th percentile of the time to a 202, with `meanwhile` before each message.
    Millis p99(const std::function<void()>& meanwhile = [] {})
    {
        constexpr int kMessages = 200;
        std::vector<Millis> times;
        for (int i = 0; i < kMessages; ++i) {
            meanwhile();
            const auto begin = Clock::now();
            EXPECT_EQ(sender_.say(daemon_.aor("friend"), "hello"), 202);
            times.push_back(std::chrono::ceil<Millis>(Clock::now() - begin));
        }
        std::sort(times.begin(), times.end());
        return times[times.size() * 99 / 100];
    }
    /// 100 ms more than this machine needs at this moment without any harm.
    Millis bearable() { return p99() * 2 + Millis{100}; }

    /// It has not grown by more than what a bad hour may cost, with slack for a sanitizer.
    void expectMemoryAsBefore(std::size_t before)
    {
        constexpr std::size_t kMost = 64 * 1024;
        EXPECT_TRUE(eventually([&] { return daemon_.residentKilobytes() < before + kMost; },
                               kProcessPatience))
            << before << " kB before, " << daemon_.residentKilobytes() << " kB now";
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
    /// Sends without waiting for any answer, which is thrown away.
    static void flood(SipSocket& socket, int count, const std::function<std::string()>& user)
    {
        for (int i = 0; i < count; ++i) {
            socket.send(messageFrom(socket, user(), 100));
            while (socket.receive(Millis{0})) {
            }
        }
    }

    Daemon daemon_{{{"sip.limits.connections_per_address=20", "sip.limits.message_time=1s",
                     "sip.limits.per_sender=1000", "sip.mailbox.max_messages=100000"}}};
    SipPhone sender_ = phoneOf(daemon_, "sender");
};

TEST_F(HostileInput, tenThousandIdleConnectionsDoNotDelayOthers)
{
    const auto limit = bearable();
    const auto before = daemon_.residentKilobytes();
    const auto count = std::min<std::size_t>(10'000, raiseDescriptors() - 200);
    std::vector<FileDescriptor> idle;
    while (idle.size() < count) {
        idle.push_back(connectFrom("127.0.0.1", daemon_.tcp()));
        ASSERT_TRUE(idle.back()) << idle.size();
    }
    EXPECT_LE(p99(), limit);
    auto phone = phoneOf(daemon_, "late", SipTransport::Tcp);
    EXPECT_EQ(phone.say(daemon_.aor("friend"), "over the next connection"), 202);
    idle.clear();
    EXPECT_LE(p99(), limit);
    expectMemoryAsBefore(before);
}

TEST_F(HostileInput, anAddressGetsNoMoreThanItsConnections)
{
    std::vector<FileDescriptor> greedy;
    for (int i = 0; i < 60; ++i) {
        greedy.push_back(connectFrom("127.0.0.9", daemon_.tcp()));
        ASSERT_TRUE(greedy.back());
    }
    EXPECT_TRUE(eventually([&] { return living(greedy) <= 20; }, kProcessPatience));
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
        kProcessPatience));
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
    // A byte in each turn: sofia's own time for the rest begins again with every one.
    EXPECT_TRUE(eventually(
        [&] {
            for (const auto& fd : slow) {
                ::send(fd.get(), &text[sent], 1, MSG_NOSIGNAL);
            }
            ++sent;
            return sent == text.size() || living(slow) == 0;
        },
        kProcessPatience));
    EXPECT_EQ(living(slow), 0U);
    EXPECT_LT(sent, text.size());
}

TEST_F(HostileInput, aConnectionThatKeepsTalkingIsNotTakenForASlowOne)
{
    auto phone = phoneOf(daemon_, "chatty", SipTransport::Tcp);
    const auto end = Clock::now() + std::chrono::seconds{12};
    while (Clock::now() < end) {
        ASSERT_EQ(phone.ask(phone.request("OPTIONS", "sip:" + daemon_.udp().hostPort())).status,
                  200);
    }
    EXPECT_FALSE(phone.socket().takeDisconnected());
}

TEST_F(HostileInput, fullDatagramsDoNotDelayOthers)
{
    const auto limit = bearable();
    const auto before = daemon_.residentKilobytes();
    SipSocket attacker(daemon_.udp());
    EXPECT_LE(p99([&] {
                  attacker.send(messageFrom(attacker, "mallory", 65'000));
                  attacker.send(std::string(65'000, 'x'));
                  attacker.send("MESSAGE sip:a@b SIP/2.0\r\n" + std::string(60'000, '\n'));
                  while (attacker.receive(Millis{0})) {
                  }
              }),
              limit);
    expectMemoryAsBefore(before);
}

TEST_F(HostileInput, fiftyReplaysAreStoredOnce)
{
    SipSocket attacker(daemon_.udp());
    const auto text = messageFrom(attacker, "mallory", 100);
    for (int i = 0; i < 50; ++i) {
        attacker.send(text);
        const auto answer = attacker.receive(kProcessPatience);
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->message.status(), 202);
    }
    EXPECT_EQ(daemon_.jobsInAll(), 1U);
}

TEST_F(HostileInput, aFloodFromOneIdentityDoesNotDelayOthers)
{
    const auto limit = bearable();
    const auto before = daemon_.residentKilobytes();
    SipSocket attacker(daemon_.udp());
    EXPECT_LE(p99([&] { flood(attacker, 50, [] { return "mallory"; }); }), limit);
    expectMemoryAsBefore(before);
}

TEST_F(HostileInput, aFloodFromFiveHundredIdentitiesDoesNotDelayOthers)
{
    const auto limit = bearable();
    const auto before = daemon_.residentKilobytes();
    SipSocket attacker(daemon_.udp());
    int next = 0;
    EXPECT_LE(
        p99([&] { flood(attacker, 50, [&] { return fmt::format("mallory{}", next++ % 500); }); }),
        limit);
    expectMemoryAsBefore(before);
}

}  // namespace
}  // namespace restante::test
