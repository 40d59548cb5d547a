#include "sipplugin/inbound/known_users.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>

#include <fstream>

namespace restante::sip {
namespace {

using testing::HasSubstr;

TEST(KnownUsers, areEverybodyWhenNobodyIsNamed)
{
    EXPECT_TRUE(KnownUsers::read({})->knows("sip:anybody@example.org"));
}

TEST(KnownUsers, areThoseOfTheListAndOfItsFiles)
{
    const test::TempDir directory;
    std::ofstream(directory / "users") << "# ours\ncarol\n\n sip:dave@example.org  # once\r\n";
    const auto users = KnownUsers::read(
        {"bob", "sip:alice@example.com", "erin@example.net", (directory / "users").string()});
    ASSERT_TRUE(users) << users.error().message;
    for (const auto* known : {"sip:bob@example.org", "sip:bob@[::1]", "sip:alice@example.com",
                              "sip:erin@example.net", "sip:carol@x", "sip:dave@example.org"}) {
        EXPECT_TRUE(users->knows(known)) << known;
    }
    for (const auto* unknown : {"sip:alice@example.org", "sip:Bob@example.org", "sip:bo@b",
                                "sip:dave@example.com", "sip:mallory@example.org"}) {
        EXPECT_FALSE(users->knows(unknown)) << unknown;
    }
}

TEST(KnownUsers, namesWhatIsNoUser)
{
    const test::TempDir directory;
    std::ofstream(directory / "users") << "bob\nsip:@\n";
    const auto wrong = KnownUsers::read({(directory / "users").string()});
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, HasSubstr("users:2: "));
    EXPECT_FALSE(KnownUsers::read({"/nowhere/users"}));
    EXPECT_FALSE(KnownUsers::read({"http://x@y"}));
    EXPECT_FALSE(KnownUsers::read({"sip:bob"})) << "it is not the user sip";
}

}  // namespace
}  // namespace restante::sip
