// What a body says to people: CPIM, multipart, transfer encodings, and bodies that are cut.

#include "core/job/message_text.h"

#include <gtest/gtest.h>

namespace restante {
namespace {

MessageText readWhole(std::string_view type, std::string_view body)
{
    return readMessage(type, body, body.size());
}

std::string mainText(const MessageText& message)
{
    const auto* part = mainPartOf(message);
    return part == nullptr ? "(none)" : part->bytes;
}

TEST(MessageText, isThePlainTextItself)
{
    const auto message = readWhole("text/plain;charset=\"ISO-8859-15\"", "Hello");
    ASSERT_EQ(message.parts.size(), 1U);
    EXPECT_EQ(message.parts[0].type, "text/plain");
    EXPECT_EQ(message.parts[0].charset, "ISO-8859-15");
    EXPECT_EQ(mainText(message), "Hello");
    EXPECT_EQ(mainPartOf(readWhole("text/plain", "")), nullptr);
}

TEST(MessageText, isTheMessageInsideACpim)
{
    const auto message =
        readWhole("message/cpim", "From: <im:a@example.org>\r\nDateTime: 2026-11-24T10:00:00Z\r\n"
                                  "NS: imdn <urn:ietf:params:imdn>\r\nimdn.Message-ID: 1\r\n\r\n"
                                  "Content-Type: text/plain; charset=utf-8\r\n\r\nAre you coming?");
    EXPECT_EQ(mainText(message), "Are you coming?");
    ASSERT_EQ(message.headers.size(), 2U);
    EXPECT_EQ(message.headers[0].second, "<im:a@example.org>");
}

TEST(MessageText, takesAMultipartApart)
{
    const auto message = readWhole("multipart/mixed; boundary=\"b;1\"",
                                   "preamble\r\n--b;1\r\n"
                                   "Content-Type: image/jpeg; name=photo.jpg\r\n"
                                   "Content-Transfer-Encoding: base64\r\n\r\n"
                                   "aGVs\r\nbG8=\r\n"
                                   "--b;1\r\nContent-Type: text/plain\r\n"
                                   "Content-Transfer-Encoding: quoted-printable"
                                   "\r\n\r\nLook=21 --b;1=\r\n again\r\n"
                                   "--b;1--\r\nepilogue");
    ASSERT_EQ(message.parts.size(), 2U);
    EXPECT_EQ(message.parts[0].fileName, "photo.jpg");
    EXPECT_EQ(message.parts[0].bytes, "hello");
    EXPECT_EQ(mainText(message), "Look! --b;1 again");
}

// Programs that number their boundaries nest "part-10" within "part-1".
TEST(MessageText, takesNoLongerLineForABoundary)
{
    const auto message = readWhole("multipart/mixed; boundary=part-1",
                                   "--part-1\r\n"
                                   "Content-Type: multipart/alternative; boundary=part-10\r\n\r\n"
                                   "--part-10\r\nContent-Type: text/plain\r\n\r\nHello\r\n"
                                   "--part-10\r\nContent-Type: text/html\r\n\r\n<b>Hello</b>\r\n"
                                   "--part-10--\r\n"
                                   "--part-1 \t\r\nContent-Type: text/plain\r\n\r\n"
                                   "Bye\r\n--part-1--more\r\n"
                                   "--part-1-- \r\nepilogue");
    ASSERT_EQ(message.parts.size(), 3U);
    EXPECT_EQ(message.parts[0].bytes, "Hello");
    EXPECT_EQ(message.parts[1].type, "text/html");
    EXPECT_EQ(message.parts[1].bytes, "<b>Hello</b>");
    EXPECT_EQ(message.parts[2].bytes, "Bye\r\n--part-1--more");
    EXPECT_EQ(mainText(readWhole("multipart/mixed; boundary=x", "--xy\r\n\r\na")), "--xy\r\n\r\na");
}

TEST(MessageText, leavesWhatIsNotWellFormedAsItIs)
{
    EXPECT_EQ(mainText(readWhole("message/cpim", "no headers")), "no headers");
    EXPECT_EQ(mainText(readWhole("multipart/mixed; boundary=x", "no boundary")), "no boundary");
    EXPECT_EQ(mainText(readWhole("multipart/mixed", "--x\r\n\r\na")), "--x\r\n\r\na");
}

TEST(MessageText, knowsTextFromBytes)
{
    EXPECT_TRUE(readWhole("", "plain").parts[0].isText());
    EXPECT_TRUE(readWhole("", "[1, 2]").parts[0].isJson());
    EXPECT_FALSE(readWhole("", std::string_view("\x89PNG\0", 5)).parts[0].isText());
    EXPECT_FALSE(readWhole("image/png", "text").parts[0].isText());
    EXPECT_TRUE(readWhole("application/vnd.shop+json", "{}").parts[0].isJson());
}

TEST(MessageText, saysThatABodyIsCut)
{
    const auto cut = readMessage("text/plain", "Hel", 5);
    ASSERT_EQ(cut.parts.size(), 1U);
    EXPECT_FALSE(cut.parts[0].complete);
    // A part that ends before the cut is whole.
    const auto multipart = readMessage("multipart/mixed; boundary=x",
                                       "--x\r\n\r\nwhole\r\n--x\r\nContent-Type: image/png\r\n\r\n"
                                       "\x89PN",
                                       5'000);
    ASSERT_EQ(multipart.parts.size(), 2U);
    EXPECT_TRUE(multipart.parts[0].complete);
    EXPECT_FALSE(multipart.parts[1].complete);
    EXPECT_TRUE(readMessage("", "Caf\xc3", 6).parts[0].isText()) << "cut within a character";
}

TEST(MessageText, isBoundedWhateverTheBodyIs)
{
    std::string nested = "--x\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n";
    for (int depth = 0; depth < 12; ++depth) {
        nested += nested;
    }
    EXPECT_LE(readWhole("multipart/mixed; boundary=x", nested).parts.size(), 32U);
}

TEST(ParameterOf, readsQuotedAndPlainOnes)
{
    EXPECT_EQ(parameterOf("text/plain; charset=utf-8; format=flowed", "Format"), "flowed");
    EXPECT_EQ(parameterOf("a/b;x=\"1;charset=no\";charset=yes", "charset"), "yes");
    EXPECT_EQ(parameterOf("a/b;flag;charset=yes", "charset"), "yes");
    EXPECT_EQ(parameterOf("a/b;charset=\"open", "charset"), "open");
    EXPECT_EQ(parameterOf("a/b", "charset"), "");
}

}  // namespace
}  // namespace restante
