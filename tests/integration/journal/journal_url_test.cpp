#include "core/journal/sql/journal_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::journal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(JournalUrl, isRefusedUnshownWhenItsPasswordEndsTheAccountEarly)
{
    for (const auto* url : {"postgresql://ops:s3cret/word@db.example.org/journal",
                            "postgresql://ops:s3cret?word@db.example.org/journal",
                            "postgresql://ops:12/s3cret@db.example.org/journal",
                            "mysql://ops:s3cret/word@db.example.org/journal",
                            "mysql://ops:s3cret?word@db.example.org/journal"}) {
        const auto parsed = parseJournalUrl(url);
        ASSERT_FALSE(parsed) << url;
        EXPECT_THAT(parsed.error().message, HasSubstr("%2F")) << url;
        EXPECT_THAT(parsed.error().message, Not(HasSubstr("s3cret"))) << url;
    }
}

TEST(JournalUrl, isShownWithoutItsAccount)
{
    for (const auto* url : {"postgresql://ops:s3cret%2Fword@db.example.org:5432/journal",
                            "mysql://ops:s3cret%3Fword@db.example.org:3306/journal"}) {
        const auto parsed = parseJournalUrl(url);
        ASSERT_TRUE(parsed) << parsed.error().message;
        EXPECT_THAT(parsed->shown, Not(HasSubstr("s3cret")));
        EXPECT_THAT(parsed->shown, HasSubstr("db.example.org"));
    }
    const auto withOptions = parseJournalUrl("postgresql://db.example.org/j?application_name=a@b");
    ASSERT_TRUE(withOptions) << withOptions.error().message;
}

TEST(JournalUrl, takesAnIpv6AddressInBrackets)
{
    const auto withPort = parseJournalUrl("mysql://ops:s3cret@[2001:db8::7]:3307/journal");
    ASSERT_TRUE(withPort) << withPort.error().message;
    EXPECT_THAT(withPort->connection,
                AllOf(HasSubstr(" host='2001:db8::7'"), HasSubstr(" port='3307'")));
    EXPECT_EQ(withPort->shown, "mysql://[2001:db8::7]:3307/journal");
    const auto withoutPort = parseJournalUrl("mysql://[::1]/journal");
    ASSERT_TRUE(withoutPort) << withoutPort.error().message;
    EXPECT_THAT(withoutPort->connection, AllOf(HasSubstr(" host='::1'"), Not(HasSubstr("port"))));
    const auto postgresql = parseJournalUrl("postgresql://ops:s3cret@[::1]:5432/journal");
    ASSERT_TRUE(postgresql) << postgresql.error().message;
    EXPECT_EQ(postgresql->shown, "postgresql://[::1]:5432/journal");
    for (const auto* url :
         {"mysql://[::1/journal", "mysql://[]/journal", "mysql://[::1]3306/journal"}) {
        EXPECT_FALSE(parseJournalUrl(url)) << url;
    }
}

}  // namespace
}  // namespace restante::journal
