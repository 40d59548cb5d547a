#include "core/sms/template_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace restante::sms {

namespace {
TemplateValues values()
{
    return {.to = "+49170",
            .text = "He said \"hi\" & <left>\n{to}",
            .from = "Shop",
            .id = "a/b",
            .coding = "0",
            .user = "u",
            .password = "p&w",
            .reportUrl = "http://x/?a=1"};
}
}  // namespace

TEST(TemplateText, fillsInEveryPlaceholderOnce)
{
    const auto plain = escapeFor("text/plain");
    EXPECT_EQ(fill("{to}|{from}|{id}|{coding}|{user}|{password}|{report_url}", values(), plain),
              "+49170|Shop|a/b|0|u|p&w|http://x/?a=1");
    // What a text brings along is not a template.
    EXPECT_EQ(fill("{text}", values(), plain), values().text);
}

TEST(TemplateText, escapesForJson)
{
    EXPECT_EQ(fill(R"({{"to":"{to}","text":"{text}"}})", values(), escapeFor("application/json")),
              R"({"to":"+49170","text":"He said \"hi\" & <left>\u000a{to}"})");
}

TEST(TemplateText, escapesForFormsUrlsAndXml)
{
    EXPECT_EQ(fill("p={password}&to={to}", values(),
                   escapeFor("application/x-www-form-urlencoded; charset=utf-8")),
              "p=p%26w&to=%2B49170");
    EXPECT_EQ(fill("<t>{text}</t>", values(), escapeFor("application/xml")),
              "<t>He said &quot;hi&quot; &amp; &lt;left&gt;\n{to}</t>");
    EXPECT_EQ(escapeFor("application/x-www-form-urlencoded")("ü ~"), "%C3%BC%20~");
}

TEST(TemplateText, escapesWhateverTheCaseOfTheContentType)
{
    EXPECT_EQ(escapeFor("Application/JSON;charset=UTF-8")("\"},{"), R"(\"},{)");
    EXPECT_EQ(escapeFor("application/X-WWW-Form-URLEncoded")("a&to=b"), "a%26to%3Db");
    EXPECT_EQ(escapeFor("TEXT/XML")("</t>"), "&lt;/t&gt;");
    EXPECT_EQ(escapeFor("text/plain;format=JSON")("\""), "\"");
}

TEST(TemplateText, findsWhatIsNoPlaceholder)
{
    EXPECT_FALSE(unknownPlaceholder(R"({{"a":"{to}"}})"));
    EXPECT_FALSE(unknownPlaceholder(""));
    EXPECT_EQ(unknownPlaceholder("x{too}y").value_or(""), "{too}");
    EXPECT_EQ(unknownPlaceholder("{\"a\":1}").value_or(""), "{\"a\":1}");
    EXPECT_EQ(unknownPlaceholder("{to").value_or(""), "{to");
    EXPECT_EQ(unknownPlaceholder("{}").value_or(""), "{}");
    EXPECT_EQ(unknownPlaceholder("to}").value_or(""), "}");
}

TEST(TemplateText, knowsARegularExpression)
{
    EXPECT_TRUE(isRegularExpression(""));
    EXPECT_TRUE(isRegularExpression("^OK|\"status\":\\s*\"0\""));
    EXPECT_FALSE(isRegularExpression("("));
}

TEST(TemplateText, anExpressionHasNumbersOfThreeDigitsAtMost)
{
    for (const auto* text :
         {"a{999}", "a{1,999}", "12345", "\\\\12345", "\\d{3},12345", "(a)\\1"}) {
        EXPECT_TRUE(isRegularExpression(text)) << text;
    }
    for (const auto* text : {"a{1000}", "a{1,1000}", "(a)\\1111", "\\4333333333333333333333333"}) {
        EXPECT_FALSE(isRegularExpression(text)) << text;
    }
}

TEST(TemplateText, anExpressionIsReadNoFurtherThanItGoes)
{
    const std::vector<char> text{'a', '('};  // nothing stands behind it
    EXPECT_FALSE(isRegularExpression({text.data(), text.size()}));
}

}  // namespace restante::sms
