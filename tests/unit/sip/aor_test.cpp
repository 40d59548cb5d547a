#include "sipplugin/message/aor.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

std::string aorOf(std::string_view uri)
{
    const auto aor = canonicalAor(uri);
    return aor ? *aor : "refused: " + aor.error().message;
}

TEST(CanonicalAor, dropsPortParametersHeadersAndPassword)
{
    EXPECT_EQ(aorOf("sip:bob:secret@example.com:5070;transport=tcp?subject=x"),
              "sip:bob@example.com");
}

TEST(CanonicalAor, isOneTextForEqualAddresses)
{
    EXPECT_EQ(aorOf("SIPS:b%6Fb@EXAMPLE.com."), "sip:bob@example.com");
}

TEST(CanonicalAor, keepsTheCaseOfTheUser)
{
    EXPECT_EQ(aorOf("sip:Bob@example.com"), "sip:Bob@example.com");
}

TEST(CanonicalAor, foldsTheCaseOfTheUserWhereThatIsWanted)
{
    foldUsers(true);
    EXPECT_EQ(aorOf("sip:B%4Fb.%c3%84@Example.com"), aorOf("sip:bob.%C3%84@example.com"));
    EXPECT_EQ(aorOf("sip:Bob@example.com"), "sip:bob@example.com");
    foldUsers(false);
    EXPECT_EQ(aorOf("sip:Bob@example.com"), "sip:Bob@example.com");
}

TEST(CanonicalAor, keepsEscapesThatAreNeeded)
{
    EXPECT_EQ(aorOf("sip:a%40b%00%7c@example.com"), "sip:a%40b%00%7C@example.com");
}

TEST(CanonicalAor, spellsIpv6InOneWay)
{
    EXPECT_EQ(aorOf("sip:bob@[2001:DB8:0::01]:5060"), "sip:bob@[2001:db8::1]");
}

TEST(CanonicalAor, takesUsersWithSemicolonsAndQuestionMarks)
{
    EXPECT_EQ(aorOf("sip:user;par=u%40example.net?x@example.com"),
              "sip:user;par=u%40example.net?x@example.com");
}

class RefusedAor : public ::testing::TestWithParam<const char*> {};

TEST_P(RefusedAor, namesWhatIsWrong)
{
    const auto aor = canonicalAor(GetParam());
    ASSERT_FALSE(aor) << *aor;
    EXPECT_EQ(aor.error().code, ErrorCode::Invalid);
    EXPECT_FALSE(aor.error().message.empty());
}

INSTANTIATE_TEST_SUITE_P(Uris,
                         RefusedAor,
                         ::testing::Values("",
                                           "bob@example.com",
                                           "tel:+15551234",
                                           "sip:example.com",
                                           "sip:@example.com",
                                           "sip:bob@",
                                           "sip:bob@.",
                                           "sip:bob@.example.com",
                                           "sip:bob@example..com",
                                           "sip:bob@example.com..",
                                           "sip:bob@[::1",
                                           "sip:bob@[no address]",
                                           "sip:bob@example.com:0",
                                           "sip:bob@example.com:99999",
                                           "sip:bob@exa mple.com",
                                           "sip:bob@host@example.com",
                                           "sip:b%4@example.com",
                                           "sip:b%zz@example.com"));

TEST(HostOfAor, keepsTheBracketsOfIpv6)
{
    EXPECT_EQ(hostOfAor("sip:bob@[::1]"), "[::1]");
}

TEST(NameAddr, keepsDisplayNameAndParametersAsWritten)
{
    const auto address =
        parseNameAddr(R"("Al <3, \"B\"" <sip:al@example.com;x=y>;tag=1;Foo="a;b")");
    ASSERT_TRUE(address) << address.error().message;
    EXPECT_EQ(address->displayName, R"("Al <3, \"B\"")");
    EXPECT_EQ(address->uri, "sip:al@example.com;x=y");
    EXPECT_EQ(address->formatWithoutTag(), R"("Al <3, \"B\"" <sip:al@example.com;x=y>;foo="a;b")");
    ASSERT_NE(address->param("tag"), nullptr);
    EXPECT_EQ(*address->param("tag"), "1");
}

TEST(NameAddr, quotesANameThatIsNoToken)
{
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"<sip:a@b>", "<sip:a@b>"},
        {"Al  B. <sip:a@b>", "Al  B. <sip:a@b>"},
        {"\xed\xed<sip:a@b>", "\"\xed\xed\" <sip:a@b>"},
        {"J\u00f6rg <sip:a@b>", "\"J\u00f6rg\" <sip:a@b>"},
        {"a\\b <sip:a@b>", "\"a\\\\b\" <sip:a@b>"},
    };
    for (const auto& [written, printed] : cases) {
        const auto address = parseNameAddr(written);
        ASSERT_TRUE(address) << written;
        EXPECT_EQ(address->formatWithoutTag(), printed);
        EXPECT_EQ(parseNameAddr(printed)->formatWithoutTag(), printed);
    }
}

TEST(NameAddr, withoutBracketsGivesTheParametersToTheHeader)
{
    const auto address = parseNameAddr("sip:al@example.com;tag=7");
    ASSERT_TRUE(address) << address.error().message;
    EXPECT_EQ(address->uri, "sip:al@example.com");
    EXPECT_EQ(address->formatWithoutTag(), "<sip:al@example.com>");
}

TEST(NameAddr, refusesAnUnclosedBracket)
{
    EXPECT_FALSE(parseNameAddr("<sip:al@example.com"));
    EXPECT_FALSE(parseNameAddr("<sip:al@example.com> nonsense"));
    EXPECT_FALSE(parseNameAddr(""));
}

TEST(SplitAddresses, mindsQuotesAndBrackets)
{
    const auto parts = splitAddresses(R"("a, b" <sip:a@b;x=1,2>;q=1 , <sip:c@d>,)");
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0], R"("a, b" <sip:a@b;x=1,2>;q=1)");
    EXPECT_EQ(parts[1], "<sip:c@d>");
}

}  // namespace
}  // namespace restante::sip
