// Clients that people use, each as the sender of a message that is stored and as the receiver of
// one.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/real_peers.h"
#include "tests/support/sip_path.h"
#include "tests/support/sip_phone.h"
#include "tests/support/tls_socket.h"

#include <gtest/gtest.h>

#include <memory>
#include <tuple>

namespace restante::test {

namespace {

// Beyond ASCII, so that a broken encoding shows.
constexpr auto kTextBeyondAscii = "the key is under the doormat, Grüße ✓";

using Connected = std::tuple<Brand, SipPath>;

std::string nameOfPhone(const ::testing::TestParamInfo<Connected>& info)
{
    const auto& [brand, path] = info.param;
    return std::string(name(brand)) + "_" + name(path);
}

}  // namespace

class RealPhoneTest : public ::testing::TestWithParam<Connected> {
protected:
    void SetUp() override
    {
        const auto& path = std::get<SipPath>(GetParam());
        if (skipsWithout(path)) {
            return;
        }
        daemon_ = std::make_unique<Daemon>(Daemon::Settings{
            {}, path.host(), path.transport == SipTransport::Tls ? loopbackTls() : nullptr});
    }
    SipServer server() const { return daemon_->server(std::get<SipPath>(GetParam()).transport); }
    SipPhone phone(const std::string& user) { return SipPhone({user, kDomain, server()}); }
    std::unique_ptr<RealPhone> realPhone(const std::string& user, const std::string& correspondent)
    {
        return makePhone(std::get<Brand>(GetParam()), {user, correspondent, server()});
    }

    std::unique_ptr<Daemon> daemon_;
};

TEST_P(RealPhoneTest, showsTheMessageThatWasWaitingForIt)
{
    auto alice = phone("alice");
    ASSERT_EQ(alice.say(Daemon::aor("bob"), kTextBeyondAscii), 202);

    const auto bob = realPhone("bob", "alice");
    EXPECT_TRUE(bob->shows("alice", kTextBeyondAscii)) << bob->log();
    bob->hangUp();
}

TEST_P(RealPhoneTest, writesAMessageThatIsStoredForSomebodyOffline)
{
    const auto alice = realPhone("alice", "bob");
    alice->say(kTextBeyondAscii);
    ASSERT_TRUE(eventually([&] { return daemon_->jobs()["held"] == 1; }, kProcessTimeout))
        << alice->log();
    alice->hangUp();

    auto bob = phone("bob");
    ASSERT_EQ(bob.registerFor(std::chrono::seconds{600}).status, 200);
    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.received()[0].body, kTextBeyondAscii);
    EXPECT_NE(bob.received()[0].header("From").find(Daemon::aor("alice")), std::string::npos);
}

TEST_P(RealPhoneTest, isNotWrittenToOnceItHasUnregistered)
{
    const auto bob = realPhone("bob", "alice");
    auto alice = phone("alice");
    ASSERT_EQ(alice.registerFor(std::chrono::seconds{600}).status, 200);
    ASSERT_EQ(alice.say(Daemon::aor("bob"), "first"), 202);
    ASSERT_TRUE(bob->shows("alice", "first")) << bob->log();
    bob->hangUp();
    // Linphone reports that it has shown the message: alice takes that.
    ASSERT_TRUE(alice.workUntil([&] { return daemon_->jobsInAll() == 0; }));

    ASSERT_EQ(alice.say(Daemon::aor("bob"), "second"), 202);
    EXPECT_TRUE(eventually([&] { return daemon_->jobs()["held"] == 1; }, kProcessTimeout));
}

INSTANTIATE_TEST_SUITE_P(Real,
                         RealPhoneTest,
                         ::testing::Combine(::testing::Values(Brand::Baresip, Brand::Linphone),
                                            ::testing::ValuesIn(kEveryPath)),
                         nameOfPhone);

}  // namespace restante::test
