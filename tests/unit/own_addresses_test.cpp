#include "core/base/address_policy.h"

#include <gtest/gtest.h>

namespace restante {
namespace {

class OwnAddressesTest : public testing::Test {
protected:
    std::vector<std::string> machine_{"192.0.2.1", "2001:db8::1"};
    OwnAddresses::SteadyClock::time_point now_{std::chrono::hours(1)};
    int readings_ = 0;
    OwnAddresses own_{[this] {
                          ++readings_;
                          return machine_;
                      },
                      [this] { return now_; }};
};

TEST_F(OwnAddressesTest, areLoopbackAndThoseOfTheInterfaces)
{
    for (const char* address :
         {"127.0.0.1", "127.9.9.9", "::1", "192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1"}) {
        EXPECT_TRUE(own_.contains(address)) << address;
    }
    for (const char* address : {"192.0.2.2", "2001:db8::2", "", "localhost"}) {
        EXPECT_FALSE(own_.contains(address)) << address;
    }
}

TEST_F(OwnAddressesTest, areReadAgainAfterAWhile)
{
    EXPECT_FALSE(own_.contains("192.0.2.2"));
    machine_ = {"192.0.2.2"};
    now_ += OwnAddresses::kReadInterval - std::chrono::milliseconds(1);
    EXPECT_FALSE(own_.contains("192.0.2.2"));
    EXPECT_EQ(readings_, 1);
    now_ += std::chrono::milliseconds(1);
    EXPECT_TRUE(own_.contains("192.0.2.2"));
    EXPECT_FALSE(own_.contains("192.0.2.1"));
    EXPECT_EQ(readings_, 2);
}

TEST_F(OwnAddressesTest, stayWhenTheyCannotBeRead)
{
    EXPECT_TRUE(own_.contains("192.0.2.1"));
    machine_.clear();
    now_ += OwnAddresses::kReadInterval;
    EXPECT_TRUE(own_.contains("192.0.2.1"));
    EXPECT_EQ(readings_, 2);
}

}  // namespace
}  // namespace restante
