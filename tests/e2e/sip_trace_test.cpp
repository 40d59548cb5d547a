// sip.trace of a real daemon: a pcap file read here byte by byte, and a Homer that is a socket.

#include "tests/support/daemon.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/file_content.h"
#include "tests/support/free_port.h"
#include "tests/support/pcap_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <poll.h>
#include <set>
#include <sys/socket.h>
#include <vector>

namespace restante::test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

class SipTrace : public ::testing::Test {
protected:
    std::filesystem::path file() const { return directory_ / "trace.pcap"; }
    std::string toFile() const { return "sip.trace=pcap:" + file().string(); }

    TempDir directory_;
};

/// Over UDP a phone sends again what is not answered within 500 ms: identical packets count once.
std::vector<Packet> withoutRepetitions(const std::vector<Packet>& packets)
{
    std::set<std::string> seen;
    std::vector<Packet> once;
    for (const auto& packet : packets) {
        if (seen.insert(packet.bytes).second) {
            once.push_back(packet);
        }
    }
    return once;
}

class SipTraceOver : public SipTrace, public ::testing::WithParamInterface<SipTransport> {
protected:
    std::vector<Packet> packets() const
    {
        const auto all = packetsOf(file());
        return GetParam() == SipTransport::Udp ? withoutRepetitions(all) : all;
    }
};

TEST_P(SipTraceOver, showsEveryMessageAsOnePacket)
{
    Daemon daemon{{{toFile()}}};
    auto bob = registeredPhone(daemon, "bob", GetParam());
    auto alice = phoneOf(daemon, "alice", GetParam());
    ASSERT_EQ(alice.say(bob.aor(), "the body of it"), 202);
    ASSERT_TRUE(bob.receive(1));
    ASSERT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
    ASSERT_TRUE(eventually([&] { return packets().size() >= 6; }, kProcessTimeout));
    EXPECT_EQ(std::filesystem::status(file()).permissions(), std::filesystem::perms{0600});
    const auto traced = packets();
    const auto port = daemon.udp().port;
    std::map<std::string, int> seen;
    for (const auto& packet : traced) {
        const bool came = packet.to == port;
        EXPECT_TRUE(came || packet.from == port);
        seen[(came ? "in " : "out ") + packet.bytes.substr(0, packet.bytes.find(' '))]++;
    }
    EXPECT_EQ(seen, (std::map<std::string, int>{{"in REGISTER", 1},
                                                {"out SIP/2.0", 2},
                                                {"in MESSAGE", 1},
                                                {"out MESSAGE", 1},
                                                {"in SIP/2.0", 1}}));
    EXPECT_THAT(textsOf(traced), Contains(HasSubstr("\r\n\r\nthe body of it")).Times(2));
    EXPECT_THAT(daemon.process().allOutput(), Not(HasSubstr("the body of it")));
}

INSTANTIATE_TEST_SUITE_P(Both,
                         SipTraceOver,
                         ::testing::Values(SipTransport::Udp, SipTransport::Tcp),
                         [](const auto& one) {
                             return one.param == SipTransport::Udp ? "udp" : "tcp";
                         });

TEST_F(SipTrace, showsTheMessagesOfSomePeopleOnly)
{
    Daemon daemon{{{toFile(), "sip.trace_only=sip:carol@restante.test"}}};
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.say(Daemon::aor("bob"), "to bob"), 202);
    ASSERT_EQ(alice.say(Daemon::aor("carol"), "to carol"), 202);
    ASSERT_TRUE(waitForPackets(file(), 2));
    EXPECT_THAT(textsOf(packetsOf(file())), Each(HasSubstr("carol")));
}

