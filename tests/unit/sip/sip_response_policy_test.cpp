#include "sipplugin/sip_response_policy.h"

#include <gtest/gtest.h>

#include <chrono>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

TEST(SipResponsePolicy, takesEverySuccessAsDelivered)
{
    for (int status : {200, 202, 204, 299}) {
        EXPECT_EQ(judge({status, "OK", {}}), Verdict::Delivered) << status;
    }
}

TEST(SipResponsePolicy, keepsAMessageWhoseRecipientCannotBeReachedNow)
{
    for (int status : {401, 404, 407, 408, 410, 430, 480, 481, 482, 483, 484, 486, 487, 491, 500,
                       502, 503, 504}) {
        EXPECT_EQ(judge({status, "", {}}), Verdict::Unreachable) << status;
    }
}

TEST(SipResponsePolicy, refusesForGoodWhatBlamesTheMessage)
{
    for (int status : {400, 402, 403, 405, 406, 411, 413, 414, 415, 416, 420, 421,
                       428, 433, 488, 493, 501, 505, 513, 600, 603, 604, 606, 607}) {
        EXPECT_EQ(judge({status, "", {}}), Verdict::Refused) << status;
    }
}

TEST(SipResponsePolicy, takesSilenceAndRedirectionAsUnreachable)
{
    EXPECT_EQ(judge({}), Verdict::Unreachable);
    EXPECT_EQ(judge({302, "Moved Temporarily", {}}), Verdict::Unreachable);
}

TEST(SipResponsePolicy, countsAnUnknownStatusAsTheFirstOfItsClass)
{
    EXPECT_EQ(judge({499, "", {}}), Verdict::Refused);
    EXPECT_EQ(judge({599, "", {}}), Verdict::Unreachable);
    EXPECT_EQ(judge({699, "", {}}), Verdict::Refused);
}

TEST(SipResponsePolicy, retryAfterTurnsATemporaryRefusalIntoAWait)
{
    for (int status : {413, 600, 603}) {
        EXPECT_EQ(judge({status, "", 30s}), Verdict::Unreachable) << status;
    }
    EXPECT_EQ(judge({415, "", 30s}), Verdict::Refused);
}

TEST(SipResponsePolicy, boundsTheWaitThatADeviceMayAskFor)
{
    EXPECT_EQ(wantedPause({503, "", {}}), 0ms);
    EXPECT_EQ(wantedPause({503, "", 30s}), 30s);
    EXPECT_EQ(wantedPause({503, "", 24h * 365}), 24h);
}

TEST(SipResponsePolicy, saysInWordsWhatHappened)
{
    EXPECT_EQ((DeviceAnswer{480, "Temporarily Unavailable", {}}).print(),
              "480 Temporarily Unavailable");
    EXPECT_EQ((DeviceAnswer{480, "", {}}).print(), "480");
}

}  // namespace
}  // namespace restante::sip
