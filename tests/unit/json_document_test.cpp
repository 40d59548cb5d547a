#include "core/json/document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace restante::json {
namespace {

FieldError errorIn(std::string_view text, DocumentLimits limits = {})
{
    const auto document = parseDocument(text, limits);
    EXPECT_FALSE(document.has_value()) << text.substr(0, 80);
    return document ? FieldError{"none", "none"} : document.error();
}

TEST(JsonDocument, readsWhatItPrints)
{
    const std::string text =
        R"({"a":[1,-2,2.5,true,null,"\u0000x"],"b":{"c":{}},"d":"\u00fc","e":18446744073709551615})";
    const auto document = parseDocument(text);
    ASSERT_TRUE(document) << document.error().detail;
    const auto again = parseDocument(toString(*document));
    ASSERT_TRUE(again);
    EXPECT_EQ(*document, *again);
    EXPECT_EQ(*document, nlohmann::json::parse(text));
}

TEST(JsonDocument, readsEveryFormAsTheLibraryDoes)
{
    for (const std::string text :
         {R"({"a":"plain","b":[1,-2,0,-0,{"c":[]},{}],"d":true,"e":false,"f":null})",
          " {\t\"a\" :\r\n [ 1 , 2 ] } \n", R"("\"\\\/\b\f\n\r\tx")", R"("\u00fc\ud83d\ude00")",
          "\"\xc3\xbc\xf0\x9f\x98\x80\x7f\"", "999999999999999999", "-999999999999999999",
          "9223372036854775807", "-9223372036854775808", "18446744073709551615",
          "18446744073709551616", "1.5", "1e3", "-0.0", "true", "null", R"({"":{"":""}})"}) {
        const auto document = parseDocument(text);
        ASSERT_TRUE(document) << text << ": " << document.error().detail;
        const auto expected = nlohmann::json::parse(text);
        EXPECT_EQ(*document, expected) << text;
        EXPECT_EQ(document->type(), expected.type()) << text;
    }
}

TEST(JsonDocument, refusesWhatTheLibraryRefuses)
{
    for (const std::string text : {R"({"a":1,})",
                                   R"([1,])",
                                   R"({"a" 1})",
                                   R"({a:1})",
                                   R"({"a":1]")",
                                   R"([1 2])",
                                   "01",
                                   "-",
                                   "-a",
                                   "+1",
                                   "1.",
                                   "tru",
                                   "nul",
                                   "truex",
                                   R"("a)",
                                   R"("\x")",
                                   R"("\)",
                                   R"("\u12")",
                                   "{}{}",
                                   "[1]]",
                                   R"({"a":1}x)",
                                   "\"a\nb\"",
                                   "\"\xed\xa0\x80\"",
                                   "\"\xc0\xaf\"",
                                   "{",
                                   R"({"a")",
                                   R"({"a":)",
                                   R"({"a":1,)",
                                   "[",
                                   "[1",
                                   "[1,",
                                   R"({1:2})"}) {
        EXPECT_FALSE(nlohmann::json::accept(text)) << text;
        EXPECT_FALSE(parseDocument(text)) << text;
    }
}

TEST(JsonDocument, namesTheFieldAtWhichReadingFailed)
{
    struct Case {
        std::string text;
        std::string field;
        std::string detail;
    };
    const std::vector<Case> cases{
        {"", "", "is empty; send JSON"},
        {" \r\n", "", "is empty; send JSON"},
        {"{", "", "is not JSON from byte 2 on"},
        {R"({"topic":"a"} x)", "", "is not JSON from byte 15 on"},
        {R"({"topic":NaN})", "topic", "is not JSON from byte 10 on"},
        {R"({"topic":1e999})", "topic", "is a number that is too large"},
        {"{\"topic\":\"\xff\"}", "topic",
         "is not UTF-8 at byte 11; send other bytes as body_base64"},
        {"{\"topic\":\"\x01\"}", "topic",
         "has a control character at byte 11; write it as \\u00XX"},
        {R"([{"a":1},{"b":{"c":[0,tru]}}])", "[1].b.c[1]", "is not JSON from byte 26 on"},
        {R"({"a":{"b":1,"b":2}})", "a.b", "appears twice in one object"},
    };
    for (const auto& one : cases) {
        const auto error = errorIn(one.text);
        EXPECT_EQ(error.field, one.field) << one.text;
        EXPECT_EQ(error.detail, one.detail) << one.text;
    }
}

TEST(JsonDocument, boundsDepthAndNumberOfValues)
{
    EXPECT_EQ(errorIn(std::string(100'000, '[')).detail, "is nested deeper than 16 levels");
    EXPECT_TRUE(parseDocument("[[1]]", {.depth = 2}));
    EXPECT_EQ(errorIn("[[[1]]]", {.depth = 2}).field, "[0][0]");
    EXPECT_EQ(errorIn("[1,2,3]", {.values = 3}).detail, "has more than 3 values");
    std::string nested;
    for (int i = 0; i < 100'000; ++i) {
        nested += R"({"a":)";
    }
    EXPECT_EQ(errorIn(nested).detail, "is nested deeper than 16 levels");
}

TEST(JsonDocument, readsABodyOf20Megabytes)
{
    const auto document = parseDocument(R"({"body":")" + std::string(20'000'000, 'x') + R"("})");
    ASSERT_TRUE(document);
    EXPECT_EQ(document->at("body").get_ref<const std::string&>().size(), 20'000'000U);
}

TEST(JsonDocument, printsBytesThatAreNoTextWithReplacements)
{
    EXPECT_EQ(toString("a\xff"), "\"a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace restante::json
