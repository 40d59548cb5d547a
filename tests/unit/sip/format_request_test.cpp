#include "sipplugin/outbound/uac.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

OutgoingMessage outgoingMessage()
{
    OutgoingMessage made;
    made.from = "<sip:alice@example.com>;tag=1";
    made.to = "<sip:bob@example.com>";
    made.callId = "abc";
    made.contentType = "text/plain";
    made.headers = {{"Date", "Thu, 29 Feb 2024 23:29:00 GMT"}};
    made.body = std::string{"a\0b", 3};
    return made;
}

DeliveryRoute route()
{
    DeliveryRoute made;
    made.requestUri = "sip:bob@10.0.0.2";
    made.routeSet = {"<sip:edge;lr>"};
    return made;
}

TEST(FormatRequest, writesWhatItIsGivenAndTheLengthOfTheBody)
{
    const std::string expected = "MESSAGE sip:bob@10.0.0.2 SIP/2.0\r\n"
                                 "Route: <sip:edge;lr>\r\n"
                                 "Max-Forwards: 70\r\n"
                                 "From: <sip:alice@example.com>;tag=1\r\n"
                                 "To: <sip:bob@example.com>\r\n"
                                 "Call-ID: abc\r\n"
                                 "CSeq: 1 MESSAGE\r\n"
                                 "Date: Thu, 29 Feb 2024 23:29:00 GMT\r\n"
                                 "Content-Type: text/plain\r\n"
                                 "Content-Length: 3\r\n\r\n";
    EXPECT_EQ(formatRequest(outgoingMessage(), route()).value(), expected + outgoingMessage().body);
}

TEST(FormatRequest, refusesAHeaderThatWouldBeTwo)
{
    auto smuggled = outgoingMessage();
    smuggled.headers.emplace_back("Subject", "x\r\nRoute: <sip:evil>");
    const auto printed = formatRequest(smuggled, route());
    ASSERT_FALSE(printed);
    EXPECT_NE(printed.error().message.find("Subject"), std::string::npos);
}

TEST(FormatRequest, refusesARequestUriWithASpace)
{
    auto strange = route();
    strange.requestUri = "sip:bob@host SIP/2.0\r\nX: y";
    EXPECT_FALSE(formatRequest(outgoingMessage(), strange));
}

}  // namespace
}  // namespace restante::sip
