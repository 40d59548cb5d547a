#include "core/redis/server/append_only_file.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

namespace restante::redis {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string command(std::initializer_list<std::string> words)
{
    auto text = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto& word : words) {
        text += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    }
    return text;
}

std::string loggedScript(const std::string& value)
{
    return command({"MULTI"}) + command({"HSET", "h", "f", value}) +
           command({"ZADD", "z", "1", "f"}) + command({"EXEC"});
}

class AppendOnlyFileTest : public ::testing::Test {
protected:
    void write(const fs::path& name, const std::string& bytes) const
    {
        fs::create_directories((directory_ / name).parent_path());
        std::ofstream(directory_ / name, std::ios::binary) << bytes;
    }
    std::string read(const fs::path& name) const
    {
        std::ifstream in(directory_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// A directory as Redis 7 leaves it.
    void writeParts(const std::string& bytes) const
    {
        write("appendonlydir/appendonly.aof.manifest",
              "file appendonly.aof.3.base.rdb seq 3 type b\n"
              "file appendonly.aof.7.incr.aof seq 7 type i\n");
        write("appendonlydir/appendonly.aof.3.base.rdb", "REDIS0010 not looked at");
        write(kLast, bytes);
    }
    AppendOnlyCheck look() const
    {
        auto its = repairTornFile(directory_.path());
        EXPECT_TRUE(its) << its.error().message;
        return its.value_or(AppendOnlyCheck{});
    }
    std::string refusal() const
    {
        const auto its = repairTornFile(directory_.path());
        return its ? "" : its.error().message;
    }

    static constexpr const char* kLast = "appendonlydir/appendonly.aof.7.incr.aof";
    test::TempDir directory_{test::TempDir::Where::Memory};
};

TEST_F(AppendOnlyFileTest, findsNothingWhereNoServerHasEverBeen)
{
    EXPECT_EQ(look().file, fs::path{});
    EXPECT_EQ(look().bytesCut, 0U);
}

TEST_F(AppendOnlyFileTest, leavesAWholeFileAsItIs)
{
    const auto whole = command({"SELECT", "0"}) + loggedScript("one") + "#TS:1700000000\r\n" +
                       command({"SET", "k", std::string("\0\r\n$9", 5)}) + loggedScript("two");
    writeParts(whole);
    const auto its = look();
    EXPECT_EQ(its.file, directory_ / kLast);
    EXPECT_EQ(its.bytes, whole.size());
    EXPECT_EQ(its.bytesCut, 0U);
    EXPECT_EQ(read(kLast), whole);
    EXPECT_FALSE(fs::exists(directory_ / "torn"));
}

TEST_F(AppendOnlyFileTest, cutsATransactionThatIsTornAtAnyByteAndKeepsACopy)
{
    const auto before = command({"SELECT", "0"}) + loggedScript("first");
    const auto last = loggedScript(std::string("two\r\n\0lines", 11));
    for (std::size_t length = 1; length < last.size(); ++length) {
        const auto torn = last.substr(0, length);
        writeParts(before + torn);
        const auto its = look();
        ASSERT_EQ(its.bytesCut, length);
        ASSERT_EQ(read(kLast), before) << length;
        ASSERT_EQ(read(its.tail.lexically_relative(directory_.path())), torn);
    }
}

TEST_F(AppendOnlyFileTest, cutsACommandThatIsTornAtAnyByte)
{
    const auto last = command({"SET", "key", "value"});
    for (std::size_t length = 1; length < last.size(); ++length) {
        writeParts(loggedScript("first") + last.substr(0, length));
        ASSERT_EQ(look().bytesCut, length);
        ASSERT_EQ(read(kLast), loggedScript("first"));
    }
}

TEST_F(AppendOnlyFileTest, cutsTheZerosThatAPowerCutLeaves)
{
    const auto last = loggedScript("second");
    for (std::size_t length = 0; length < last.size(); ++length) {
        writeParts(loggedScript("first") + last.substr(0, length) + std::string(5'000, '\0'));
        ASSERT_EQ(look().bytesCut, length + 5'000);
        ASSERT_EQ(read(kLast), loggedScript("first")) << length;
    }
}

TEST_F(AppendOnlyFileTest, refusesDamageBeforeTheEndAndChangesNothing)
{
    auto damaged = loggedScript("first") + loggedScript("second") + loggedScript("third");
    damaged[loggedScript("first").size() + 3] = 'x';
    writeParts(damaged);
    const auto message = refusal();
    EXPECT_THAT(message,
                HasSubstr("damaged at byte " + std::to_string(loggedScript("first").size() + 3)));
    EXPECT_THAT(message, HasSubstr("redis-check-aof --fix"));
    EXPECT_EQ(read(kLast), damaged);
}

TEST_F(AppendOnlyFileTest, refusesZerosWithSomethingBehindThem)
{
    writeParts(loggedScript("first") + std::string(5'000, '\0') + loggedScript("second"));
    EXPECT_THAT(refusal(), HasSubstr("damaged at byte"));
}

TEST_F(AppendOnlyFileTest, refusesDataWithoutAManifest)
{
    write(kLast, loggedScript("first"));
    EXPECT_THAT(refusal(), HasSubstr("would begin an empty store"));
}

TEST_F(AppendOnlyFileTest, tellsOfUnfinishedTransactionsThatAnEarlierStartHasLeftInside)
{
    writeParts(command({"MULTI"}) + command({"HSET", "h", "f", "v"}) + loggedScript("second"));
    const auto its = look();
    EXPECT_EQ(its.unfinishedTransactions, 1U);
    EXPECT_EQ(its.bytesCut, 0U);
}

TEST_F(AppendOnlyFileTest, readsTheSingleFileOfOldTimes)
{
    write("appendonly.aof", loggedScript("first") + "*1\r\n$5\r\nMUL");
    EXPECT_EQ(look().bytesCut, 11U);
    EXPECT_EQ(read("appendonly.aof"), loggedScript("first"));
}

TEST_F(AppendOnlyFileTest, leavesASingleFileThatBeginsWithAnImageToRedis)
{
    write("appendonly.aof", "REDIS0009 and then commands*1\r\n");
    EXPECT_EQ(look().file, fs::path{});
}

TEST_F(AppendOnlyFileTest, looksAtTheLastFileWithContentWhileRedisRewrites)
{
    writeParts(loggedScript("first") + "*1");
    write("appendonlydir/appendonly.aof.manifest", "file appendonly.aof.3.base.rdb seq 3 type b\n"
                                                   "file appendonly.aof.7.incr.aof seq 7 type i\n"
                                                   "file appendonly.aof.8.incr.aof seq 8 type i\n");
    write("appendonlydir/appendonly.aof.8.incr.aof", "");
    EXPECT_EQ(look().bytesCut, 2U);
    write("appendonlydir/appendonly.aof.8.incr.aof", loggedScript("second") + "*");
    EXPECT_EQ(look().bytesCut, 1U);
}

TEST_F(AppendOnlyFileTest, keepsAFewTailsOnly)
{
    for (int i = 0; i < 12; ++i) {
        writeParts(loggedScript("first") + "*1\r\n");
        ASSERT_EQ(look().bytesCut, 4U);
    }
    const auto tails = std::distance(fs::directory_iterator(directory_ / "torn"), {});
    EXPECT_EQ(tails, 8);
}

TEST_F(AppendOnlyFileTest, doesNotReadWhatHasNotChangedSinceAnOrderlyEnd)
{
    writeParts(loggedScript("first"));
    markCleanShutdown(directory_.path());
    EXPECT_TRUE(look().skipped);
    EXPECT_FALSE(look().skipped);  // the note is used up
}

TEST_F(AppendOnlyFileTest, readsWhatHasChangedSinceAnOrderlyEnd)
{
    writeParts(loggedScript("first"));
    markCleanShutdown(directory_.path());
    writeParts(loggedScript("first") + "*1\r\n");
    EXPECT_EQ(look().bytesCut, 4U);
}

}  // namespace
}  // namespace restante::redis
