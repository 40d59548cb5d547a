#include "sipplugin/regevent/regevent_subscriptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

SubscribeRequest bobs()
{
    SubscribeRequest request;
    request.aor = "sip:bob@example.org";
    request.watcher = "sip:restante@example.org";
    request.contact = "sip:restante@192.0.2.20:5060";
    request.callId = "call";
    request.localTag = "ours";
    return request;
}

TEST(Subscribe, goesToTheAddressOfRecordFirst)
{
    EXPECT_EQ(formatSubscribe(bobs()).value(), "SUBSCRIBE sip:bob@example.org SIP/2.0\r\n"
                                               "Max-Forwards: 70\r\n"
                                               "From: <sip:restante@example.org>;tag=ours\r\n"
                                               "To: <sip:bob@example.org>\r\n"
                                               "Call-ID: call\r\n"
                                               "CSeq: 1 SUBSCRIBE\r\n"
                                               "Contact: <sip:restante@192.0.2.20:5060>\r\n"
                                               "Event: reg\r\n"
                                               "Accept: application/reginfo+xml\r\n"
                                               "Expires: 3600\r\n"
                                               "Content-Length: 0\r\n\r\n");
}

TEST(Subscribe, isRefreshedInItsDialog)
{
    auto request = bobs();
    request.remoteTag = "theirs";
    request.target = "sip:192.0.2.10:5060";
    request.routeSet = {"<sip:192.0.2.11;lr>"};
    request.cseq = 2;
    request.expires = 0s;
    const auto text = formatSubscribe(request).value();
    EXPECT_TRUE(text.starts_with("SUBSCRIBE sip:192.0.2.10:5060 SIP/2.0\r\n"
                                 "Route: <sip:192.0.2.11;lr>\r\n"));
    EXPECT_THAT(text, ::testing::HasSubstr("To: <sip:bob@example.org>;tag=theirs\r\n"));
    EXPECT_THAT(text, ::testing::HasSubstr("CSeq: 2 SUBSCRIBE\r\n"));
    EXPECT_THAT(text, ::testing::HasSubstr("Expires: 0\r\n"));
}

TEST(Subscribe, thatWouldBeMoreThanOneRequestIsRefused)
{
    auto request = bobs();
    request.target = "sip:a@b SIP/2.0\r\nX: y";
    EXPECT_FALSE(formatSubscribe(request));
    request = bobs();
    request.remoteTag = "a\r\nX: y";
    EXPECT_FALSE(formatSubscribe(request));
}

TEST(SubscriptionStateHeader, isReadWithItsParameters)
{
    const auto active = parseSubscriptionState("active; expires=598");
    EXPECT_FALSE(active.ended);
    EXPECT_EQ(active.expires, 598s);
    const auto ended = parseSubscriptionState("terminated;reason=probation ; retry-after=30");
    EXPECT_TRUE(ended.ended);
    EXPECT_EQ(ended.reason, "probation");
    EXPECT_EQ(ended.retryAfter, 30s);
    const auto shouted = parseSubscriptionState("Terminated;Reason = Rejected;RETRY-AFTER=30");
    EXPECT_TRUE(shouted.ended) << "tokens are compared without case";
    EXPECT_EQ(shouted.reason, "rejected");
    EXPECT_EQ(shouted.retryAfter, 30s);
    EXPECT_FALSE(parseSubscriptionState("").ended);
    EXPECT_FALSE(parseSubscriptionState(";;=;").ended);
}

TEST(SubscriptionPace, refreshesEarlyEnoughForASecondTryButNeverFloods)
{
    EXPECT_EQ(refreshAfter(3'600s), Millis{3'240s});
    EXPECT_EQ(refreshAfter(600s), Millis{536s});
    EXPECT_EQ(refreshAfter(60s), Millis{30s});
    EXPECT_EQ(refreshAfter(0s), Millis{10s});
}

TEST(SubscriptionPace, waitsLongerAfterEachFailureAndAsLongAsTheServerWants)
{
    EXPECT_EQ(pauseAfter(503, 1, {}), Millis{5s});
    EXPECT_EQ(pauseAfter(408, 3, {}), Millis{20s});
    EXPECT_EQ(pauseAfter(503, 1'000, {}), Millis{10min});
    EXPECT_EQ(pauseAfter(503, 1, Millis{90s}), Millis{90s});
    EXPECT_EQ(pauseAfter(503, 1, Millis{1'000h}), Millis{24h});
    EXPECT_EQ(pauseAfter(489, 1, {}), Millis{1h});
}

TEST(SubscriptionPace, subscribesAtOnceWhereTheServerAsksForIt)
{
    EXPECT_EQ(pauseAfter(SubscriptionState{true, "deactivated", {}, {}}, 1), Millis{1s});
    EXPECT_EQ(pauseAfter(SubscriptionState{true, "timeout", {}, {}}, 3), Millis{20s});
    EXPECT_EQ(pauseAfter(SubscriptionState{true, "giveup", {}, 30s}, 1), Millis{30s});
    EXPECT_EQ(pauseAfter(SubscriptionState{true, "rejected", {}, {}}, 1), Millis{1h});
}

}  // namespace
}  // namespace restante::sip
