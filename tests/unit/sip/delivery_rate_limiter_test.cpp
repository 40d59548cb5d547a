#include "sipplugin/delivery/delivery_limits.h"
#include "tests/unit/sip/examples.h"

#include <gtest/gtest.h>

#include <chrono>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

TEST(DeliveryRateLimiter, withoutLimitsLetsEverythingLeaveAtOnce)
{
    DeliveryRateLimiter pace{0ms, 0};
    pace.recordSent("sip:bob@localhost", kNow);
    EXPECT_EQ(pace.reserveSendTime(kNow), kNow);
    EXPECT_EQ(pace.nextSendTimeFor("sip:bob@localhost"), TimePoint{});
}

TEST(DeliveryRateLimiter, leavesTheLeastTimeBetweenTwoToOneRecipient)
{
    DeliveryRateLimiter pace{200ms, 0};
    pace.recordSent("sip:bob@localhost", kNow);
    EXPECT_EQ(pace.nextSendTimeFor("sip:bob@localhost"), kNow + 200ms);
    EXPECT_EQ(pace.nextSendTimeFor("sip:carol@localhost"), TimePoint{});
}

TEST(DeliveryRateLimiter, givesPlacesEvenlyToAllTogether)
{
    DeliveryRateLimiter pace{0ms, 100};
    const auto first = pace.reserveSendTime(kNow);
    EXPECT_LE(first, kNow);
    for (int i = 1; i < 50; ++i) {
        EXPECT_EQ(pace.reserveSendTime(kNow), first + i * 10ms);
    }
}

TEST(DeliveryRateLimiter, doesNotSaveUpPlacesThatNobodyTook)
{
    DeliveryRateLimiter pace{0ms, 100};
    pace.reserveSendTime(kNow);
    int atOnce = 0;
    while (pace.reserveSendTime(kNow + 1h) <= kNow + 1h) {
        ++atOnce;
    }
    EXPECT_LE(atOnce, 4) << "20 ms are caught up";
}

TEST(DeliveryRateLimiter, keepsAFastRate)
{
    DeliveryRateLimiter pace{0ms, 30'000};
    const auto first = pace.reserveSendTime(kNow);
    TimePoint last{};
    for (int i = 0; i < 30'000; ++i) {
        last = pace.reserveSendTime(kNow);
    }
    EXPECT_NEAR(std::chrono::duration<double>(last - first).count(), 1.0, 0.02);
}

}  // namespace
}  // namespace restante::sip
