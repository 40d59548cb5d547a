#include "sipplugin/transport/tls/tls_contexts.h"
#include "tests/support/made_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::sip {
namespace {

using restante::test::certificateOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::string_literals;

}  // namespace

TEST(PeerIdentity, isWhatSubjectAltNameSays)
{
    const auto shown = certificateOf(
        {"other.example.org", {"Proxy.Example.Org."}, {"sip:B.example:5061;x", "sip:u@c.example"}});
    EXPECT_THAT(certificateNames(*shown), ElementsAre("proxy.example.org", "b.example"));
    EXPECT_TRUE(showsIdentity(*shown, "proxy.example.org"));
    EXPECT_TRUE(showsIdentity(*shown, "b.EXAMPLE."));
    EXPECT_FALSE(showsIdentity(*shown, "other.example.org")) << "the common name does not count";
    EXPECT_FALSE(showsIdentity(*shown, "c.example")) << "that is a user's";
    EXPECT_FALSE(showsIdentity(*shown, ""));
}

TEST(PeerIdentity, isTheCommonNameOnlyWhereNothingElseIsSaid)
{
    EXPECT_THAT(certificateNames(*certificateOf({"Proxy.example.org", {}, {}})),
                ElementsAre("proxy.example.org"));
    EXPECT_THAT(certificateNames(*certificateOf({})), IsEmpty());
}

TEST(PeerIdentity, isNobodysWhenSubjectAltNameStandsThereTwice)
{
    const auto shown = certificateOf({"proxy.example.org", {"a.example"}, {}, 2});
    EXPECT_THAT(certificateNames(*shown), IsEmpty());
    EXPECT_FALSE(showsIdentity(*shown, "proxy.example.org"));
}

TEST(PeerIdentity, endsNowhereBeforeItsLastByte)
{
    const auto shown = certificateOf({"", {"proxy.example.org\0.evil.example"s}, {}});
    EXPECT_FALSE(showsIdentity(*shown, "proxy.example.org"));
}

TEST(PeerIdentity, hasNoWildcardsAndNoAddressesInNames)
{
    const auto shown = certificateOf({"*", {"*.example.org", "192.0.2.1"}, {}});
    EXPECT_FALSE(showsIdentity(*shown, "a.example.org"));
    EXPECT_FALSE(showsIdentity(*shown, "192.0.2.1")) << "an address wants a name of type IP";
}

}  // namespace restante::sip
