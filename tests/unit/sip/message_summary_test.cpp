#include "sipplugin/mwi/message_summaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace restante::sip {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

ReceivedRequest subscribe()
{
    ReceivedRequest request;
    request.method = "SUBSCRIBE";
    request.requestUri = "sip:bob@example.com";
    request.headers = {{"Via", "SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1"},
                       {"From", "\"Bob\" <sip:bob@example.com>;tag=b1"},
                       {"To", "<sip:bob@example.com>"},
                       {"Call-ID", "c1"},
                       {"CSeq", "4 SUBSCRIBE"},
                       {"Contact", "<sip:bob@192.0.2.1:5060>"},
                       {"Event", "message-summary;id=7"},
                       {"Accept", "text/plain, application/simple-message-summary;q=1"},
                       {"Expires", "600"}};
    request.sourceHost = "192.0.2.1";
    request.sourcePort = 5060;
    return request;
}

ReceivedRequest subscribeWith(std::string_view name, std::string_view value)
{
    auto request = subscribe();
    std::erase_if(request.headers, [&](const HeaderLine& line) { return line.name == name; });
    request.headers.push_back({name, value});
    return request;
}

int refusalOf(const ReceivedRequest& request)
{
    const auto read = readSummaryRequest(request);
    return read ? 0 : read.error().status;
}

TEST(SummaryRequest, isReadFromASubscribe)
{
    const auto read = readSummaryRequest(subscribe());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->aor, "sip:bob@example.com");
    EXPECT_EQ(read->subscriber, "sip:bob@example.com");
    EXPECT_EQ(read->fromTag, "b1");
    EXPECT_EQ(read->toTag, "");
    EXPECT_EQ(read->eventId, "7");
    EXPECT_EQ(read->cseq, 4U);
    EXPECT_EQ(read->expires, 600s);
    EXPECT_EQ(read->route.requestUri, "sip:bob@192.0.2.1:5060");
}

TEST(SummaryRequest, lastsAnHourAtMostAndWithoutAWish)
{
    EXPECT_EQ(readSummaryRequest(subscribeWith("Expires", "99999999999"))->expires, 1h);
    auto request = subscribe();
    std::erase_if(request.headers, [](const HeaderLine& line) { return line.name == "Expires"; });
    EXPECT_EQ(readSummaryRequest(request)->expires, 1h);
    EXPECT_EQ(readSummaryRequest(subscribeWith("Expires", "0"))->expires, 0s);
}

TEST(SummaryRequest, isRefusedWithTheAnswerOfItsFault)
{
    EXPECT_EQ(refusalOf(subscribeWith("Event", "presence")), 489);
    EXPECT_EQ(refusalOf(subscribeWith("Accept", "application/pidf+xml")), 406);
    EXPECT_EQ(refusalOf(subscribeWith("Expires", "59")), 423);
    EXPECT_EQ(refusalOf(subscribeWith("Expires", "soon")), 400);
    EXPECT_EQ(refusalOf(subscribeWith("Contact", "*")), 400);
    EXPECT_EQ(refusalOf(subscribeWith("From", "<sip:bob@example.com>")), 400);
    auto nobody = subscribe();
    nobody.requestUri = "sip:example.com";
    EXPECT_EQ(refusalOf(nobody), 404);
}

TEST(SummaryRequest, isRefusedWhenItsDialogIsTooLongToBeKept)
{
    const std::string longest(256, 'c');
    EXPECT_EQ(refusalOf(subscribeWith("Call-ID", longest)), 0);
    EXPECT_EQ(refusalOf(subscribeWith("Call-ID", longest + "c")), 400);
    const auto from = "<sip:bob@example.com>;tag=" + longest;
    EXPECT_EQ(refusalOf(subscribeWith("From", from)), 0);
    EXPECT_EQ(refusalOf(subscribeWith("From", from + "c")), 400);
    std::string servers = "<sip:a;lr>";
    for (int i = 0; i < 200; ++i) {
        servers += ", <sip:a" + std::to_string(i) + ".a-server-with-a-long-name.example.com;lr>";
    }
    EXPECT_EQ(refusalOf(subscribeWith("Record-Route", servers)), 400);
}

TEST(SummaryNotify, saysHowManyMessagesWait)
{
    const auto read = readSummaryRequest(subscribe());
    ASSERT_TRUE(read);
    const auto text =
        formatSummaryNotify(
            *read,
            {.waiting = 3, .remaining = 599'500ms, .tag = "r1", .cseq = 2, .contact = "sip:x"})
            .value();
    EXPECT_THAT(text, ::testing::StartsWith("NOTIFY sip:bob@192.0.2.1:5060 SIP/2.0\r\n"));
    for (const auto* line :
         {"From: <sip:bob@example.com>;tag=r1", "To: \"Bob\" <sip:bob@example.com>;tag=b1",
          "Call-ID: c1", "CSeq: 2 NOTIFY", "Contact: <sip:x>", "Event: message-summary;id=7",
          "Subscription-State: active;expires=600",
          "Content-Type: application/simple-message-summary"}) {
        EXPECT_THAT(text, HasSubstr(std::string{"\r\n"} + line + "\r\n"));
    }
    EXPECT_THAT(text, EndsWith("\r\n\r\nMessages-Waiting: yes\r\n"
                               "Message-Account: sip:bob@example.com\r\nText-Message: 3/0\r\n"));
}

TEST(SummaryNotify, saysThatNothingWaitsAndThatItIsTheLast)
{
    const auto read = readSummaryRequest(subscribe());
    ASSERT_TRUE(read);
    const auto text = formatSummaryNotify(*read, {}).value();
    EXPECT_THAT(text, HasSubstr("Subscription-State: terminated;reason=timeout\r\n"));
    EXPECT_THAT(text, HasSubstr("Messages-Waiting: no\r\n"));
    EXPECT_THAT(text, HasSubstr("Text-Message: 0/0\r\n"));
}

TEST(SummaryNotify, goesBackByTheServersThatWantToSeeIt)
{
    const auto read = readSummaryRequest(subscribeWith("Record-Route", "<sip:a;lr>, <sip:b;lr>"));
    ASSERT_TRUE(read);
    EXPECT_THAT(read->route.routeSet, ElementsAre("<sip:a;lr>", "<sip:b;lr>"));
    EXPECT_THAT(formatSummaryNotify(*read, {}).value(),
                HasSubstr("Route: <sip:a;lr>\r\nRoute: <sip:b;lr>\r\n"));
}

TEST(SummaryNotify, isNoneWithALineThatWouldBeTwo)
{
    const auto read = readSummaryRequest(subscribe());
    ASSERT_TRUE(read);
    SummaryNotice notice;
    notice.contact = "sip:x\r\nRoute: <sip:evil>";
    EXPECT_FALSE(formatSummaryNotify(*read, notice));
}

}  // namespace
}  // namespace restante::sip
