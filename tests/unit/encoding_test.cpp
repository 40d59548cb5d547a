#include "core/base/encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace restante {

namespace {

std::string everyByte()
{
    std::string all;
    for (int i = 0; i < 256; ++i) {
        all.push_back(static_cast<char>(i));
    }
    return all;
}

}  // namespace

TEST(Hex, writesTwoLowerCaseDigitsAByte)
{
    EXPECT_EQ(toHex(""), "");
    EXPECT_EQ(toHex(std::string("\0\x0f\xa0\xff", 4)), "000fa0ff");
}

TEST(Hex, knowsItsDigitsInEitherCase)
{
    EXPECT_EQ(hexDigitValue('0'), 0);
    EXPECT_EQ(hexDigitValue('9'), 9);
    EXPECT_EQ(hexDigitValue('a'), 10);
    EXPECT_EQ(hexDigitValue('F'), 15);
    for (const char c : {'/', ':', '@', 'G', '`', 'g', '\0', '\xff'}) {
        EXPECT_EQ(hexDigitValue(c), -1) << c;
    }
    EXPECT_TRUE(isHex("0123456789abcdefABCDEF"));
    EXPECT_TRUE(isHex(""));
    EXPECT_FALSE(isHex("0x1"));
}

TEST(Base64, writesAndReads)
{
    // RFC 4648 section 10.
    const std::vector<std::pair<std::string, std::string>> vectors{{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(toBase64(bytes), text);
        EXPECT_EQ(fromBase64(text), bytes);
        EXPECT_EQ(fromBase64Prefix(text), bytes);
    }
    const auto all = everyByte();
    EXPECT_EQ(fromBase64(toBase64(all)), all);
    EXPECT_EQ(fromBase64Prefix(toBase64(all)), all);
}

TEST(Base64, refusesWhatItWouldNotWrite)
{
    for (const auto* wrong :
         {"Z", "Zg", "Zg=", "Zg=a", "====", "Zh==", "Zm9=", "Zm 9", "Zg==Zg==", "Zg==\n", "A==="}) {
        EXPECT_FALSE(fromBase64(wrong)) << wrong;
    }
}

TEST(Base64, readsAsFarAsAColumnIsWhole)
{
    EXPECT_EQ(fromBase64Prefix("Zm9vYm"), "foob");
    EXPECT_EQ(fromBase64Prefix("Zm9v YmFy"), "foo");
    EXPECT_EQ(fromBase64Prefix("?"), "");
}

TEST(PercentEncoding, keepsLettersDigitsAndThePlain)
{
    EXPECT_EQ(percentEncoded("aZ09-._~"), "aZ09-._~");
    EXPECT_EQ(percentEncoded("ü /?"), "%C3%BC%20%2F%3F");
    EXPECT_EQ(percentEncoded(std::string("\0%", 2)), "%00%25");
    EXPECT_EQ(percentEncoded("/a~", "/"), "/a%7E");
}

TEST(PercentEncoding, isUndone)
{
    EXPECT_EQ(percentDecoded("a%2fb%2Fc+%20"), "a/b/c+ ");
    EXPECT_EQ(percentDecoded(""), "");
    const auto all = everyByte();
    EXPECT_EQ(percentDecoded(percentEncoded(all), Nul::Allowed), all);
}

TEST(PercentEncoding, refusesBrokenEscapesAndNul)
{
    for (const auto* wrong : {"%", "a%", "%2", "%g0", "%0g", "%-1", "%+1", "% 1", "%%20", "%00"}) {
        EXPECT_FALSE(percentDecoded(wrong)) << wrong;
    }
    EXPECT_EQ(percentDecoded("%00", Nul::Allowed), std::string(1, '\0'));
    EXPECT_FALSE(percentDecoded("%0", Nul::Allowed));
}

}  // namespace restante
