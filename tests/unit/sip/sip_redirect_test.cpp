#include "sipplugin/outbound/delivery_route.h"

#include <gmock/gmock.h>

namespace restante::sip {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool isExample(const SipUri& uri)
{
    return uri.host == "example.com";
}

TEST(SipRedirect, triesContactsByPreferenceThenAsWritten)
{
    const auto led = redirectionOf(302,
                                   {"<sip:a@example.com>;q=0.2", "<sip:b@example.com>",
                                    "\"C, D\" <sip:c@example.com;transport=tcp>;q=0.7",
                                    "<sip:d@example.com>;q=1.0"},
                                   isExample);
    EXPECT_THAT(led.targets, ElementsAre("sip:b@example.com", "sip:d@example.com",
                                         "sip:c@example.com;transport=tcp", "sip:a@example.com"));
    EXPECT_EQ(led.foreign, 0U);
}

TEST(SipRedirect, neverLeadsOutOfOurDomains)
{
    const auto led = redirectionOf(
        301, {"<sip:a@evil.example>", "<sip:b@example.com>", "<sip:c@example.com.evil.example>"},
        isExample);
    EXPECT_THAT(led.targets, ElementsAre("sip:b@example.com"));
    EXPECT_EQ(led.foreign, 2U);
}

TEST(SipRedirect, followsNoOtherStatus)
{
    for (const int status : {200, 303, 305, 380, 404}) {
        EXPECT_THAT(redirectionOf(status, {"<sip:a@example.com>"}, isExample).targets, IsEmpty())
            << status;
    }
}

TEST(SipRedirect, leavesOutWhatIsNoUserOfSip)
{
    const auto led = redirectionOf(
        300, {"<tel:+4930123>", "<mailto:a@example.com>", "<sip:example.com>", "*", "", "<sip:a@>"},
        isExample);
    EXPECT_THAT(led.targets, IsEmpty());
    EXPECT_EQ(led.foreign, 0U);
}

TEST(SipRedirect, takesNoHeadersOfTheNewRequestFromThere)
{
    EXPECT_THAT(
        redirectionOf(302, {"<sip:a@example.com;x=y?Subject=hi&body=no>"}, isExample).targets,
        ElementsAre("sip:a@example.com;x=y"));
}

TEST(SipRedirect, knowsAPlaceByUserHostAndPort)
{
    const auto place = [](const char* uri) { return targetKey(parseSipUri(uri).value()); };
    EXPECT_EQ(place("sip:a@EXAMPLE.com;transport=tcp"), place("sips:a@example.com?x=y"));
    EXPECT_NE(place("sip:a@example.com"), place("sip:A@example.com"));
    EXPECT_NE(place("sip:a@example.com"), place("sip:a@example.com:5062"));
}

}  // namespace
}  // namespace restante::sip