TEST_F(SipTrace, isTurnedOnAndOffByASignal)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice");
    const auto configuration = daemon.directory() / "restante.toml";
    const auto untraced = contentOf(configuration);
    auto traced = untraced;
    traced.insert(traced.find("[sip]\n") + 6, "trace = \"pcap:" + file().string() + "\"\n");
    const auto reloadWith = [&](const std::string& text) {
        const auto before = daemon.process().allOutput().size();
        std::ofstream(configuration) << text;
        daemon.process().signal(SIGHUP);
        return eventually(
            [&] {
                return daemon.process().allOutput().find("reloaded: sip.trace", before) !=
                       std::string::npos;
            },
            kProcessTimeout);
    };
    EXPECT_EQ(alice.say(Daemon::aor("bob"), "before"), 202);
    ASSERT_TRUE(reloadWith(traced));
    EXPECT_EQ(alice.say(Daemon::aor("bob"), "meanwhile"), 202);
    const auto packets = [this] { return withoutRepetitions(packetsOf(file())); };
    ASSERT_TRUE(eventually([&] { return packets().size() >= 2; }, kProcessTimeout));
    ASSERT_TRUE(reloadWith(untraced));
    EXPECT_EQ(alice.say(Daemon::aor("bob"), "after"), 202);
    EXPECT_THAT(packets(), ::testing::SizeIs(2));
    EXPECT_THAT(textsOf(packets()), Contains(HasSubstr("meanwhile")));
}

TEST_F(SipTrace, refusesAFileThatCannotBeWritten)
{
    EXPECT_THROW((Daemon{{{"sip.trace=pcap:/nonexistent/trace.pcap"}}}), std::runtime_error);
}

/// The chunks of a HEP packet, by their number.
std::map<int, std::string> chunksOf(const std::string& packet)
{
    std::map<int, std::string> chunks;
    EXPECT_EQ(packet.substr(0, 4), "HEP3");
    EXPECT_EQ(shortAt(packet, 4), packet.size());
    for (std::size_t at = 6; at + 6 <= packet.size();) {
        const auto size = shortAt(packet, at + 4);
        chunks[shortAt(packet, at + 2)] = packet.substr(at + 6, size - 6U);
        at += size;
    }
    return chunks;
}

TEST_F(SipTrace, goesToHomerInChunks)
{
    const auto homer = boundOnLoopback(SOCK_DGRAM);

    Daemon daemon{{{fmt::format("sip.trace=hep:udp:127.0.0.1:{}", homer.port)}}};
    auto alice = phoneOf(daemon, "alice");
    auto message = alice.message(Daemon::aor("bob"), "for Homer");
    ASSERT_EQ(alice.ask(message).status, 202);

    pollfd watched{homer.socket.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&watched, 1, static_cast<int>(kProcessTimeout.count())), 1);
    std::string packet(65'536, '\0');
    packet.resize(
        static_cast<std::size_t>(::recv(homer.socket.get(), packet.data(), packet.size(), 0)));
    auto chunks = chunksOf(packet);
    EXPECT_EQ(chunks[1], "\x02");
    EXPECT_EQ(chunks[2], "\x11");
    EXPECT_EQ(chunks[3], std::string("\x7f\0\0\x01", 4));
    EXPECT_EQ(shortAt(chunks[8], 0), daemon.udp().port);
    EXPECT_EQ(chunks[11], "\x01");
    EXPECT_EQ(chunks[17], message.header("Call-ID"));
    EXPECT_THAT(chunks[15], HasSubstr("\r\n\r\nfor Homer"));
    EXPECT_THAT(chunks[15], HasSubstr("MESSAGE sip:bob@restante.test SIP/2.0\r\n"));
}

class TraceCommand : public ::testing::Test {
protected:
    static std::filesystem::path fileOf(const Daemon& daemon)
    {
        return daemon.directory() / "state/trace.pcap";
    }
    static bool waitUntilTraced(Daemon& daemon, const std::string& who)
    {
        return daemon.process()
            .waitForLine("traced because restantectl asked for it: " + who)
            .has_value();
    }
    static void say(const Daemon& daemon, const std::string& user)
    {
        EXPECT_EQ(phoneOf(daemon, "alice").say(Daemon::aor(user), "to " + user), 202);
    }

    const std::string bob_ = Daemon::aor("bob");
};

