#include "core/sms/sms_size.h"

#include <gtest/gtest.h>

#include <string>

namespace restante::sms {

namespace {
std::string times(std::size_t count, const std::string& text)
{
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        out += text;
    }
    return out;
}

SmsSize measured(const std::string& text)
{
    const auto result = measure(text);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result.value_or(SmsSize{});
}

std::string refusalOf(const std::string& text)
{
    const auto result = measure(text);
    return result ? "" : result.error().message;
}
}  // namespace

TEST(SmsSize, takesTheSevenBitAlphabetWhileItCan)
{
    for (const char* text : {"Hello, World!", "Grüße, ÄÖÜß", "¿Qué? ¡Ñandu!", "à è ì ò ù Ç",
                             "ΓΔΘΛΞΠΣΦΨΩ", "£ $ ¥ § ¤ @ _", "line\nline\r\n"}) {
        EXPECT_EQ(measured(text).coding, Coding::Gsm7) << text;
    }
}

TEST(SmsSize, takesUcs2ForWhatTheAlphabetLacks)
{
    for (const char* text : {"ç", "ê", "`", "Привет", "日本", "😀", "“quoted”", "–", "\t"}) {
        EXPECT_EQ(measured(text).coding, Coding::Ucs2) << text;
    }
}

TEST(SmsSize, countsCharactersOfTheExtensionTableTwice)
{
    EXPECT_EQ(measured("€").units, 2U);
    EXPECT_EQ(measured("[]{}\\^~|€").units, 18U);
    EXPECT_EQ(measured(times(80, "€")).parts, 1U);
    EXPECT_EQ(measured(times(81, "€")).parts, 2U);
}

TEST(SmsSize, fitsHundredAndSixtySeptetsIntoOneMessage)
{
    EXPECT_EQ(measured(times(160, "a")).parts, 1U);
    EXPECT_EQ(measured(times(161, "a")).parts, 2U);
    EXPECT_EQ(measured(times(160, "ü")).parts, 1U);
}

TEST(SmsSize, fitsHundredAndFiftyThreeSeptetsIntoEachOfSeveral)
{
    EXPECT_EQ(measured(times(306, "a")).parts, 2U);
    EXPECT_EQ(measured(times(307, "a")).parts, 3U);
    EXPECT_EQ(measured(times(459, "a")).parts, 3U);
    EXPECT_EQ(measured(times(460, "a")).parts, 4U);
}

TEST(SmsSize, doesNotSplitACharacterOfTheExtensionTable)
{
    // 152 septets and the first half of a euro sign would fill the first part.
    EXPECT_EQ(measured(times(152, "a") + "€" + times(152, "a")).parts, 3U);
    EXPECT_EQ(measured(times(151, "a") + "€" + times(153, "a")).parts, 2U);
}

TEST(SmsSize, fitsSeventyUnitsIntoOneMessageAndSixtySevenIntoEachOfSeveral)
{
    EXPECT_EQ(measured(times(70, "ж")).parts, 1U);
    EXPECT_EQ(measured(times(71, "ж")).parts, 2U);
    EXPECT_EQ(measured(times(134, "ж")).parts, 2U);
    EXPECT_EQ(measured(times(135, "ж")).parts, 3U);
}

TEST(SmsSize, doesNotSplitASurrogatePair)
{
    EXPECT_EQ(measured("😀").units, 2U);
    EXPECT_EQ(measured(times(35, "😀")).parts, 1U);
    EXPECT_EQ(measured(times(66, "😀")).parts, 2U);  // 33 pairs and a unit left over in each
    EXPECT_EQ(measured(times(67, "😀")).parts, 3U);
}

TEST(SmsSize, refusesWhatIsNotUtf8AndSaysWhere)
{
    EXPECT_EQ(refusalOf("abc\xff"), "body: is not UTF-8 at byte 3; a text message is UTF-8");
    for (const char* text : {"\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                             "\xf5\x80\x80\x80", "\x80",
                             "\xe2\x82"
                             "a"}) {
        EXPECT_NE(refusalOf(text), "") << testing::PrintToString(text);
    }
}

TEST(SmsSize, refusesNothingAndControlCharacters)
{
    EXPECT_NE(refusalOf(""), "");
    EXPECT_NE(refusalOf(std::string("a\0b", 3)), "");
    EXPECT_NE(refusalOf("\x1b[31m"), "");
    EXPECT_NE(refusalOf("\x7f"), "");
    EXPECT_EQ(refusalOf("page\f"), "body: has the control character 12 at byte 4; a text message "
                                   "has none but line feed, carriage return and tab");
}

}  // namespace restante::sms
