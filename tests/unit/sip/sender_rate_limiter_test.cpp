#include "core/config/config.h"
#include "sipplugin/inbound/message_receiver.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/sip/examples.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

TEST(SenderRateLimiter, holdsEachSenderToTheRateOfTheDefaultConfiguration)
{
    const auto rate = Config{}.sip.limits.perSender;
    ASSERT_GT(rate, 0U) << "the default is a limit";
    const test::ManualClock clock;
    SenderRateLimiter pace{clock, rate};
    for (std::uint32_t i = 0; i < rate; ++i) {
        ASSERT_TRUE(pace.tryAcquire(kAlice)) << i;
    }
    EXPECT_FALSE(pace.tryAcquire(kAlice));
    EXPECT_TRUE(pace.tryAcquire("sip:carol@example.org")) << "who has a share of her own";
}

TEST(SenderRateLimiter, fillsAShareEvenly)
{
    test::ManualClock clock;
    SenderRateLimiter pace{clock, 10};
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(pace.tryAcquire(kAlice));
    }
    clock.advance(Millis{100});
    EXPECT_TRUE(pace.tryAcquire(kAlice));
    EXPECT_FALSE(pace.tryAcquire(kAlice));
}

TEST(SenderRateLimiter, forgetsNobodyWhoseShareIsUsedUpWhenManyHaveWritten)
{
    test::ManualClock clock;
    SenderRateLimiter pace{clock, 10};
    const auto others = [&](int count) {
        for (int i = 0; i < count; ++i) {
            ASSERT_TRUE(pace.tryAcquire(std::to_string(i)));
        }
    };
    others(20'000);
    clock.advance(Millis{1'500});  // the others are full again, and are forgotten
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(pace.tryAcquire(kAlice));
    }
    EXPECT_FALSE(pace.tryAcquire(kAlice));
    others(20'000);
    clock.advance(Millis{50});
    others(1);
    EXPECT_FALSE(pace.tryAcquire(kAlice)) << "half a message has come back to her";
}

TEST(SenderRateLimiter, withoutARateAdmitsEverybody)
{
    const test::ManualClock clock;
    SenderRateLimiter pace{clock, 0};
    for (int i = 0; i < 5'000; ++i) {
        ASSERT_TRUE(pace.tryAcquire(kAlice));
    }
}

}  // namespace
}  // namespace restante::sip
