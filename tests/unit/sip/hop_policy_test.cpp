#include "sipplugin/transport/hop_policy.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

HopPolicy policy(const std::vector<std::string>& allowed = {},
                 const std::vector<std::string>& own = {})
{
    const auto addresses = std::make_shared<const OwnAddresses>([own] { return own; });
    return HopPolicy(AddressPolicy::allowing(allowed, addresses).value());
}

bool permits(const HopPolicy& policy,
             const std::string& source,
             const std::string& address,
             std::uint16_t port)
{
    return !policy.refusal({false, source}, address, address, port);
}

}  // namespace

TEST(HopPolicy, permitsPublicAddressesAndNoOthers)
{
    EXPECT_TRUE(permits(policy(), "8.8.4.4:5060", "8.8.8.8", 5060));
    for (const auto* address : {"127.0.0.1", "10.0.0.9", "169.254.169.254", "::1", "fe80::1",
                                "fd00::1", "::ffff:127.0.0.1", "0.0.0.0", "224.0.0.1"}) {
        EXPECT_FALSE(permits(policy(), "8.8.4.4:5060", address, 5060)) << address;
    }
}

TEST(HopPolicy, permitsThePeerItselfWithAnyPort)
{
    EXPECT_TRUE(permits(policy(), "10.0.0.9:41000", "10.0.0.9", 5062));
    EXPECT_TRUE(permits(policy(), "[fd00::9]:41000", "fd00::9", 5062));
    EXPECT_FALSE(permits(policy(), "10.0.0.9:41000", "10.0.0.8", 5062));
}

TEST(HopPolicy, permitsOnThisMachineOnlyThePortThatThePeerSendsFrom)
{
    const auto here = policy({}, {"198.51.100.7", "8.8.8.8"});
    EXPECT_TRUE(permits(here, "127.0.0.1:5062", "127.0.0.1", 5062));
    EXPECT_TRUE(permits(here, "[::1]:5062", "::1", 5062));
    EXPECT_FALSE(permits(here, "127.0.0.1:5062", "127.0.0.1", 6379));
    EXPECT_FALSE(permits(here, "127.0.0.1:5062", "127.0.0.2", 5062));
    EXPECT_TRUE(permits(here, "8.8.8.8:5062", "8.8.8.8", 5062));
    EXPECT_FALSE(permits(here, "8.8.8.8:5062", "8.8.8.8", 6379)) << "public, but ours";
    EXPECT_FALSE(permits(here, "8.8.4.4:5062", "8.8.8.8", 6379));
}

TEST(HopPolicy, permitsWhatTheOperatorNames)
{
    const auto open = policy({"10.0.0.0/8", "127.0.0.1", "phones.example.org"});
    EXPECT_TRUE(permits(open, "8.8.4.4:5060", "10.9.9.9", 5060));
    EXPECT_TRUE(permits(open, "8.8.4.4:5060", "127.0.0.1", 6379));
    EXPECT_FALSE(permits(open, "8.8.4.4:5060", "192.168.0.1", 5060));
    EXPECT_FALSE(open.refusal({false, ""}, "phones.example.org", "192.168.0.1", 5060));
    EXPECT_FALSE(policy().refusal({true, ""}, "127.0.0.1", "127.0.0.1", 5060)) << "sip.proxy";
    EXPECT_FALSE(HopPolicy{}.refusal({false, ""}, "127.0.0.1", "127.0.0.1", 5060));
}

TEST(HopPolicy, leavesOfANameTheAddressesThatItPermits)
{
    const HopOrigin origin{false, "8.8.4.4:5060"};
    const TransportAddress bad{Transport::Tcp, "127.0.0.1", 5070};
    const TransportAddress good{Transport::Tcp, "2606:4700::1", 5070};
    EXPECT_EQ(policy().permitted(origin, "phone.example.org", {bad, good}),
              (std::vector<TransportAddress>{good}));
    const auto none = policy().permitted(origin, "phone.example.org", {bad});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message, "127.0.0.1 is a loopback address (sip.contacts.allow)");
}

}  // namespace restante::sip
