#include "core/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstdint>
#include <limits>
#include <string>

namespace restante {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Text, foldsTheLettersOfAsciiAlone)
{
    EXPECT_EQ(lowered("AZaz@[`{0\xc4\xd6"), "azaz@[`{0\xc4\xd6");
    EXPECT_TRUE(equalIgnoringCase("Content-TYPE", "content-type"));
    EXPECT_TRUE(equalIgnoringCase("", ""));
    EXPECT_FALSE(equalIgnoringCase("a", "ab"));
    // Apart by the bit that tells letters' cases: no letters.
    EXPECT_FALSE(equalIgnoringCase("@[", "`{"));
    EXPECT_FALSE(equalIgnoringCase("\xc4", "\xe4"));
}

TEST(Text, comparesWhatIsBehindANul)
{
    EXPECT_FALSE(equalIgnoringCase(std::string("a\0b", 3), std::string("a\0c", 3)));
    EXPECT_TRUE(equalIgnoringCase(std::string("a\0b", 3), std::string("A\0B", 3)));
}

TEST(Text, comparesTheFrontWithoutCase)
{
    EXPECT_TRUE(startsWithIgnoringCase("Digest x", "digest"));
    EXPECT_TRUE(startsWithIgnoringCase("x", ""));
    EXPECT_FALSE(startsWithIgnoringCase("dig", "digest"));
    EXPECT_FALSE(startsWithIgnoringCase("", "a"));
}

TEST(Text, trimsBlanksAndNothingElse)
{
    EXPECT_EQ(trimmed(" \t a b\t "), "a b");
    EXPECT_EQ(trimmed("a"), "a");
    EXPECT_EQ(trimmed(" \t"), "");
    EXPECT_EQ(trimmed(""), "");
    EXPECT_EQ(trimmed(" \r\n"), "\r\n");
    EXPECT_EQ(trimmed("\n a\r\n", " \r\n"), "a");
    EXPECT_EQ(trimmedAtEnd(" a "), " a");
    EXPECT_EQ(trimmedAtEnd("  "), "");
}

TEST(Text, splitsAtEachSeparator)
{
    EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
    EXPECT_THAT(split("a", ','), ElementsAre("a"));
    EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Text, splitsIntoWords)
{
    EXPECT_THAT(splitWords(" a\tb  c ", " \t"), ElementsAre("a", "b", "c"));
    EXPECT_THAT(splitWords(",a,,", ","), ElementsAre("a"));
    EXPECT_THAT(splitWords(" \t", " \t"), IsEmpty());
    EXPECT_THAT(splitWords("", ","), IsEmpty());
}

TEST(Text, readsWholeNumbersAlone)
{
    EXPECT_EQ(wholeNumber<int>("-12"), -12);
    EXPECT_EQ(wholeNumber<std::uint32_t>("0000000012"), 12U);
    EXPECT_EQ(wholeNumber<std::uint16_t>("65535"), 65'535);
    EXPECT_EQ(wholeNumber<unsigned>("fF", 16), 255U);
    EXPECT_EQ(wholeNumber<double>("0.5"), 0.5);
    for (const auto* wrong : {"", " 1", "1 ", "+1", "1a", "a", "0x1", "1.0", "-", "--1"}) {
        EXPECT_FALSE(wholeNumber<int>(wrong)) << wrong;
    }
    EXPECT_FALSE(wholeNumber<std::uint16_t>("65536"));
    EXPECT_FALSE(wholeNumber<std::uint32_t>("-1"));
    EXPECT_FALSE(wholeNumber<int>(std::string("1\0", 2)));
    EXPECT_FALSE(wholeNumber<int>({}));
}

TEST(Text, readsTheNumberInFront)
{
    EXPECT_EQ(leadingNumber<int>("12-3"), 12);
    EXPECT_EQ(leadingNumber<int>("-3"), -3);
    EXPECT_EQ(leadingNumber<int>("x1"), 0);
    EXPECT_EQ(leadingNumber<int>(""), 0);
    EXPECT_EQ(leadingNumber<unsigned>("1fz", 16), 0x1fU);
    EXPECT_EQ(leadingNumber<std::uint8_t>("256"), 0);
}

TEST(Text, readsScoresOfRedis)
{
    EXPECT_EQ(leadingNumber<double>("1700000000000.25"), 1700000000000.25);
    EXPECT_EQ(leadingNumber<double>("1.7000000000000001e+17"), 1.7000000000000001e+17);
    for (const auto* text : {"inf", "+inf", "+Inf"}) {
        EXPECT_EQ(leadingNumber<double>(text), std::numeric_limits<double>::infinity()) << text;
    }
    EXPECT_EQ(leadingNumber<double>("-inf"), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(leadingNumber<double>(""), 0.0);
}

TEST(Text, hasAPointInFractionsInEveryLocale)
{
    // What a console sets on its desk: there strtod() takes a comma alone.
    for (const auto* locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"}) {
        if (std::setlocale(LC_NUMERIC, locale) != nullptr) {
            EXPECT_EQ(leadingNumber<double>("1.5"), 1.5) << locale;
            EXPECT_EQ(wholeNumber<double>("1.5"), 1.5) << locale;
        }
    }
    std::setlocale(LC_NUMERIC, "C");
}

TEST(Text, setsANumberOnlyToAWholeOne)
{
    int number = 7;
    EXPECT_FALSE(readNumber("12x", number));
    EXPECT_EQ(number, 7);
    EXPECT_TRUE(readNumber("12", number));
    EXPECT_EQ(number, 12);
}

TEST(Text, knowsTokensOfHttp)
{
    EXPECT_TRUE(isHttpToken("X-a!#$%&'*+.^_`|~0"));
    for (const auto* wrong : {"", "a b", "a:", "a(", "\xc4", "@"}) {
        EXPECT_FALSE(isHttpToken(wrong)) << wrong;
    }
    EXPECT_TRUE(consistsOf("aZ0-", "-"));
    EXPECT_FALSE(consistsOf("aZ0-", ""));
    EXPECT_FALSE(consistsOf(std::string(1, '\0'), "-"));
    for (const char c : {'@', '[', '`', '{', '/', ':'}) {
        EXPECT_FALSE(isAlphanumeric(c)) << c;
    }
}

TEST(Text, knowsDigits)
{
    EXPECT_TRUE(isDigits("0189"));
    for (const auto* wrong : {"", "-1", "1 ", "a", "1.0"}) {
        EXPECT_FALSE(isDigits(wrong)) << wrong;
    }
}

}  // namespace restante
