// Clients that people use, each as the sender of a message that is stored and as the receiver of
// one.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/real_peers.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

namespace restante::test {

namespace {

// Beyond ASCII, so that a broken encoding shows.
constexpr auto kText = "the key is under the doormat, Grüße ✓";

std::string nameOf(const ::testing::TestParamInfo<Brand>& info)
{
    return std::string(name(info.param));
}

}  // namespace

class RealPhoneTest : public ::testing::TestWithParam<Brand> {
protected:
    SipPhone phone(const std::string& user) { return SipPhone({user, kDomain, daemon_.udp()}); }

    Daemon daemon_;
};

TEST_P(RealPhoneTest, showsTheMessageThatWasWaitingForIt)
{
    auto alice = phone("alice");
    ASSERT_EQ(alice.say(Daemon::aor("bob"), kText), 202);

    const auto bob = makePhone(GetParam(), {"bob", "alice", daemon_.udp()});
    EXPECT_TRUE(bob->shows("alice", kText)) << bob->log();
    bob->hangUp();
}

TEST_P(RealPhoneTest, writesAMessageThatIsStoredForSomebodyOffline)
{
    const auto alice = makePhone(GetParam(), {"alice", "bob", daemon_.udp()});
    alice->say(kText);
    ASSERT_TRUE(eventually([&] { return daemon_.jobs()["held"] == 1; }, kProcessPatience))
        << alice->log();
    alice->hangUp();

    auto bob = phone("bob");
    ASSERT_EQ(bob.registerFor(std::chrono::seconds{600}).status, 200);
    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.received()[0].body, kText);
    EXPECT_NE(bob.received()[0].header("From").find(Daemon::aor("alice")), std::string::npos);
}

TEST_P(RealPhoneTest, isNotWrittenToOnceItHasUnregistered)
{
    const auto bob = makePhone(GetParam(), {"bob", "alice", daemon_.udp()});
    auto alice = phone("alice");
    ASSERT_EQ(alice.registerFor(std::chrono::seconds{600}).status, 200);
    ASSERT_EQ(alice.say(Daemon::aor("bob"), "first"), 202);
    ASSERT_TRUE(bob->shows("alice", "first")) << bob->log();
    bob->hangUp();
    // Linphone reports that it has shown the message: alice takes that.
    ASSERT_TRUE(alice.workUntil([&] { return daemon_.jobsInAll() == 0; }));

    ASSERT_EQ(alice.say(Daemon::aor("bob"), "second"), 202);
    EXPECT_EQ(daemon_.jobs()["held"], 1);
}

INSTANTIATE_TEST_SUITE_P(Real,
                         RealPhoneTest,
                         ::testing::Values(Brand::Baresip, Brand::Linphone),
                         nameOf);

}  // namespace restante::test
