// What is done to the TLS port: the same limits hold there as for TCP.

#include "tests/fault/raw_connections.h"
#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/sip_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"
#include "tests/support/tls_socket.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <vector>

namespace restante::test {
namespace {

using SteadyClock = std::chrono::steady_clock;

class HostileTls : public ::testing::Test {
protected:
    HostileTls()
    {
        const auto own = authority_.issue("own", {"restante.test", {"DNS:restante.test"}});
        Daemon::Settings settings;
        settings.set = {fmt::format("sip.listen=127.0.0.1:{},tls:127.0.0.1:{}", freePort(), port_),
                        "sip.tls.certificate=" + own.certificate.string(),
                        "sip.tls.key=" + own.key.string(),
                        "sip.tls.ca=" + authority_.file().string(),
                        "sip.limits.connections_per_address=10",
                        "sip.limits.message_time=1s"};
        daemon_ = std::make_unique<Daemon>(settings);
    }
    SipServer server() const { return {SipTransport::Tcp, "127.0.0.1", port_}; }
    TlsSocket connect() const { return TlsSocket{port_, {authority_.file(), {}, {}, 0}}; }
    /// 405 to an INFO over that connection. Not OPTIONS, which is answered 503 while a busy machine
    /// lets the store wait.
    static bool isServed(TlsSocket& socket)
    {
        socket.send(fmt::format("INFO sip:restante.test SIP/2.0\r\nVia: {}\r\n"
                                "From: <sip:alice@restante.test>;tag=1\r\n"
                                "To: <sip:restante.test>\r\nCall-ID: {}\r\nCSeq: 1 INFO\r\n"
                                "Max-Forwards: 70\r\nContent-Length: 0\r\n\r\n",
                                socket.via(), uniqueToken()));
        const auto answer = socket.receive();
        return answer && answer->status() == 405;
    }

    TempDir directory_;
    TestAuthority authority_{directory_.path(), "an authority of ours"};
    std::uint16_t port_ = freePort();
    std::unique_ptr<Daemon> daemon_;
};

TEST_F(HostileTls, anAddressGetsNoMoreThanItsConnections)
{
    std::vector<FileDescriptor> greedy;
    for (int i = 0; i < 30; ++i) {
        greedy.push_back(connectFrom("127.0.0.9", server()));
        ASSERT_TRUE(greedy.back());
    }
    EXPECT_TRUE(eventually([&] { return living(greedy) <= 10; }, kProcessTimeout));
    auto other = connect();
    ASSERT_TRUE(other.connected());
    EXPECT_TRUE(isServed(other));
}

TEST_F(HostileTls, whoeverDripsAMessageIsCutOff)
{
    auto slow = connect();
    ASSERT_TRUE(slow.connected());
    slow.send("MESSAGE sip:bob@restante.test SIP/2.0\r\nSubject: ");
    EXPECT_TRUE(eventually(
        [&] {
            slow.send("x");
            return slow.ended(Millis{1});
        },
        kProcessTimeout));
}

TEST_F(HostileTls, whoeverDripsAHandshakeIsCutOff)
{
    const auto slow = connectFrom("127.0.0.9", server());
    ASSERT_TRUE(slow);
    // A record of 16,384 bytes with a ClientHello that never ends.
    const std::string begin("\x16\x03\x01\x40\x00\x01\x00\x3f\xfc\x03\x03", 11);
    ::send(slow.get(), begin.data(), begin.size(), MSG_NOSIGNAL);
    EXPECT_TRUE(eventually(
        [&] {
            ::send(slow.get(), "x", 1, MSG_NOSIGNAL);
            return isCut(slow);
        },
        kProcessTimeout));
}

TEST_F(HostileTls, aConnectionThatKeepsTalkingIsNotTakenForASlowOne)
{
    auto chatty = connect();
    ASSERT_TRUE(chatty.connected());
    const auto end = SteadyClock::now() + std::chrono::seconds{12};
    while (SteadyClock::now() < end) {
        ASSERT_TRUE(isServed(chatty));
    }
}

}  // namespace
}  // namespace restante::test
