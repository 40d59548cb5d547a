#include "core/base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace restante {

TEST(Utf8, takesEveryLengthAndEveryBound)
{
    for (const char* text :
         {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
          "\xf0\x90\x80\x80", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "a\xc3\xa9z"}) {
        EXPECT_TRUE(isUtf8(text)) << text;
    }
    EXPECT_TRUE(isUtf8(std::string("a\0b", 3)));
}

TEST(Utf8, refusesWhatIsCutOverlongASurrogateOrTooLarge)
{
    for (const char* text :
         {"\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe0\x80\x80",
          "\xf0\x80\x80\x80", "\xc0\xaf", "\xff", "ok\xfe", "\xc3(", "\xe2\x28\xa1"}) {
        EXPECT_FALSE(isUtf8(text)) << text;
    }
}

TEST(Utf8, findsWhatIsNoneWhereverItIs)
{
    for (std::size_t at = 0; at < 20; ++at) {
        std::string text(20, 'a');
        EXPECT_TRUE(isUtf8(text.substr(0, at)));
        text[at] = '\xff';
        EXPECT_FALSE(isUtf8(text)) << at;
        text.replace(at, 1, "\xc3\xa9");
        EXPECT_TRUE(isUtf8(text)) << at;
    }
}

}  // namespace restante
