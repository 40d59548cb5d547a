#include "core/base/address_policy.h"

#include <gtest/gtest.h>

namespace restante::delivery {
namespace {

TEST(AddressPolicy, allowsPublicAddresses)
{
    const AddressPolicy policy;
    for (const char* address : {"1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1",
                                "192.167.255.255", "2606:4700:4700::1111", "2001:4860:4860::8888",
                                "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:0808:0808::1"}) {
        EXPECT_EQ(policy.refusal("example.org", address), std::nullopt) << address;
    }
}

TEST(AddressPolicy, refusesWhatIsNotPublicAndSaysWhatItIs)
{
    const std::vector<std::pair<std::string, std::string>> cases{
        {"0.0.0.0", "an unspecified"},
        {"0.1.2.3", "an unspecified"},
        {"10.0.0.1", "a private"},
        {"10.255.255.255", "a private"},
        {"100.64.0.1", "a carrier's shared"},
        {"100.127.255.255", "a carrier's shared"},
        {"127.0.0.1", "a loopback"},
        {"127.255.255.254", "a loopback"},
        {"169.254.169.254", "a link-local"},
        {"172.16.0.1", "a private"},
        {"172.31.255.255", "a private"},
        {"192.0.0.8", "a reserved"},
        {"192.0.2.1", "a documentation"},
        {"192.168.1.1", "a private"},
        {"198.18.0.1", "a benchmarking"},
        {"198.51.100.7", "a documentation"},
        {"203.0.113.7", "a documentation"},
        {"224.0.0.1", "a multicast"},
        {"239.255.255.255", "a multicast"},
        {"240.0.0.1", "a reserved"},
        {"255.255.255.255", "a reserved"},
        {"::", "an unspecified"},
        {"::1", "a loopback"},
        {"fe80::1", "a link-local"},
        {"fec0::1", "a private"},
        {"fc00::1", "a private"},
        {"fd12:3456::1", "a private"},
        {"ff02::1", "a multicast"},
        {"2001:db8::1", "a documentation"},
        {"2001::1", "a reserved"},
        {"100::1", "a reserved"},
        {"64:ff9b:1::1", "a private"},
        {"4000::1", "a reserved"},
    };
    const AddressPolicy policy;
    for (const auto& [address, what] : cases) {
        EXPECT_EQ(policy.refusal("example.org", address), "is " + what + " address") << address;
    }
}

TEST(AddressPolicy, looksIntoAddressesThatCarryOthers)
{
    const AddressPolicy policy;
    for (const char* address :
         {"::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "64:ff9b::127.0.0.1",
          "64:ff9b::a00:1", "2002:7f00:1::", "2002:c0a8:101::1", "::ffff:169.254.169.254"}) {
        EXPECT_TRUE(policy.refusal("example.org", address)) << address;
    }
}

TEST(AddressPolicy, refusesWhatIsNoAddress)
{
    for (const char* text : {"", "localhost", "fe80::1%eth0", "127.0.0.1/8", "0x7f.1"}) {
        EXPECT_TRUE(AddressPolicy{}.refusal("example.org", text)) << text;
    }
}

TEST(AddressPolicy, allowsTheNetworksOfTheOperator)
{
    const auto policy = AddressPolicy::allowing({"10.1.0.0/16", "::1", "[fd00::1]"}).value();
    EXPECT_FALSE(policy.refusal("example.org", "10.1.2.3"));
    EXPECT_FALSE(policy.refusal("example.org", "::ffff:10.1.2.3"));
    EXPECT_FALSE(policy.refusal("example.org", "::1"));
    EXPECT_FALSE(policy.refusal("example.org", "fd00::1"));
    EXPECT_TRUE(policy.refusal("example.org", "10.2.0.1"));
    EXPECT_TRUE(policy.refusal("example.org", "127.0.0.1"));
}

TEST(AddressPolicy, tellsTheNetworksOfTheOperatorFromHosts)
{
    EXPECT_EQ(AddressPolicy::networkOf("[::1]"), Network::parse("::1").value());
    EXPECT_EQ(AddressPolicy::networkOf("10.0.0.0/8"), Network::parse("10.0.0.0/8").value());
    EXPECT_FALSE(AddressPolicy::networkOf("hooks.example.org"));
    EXPECT_FALSE(AddressPolicy::networkOf("[x]"));
}

TEST(AddressPolicy, allowsTheHostsOfTheOperatorWhateverTheirAddress)
{
    const auto policy = AddressPolicy::allowing({"Hooks.Example.Org"}).value();
    EXPECT_FALSE(policy.refusal("hooks.example.org", "10.1.2.3"));
    EXPECT_FALSE(policy.refusal("hooks.example.org.", "127.0.0.1"));
    EXPECT_TRUE(policy.refusal("evil.example.org", "127.0.0.1"));
    EXPECT_TRUE(policy.refusal("x.hooks.example.org", "127.0.0.1"));
}

TEST(AddressPolicy, refusesWordsThatAreNeitherNetworkNorHost)
{
    for (const char* word :
         {"", "10.0.0.0/33", "a b", "http://example.org", "127.0.0.1:80", "[x]"}) {
        EXPECT_FALSE(AddressPolicy::allowing({word})) << word;
    }
}

TEST(AddressPolicy, refusesThePublicAddressesOfThisMachine)
{
    const auto own = std::make_shared<const OwnAddresses>([] {
        return std::vector<std::string>{"8.8.8.8", "2606:4700::1"};
    });
    const auto policy = AddressPolicy::allowing({}, own).value();
    for (const char* address : {"8.8.8.8", "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"}) {
        EXPECT_EQ(policy.refusal("example.org", address), "is an address of this machine")
            << address;
        EXPECT_TRUE(policy.isOwn(address)) << address;
    }
    EXPECT_FALSE(policy.refusal("example.org", "8.8.4.4"));
    EXPECT_FALSE(policy.isOwn("8.8.4.4"));
    EXPECT_EQ(policy.refusal("localhost", "127.0.0.1"), "is a loopback address");
    EXPECT_TRUE(policy.isOwn("127.0.0.1"));
}

TEST(AddressPolicy, tellsWhichPublicAddressesAreClosed)
{
    const std::vector<std::string> all{"127.0.0.1", "10.0.0.7", "8.8.8.8", "2606:4700::1",
                                       "8.8.4.4"};
    const auto own = std::make_shared<const OwnAddresses>([all] { return all; });
    EXPECT_EQ(AddressPolicy::allowing({"8.8.4.4"}, own).value().refusedPublicAddresses(all),
              (std::vector<std::string>{"8.8.8.8", "2606:4700::1"}));
    EXPECT_TRUE(AddressPolicy::everything().refusedPublicAddresses(all).empty());
}

TEST(AddressPolicy, allowsOfThisMachineWhatTheOperatorNames)
{
    const auto own = std::make_shared<const OwnAddresses>([] {
        return std::vector<std::string>{"8.8.8.8", "8.8.4.4"};
    });
    const auto policy =
        AddressPolicy::allowing({"8.8.8.8", "127.0.0.1", "hooks.example.org"}, own).value();
    EXPECT_FALSE(policy.refusal("example.org", "8.8.8.8"));
    EXPECT_FALSE(policy.refusal("example.org", "127.0.0.1"));
    EXPECT_FALSE(policy.refusal("hooks.example.org", "8.8.4.4"));
    EXPECT_TRUE(policy.refusal("example.org", "8.8.4.4"));
}

TEST(AddressPolicy, takesTheInterfacesOfThisMachineForItsOwn)
{
    const auto addresses = machineAddresses();
    ASSERT_FALSE(addresses.empty());
    for (const auto& address : addresses) {
        EXPECT_TRUE(AddressPolicy{}.refusal("example.org", address)) << address;
        EXPECT_TRUE(AddressPolicy{}.isOwn(address)) << address;
    }
}

TEST(AddressPolicy, allowsEverythingToAConfiguredPeer)
{
    EXPECT_FALSE(AddressPolicy::everything().refusal("localhost", "127.0.0.1"));
}

}  // namespace
}  // namespace restante::delivery
