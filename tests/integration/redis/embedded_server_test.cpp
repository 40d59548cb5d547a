#include "core/base/file_descriptor.h"
#include "core/redis/client/blocking_command.h"
#include "core/redis/server/embedded_server.h"
#include "tests/support/eventually.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <unistd.h>

namespace restante::redis {
namespace {

using ::testing::HasSubstr;

class EmbeddedServerTest : public ::testing::Test {
protected:
    EmbeddedServer::Settings settings() const
    {
        EmbeddedServer::Settings wanted;
        wanted.directory = directory_ / "redis";
        wanted.timeout = Millis{10'000};
        return wanted;
    }

    std::unique_ptr<EmbeddedServer> start()
    {
        auto server = EmbeddedServer::start(settings());
        EXPECT_TRUE(server) << server.error().message;
        return server ? std::move(*server) : nullptr;
    }

    Result<Reply> call(std::initializer_list<std::string_view> command) const
    {
        return blockingCommand(directory_ / "redis/redis.sock", command, Millis{5'000});
    }

    void TearDown() override
    {
        if (auto left = EmbeddedServer::start(settings())) {
            (*left)->stop();
        }
    }

    test::TempDir directory_;
};

TEST_F(EmbeddedServerTest, servesDurablyOnASocketThatOnlyItsOwnerMayUse)
{
    auto server = start();
    ASSERT_NE(server, nullptr);
    EXPECT_FALSE(server->adopted());
    ASSERT_TRUE(call({"SET", "k", "v"}));
    for (const auto& [name, value] : {std::pair{"appendonly", "yes"},
                                      {"appendfsync", "always"},
                                      {"maxmemory-policy", "noeviction"},
                                      {"port", "0"},
                                      {"hash-max-listpack-value", "1024"},
                                      {"auto-aof-rewrite-min-size", "268435456"}}) {
        EXPECT_EQ(*call({"CONFIG", "GET", name})->array()->at(1).text(), value) << name;
    }
    const auto mode = std::filesystem::status(server->url().socketPath).permissions();
    EXPECT_EQ(mode, std::filesystem::perms::owner_all);
    server->stop();
    EXPECT_FALSE(call({"PING"}));
    EXPECT_EQ(server->processId(), -1);
}

TEST_F(EmbeddedServerTest, keepsItsDataFromOneLifeToTheNext)
{
    auto server = start();
    ASSERT_TRUE(call({"SET", "k", "v"}));
    server->stop();
    server = start();
    EXPECT_FALSE(server->adopted());
    EXPECT_EQ(*call({"GET", "k"})->text(), "v");
}

TEST_F(EmbeddedServerTest, isAdoptedWhenTheDaemonHasGoneWithoutStoppingIt)
{
    auto server = start();
    const auto process = server->processId();
    server.reset();
    server = start();
    EXPECT_TRUE(server->adopted());
    EXPECT_EQ(server->processId(), process);
    server->stop();
    EXPECT_FALSE(call({"PING"}));
}

TEST_F(EmbeddedServerTest, getsTheSettingsOfTheDaemonThatAdoptsIt)
{
    auto server = start();
    ASSERT_NE(server, nullptr);
    ASSERT_TRUE(call({"CONFIG", "SET", "auto-aof-rewrite-min-size", "64mb"}));
    server.reset();
    auto changed = settings();
    changed.fsync = "everysec";
    changed.maxMemory = 100'000'000;
    auto adopted = EmbeddedServer::start(changed);
    ASSERT_TRUE(adopted) << adopted.error().message;
    EXPECT_TRUE((*adopted)->adopted());
    for (const auto& [name, value] : {std::pair{"appendfsync", "everysec"},
                                      {"maxmemory", "100000000"},
                                      {"auto-aof-rewrite-min-size", "268435456"}}) {
        EXPECT_EQ(*call({"CONFIG", "GET", name})->array()->at(1).text(), value) << name;
    }
}

TEST_F(EmbeddedServerTest, isRevivedAfterItWasKilledAndHasLostNothing)
{
    auto server = start();
    ASSERT_TRUE(call({"SET", "k", "v"}));
    EXPECT_FALSE(*server->revive());
    const auto process = server->processId();
    ::kill(process, SIGKILL);
    ASSERT_TRUE(test::eventually([&] { return server->revive().value_or(false); }));
    EXPECT_NE(server->processId(), process);
    EXPECT_EQ(*call({"GET", "k"})->text(), "v");
    EXPECT_FALSE(*server->revive());
}

TEST_F(EmbeddedServerTest, isNotRevivedWhileItOnlyStandsStill)
{
    auto server = start();
    ::kill(server->processId(), SIGSTOP);
    const auto revived = server->revive();
    ::kill(server->processId(), SIGCONT);
    ASSERT_TRUE(revived);
    EXPECT_FALSE(*revived);
    EXPECT_TRUE(call({"PING"}));
}

TEST_F(EmbeddedServerTest, inheritsNoDescriptorOfTheDaemon)
{
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);  // without O_CLOEXEC, as sofia's sockets are
    const FileDescriptor readEnd{pipe[0]};
    FileDescriptor writeEnd{pipe[1]};
    auto server = start();
    writeEnd.close();
    char byte = 0;
    EXPECT_EQ(::read(readEnd.get(), &byte, 1), 0);  // nobody else holds the other end
}

TEST_F(EmbeddedServerTest, namesAProgramThatIsNotThere)
{
    auto wanted = settings();
    wanted.program = "no-such-redis";
    const auto server = EmbeddedServer::start(wanted);
    ASSERT_FALSE(server);
    EXPECT_THAT(server.error().message, HasSubstr("cannot start \"no-such-redis\""));
    EXPECT_THAT(server.error().message, HasSubstr("install redis-server"));
}

TEST_F(EmbeddedServerTest, quotesTheLogOfAServerThatEndsAtItsStart)
{
    auto wanted = settings();
    wanted.fsync = "sometimes";
    const auto server = EmbeddedServer::start(wanted);
    ASSERT_FALSE(server);
    EXPECT_THAT(server.error().message, HasSubstr("argument(s) must be one of"));
}

TEST_F(EmbeddedServerTest, refusesADirectoryTooDeepForAUnixSocket)
{
    auto wanted = settings();
    wanted.directory = directory_ / std::string(100, 'x');
    const auto server = EmbeddedServer::start(wanted);
    ASSERT_FALSE(server);
    EXPECT_THAT(server.error().message, HasSubstr("107 bytes"));
}

}  // namespace
}  // namespace restante::redis
