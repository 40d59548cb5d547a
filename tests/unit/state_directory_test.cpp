#include "core/base/state_directory.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace restante {
namespace {

using ::testing::HasSubstr;

TEST(StateDirectory, isCreatedForItsOwnerOnly)
{
    test::TempDir parent;
    const auto state = StateDirectory::open(parent / "a/b");
    ASSERT_TRUE(state) << state.error().message;
    const auto status = std::filesystem::status(state->path());
    EXPECT_EQ(status.permissions(), std::filesystem::perms::owner_all);
    EXPECT_EQ(state->path(), parent / "a/b");
}

TEST(StateDirectory, isTheSameWithASlashAtItsEnd)
{
    const test::TempDir parent;
    // With this mask any other new directory is one that everybody may write to.
    const auto before = ::umask(0);
    const auto state = StateDirectory::open(parent / "s/");
    ::umask(before);
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(state->path(), parent / "s");
    EXPECT_EQ(std::filesystem::status(state->path()).permissions(),
              std::filesystem::perms::owner_all);
    const auto second = StateDirectory::open(parent / "s");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::Conflict);
}

TEST(StateDirectory, isHeldByOneAndNamesItsHolderToTheNext)
{
    test::TempDir parent;
    auto first = StateDirectory::open(parent / "s");
    ASSERT_TRUE(first);
    const auto second = StateDirectory::open(parent / "s");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::Conflict);
    EXPECT_THAT(second.error().message,
                HasSubstr("in use by process " + std::to_string(::getpid())));
}

TEST(StateDirectory, isFreeAgainOnceItsHolderIsGone)
{
    test::TempDir parent;
    {
        const auto first = StateDirectory::open(parent / "s");
    }
    EXPECT_TRUE(StateDirectory::open(parent / "s"));
}

TEST(StateDirectory, isNotHeldByWhoLocksAFileOfItsNumberInAnotherFileSystem)
{
    const test::TempDir parent;
    const auto state = StateDirectory::open(parent / "s");
    ASSERT_TRUE(state) << state.error().message;
    const auto lock = state->path() / "lock";
    struct statx file = {};
    ASSERT_EQ(::statx(AT_FDCWD, lock.c_str(), 0, STATX_INO, &file), 0);
    const std::filesystem::path locks = parent / "locks";
    const auto holderWhere = [&](int process, const std::string& device) {
        std::ofstream(locks) << "1: POSIX  ADVISORY  READ 12 00:1a:7 0 EOF\n"
                             << fmt::format("2: FLOCK  ADVISORY  WRITE {} {}:{} 0 EOF\n", process,
                                            device, file.stx_ino)
                             << fmt::format("2: -> FLOCK  ADVISORY  WRITE 13 {}:{} 0 EOF\n", device,
                                            file.stx_ino);
        return StateDirectory::holder(state->path(), locks);
    };
    const auto device = fmt::format("{:02x}:{:02x}", file.stx_dev_major, file.stx_dev_minor);
    EXPECT_EQ(holderWhere(4711, device), 4711);
    EXPECT_EQ(holderWhere(::getpid() + 1, "fff:fe"), 0);
    EXPECT_EQ(holderWhere(::getpid(), "fff:fe"), ::getpid())
        << "it is written into the file: some file systems have another device in that list";
    EXPECT_EQ(StateDirectory::holder(parent / "none", locks), 0);
}

TEST(StateDirectory, namesAPathThatIsNoDirectory)
{
    test::TempDir parent;
    std::ofstream(parent / "file") << "x";
    const auto state = StateDirectory::open(parent / "file");
    ASSERT_FALSE(state);
    EXPECT_EQ(state.error().code, ErrorCode::Invalid);
    EXPECT_THAT(state.error().message, HasSubstr((parent / "file").string()));
    EXPECT_THAT(state.error().message, HasSubstr("set state_dir"));
}

TEST(StateDirectory, isClosedToOthersWhoCouldReadIt)
{
    const test::TempDir parent;
    const std::filesystem::path path = parent / "state";
    std::filesystem::create_directory(path);
    std::filesystem::permissions(path, std::filesystem::perms{0755});
    ASSERT_TRUE(StateDirectory::open(path));
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms{0700});
}

TEST(StateDirectory, isRefusedWhenOthersMayWriteToIt)
{
    const test::TempDir parent;
    const std::filesystem::path path = parent / "state";
    std::filesystem::create_directory(path);
    for (const unsigned mode : {0777U, 0770U, 0702U}) {
        std::filesystem::permissions(path, std::filesystem::perms{mode});
        const auto refused = StateDirectory::open(path);
        ASSERT_FALSE(refused) << mode;
        EXPECT_NE(refused.error().message.find("chmod 700"), std::string::npos);
    }
}

TEST(StateDirectory, isRefusedWhenItIsSomebodyElses)
{
    const test::TempDir parent;
    const std::filesystem::path path = parent / "state";
    std::filesystem::create_directory(path);
    std::filesystem::permissions(path, std::filesystem::perms{0700});
    if (chown(path.c_str(), 65534, 65534) != 0) {
        EXPECT_NE(geteuid(), 0U) << "only root can give a directory away";
        return;
    }
    const auto refused = StateDirectory::open(path);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("65534"), std::string::npos);
}

}  // namespace
}  // namespace restante
