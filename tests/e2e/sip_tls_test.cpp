// SIP over TLS: a real daemon with certificates of an authority that the test makes.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/pcap_file.h"
#include "tests/support/sip_phone.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"
#include "tests/support/tls_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <openssl/tls1.h>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace restante::test {
namespace {

using ::testing::HasSubstr;

/// The TCP ports of 127.0.0.1 on which that process listens.
std::set<std::uint16_t> listeningPortsOf(pid_t process)
{
    const auto own = "/proc/" + std::to_string(process);
    std::set<std::string> sockets;
    for (const auto& entry : std::filesystem::directory_iterator(own + "/fd")) {
        std::error_code gone;
        sockets.insert(std::filesystem::read_symlink(entry, gone).string());
    }
    std::set<std::uint16_t> ports;
    std::ifstream table(own + "/net/tcp");
    for (std::string line; std::getline(table, line);) {
        std::istringstream words(line);
        std::string number, local, remote, state, queues, timer, retries, user, timeout, inode;
        words >> number >> local >> remote >> state >> queues >> timer >> retries >> user >>
            timeout >> inode;
        constexpr auto kListen = "0A";
        if (state == kListen && sockets.contains("socket:[" + inode + "]")) {
            ports.insert(static_cast<std::uint16_t>(
                std::stoul(local.substr(local.find(':') + 1), nullptr, 16)));
        }
    }
    return ports;
}

class SipOverTls : public ::testing::Test {
protected:
    TestAuthority::Files certificateOf(const std::string& file, const std::string& name) const
    {
        return authority_.issue(file, {name, {"DNS:" + name}});
    }
    void startDaemon(std::vector<std::string> more = {})
    {
        Daemon::Settings settings;
        settings.set = {fmt::format("sip.listen=127.0.0.1:{},tls:127.0.0.1:{}", port_, tlsPort_),
                        "sip.tls.certificate=" + own_.certificate.string(),
                        "sip.tls.key=" + own_.key.string(),
                        "sip.tls.ca=" + authority_.file().string(),
                        // Devices listen at another port than they register from.
                        "sip.contacts.allow=localhost"};
        settings.set.insert(settings.set.end(), more.begin(), more.end());
        daemon_ = std::make_unique<Daemon>(settings);
    }
    TlsSocket connect(const TlsSide& side) const { return TlsSocket{tlsPort_, side}; }
    TlsSocket connect() const { return connect({authority_.file(), {}, {}, 0}); }

    static SipText
    request(const TlsSocket& socket, const std::string& method, const std::string& to)
    {
        SipText text;
        text.startLine = method + " " + to + " SIP/2.0";
        text.headers = {{"Via", socket.via()},
                        {"From", "<sip:alice@restante.test>;tag=" + uniqueToken()},
                        {"To", "<sip:bob@restante.test>"},
                        {"Call-ID", uniqueToken()},
                        {"CSeq", "1 " + method},
                        {"Max-Forwards", "70"}};
        return text;
    }
    static SipText message(const TlsSocket& socket, const std::string& body)
    {
        auto text = request(socket, "MESSAGE", "sip:bob@restante.test");
        text.set("Content-Type", "text/plain");
        text.body = body;
        return text;
    }
    static int ask(TlsSocket& socket, const SipText& text)
    {
        socket.send(text.toString());
        const auto answer = socket.receive();
        return answer ? answer->status() : 0;
    }
    static SipText registration(const TlsSocket& socket, const std::string& contact)
    {
        auto text = request(socket, "REGISTER", "sip:restante.test");
        text.set("Contact", "<" + contact + ">");
        text.set("Expires", "600");
        text.set("From", "<sip:bob@restante.test>;tag=" + uniqueToken());
        return text;
    }
    static int registerContact(TlsSocket& socket, const std::string& contact)
    {
        return ask(socket, registration(socket, contact));
    }
    /// Takes a MESSAGE and answers it 200.
    static std::optional<SipText> takeMessage(TlsSocket& device)
    {
        auto text = device.receive();
        if (text) {
            device.send(text->answer(200, "OK").toString());
        }
        return text;
    }
    /// What kept the first message that waits from being delivered, once there is something.
    std::string lastError() const
    {
        std::string error;
        eventually(
            [&] {
                const auto listed = daemon_->control({"list", "--json"});
                const auto jobs = nlohmann::json::parse(listed.output).at("jobs");
                error = jobs.empty() ? "" : jobs.front().value("last_error", "");
                return !error.empty();
            },
            kProcessTimeout);
        return error;
    }
    /// Stores a message for bob, who is reachable at `contact`.
    void sendTo(const std::string& contact)
    {
        auto socket = connect();
        // By UDP: a connection that bob had opened would be used as long as it lives.
        SipSocket bob{{SipTransport::Udp, "127.0.0.1", port_}};
        auto registers = registration(socket, contact);
        registers.set("Via", bob.via("z9hG4bK" + uniqueToken()));
        ASSERT_TRUE(bob.send(registers.toString()));
        const auto answer = bob.receive(kProcessTimeout);
        ASSERT_TRUE(answer);
        ASSERT_EQ(answer->message.status(), 200);
        ASSERT_EQ(ask(socket, message(socket, "to a device")), 202);
    }