TEST_F(TraceCommand, isHeardByEveryDaemonOfTheStore)
{
    Daemon first;
    Daemon second{{{"redis.url=unix://" + first.redisSocket()}}};
    const auto ordered = first.control({"trace", "SIP:bob@RESTANTE.test", "--for", "1h"});
    EXPECT_EQ(ordered.status, 2) << ordered.errors;  // a scheme is written in small letters
    Finished told;
    // A daemon listens for orders a moment after it is ready.
    EXPECT_TRUE(eventually(
        [&] {
            told = first.control({"trace", "sip:bob@RESTANTE.test", "--for", "1h", "--json"});
            return told.status == 0 && told.output.find("\"daemons\":2") != std::string::npos;
        },
        kProcessTimeout))
        << told.output << told.errors;
    for (auto* daemon : {&first, &second}) {
        ASSERT_TRUE(waitUntilTraced(*daemon, bob_));
        say(*daemon, "carol");
        say(*daemon, "bob");
        ASSERT_TRUE(waitForPackets(fileOf(*daemon), 2));
        EXPECT_THAT(textsOf(packetsOf(fileOf(*daemon))), Each(HasSubstr("bob")));
    }
}

TEST_F(TraceCommand, isForgottenWhenItsTimeIsOver)
{
    Daemon daemon;
    ASSERT_EQ(daemon.control({"trace", bob_, "--for", "1s"}).status, 0);
    EXPECT_TRUE(waitUntilTraced(daemon, bob_));
    EXPECT_TRUE(waitUntilTraced(daemon, "nobody"));
    say(daemon, "bob");
    EXPECT_THAT(packetsOf(fileOf(daemon)), ::testing::IsEmpty());
    EXPECT_THAT(daemon.control({"trace"}).output, HasSubstr("nobody is traced"));
}

TEST_F(TraceCommand, canBeEndedAndOutlivesARestart)
{
    Daemon daemon;
    ASSERT_EQ(daemon.control({"trace", bob_}).status, 0);
    EXPECT_THAT(daemon.control({"trace"}).output, HasSubstr(bob_));
    ASSERT_TRUE(waitUntilTraced(daemon, bob_));
    daemon.stop();
    daemon.start();
    ASSERT_TRUE(waitUntilTraced(daemon, bob_));
    EXPECT_EQ(daemon.control({"trace", bob_, "--stop"}).status, 0);
    EXPECT_TRUE(waitUntilTraced(daemon, "nobody"));
    EXPECT_EQ(daemon.control({"trace", bob_, "--stop"}).status, 1);
}

TEST_F(TraceCommand, addsToThoseOfTheConfiguration)
{
    TempDir directory;
    const auto file = directory / "trace.pcap";
    Daemon daemon{
        {{"sip.trace=pcap:" + std::string(file), "sip.trace_only=sip:eve@restante.test"}}};
    ASSERT_EQ(daemon.control({"trace", bob_}).status, 0);
    ASSERT_TRUE(waitUntilTraced(daemon, bob_));
    for (const auto* user : {"carol", "eve", "bob"}) {
        say(daemon, user);
    }
    EXPECT_TRUE(waitForPackets(file, 4));
    EXPECT_THAT(textsOf(packetsOf(file)), Not(Contains(HasSubstr("to carol"))));
    EXPECT_FALSE(std::filesystem::exists(fileOf(daemon)));
}

TEST_F(TraceCommand, refusesWhatIsNoAddressOrNoTime)
{
    Daemon daemon;
    const std::vector<std::vector<std::string>> wrong{{"trace", "bob"},
                                                      {"trace", "sip:restante.test"},
                                                      {"trace", bob_, "--for", "8d"},
                                                      {"trace", bob_, "--for", "soon"},
                                                      {"trace", "--stop"},
                                                      {"trace", "--for", "1h"},
                                                      {"trace", bob_, "--for", "1h", "--stop"},
                                                      {"trace", "sip:a@b@restante.test"}};
    for (const auto& words : wrong) {
        EXPECT_EQ(daemon.control(words).status, 2) << words.back();
    }
    EXPECT_THAT(daemon.control({"trace", "--json"}).output, HasSubstr("{\"traces\":[]}"));
}

}  // namespace
}  // namespace restante::test
