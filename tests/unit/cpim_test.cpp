#include "core/job/cpim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante {
namespace {

constexpr std::string_view kMessage = "From: MR SANDERS <im:piglet@100akerwood.com>\r\n"
                                      "To: Depressed Donkey <im:eeyore@100akerwood.com>\r\n"
                                      "DateTime: 2000-12-13T13:40:00-08:00\r\n"
                                      "Subject: the weather will be fine today\r\n"
                                      "NS: MyFeatures <mid:MessageFeatures@id.foo.com>\r\n"
                                      "Require: MyFeatures.VitalMessageOption\r\n"
                                      "MyFeatures.VitalMessageOption: Confirmation-requested\r\n"
                                      "\r\n"
                                      "Content-type: text/xml; charset=utf-8\r\n"
                                      "Content-ID: <1234567890@foo.com>\r\n"
                                      "\r\n"
                                      "<body>\r\n\r\nHere</body>";

TEST(Cpim, readsHeadersAndContent)
{
    const auto message = CpimMessage::parse(kMessage);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->header({}, "From"), "MR SANDERS <im:piglet@100akerwood.com>");
    EXPECT_EQ(message->header({}, "DateTime"), "2000-12-13T13:40:00-08:00");
    EXPECT_EQ(message->contentHeader("Content-Type"), "text/xml; charset=utf-8");
    EXPECT_EQ(message->content(), "<body>\r\n\r\nHere</body>");
}

TEST(Cpim, findsAHeaderByItsNamespaceWhateverThePrefix)
{
    const auto message = CpimMessage::parse(kMessage);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->header("mid:MessageFeatures@id.foo.com", "VitalMessageOption"),
              "Confirmation-requested");
    EXPECT_EQ(message->header({}, "VitalMessageOption"), std::nullopt);
}

TEST(Cpim, takesImdnForImdnAlsoWhenNobodySaidSo)
{
    const auto message = CpimMessage::parse("imdn.Message-ID: 7\n\n\n");
    ASSERT_TRUE(message);
    EXPECT_EQ(message->header(kImdnNamespace, "Message-ID"), "7");
}

TEST(Cpim, doesNotTakeAPrefixThatMeansSomethingElseForImdn)
{
    const auto message =
        CpimMessage::parse("NS: imdn <urn:other>\r\nimdn.Message-ID: 7\r\n\r\n\r\n");
    ASSERT_TRUE(message);
    EXPECT_EQ(message->header(kImdnNamespace, "Message-ID"), std::nullopt);
}

TEST(Cpim, comparesNamesWithTheirCase)
{
    const auto message = CpimMessage::parse("from: x\r\n\r\n\r\n");
    ASSERT_TRUE(message);
    EXPECT_EQ(message->header({}, "From"), std::nullopt);
}

TEST(Cpim, listsAHeaderThatIsThereSeveralTimes)
{
    const auto message = CpimMessage::parse("To: a\r\nTo: b\r\n\r\n\r\n");
    ASSERT_TRUE(message);
    EXPECT_THAT(message->headers({}, "To"), ::testing::ElementsAre("a", "b"));
}

TEST(Cpim, refusesWhatIsNoCpim)
{
    for (const auto* text : {"", "hello", "From: a", "From: a\r\n", "From: a\r\n\r\n",
                             "From: a\r\n\r\nContent-Type: b", "no colon\r\n\r\n\r\n",
                             ": no name\r\n\r\n\r\n", "From: \x01\r\n\r\n\r\n"}) {
        EXPECT_FALSE(CpimMessage::parse(text)) << text;
    }
}

TEST(Cpim, printsWhatItReads)
{
    const auto text = formatCpim(
        {{{"From", "<sip:a@b>"}, {"NS", "imdn <urn:ietf:params:imdn>"}, {"imdn.Message-ID", "1"}},
         {{"Content-Type", "text/plain"}},
         "hi\r\n\r\nthere"});
    const auto message = CpimMessage::parse(text);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->header(kImdnNamespace, "Message-ID"), "1");
    EXPECT_EQ(message->contentHeader("content-type"), "text/plain");
    EXPECT_EQ(message->content(), "hi\r\n\r\nthere");
}

TEST(Cpim, takesTheUriOutOfAnAddress)
{
    EXPECT_EQ(uriOfCpimAddress("Bob <im:bob@example.com>"), "im:bob@example.com");
    EXPECT_EQ(uriOfCpimAddress(" im:bob@example.com"), "im:bob@example.com");
    EXPECT_EQ(uriOfCpimAddress("<>"), "");
}

}  // namespace
}  // namespace restante