    TempDir files_;
    TestAuthority authority_{files_.path(), "authority"};
    TestAuthority::Files own_ = certificateOf("own", "localhost");
    std::uint16_t port_ = freePort();
    std::uint16_t tlsPort_ = freePort();
    std::unique_ptr<Daemon> daemon_;
};

TEST_F(SipOverTls, isTracedInTheClearBetweenItsRealEnds)
{
    const TempDir directory;
    const auto file = directory / "trace.pcap";
    startDaemon({"sip.trace=pcap:" + std::string(file)});
    auto socket = connect();
    ASSERT_TRUE(socket.connected());
    EXPECT_EQ(ask(socket, message(socket, "seen by whoever may look")), 202);
    ASSERT_TRUE(waitForPackets(file, 2));
    const auto packets = packetsOf(file);
    const auto own = static_cast<std::uint16_t>(
        std::stoul(socket.address().substr(socket.address().find(':') + 1)));
    EXPECT_EQ(packets.at(0).from, own);
    EXPECT_EQ(packets.at(0).to, tlsPort_);
    EXPECT_EQ(packets.at(0).source, "127.0.0.1");
    EXPECT_THAT(packets.at(0).bytes, HasSubstr("seen by whoever may look"));
    EXPECT_EQ(packets.at(1).from, tlsPort_);
    EXPECT_EQ(packets.at(1).to, own);
}

TEST_F(SipOverTls, takesAMessageAndNamesItselfInTheReadyLine)
{
    startDaemon();
    EXPECT_THAT(daemon_->process().output(),
                HasSubstr(fmt::format(",tls:127.0.0.1:{} ", tlsPort_)));
    auto alice = connect();
    ASSERT_TRUE(alice.connected());
    EXPECT_EQ(alice.peerName(), "localhost");
    EXPECT_EQ(ask(alice, message(alice, "over TLS")), 202);
    EXPECT_EQ(daemon_->jobsInAll(), 1U);
}

TEST_F(SipOverTls, answersWithTheAddressThatTheRequestCameFrom)
{
    startDaemon();
    auto alice = connect();
    auto options = request(alice, "OPTIONS", "sip:restante.test");
    options.set("Via", "SIP/2.0/TLS phone.invalid:5061;branch=z9hG4bK1;rport");
    alice.send(options.toString());
    const auto answer = alice.receive();
    ASSERT_TRUE(answer);
    const auto port = alice.address().substr(alice.address().find(':') + 1);
    EXPECT_THAT(answer->header("Via"), HasSubstr("received=127.0.0.1"));
    EXPECT_THAT(answer->header("Via"), HasSubstr("rport=" + port));
}

TEST_F(SipOverTls, carriesALargeBodyByteForByteBothWays)
{
    startDaemon();
    auto bob = connect();
    ASSERT_EQ(registerContact(bob, "sip:bob@127.0.0.1:9;transport=tls"), 200);
    std::string body(60'000, '\0');
    for (std::size_t i = 0; i < body.size(); ++i) {
        body[i] = static_cast<char>(i * 7);
    }
    auto alice = connect();
    EXPECT_EQ(ask(alice, message(alice, body)), 202);
    const auto arrived = takeMessage(bob);
    ASSERT_TRUE(arrived);
    EXPECT_EQ(arrived->body, body);
}

TEST_F(SipOverTls, deliversByTheConnectionThatADeviceHasOpened)
{
    startDaemon();
    auto bob = connect();
    // Nobody listens there.
    ASSERT_EQ(registerContact(bob, "sip:bob@127.0.0.1:9;transport=tls"), 200);
    auto alice = connect();
    ASSERT_EQ(ask(alice, message(alice, "hello")), 202);
    const auto arrived = takeMessage(bob);
    ASSERT_TRUE(arrived);
    EXPECT_EQ(arrived->body, "hello");
    EXPECT_THAT(arrived->header("Via"),
                HasSubstr(fmt::format("SIP/2.0/TLS 127.0.0.1:{}", tlsPort_)));
    EXPECT_TRUE(eventually([&] { return daemon_->jobsInAll() == 0; }, kProcessTimeout));
}

TEST_F(SipOverTls, deliversToASipsContactWhoseCertificateNamesIt)
{
    startDaemon();
    const auto device = certificateOf("device", "localhost");
    TlsListener bob{{authority_.file(), device.certificate, device.key, 0}};
    sendTo(fmt::format("sips:bob@localhost:{}", bob.port()));
    auto connection = bob.accept();
    ASSERT_TRUE(connection && connection->connected());
    const auto arrived = takeMessage(*connection);
    ASSERT_TRUE(arrived);
    EXPECT_EQ(arrived->body, "to a device");
    // Asked for one, it has shown its own.
    EXPECT_EQ(connection->peerName(), "localhost");
    EXPECT_TRUE(eventually([&] { return daemon_->jobsInAll() == 0; }, kProcessTimeout));
}

TEST_F(SipOverTls, deliversThroughAProxyByOneConnection)
{
    const auto proxy = authority_.issue("proxy", {"proxy", {"IP:127.0.0.1", "URI:sip:a.example"}});
    TlsListener server{{authority_.file(), proxy.certificate, proxy.key, 0}};
    startDaemon({fmt::format("sip.proxy=sip:127.0.0.1:{};transport=tls", server.port())});
    auto alice = connect();
    ASSERT_EQ(ask(alice, message(alice, "one")), 202);
    auto connection = server.accept();
    ASSERT_TRUE(connection && connection->connected());
    const auto first = takeMessage(*connection);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->body, "one");
    ASSERT_EQ(ask(alice, message(alice, "two")), 202);
    const auto second = takeMessage(*connection);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->body, "two");
}

