#include "core/base/text.h"
#include "sipplugin/message/header_name.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

TEST(HeaderName, isFoundByItsTextInAnyCase)
{
    for (std::size_t i = 1; i < kHeaderNameCount; ++i) {
        const auto header = static_cast<HeaderName>(i);
        ASSERT_FALSE(name(header).empty()) << i;
        EXPECT_EQ(headerNamed(name(header)), header) << name(header);
        EXPECT_EQ(headerNamed(lowered(name(header))), header) << name(header);
    }
}

TEST(HeaderName, isOtherForWhatIsNotInTheList)
{
    for (const auto* text : {"", "X-Own", "Fro", "From ", "Call_ID", "Vib", "f"}) {
        EXPECT_EQ(headerNamed(text), HeaderName::Other) << text;
    }
}

TEST(HeaderName, hasACompactForm)
{
    EXPECT_EQ(longHeaderName("f"), "From");
    EXPECT_EQ(longHeaderName("V"), "Via");
    EXPECT_EQ(longHeaderName("y"), "Identity");
    EXPECT_EQ(longHeaderName("n"), "Identity-Info");
    EXPECT_EQ(longHeaderName("z"), "z");
    EXPECT_EQ(longHeaderName("X-Own"), "X-Own");
}

TEST(HeaderNameSet, hasWhatWasPutIntoItAndNeverOther)
{
    HeaderNameSet set{HeaderName::From, HeaderName::Via};
    EXPECT_TRUE(set.contains(HeaderName::Via));
    EXPECT_FALSE(set.contains(HeaderName::To));
    set.add(HeaderName::To);
    EXPECT_TRUE(set.contains(HeaderName::To));
    set.add(HeaderName::Other);
    EXPECT_FALSE(set.contains(HeaderName::Other));
}

}  // namespace
}  // namespace restante::sip
