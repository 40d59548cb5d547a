#include "core/sms/phone_number.h"

#include <gtest/gtest.h>

#include <string>

namespace restante::sms {

TEST(PhoneNumber, readsInternationalNumbersAsPeopleWriteThem)
{
    for (const char* text : {"+4917012345678", "+49 170 1234 5678", "tel:+49-170-12345678",
                             "0049 (170) 123456-78", "+49/170.12345678"}) {
        EXPECT_EQ(phoneNumber(text).value_or("refused"), "+4917012345678") << text;
    }
}

TEST(PhoneNumber, leavesOutTheZeroThatIsDialledWithinTheCountry)
{
    for (const char* text : {"+49 (0)170 12345678", "+49(0) 170-12345678", "0049 ( 0 )17012345678",
                             "(+49) (0) 170 12345678", "(0049)(0)17012345678"}) {
        EXPECT_EQ(phoneNumber(text).value_or("refused"), "+4917012345678") << text;
    }
    EXPECT_EQ(phoneNumber("(0)170 1234567").value_or(""), "01701234567");
    EXPECT_EQ(phoneNumber("+49 (0170) 1234567").value_or(""), "+4901701234567");
}

TEST(PhoneNumber, leavesShortCodesAndNationalNumbersToTheGateway)
{
    EXPECT_EQ(phoneNumber("12345").value_or(""), "12345");
    EXPECT_EQ(phoneNumber("0170 1234567").value_or(""), "01701234567");
}

TEST(PhoneNumber, refusesEverythingElseAndSaysWhatIsAllowed)
{
    for (const char* text : {"", "+", "12", "+123456", "+0123456789", "+1234567890123456",
                             "1234567890123456", "+49abc1234567", "bob", "sip:bob@example.org",
                             "+49170+1234567", "+491701234567\n", "00", "tel:"}) {
        const auto number = phoneNumber(text);
        ASSERT_FALSE(number) << text;
        EXPECT_EQ(number.error().code, ErrorCode::Invalid);
        EXPECT_NE(number.error().message.find("+4917012345678"), std::string::npos);
    }
}

TEST(PhoneNumber, aSenderIsANumberOrAShortName)
{
    EXPECT_TRUE(isSender("+4917012345678"));
    EXPECT_TRUE(isSender("12345"));
    EXPECT_TRUE(isSender("Restante"));
    EXPECT_TRUE(isSender("A & B 24"));
    EXPECT_FALSE(isSender(""));
    EXPECT_FALSE(isSender("TwelveLetter"));
    EXPECT_FALSE(isSender("Grün"));
    EXPECT_FALSE(isSender("- -"));
}

TEST(PhoneNumber, aPrefixIsAPlusAndDigits)
{
    EXPECT_TRUE(isNumberPrefix("+49"));
    EXPECT_TRUE(isNumberPrefix("+1204"));
    EXPECT_FALSE(isNumberPrefix("49"));
    EXPECT_FALSE(isNumberPrefix("+"));
    EXPECT_FALSE(isNumberPrefix("+4a"));
}

}  // namespace restante::sms