TEST_F(SipOverTls, takesADomainInAUriForTheNameOfAServer)
{
    startDaemon();
    const auto device = authority_.issue("device", {"other", {"URI:sip:localhost"}});
    TlsListener bob{{{}, device.certificate, device.key, 0}};
    sendTo(fmt::format("sips:bob@localhost:{}", bob.port()));
    auto connection = bob.accept();
    ASSERT_TRUE(connection);
    EXPECT_TRUE(takeMessage(*connection));
}

struct BadServer {
    const char* title;
    TestAuthority::CertificateRequest request;
    bool foreignAuthority;
    const char* reason;
};

class SipOverTlsToABadServer : public SipOverTls,
                               public ::testing::WithParamInterface<BadServer> {};

TEST_P(SipOverTlsToABadServer, keepsTheMessageAndSaysWhy)
{
    startDaemon();
    const TestAuthority foreign{files_.path(), "foreign"};
    const auto& issuer = GetParam().foreignAuthority ? foreign : authority_;
    const auto device = issuer.issue("device", GetParam().request);
    TlsListener bob{{{}, device.certificate, device.key, 0}};
    sendTo(fmt::format("sips:bob@localhost:{}", bob.port()));
    auto connection = bob.accept();
    ASSERT_TRUE(connection);
    EXPECT_FALSE(connection->receive());
    EXPECT_THAT(lastError(), HasSubstr(GetParam().reason));
    EXPECT_EQ(daemon_->jobsInAll(), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Of,
    SipOverTlsToABadServer,
    ::testing::Values(
        BadServer{"anotherName", {"a.example", {"DNS:a.example"}}, false, "not one of localhost"},
        BadServer{"aWildcard", {"*", {"DNS:*"}}, false, "not one of localhost"},
        BadServer{
            "aNameBesidesTheRealOnes", {"localhost", {"DNS:b"}}, false, "not one of localhost"},
        BadServer{"aUser", {"x", {"URI:sip:bob@localhost"}}, false, "not one of localhost"},
        BadServer{"anotherAuthority", {"localhost", {"DNS:localhost"}}, true, "not believed"},
        BadServer{
            "thePast",
            {"localhost", {"DNS:localhost"}, std::chrono::hours{-48}, std::chrono::hours{-24}},
            false,
            "expired"}),
    [](const auto& one) { return one.param.title; });

TEST_F(SipOverTls, refusesOldVersions)
{
    startDaemon();
    EXPECT_FALSE(connect({{}, {}, {}, TLS1_1_VERSION}).connected());
    EXPECT_TRUE(connect({{}, {}, {}, TLS1_2_VERSION}).connected());
}

TEST_F(SipOverTls, wantsACertificateOfItsAuthorityWhenTold)
{
    startDaemon({"sip.tls.verify=required"});
    const TestAuthority foreign{files_.path(), "foreign"};
    const auto good = authority_.issue("client", {"client", {}});
    const auto bad = foreign.issue("stranger", {"stranger", {}});
    auto known = connect({authority_.file(), good.certificate, good.key, 0});
    EXPECT_EQ(ask(known, message(known, "known")), 202);
    auto stranger = connect({authority_.file(), bad.certificate, bad.key, 0});
    EXPECT_TRUE(stranger.ended());
    auto nobody = connect();
    EXPECT_TRUE(nobody.ended());
    EXPECT_EQ(daemon_->jobsInAll(), 1U);
}

TEST_F(SipOverTls, doesWithoutACertificateButNotWithABadOneWhenItIsOptional)
{
    startDaemon({"sip.tls.verify=optional"});
    const TestAuthority foreign{files_.path(), "foreign"};
    const auto bad = foreign.issue("stranger", {"stranger", {}});
    auto nobody = connect();
    EXPECT_EQ(ask(nobody, message(nobody, "nobody")), 202);
    auto stranger = connect({authority_.file(), bad.certificate, bad.key, 0});
    EXPECT_TRUE(stranger.ended());
}

TEST_F(SipOverTls, showsANewCertificateAfterSighupWithoutDroppingAnybody)
{
    startDaemon();
    auto before = connect();
    ASSERT_EQ(ask(before, message(before, "before")), 202);
    certificateOf("own", "renewed.example");
    daemon_->process().signal(SIGHUP);
    EXPECT_TRUE(
        eventually([&] { return connect().peerName() == "renewed.example"; }, kProcessTimeout));
    EXPECT_EQ(ask(before, message(before, "after")), 202);
}

TEST_F(SipOverTls, keepsTheOldCertificateWhenTheNewOneCannotBeUsed)
{
    startDaemon();
    std::filesystem::remove(own_.key);
    daemon_->process().signal(SIGHUP);
    EXPECT_TRUE(daemon_->process().waitForLine("cannot read sip.tls.key"));
    auto alice = connect();
    EXPECT_EQ(alice.peerName(), "localhost");
    EXPECT_EQ(ask(alice, message(alice, "still")), 202);
}

TEST_F(SipOverTls, believesAPeerByTheNameOfItsCertificateOnly)
{
    startDaemon({"sip.trusted=tls:proxy.example.org", "sip.tls.verify=optional"});
    const auto right = certificateOf("right", "proxy.example.org");
    auto proxy = connect({authority_.file(), right.certificate, right.key, 0});
    EXPECT_EQ(ask(proxy, message(proxy, "from the proxy")), 202);

    const auto other = certificateOf("other", "phone.example.org");
    auto phone = connect({authority_.file(), other.certificate, other.key, 0});
    EXPECT_EQ(ask(phone, message(phone, "from somebody with another name")), 403);
    auto nobody = connect();
    EXPECT_EQ(ask(nobody, message(nobody, "from somebody without a name")), 403);
    SipPhone inTheClear({"alice", kDomain, {SipTransport::Tcp, "127.0.0.1", port_}});
    EXPECT_EQ(inTheClear.say(Daemon::aor("bob"), "by TCP"), 403);
    EXPECT_EQ(daemon_->jobsInAll(), 1U);
}

TEST_F(SipOverTls, survivesALengthThatNoBodyHas)
{
    startDaemon();
    constexpr int kTooLarge = 413;
    constexpr int kNoLength = 400;
    const std::vector<std::pair<std::string, int>> answers{
        {"2147483647", kTooLarge}, {"2147483648", kTooLarge},           {"4294967295", kTooLarge},
        {"4294967296", kNoLength}, {"18446744073709551616", kNoLength}, {"-1", kNoLength}};
    for (const auto& [length, status] : answers) {
        auto mallory = connect();
        auto text = message(mallory, "").toString();
        const std::string none = "Content-Length: 0\r\n";
        ASSERT_NE(text.find(none), std::string::npos);
        text.replace(text.find(none), none.size(), "Content-Length: " + length + "\r\n");
        // In one read with a request that is answered first.
        mallory.send(request(mallory, "OPTIONS", "sip:restante.test").toString() + text + "x");
        const auto first = mallory.receive();
        ASSERT_TRUE(first) << length;
        EXPECT_EQ(first->status(), 200) << length;
        const auto second = mallory.receive();
        ASSERT_TRUE(second) << length;
        EXPECT_EQ(second->status(), status) << length;
        EXPECT_TRUE(mallory.ended()) << length;
    }
    auto alice = connect();
    EXPECT_EQ(ask(alice, message(alice, "still there")), 202);
}

TEST_F(SipOverTls, closesAfterJunkAndIgnoresEmptyLinesBeforeARequest)
{
    startDaemon();
    for (const auto& junk :
         {std::string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n"}, std::string(3, '\0')}) {
        auto scanner = connect();
        scanner.send(junk);
        EXPECT_TRUE(scanner.ended()) << junk;
    }
    auto alice = connect();
    std::string lines;
    for (int i = 0; i < 50; ++i) {
        lines += "\r\n";
    }
    alice.send(lines + message(alice, "behind empty lines").toString());
    auto answer = alice.receive();
    // The lines are keep-alives, too, and may have been answered.
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status(), 202);
}

/// TCP connections to that port of this machine that the client has closed and the server has not.
std::size_t halfClosedAt(std::uint16_t port)
{
    const auto own = fmt::format(":{:04X}", port);
    std::ifstream table("/proc/self/net/tcp");
    std::size_t count = 0;
    for (std::string line; std::getline(table, line);) {
        std::istringstream words(line);
        std::string number, local, remote, state;
        words >> number >> local >> remote >> state;
        constexpr auto kCloseWait = "08";
        count += local.ends_with(own) && state == kCloseWait ? 1U : 0U;
    }
    return count;
}

TEST_F(SipOverTls, leavesNoConnectionOfAScannerThatHasGone)
{
    startDaemon();
    for (int i = 0; i < 20; ++i) {
        // Some do not even shake hands.
        SipSocket plain{{SipTransport::Tcp, "127.0.0.1", tlsPort_}};
        plain.send(i % 2 == 0 ? "GET / HTTP/1.1\r\n\r\n" : "\x16\x03\x01");
        connect();
        connect().send("MESSAGE sip:bob@exam");
        connect().send("GET / HTTP/1.1\r\n");
        auto caller = connect();
        caller.send(request(caller, "OPTIONS", "sip:restante.test").toString());
    }
    auto alice = connect();
    EXPECT_EQ(ask(alice, message(alice, "still there")), 202);
    EXPECT_TRUE(eventually([&] { return halfClosedAt(tlsPort_) == 0; }, kProcessTimeout))
        << halfClosedAt(tlsPort_);
}

TEST_F(SipOverTls, goesToTheNextProxyWhenTheFirstIsDead)
{
    const auto own = certificateOf("proxy", "localhost");
    TlsListener second{{authority_.file(), own.certificate, own.key, 0}};
    startDaemon(
        {fmt::format("sip.proxy=sip:localhost:{};transport=tls,sip:localhost:{};transport=tls",
                     freePort(), second.port())});
    auto alice = connect();
    ASSERT_EQ(ask(alice, message(alice, "by the second")), 202);
    auto connection = second.accept();
    ASSERT_TRUE(connection && connection->connected());
    const auto arrived = takeMessage(*connection);
    ASSERT_TRUE(arrived);
    EXPECT_EQ(arrived->body, "by the second");
    EXPECT_TRUE(eventually([&] { return daemon_->jobsInAll() == 0; }, kProcessTimeout));
}

TEST_F(SipOverTls, goesToTheNextProxyWhenTheFirstShowsAnothersCertificate)
{
    const auto wrong = certificateOf("wrong", "other.example");
    const auto right = certificateOf("right", "localhost");
    TlsListener first{{authority_.file(), wrong.certificate, wrong.key, 0}};
    TlsListener second{{authority_.file(), right.certificate, right.key, 0}};
    startDaemon(
        {fmt::format("sip.proxy=sip:localhost:{};transport=tls,sip:localhost:{};transport=tls",
                     first.port(), second.port())});
    auto alice = connect();
    ASSERT_EQ(ask(alice, message(alice, "by the second")), 202);
    auto impostor = first.accept();
    ASSERT_TRUE(impostor);
    EXPECT_FALSE(impostor->receive()) << "nothing is told to it";
    auto connection = second.accept();
    ASSERT_TRUE(connection && connection->connected());
    const auto arrived = takeMessage(*connection);
    ASSERT_TRUE(arrived);
    EXPECT_EQ(arrived->body, "by the second");
    EXPECT_TRUE(eventually([&] { return daemon_->jobsInAll() == 0; }, kProcessTimeout));
}

TEST_F(SipOverTls, isNotSpokenInTheClear)
{
    startDaemon();
    SipPhone mallory({"mallory", kDomain, {SipTransport::Tcp, "127.0.0.1", tlsPort_}});
    mallory.timeout = Millis{2'000};
    EXPECT_NE(mallory.ask(mallory.request("OPTIONS", "sip:restante.test")).status, 200);
}

TEST_F(SipOverTls, opensNoDoorButThoseOfTheConfiguration)
{
    startDaemon();
    for (const auto port : listeningPortsOf(daemon_->process().id())) {
        EXPECT_TRUE(port == port_ || port == tlsPort_ || port == daemon_->httpPort()) << port;
    }
}

struct BadFiles {
    const char* title;
    const char* set;  ///< {} is the directory of the files
    const char* reason;
};

class SipTlsFiles : public SipOverTls, public ::testing::WithParamInterface<BadFiles> {};

TEST_P(SipTlsFiles, areRefusedAtTheStartWithTheReason)
{
    certificateOf("other", "other.example");
    const auto set = fmt::format(fmt::runtime(GetParam().set), files_.path().string());
    std::vector<std::string> words{builtProgram("restanted"),
                                   "--set",
                                   "state_dir=" + (files_ / "state").string(),
                                   "--set",
                                   fmt::format("sip.listen=tls:127.0.0.1:{}", tlsPort_),
                                   "--set",
                                   "http.listen=off",
                                   "--set",
                                   "journal.mode=off"};
    std::string rest = set;
    while (!rest.empty()) {
        const auto end = rest.find(' ');
        words.insert(words.end(), {"--set", rest.substr(0, end)});
        rest = end == std::string::npos ? "" : rest.substr(end + 1);
    }
    const auto ended = run({std::move(words), {}, {}});
    EXPECT_EQ(ended.status, 1);
    EXPECT_THAT(ended.errors, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    SipTlsFiles,
    ::testing::Values(
        BadFiles{"none", "sip.retry=0s", "needs sip.tls.certificate"},
        BadFiles{"missing", "sip.tls.certificate={}/no.pem", "No such file"},
        BadFiles{"withoutAKey", "sip.tls.certificate={}/own.pem",
                 "own.pem can be read by everybody"},
        BadFiles{"withAnothersKey", "sip.tls.certificate={0}/own.pem sip.tls.key={0}/other.key",
                 "is not the key of sip.tls.certificate"},
        BadFiles{"noPem", "sip.tls.certificate={0}/own.key sip.tls.key={0}/own.key",
                 "cannot use sip.tls.certificate"},
        BadFiles{"withoutTheAuthority",
                 "sip.tls.certificate={0}/own.pem sip.tls.key={0}/own.key sip.tls.ca={0}/no.pem",
                 "cannot use sip.tls.ca"},
        BadFiles{"verifyingByNobody",
                 "sip.tls.certificate={0}/own.pem sip.tls.key={0}/own.key sip.tls.verify=required",
                 "sip.tls.verify needs sip.tls.ca"}),
    [](const auto& one) { return one.param.title; });

TEST_F(SipOverTls, warnsOfAnExpiredCertificateOfItsOwn)
{
    own_ = authority_.issue(
        "own", {"localhost", {"DNS:localhost"}, std::chrono::hours{-48}, std::chrono::hours{-1}});
    startDaemon();
    EXPECT_THAT(daemon_->process().errors(), HasSubstr("has expired"));
    EXPECT_THAT(daemon_->control({"doctor"}).output, HasSubstr("has expired"));
}

}  // namespace
}  // namespace restante::test
