#include "core/auth/user_file.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>

namespace restante::auth {
namespace {

using ::testing::HasSubstr;

class UserFileTest : public ::testing::Test {
protected:
    std::filesystem::path write(const std::string& text, mode_t mode = 0600)
    {
        const auto path = directory_ / "users";
        std::ofstream(path) << text;
        EXPECT_EQ(::chmod(path.c_str(), mode), 0);
        return path;
    }
    std::string problemOf(const std::string& text, mode_t mode = 0600)
    {
        const auto users = UserFile::open(write(text, mode));
        return users ? "" : users.error().message;
    }
    static std::optional<Ha1> found(UserFile& users, const std::string& user)
    {
        std::optional<Ha1> ha1;
        users.find(user, "example.com", [&](auto answer) { ha1 = answer.value(); });
        return ha1;
    }

    restante::test::TempDir directory_;
    const std::string sha256_ = std::string(64, 'a');
    const std::string md5_ = std::string(32, 'b');
};

}  // namespace

TEST_F(UserFileTest, knowsItsUsersByNameAndRealm)
{
    const auto users = UserFile::open(write("# people\n\nbob:example.com:" + sha256_ +
                                            "\r\nbob:example.com:" + md5_ +
                                            "\ncarol:[::1]:" + std::string(32, 'B') + "\n"));
    ASSERT_TRUE(users) << users.error().message;
    EXPECT_EQ((*users)->size(), 2U);
    const auto bob = found(**users, "bob");
    ASSERT_TRUE(bob);
    EXPECT_EQ(bob->sha256, sha256_);
    EXPECT_EQ(bob->md5, md5_);
    EXPECT_FALSE(found(**users, "carol")) << "another realm";
    EXPECT_EQ((*users)->countWithoutHash(HashAlgorithm::Sha256), 1U);
    EXPECT_EQ((*users)->countWithoutHash(HashAlgorithm::Md5), 0U);
}

TEST_F(UserFileTest, refusesAFileThatEverybodyCanRead)
{
    EXPECT_THAT(problemOf("bob:example.com:" + sha256_, 0644), HasSubstr("chmod"));
    EXPECT_EQ(problemOf("bob:example.com:" + sha256_, 0640), "");
}

TEST_F(UserFileTest, namesTheLineThatIsWrongAndShowsNoHash)
{
    for (const auto& line :
         {std::string{"bob"}, "bob:" + sha256_, "bob:example.com:" + sha256_.substr(1),
          "bob:example.com:" + std::string(32, 'x'), ":example.com:" + sha256_,
          "b b:example.com:" + sha256_, "bob::" + sha256_, "bob:example.com:" + sha256_ + " "}) {
        const auto problem = problemOf("# first\n" + line);
        EXPECT_THAT(problem, HasSubstr("line 2 ")) << line;
        EXPECT_THAT(problem, ::testing::Not(HasSubstr("aaaa"))) << line;
    }
}

TEST_F(UserFileTest, refusesTwoHashesOfOneKindForOneUser)
{
    const auto line = "bob:example.com:" + sha256_ + "\n";
    EXPECT_THAT(problemOf(line + line), HasSubstr("second SHA-256"));
}

TEST_F(UserFileTest, keepsWhatItHasWhenTheNewFileIsWrong)
{
    const auto users = UserFile::open(write("bob:example.com:" + sha256_));
    ASSERT_TRUE(users);
    EXPECT_FALSE((*users)->reload(write("nonsense")));
    EXPECT_TRUE(found(**users, "bob"));
    EXPECT_TRUE((*users)->reload(write("dave:example.com:" + sha256_)));
    EXPECT_FALSE(found(**users, "bob"));
    EXPECT_TRUE(found(**users, "dave"));
}

TEST_F(UserFileTest, saysWhyAFileCannotBeRead)
{
    EXPECT_THAT(UserFile::open(directory_ / "none").error().message, HasSubstr("No such file"));
    EXPECT_FALSE(UserFile::open(directory_.path()));
}

}  // namespace restante::auth
