#include "core/json/document.h"
#include "core/json/object_writer.h"
#include "core/json/plain_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace restante::json {
namespace {

std::string printed(std::string_view text)
{
    std::string out;
    appendString(out, text);
    return out;
}

// Failed where `char` is unsigned, as on arm64: build this file with -funsigned-char to see it.
static_assert(!isPlain('\xc3') && !isPlain('\x80') && isPlain('\x7f') && !isPlain('\x1f'));

TEST(ObjectWriter, writesFieldsInTheirOrder)
{
    std::string out = ">";
    ObjectWriter object(out);
    object.text("b", "x");
    object.number("a", -9'223'372'036'854'775'807);
    object.value("c", [](std::string& text) { text += "[1]"; });
    object.end();
    EXPECT_EQ(out, R"(>{"b":"x","a":-9223372036854775807,"c":[1]})");
}

TEST(ObjectWriter, writesAnObjectWithoutFields)
{
    std::string out;
    ObjectWriter(out).end();
    EXPECT_EQ(out, "{}");
}

TEST(ObjectWriter, escapesAsTheLibraryDoes)
{
    std::string every;
    for (int c = 0; c < 0x80; ++c) {
        every += static_cast<char>(c);
    }
    for (const auto& text : {every, std::string(), std::string("\xc3\xbc\xf0\x9f\x98\x80"),
                             std::string("a\xff\xc3"), std::string("\0\"", 2)}) {
        EXPECT_EQ(printed(text), toString(nlohmann::json(text))) << text;
    }
}

}  // namespace
}  // namespace restante::json
