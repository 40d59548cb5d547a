#include "sipplugin/message/sip_message_codec.h"
#include "tests/unit/sip/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

ReceivedRequest receivedMessage()
{
    ReceivedRequest request;
    request.method = "MESSAGE";
    request.requestUri = "sip:bob@example.com;user=phone";
    request.headers = {{"Via", "SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1"},
                       {"From", R"("Alice A" <sip:alice@example.com>;tag=a1;x=y)"},
                       {"To", R"(Bob <sip:bob@example.com>)"},
                       {"Call-ID", "c1@example.com"},
                       {"CSeq", "7 MESSAGE"},
                       {"Content-Type", "text/plain ; charset=UTF-8"}};
    request.body = "hello";
    return request;
}

ReceivedRequest messageWith(std::string_view name, std::string_view value)
{
    auto request = receivedMessage();
    std::erase_if(request.headers, [&](const HeaderLine& line) { return line.name == name; });
    request.headers.push_back({name, value});
    return request;
}

ReceivedRequest messageWithout(std::string_view name)
{
    auto request = receivedMessage();
    std::erase_if(request.headers, [&](const HeaderLine& line) { return line.name == name; });
    return request;
}

Job jobFrom(const ReceivedRequest& request, const CodecSettings& settings = {})
{
    auto job = jobOf(request, kNow, settings);
    EXPECT_TRUE(job) << job.error().message;
    return job.value_or(Job{});
}

template <class Headers>
std::string headerOf(const Headers& headers, std::string_view wanted)
{
    for (const auto& [name, value] : headers) {
        if (name == wanted) {
            return value;
        }
    }
    return "(none)";
}

std::string errorOf(const ReceivedRequest& request)
{
    const auto job = jobOf(request, kNow, {});
    return job ? "accepted" : job.error().message;
}

TEST(JobOf, namesRecipientSenderAndCallId)
{
    const auto job = jobFrom(receivedMessage());
    EXPECT_EQ(job.recipient, "sip:bob@example.com");
    EXPECT_EQ(job.sender, "sip:alice@example.com");
    EXPECT_EQ(job.bizKey, "c1@example.com");
    EXPECT_EQ(job.topic, "sip");
    EXPECT_EQ(job.channel, Channel::Sip);
}

TEST(JobOf, keepsTheBodyByteForByte)
{
    auto request = receivedMessage();
    request.body = std::string_view{"a\0b\r\n\xff ", 7};
    EXPECT_EQ(jobFrom(request).body, request.body);
}

TEST(JobOf, keepsTheContentTypeAsWritten)
{
    EXPECT_EQ(jobFrom(receivedMessage()).contentType, "text/plain ; charset=UTF-8");
}

TEST(JobOf, keepsAnEmptyBodyWithoutType)
{
    auto request = messageWithout("Content-Type");
    request.body = {};
    const auto job = jobFrom(request);
    EXPECT_EQ(job.body, "");
    EXPECT_EQ(job.contentType, "");
}

TEST(JobOf, keepsDisplayNamesAndParametersButNoTag)
{
    const auto job = jobFrom(receivedMessage());
    EXPECT_EQ(headerOf(job.headers, "From"), R"("Alice A" <sip:alice@example.com>;x=y)");
    EXPECT_EQ(headerOf(job.headers, "To"), "Bob <sip:bob@example.com>");
}

TEST(JobOf, keepsEndToEndHeadersAndLeavesTheOthers)
{
    auto request = receivedMessage();
    request.headers.insert(request.headers.end(), {{"subject", "Hi  there"},
                                                   {"In-Reply-To", "x@y"},
                                                   {"X-Mine", "1"},
                                                   {"Route", "<sip:proxy;lr>"},
                                                   {"Authorization", "Digest x"}});
    const auto job = jobFrom(request, {7 * 24h, {"x-mine", "Route"}, true});
    EXPECT_EQ(headerOf(job.headers, "subject"), "Hi  there");
    EXPECT_EQ(headerOf(job.headers, "In-Reply-To"), "x@y");
    EXPECT_EQ(headerOf(job.headers, "X-Mine"), "1");
    EXPECT_EQ(headerOf(job.headers, "Route"), "(none)");
    EXPECT_EQ(headerOf(job.headers, "Authorization"), "(none)");
}

TEST(JobOf, believesTheAssertedIdentityOfTrustedPeersOnly)
{
    const auto request = messageWith("P-Asserted-Identity", "<sip:alice@example.com>");
    EXPECT_EQ(headerOf(jobFrom(request).headers, "P-Asserted-Identity"), "<sip:alice@example.com>");
    EXPECT_EQ(headerOf(jobFrom(request, {1h, {}, false}).headers, "P-Asserted-Identity"), "(none)");
}

