#include "sipplugin/message/request_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace restante::sip {
namespace {

using ::testing::HasSubstr;

Result<std::string> requestWith(std::string_view name, std::string_view value)
{
    RequestWriter writer("MESSAGE", "sip:bob@example.com");
    writer.addLine(name, value);
    return std::move(writer).finish("hi");
}

TEST(RequestWriter, writesLinesAndTheLengthOfTheBody)
{
    EXPECT_EQ(requestWith("Subject", "a b").value(), "MESSAGE sip:bob@example.com SIP/2.0\r\n"
                                                     "Subject: a b\r\n"
                                                     "Content-Length: 2\r\n\r\nhi");
    EXPECT_EQ(RequestWriter("OPTIONS", "sip:a").finish().value(),
              "OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\n\r\n");
}

TEST(RequestWriter, refusesALineThatWouldBeTwoAndNamesIt)
{
    for (const std::string value : {"a\r\nRoute: <sip:evil>", "a\n", "a\rb"}) {
        const auto text = requestWith("Subject", value);
        ASSERT_FALSE(text) << value;
        EXPECT_THAT(text.error().message, HasSubstr("Subject"));
    }
    EXPECT_FALSE(requestWith("Subject", std::string("a\0b", 3)));
    EXPECT_FALSE(requestWith("X\r\nRoute", "a"));
    EXPECT_FALSE(requestWith("", "a\r\nRoute: <sip:evil>")) << "also without a name";
}

TEST(RequestWriter, refusesAUriThatIsMoreThanOne)
{
    for (const auto* uri : {"sip:a b", "sip:a\r\nX: y", " "}) {
        const auto text = RequestWriter("MESSAGE", uri).finish();
        ASSERT_FALSE(text) << uri;
        EXPECT_THAT(text.error().message, HasSubstr("Request-URI"));
    }
}

}  // namespace
}  // namespace restante::sip
