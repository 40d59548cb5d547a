#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_users.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sql_server.h"

#include <gtest/gtest.h>

namespace restante::journal {
namespace {

using test::SqlKind;

constexpr Millis kDatabaseTimeout{30'000};

class SqlUsersTest : public test::LoopFixture, public ::testing::WithParamInterface<SqlKind> {
protected:
    SqlUsersTest()
    {
        static int number = 0;
        settings_.url =
            parseJournalUrl(test::sharedSql(GetParam()).url("users" + std::to_string(++number)))
                .value();
    }

    Result<std::optional<auth::Ha1>> find(SqlUsers& users, const std::string& user)
    {
        auto answer = std::make_shared<std::optional<Result<std::optional<auth::Ha1>>>>();
        users.find(user, "example.com", [answer](auto found) { *answer = std::move(found); });
        if (!runUntil([&] { return answer->has_value(); }, kDatabaseTimeout)) {
            return failure(ErrorCode::Internal, "test: no answer in time");
        }
        return **answer;
    }
    void execute(const std::string& statement) { SqlSession(settings_.url).execute(statement); }

    test::ManualClock clock_;
    SqlUsers::Settings settings_;
};

std::string nameOf(const ::testing::TestParamInfo<SqlKind>& info)
{
    return std::string(name(info.param));
}

}  // namespace

TEST_P(SqlUsersTest, makesItsTableAndFindsWhoIsInIt)
{
    SqlUsers users(loop_, clock_, settings_);
    const auto nobody = find(users, "bob");
    ASSERT_TRUE(nobody) << nobody.error().message;
    EXPECT_FALSE(*nobody);
    execute("INSERT INTO restante_user (name, realm, sha256) VALUES ('bob', 'example.com', 'abc')");

    EXPECT_FALSE(*find(users, "bob")) << "unknown users are kept for a while, too";
    clock_.advance(settings_.cacheTime);
    const auto bob = find(users, "bob");
    ASSERT_TRUE(bob && *bob);
    EXPECT_EQ((*bob)->sha256, "abc");
    EXPECT_EQ((*bob)->md5, "");
}

TEST_P(SqlUsersTest, asksATableOfSomebodyElse)
{
    execute("CREATE TABLE subscriber (username VARCHAR(64), domain VARCHAR(64), ha1 CHAR(64))");
    execute("INSERT INTO subscriber VALUES ('bob', 'example.com', '12AF6')");
    settings_.query = "SELECT '', ha1 FROM subscriber WHERE username = {user} AND domain = {realm}";
    SqlUsers users(loop_, clock_, settings_);
    const auto bob = find(users, "bob");
    ASSERT_TRUE(bob) << bob.error().message;
    ASSERT_TRUE(*bob);
    EXPECT_EQ((*bob)->md5, "12af6") << "neither padding nor capitals";
}

TEST_P(SqlUsersTest, takesAUserForNothingButAName)
{
    SqlUsers users(loop_, clock_, settings_);
    ASSERT_TRUE(find(users, "bob"));
    execute("INSERT INTO restante_user (name, realm, sha256) VALUES ('bob', 'example.com', 'abc')");
    for (const auto* user : {"' OR '1'='1", "bob' -- ", "{realm}", "\\' OR 1=1 -- ", ":x", ""}) {
        const auto found = find(users, user);
        ASSERT_TRUE(found) << user << found.error().message;
        EXPECT_FALSE(*found) << user;
    }
}

TEST_P(SqlUsersTest, saysThatNobodyCanTellWhenTheQueryFailsAndAsksAgain)
{
    settings_.query = "SELECT a, b FROM nowhere WHERE c = {user}";
    SqlUsers users(loop_, clock_, settings_);
    const auto found = find(users, "bob");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::Unavailable);
    execute("CREATE TABLE nowhere (a CHAR(1), b CHAR(1), c CHAR(3))");
    const auto again = find(users, "bob");
    ASSERT_TRUE(again) << again.error().message;
}

TEST_P(SqlUsersTest, keepsNoMoreThanItMay)
{
    settings_.maxCached = 10;
    SqlUsers users(loop_, clock_, settings_);
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(find(users, "user" + std::to_string(i)));
    }
    EXPECT_LE(users.size(), 10U);
}

TEST_P(SqlUsersTest, mayGoWhileItsDatabaseIsAsked)
{
    bool answered = false;
    {
        SqlUsers users(loop_, clock_, settings_);
        users.find("bob", "example.com", [&](const auto&) { answered = true; });
    }
    bool turned = false;
    loop_.post([&] { turned = true; });
    EXPECT_TRUE(runUntil([&] { return turned; }));
    EXPECT_FALSE(answered);
}

INSTANTIATE_TEST_SUITE_P(Databases,
                         SqlUsersTest,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         nameOf);

}  // namespace restante::journal