TEST(JobOf, keepsTheOriginalDateOrTakesOurs)
{
    EXPECT_EQ(headerOf(jobFrom(receivedMessage()).headers, "Date"),
              "Tue, 14 Nov 2023 22:13:20 GMT");
    EXPECT_EQ(
        headerOf(jobFrom(messageWith("Date", "Sat, 13 Nov 2010 23:29:00 GMT")).headers, "Date"),
        "Sat, 13 Nov 2010 23:29:00 GMT");
}

TEST(JobOf, expiresAfterTheLifetimeWhenTheSenderSaysNothing)
{
    EXPECT_EQ(jobFrom(receivedMessage(), {48h, {}, true}).expires, kNow + 48h);
}

TEST(JobOf, countsExpiresFromTheDate)
{
    auto request = messageWith("Expires", "3600");
    EXPECT_EQ(jobFrom(request).expires, kNow + 1h);
    request.headers.push_back({"Date", "Tue, 14 Nov 2023 22:03:20 GMT"});
    EXPECT_EQ(jobFrom(request).expires, kNow + 50min);
}

TEST(JobOf, isNotLengthenedByAClockThatIsAhead)
{
    auto request = messageWith("Expires", "60");
    request.headers.push_back({"Date", "Tue, 14 Nov 2033 22:03:20 GMT"});
    EXPECT_EQ(jobFrom(request).expires, kNow + 60s);
}

TEST(JobOf, hasExpiredWhenItsDateIsCenturiesAgo)
{
    auto request = messageWith("Expires", "3600");
    request.headers.push_back({"Date", "Sat, 13 Nov 1005 23:29:00 GMT"});
    const auto expires = jobFrom(request).expires;
    EXPECT_GT(expires, TimePoint{});
    EXPECT_LT(expires, kNow);
}

TEST(JobOf, boundsAnExpiresBeyondAllNumbers)
{
    EXPECT_EQ(jobFrom(messageWith("Expires", "99999999999999999999999")).expires, kNow + 366 * 24h);
}

TEST(JobOf, refusesWhatCouldNotBeDeliveredLater)
{
    using ::testing::HasSubstr;
    EXPECT_THAT(errorOf(messageWithout("Content-Type")), HasSubstr("Content-Type"));
    EXPECT_THAT(errorOf(messageWith("Content-Type", "nonsense")), HasSubstr("Content-Type"));
    EXPECT_THAT(errorOf(messageWith("Content-Type", "text/;x=y")), HasSubstr("Content-Type"));
    EXPECT_THAT(errorOf(messageWith("Content-Type", "text/plain;x=\ry")),
                HasSubstr("Content-Type"));
    EXPECT_THAT(errorOf(messageWith("Date", "yesterday")), HasSubstr("Date"));
    EXPECT_THAT(errorOf(messageWith("Expires", "soon")), HasSubstr("Expires"));
    EXPECT_THAT(errorOf(messageWith("From", "\"Mr <sip:x@y>")), HasSubstr("From"));
    EXPECT_THAT(errorOf(messageWith("To", "")), HasSubstr("To"));
    EXPECT_THAT(errorOf(messageWith("Subject", "a\x01z")), HasSubstr("Subject"));
    EXPECT_THAT(errorOf(messageWithout("Call-ID")), HasSubstr("Call-ID"));
}

TEST(IsTransient, knowsIsComposingAlsoInsideCpim)
{
    EXPECT_TRUE(isTransient(messageWith("Content-Type", "application/im-isComposing+xml;x=y")));
    auto wrapped = messageWith("Content-Type", "message/cpim");
    wrapped.body = "From: <im:a@b>\r\n\r\nContent-type: application/im-iscomposing+xml\r\n\r\n<x/>";
    EXPECT_TRUE(isTransient(wrapped));
    wrapped.body = "From: <im:a@b>\n\nContent-Type: application/im-iscomposing+xml;x\n\n<x/>";
    EXPECT_TRUE(isTransient(wrapped)) << "lines may end in LF alone";
    wrapped.body = "From: <im:a@b>\r\n\r\nContent-Type: application/im-iscomposing+xml;\r\n"
                   " charset=UTF-8\r\n\r\n<x/>";
    EXPECT_TRUE(isTransient(wrapped)) << "a MIME header may be folded";
    for (const auto* body :
         {"From: <im:a@b>\r\n\r\nContent-type: text/plain\r\n\r\nhi",
          "Content-Type: application/im-iscomposing+xml\r\n\r\nX-a: b\r\n\r\n", "", "x"}) {
        wrapped.body = body;
        EXPECT_FALSE(isTransient(wrapped)) << body;
    }
}

