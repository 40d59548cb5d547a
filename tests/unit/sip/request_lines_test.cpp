#include "sipplugin/message/request_text.h"

#include <gtest/gtest.h>

namespace restante::sip {

TEST(RequestLines, knowTheMethodAndTheUri)
{
    const auto words = requestWords("MESSAGE sip:bob@example.com SIP/2.0\r\nTo: x\r\n\r\n");
    EXPECT_EQ(words.method, "MESSAGE");
    EXPECT_EQ(words.uri, "sip:bob@example.com");
    for (const auto* text : {"", "MESSAGE", "MESSAGE sip:bob\r\n x"}) {
        EXPECT_EQ(requestWords(text).method, "") << text;
    }
}

TEST(RequestLines, getCredentialsAndAnotherCSeqAndStayAsTheyAreOtherwise)
{
    EXPECT_EQ(withHeaders("MESSAGE sip:b SIP/2.0\r\nX: CSeq: 9\r\nCSeq: 7 MESSAGE\r\n\r\nbody\r\n"
                          "CSeq: 1",
                          {{"A", "1"}, {"B", "2"}}, 0x100),
              "MESSAGE sip:b SIP/2.0\r\nA: 1\r\nB: 2\r\nX: CSeq: 9\r\nCSeq: 263 MESSAGE\r\n\r\n"
              "body\r\nCSeq: 1");
}

TEST(RequestLines, stayAsTheyAreWithoutAnythingToAdd)
{
    const std::string request = "MESSAGE sip:b SIP/2.0\r\nCSeq: 7 MESSAGE\r\n\r\n";
    EXPECT_EQ(withHeaders(request, {}, 0), request);
    EXPECT_EQ(withHeaders("", {{"A", "1"}}, 1), "");
}

}  // namespace restante::sip
