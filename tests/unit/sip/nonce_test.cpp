#include "sipplugin/auth/authenticator.h"
#include "sipplugin/auth/nonce.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/sip/examples.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

using restante::test::ManualClock;
using Status = NonceIssuer::Status;

constexpr Millis kLifetime{60'000};
const std::string kRealm = "example.com";
const NonceIssuer::Scope kScope{kRealm, "192.0.2.7"};

}  // namespace

TEST(Nonce, isFreshForItsLifetimeAndStaleAfterIt)
{
    const NonceIssuer mint("secret", kLifetime);
    const auto nonce = mint.make(kScope, kNow);
    EXPECT_EQ(mint.validate(nonce, kScope, kNow).status, Status::Fresh);
    EXPECT_EQ(mint.validate(nonce, kScope, kNow + Millis{59'999}).remaining, Millis{1});
    EXPECT_EQ(mint.validate(nonce, kScope, kNow + kLifetime).status, Status::Stale);
}

TEST(Nonce, ofAnotherDaemonWithTheSameSecretIsOurs)
{
    const auto nonce = NonceIssuer("secret", kLifetime).make(kScope, kNow);
    EXPECT_EQ(NonceIssuer("secret", kLifetime).validate(nonce, kScope, kNow).status, Status::Fresh);
    EXPECT_EQ(NonceIssuer("other", kLifetime).validate(nonce, kScope, kNow).status,
              Status::Foreign);
}

TEST(Nonce, isForeignInAnotherRealmFromTheFutureOrChangedAnywhere)
{
    const NonceIssuer mint("secret", kLifetime);
    const auto nonce = mint.make(kScope, kNow);
    EXPECT_EQ(mint.validate(nonce, {"example.org", "192.0.2.7"}, kNow).status, Status::Foreign);
    EXPECT_EQ(mint.validate(nonce, kScope, kNow - Millis{60'000}).status, Status::Foreign);
    EXPECT_EQ(mint.validate(nonce + "0", kScope, kNow).status, Status::Foreign);
    EXPECT_EQ(mint.validate("", kScope, kNow).status, Status::Foreign);
    for (std::size_t i = 0; i < nonce.size(); ++i) {
        auto changed = nonce;
        changed[i] = changed[i] == '0' ? '1' : '0';
        EXPECT_EQ(mint.validate(changed, kScope, kNow).status, Status::Foreign) << i;
    }
}

TEST(Nonce, isForeignFromAnotherAddressThanItWasGivenTo)
{
    const NonceIssuer mint("secret", kLifetime);
    const auto nonce = mint.make(kScope, kNow);
    EXPECT_EQ(mint.validate(nonce, {kRealm, "192.0.2.8"}, kNow).status, Status::Foreign);
}

TEST(Nonce, isNeverMadeTwice)
{
    const NonceIssuer mint("secret", kLifetime);
    EXPECT_NE(mint.make(kScope, kNow), mint.make(kScope, kNow));
}

TEST(FailureRateLimiter, stopsAnAddressThatGuessesAndLetsItTryAgainLater)
{
    ManualClock clock;
    FailureRateLimiter pace(clock, 6);
    for (int i = 0; i < 6; ++i) {
        EXPECT_TRUE(pace.admits("192.0.2.1"));
        pace.recordFailure("192.0.2.1");
    }
    EXPECT_FALSE(pace.admits("192.0.2.1"));
    EXPECT_TRUE(pace.admits("192.0.2.2"));
    clock.advance(Millis{10'000});
    EXPECT_TRUE(pace.admits("192.0.2.1"));
}

TEST(FailureRateLimiter, makesABurstThatWasUnderWayPayLater)
{
    ManualClock clock;
    FailureRateLimiter pace(clock, 6);
    for (int i = 0; i < 12; ++i) {
        pace.recordFailure("192.0.2.1");
    }
    clock.advance(Millis{60'000});
    EXPECT_FALSE(pace.admits("192.0.2.1"));
    clock.advance(Millis{10'000});
    EXPECT_TRUE(pace.admits("192.0.2.1"));
}

TEST(FailureRateLimiter, countsIpv6ByItsNetwork)
{
    ManualClock clock;
    FailureRateLimiter pace(clock, 1);
    pace.recordFailure("2001:db8::1");
    EXPECT_FALSE(pace.admits("2001:db8::ffff"));
    EXPECT_TRUE(pace.admits("2001:db8:0:1::1"));
}

TEST(FailureRateLimiter, keepsItsMemoryBoundedWhenAWorldOfAddressesGuesses)
{
    ManualClock clock;
    FailureRateLimiter pace(clock, 1);
    for (int i = 0; i < 30'000; ++i) {
        pace.recordFailure("10." + std::to_string(i / 65'536) + "." +
                           std::to_string(i / 256 % 256) + "." + std::to_string(i % 256));
    }
    EXPECT_LE(pace.size(), 10'001U);
    EXPECT_FALSE(pace.admits("192.0.2.1")) << "the rest of the world shares one bucket";
    clock.advance(std::chrono::hours{48});
    pace.recordFailure("192.0.2.9");
    EXPECT_LE(pace.size(), 1U) << "what is full again is forgotten";
}

TEST(FailureRateLimiter, isOffAtZero)
{
    ManualClock clock;
    FailureRateLimiter pace(clock, 0);
    pace.recordFailure("192.0.2.1");
    EXPECT_TRUE(pace.admits("192.0.2.1"));
    EXPECT_EQ(pace.size(), 0U);
}

}  // namespace restante::sip