TEST(IsTransient, knowsExpiresZero)
{
    EXPECT_TRUE(isTransient(messageWith("Expires", "0")));
    EXPECT_FALSE(isTransient(messageWith("Expires", "1")));
    EXPECT_FALSE(isTransient(receivedMessage()));
}

TEST(OnceKey, tellsRequestsApartByCallIdCseqFromTagAndRecipient)
{
    const auto key = onceKeyOf(receivedMessage(), "sip:bob@example.com");
    EXPECT_EQ(onceKeyOf(messageWith("Via", "SIP/2.0/UDP 192.0.2.9"), "sip:bob@example.com"), key);
    EXPECT_NE(onceKeyOf(messageWith("Call-ID", "c2"), "sip:bob@example.com"), key);
    EXPECT_NE(onceKeyOf(messageWith("CSeq", "8 MESSAGE"), "sip:bob@example.com"), key);
    EXPECT_NE(
        onceKeyOf(messageWith("From", "<sip:alice@example.com>;tag=b"), "sip:bob@example.com"),
        key);
    EXPECT_NE(onceKeyOf(receivedMessage(), "sip:carol@example.com"), key);
}

TEST(OutgoingMessage, bringsBackWhatWasReceived)
{
    auto job = jobFrom(messageWith("Subject", "Hi"));
    job.id = "0ABC";
    const auto wire = outgoingMessageOf(job, 1, "sip:restante@example.com");
    EXPECT_EQ(wire.body, "hello");
    EXPECT_EQ(wire.contentType, "text/plain ; charset=UTF-8");
    EXPECT_THAT(wire.from, ::testing::StartsWith(R"("Alice A" <sip:alice@example.com>;x=y;tag=)"));
    EXPECT_EQ(wire.to, "Bob <sip:bob@example.com>");
    EXPECT_EQ(wire.callId, "c1@example.com");
    EXPECT_EQ(headerOf(wire.headers, "Subject"), "Hi");
    EXPECT_EQ(headerOf(wire.headers, "Date"), "Tue, 14 Nov 2023 22:13:20 GMT");
    EXPECT_EQ(headerOf(wire.headers, "X-Restante-Job"), "0ABC");
}

TEST(OutgoingMessage, isTheSameMessageAtEveryAttemptWithAHigherCseq)
{
    auto job = jobFrom(receivedMessage());
    job.id = "0ABC";
    const auto first = outgoingMessageOf(job, 1, "sip:r@example.com");
    const auto second = outgoingMessageOf(job, 2, "sip:r@example.com");
    EXPECT_EQ(first.callId, second.callId);
    EXPECT_EQ(first.from, second.from);
    EXPECT_LT(first.cseq, second.cseq);
}

TEST(OutgoingMessage, differsBetweenTwoMessagesOfOneCallId)
{
    auto one = jobFrom(receivedMessage());
    auto other = one;
    one.id = "0ABC";
    other.id = "0ABD";
    EXPECT_NE(outgoingMessageOf(one, 1, "sip:r@x").from,
              outgoingMessageOf(other, 1, "sip:r@x").from);
}

TEST(OutgoingMessage, completesAJobThatNeverWasAMessage)
{
    Job reminder;
    reminder.id = "order/7";
    reminder.recipient = "sip:bob@example.com";
    reminder.bizKey = "order 7";
    reminder.body = "pay";
    reminder.created = kNow;
    const auto wire = outgoingMessageOf(reminder, 1, "sip:restante@example.com");
    EXPECT_THAT(wire.from, ::testing::StartsWith("<sip:restante@example.com>;tag="));
    EXPECT_EQ(wire.to, "<sip:bob@example.com>");
    EXPECT_EQ(wire.contentType, "text/plain;charset=UTF-8");
    EXPECT_THAT(wire.callId, ::testing::EndsWith("@restante"));
    EXPECT_EQ(headerOf(wire.headers, "Date"), "Tue, 14 Nov 2023 22:13:20 GMT");
}

TEST(OutgoingMessage, letsNoJobSmuggleHeaderLines)
{
    Job job;
    job.id = "j";
    job.recipient = "sip:bob@example.com";
    job.headers = {{"Subject", "a\r\nRoute: <sip:evil>"},
                   {"Bad Name", "x"},
                   {"Route", "<sip:evil>"},
                   {"Priority", "urgent"}};
    const auto wire = outgoingMessageOf(job, 1, "sip:r@example.com");
    EXPECT_EQ(headerOf(wire.headers, "Subject"), "(none)");
    EXPECT_EQ(headerOf(wire.headers, "Bad Name"), "(none)");
    EXPECT_EQ(headerOf(wire.headers, "Route"), "(none)");
    EXPECT_EQ(headerOf(wire.headers, "Priority"), "urgent");
}

}  // namespace
}  // namespace restante::sip
