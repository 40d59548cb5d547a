// Each thing that can be wrong with a connection has its own message, soon, and the
// windows stay usable.

#include "core/base/epoll_loop.h"
#include "gui/session/redis_store.h"
#include "tests/gui/support/open_session.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_info.h"
#include "tests/support/redis_server.h"
#include "tests/support/scripted_redis.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace restante::gui::test {
namespace {

using restante::test::infoOf;
using restante::test::RedisServer;
using restante::test::ScriptedRedis;
using restante::test::TempDir;
using ::testing::HasSubstr;
using Phase = LinkState::Phase;

std::string urlOf(const RedisServer& redis)
{
    return "unix://" + redis.socketPath();
}

/// As a daemon does at its first start.
void makeStore(const RedisServer& redis, const std::string& schema = "1")
{
    redis.send({"HSET", "rst:meta", "schema", schema, "shards", "1"});
}

/// Listens, and never says a word or says the wrong ones.
class Stranger {
public:
    Stranger()
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
        ::listen(socket_, 5);
        socklen_t size = sizeof address;
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
        port = ntohs(address.sin_port);
    }
    Stranger(const Stranger&) = delete;
    Stranger& operator=(const Stranger&) = delete;
    ~Stranger()
    {
        ::close(socket_);
        if (guest_ >= 0) {
            ::close(guest_);
        }
    }
    void greet(const std::string& words)
    {
        guest_ = ::accept(socket_, nullptr, nullptr);
        ASSERT_GE(guest_, 0);
        ASSERT_EQ(::write(guest_, words.data(), words.size()), static_cast<ssize_t>(words.size()));
    }

    std::uint16_t port = 0;

private:
    int socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    int guest_ = -1;
};

TEST(ConnectionErrors, aStoreThatIsThereIsReadyAndSaysWhatItIs)
{
    const RedisServer redis;
    makeStore(redis);
    OpenedSession session(redisProfile(urlOf(redis)));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    const auto valkey = infoOf(redis, "valkey_version");
    const auto serverName =
        valkey.empty() ? "redis " + infoOf(redis, "redis_version") : "valkey " + valkey;
    EXPECT_THAT(session.link().server.toStdString(), HasSubstr(serverName));
    EXPECT_THAT(session.link().server.toStdString(), HasSubstr("master"));
    EXPECT_TRUE(session.link().writable);
    EXPECT_TRUE(until([&] { return session.link().latencyMs >= 0; }));
    EXPECT_THAT(session.link().journalProblem.toStdString(), HasSubstr("names no journal"));
}

TEST(ConnectionErrors, aWrongPasswordIsNamed)
{
    const RedisServer redis({.extra = {"--requirepass", "right"}, .password = "right"});
    OpenedSession session(redisProfile(urlOf(redis)), QStringLiteral("wrong"));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("refused the password of the default user"));
}

TEST(ConnectionErrors, aMissingPasswordIsAskedFor)
{
    const RedisServer redis({.extra = {"--requirepass", "right"}, .password = "right"});
    OpenedSession session(redisProfile(urlOf(redis)));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("wants a password"));
}

TEST(ConnectionErrors, aPasswordThatNobodyAskedForIsNamed)
{
    const RedisServer redis;
    OpenedSession session(redisProfile(urlOf(redis)), QStringLiteral("superfluous"));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("no password for the default user"));
}

TEST(ConnectionErrors, anUnknownUserIsNamed)
{
    const RedisServer redis;
    auto profile = redisProfile(urlOf(redis));
    profile.user = QStringLiteral("mallory");
    OpenedSession session(profile, QStringLiteral("secret"));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("password of “mallory”"));
}

TEST(ConnectionErrors, aUserWhoMayNotReadTheStoreIsTold)
{
    const RedisServer redis;
    makeStore(redis);
    redis.send({"ACL", "SETUSER", "guest", "on", ">secret", "~other:*", "+@all"});
    auto profile = redisProfile(urlOf(redis));
    profile.user = QStringLiteral("guest");
    OpenedSession session(profile, QStringLiteral("secret"));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("“guest” may not do this"));
}

TEST(ConnectionErrors, aUserWhoMayOnlyReadGetsAStoreThatIsOnlyShown)
{
    const RedisServer redis;
    makeStore(redis);
    // As docs/console.md says.
    redis.send({"ACL", "SETUSER", "reader", "on", ">secret", "~rst:*", "+@read", "+@connection",
                "+@scripting", "+info", "+time"});
    auto profile = redisProfile(urlOf(redis));
    profile.user = QStringLiteral("reader");
    OpenedSession session(profile, QStringLiteral("secret"));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    EXPECT_FALSE(session.link().writable);
    EXPECT_THAT(session.link().whyNotWritable.toStdString(), HasSubstr("“reader” may not"));
    EXPECT_TRUE(session.answer<StoreCounts>([&](auto reply) { session.source().counts(reply); }));
    EXPECT_TRUE(
        session.answer<JobRows>([&](auto reply) { session.source().page({}, std::move(reply)); }));
    EXPECT_TRUE(session.answer<std::vector<TopicView>>(
        [&](auto reply) { session.source().topics(std::move(reply)); }));
    BulkRequest order;
    order.selection.ids = {"a"};
    order.selection.count = 1;
    const auto report = session.runBulk(order);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::Denied);
}

TEST(ConnectionErrors, anUnknownHostIsNamed)
{
    OpenedSession session(redisProfile("redis://no-such-host.invalid:6379"));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("no-such-host.invalid is not known"));
}

TEST(ConnectionErrors, aPortWhereNobodyListensIsNamed)
{
    const auto port = std::to_string(restante::test::freePort());
    OpenedSession session(redisProfile("redis://127.0.0.1:" + port));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("Nobody listens at 127.0.0.1:" + port));
}

TEST(ConnectionErrors, aSocketThatIsNotThereIsNamed)
{
    OpenedSession session(redisProfile("unix:///nowhere/redis.sock"));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("no socket /nowhere/redis.sock"));
}

TEST(ConnectionErrors, aServerThatKeepsSilentIsGivenUpInTime)
{
    const Stranger stranger;
    auto profile = redisProfile("redis://127.0.0.1:" + std::to_string(stranger.port));
    profile.timeout = std::chrono::milliseconds{300};
    OpenedSession session(profile);
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("did not answer in time"));
}

TEST(ConnectionErrors, aRedisThatFallsSilentIsNotTakenForItsJournal)
{
    EpollLoop loop;
    // Everybody is let in and told the time, and nobody is told of the store.
    ScriptedRedis redis(loop, [](const std::string& word) -> std::optional<std::string> {
        if (word == "HGET") {
            return std::nullopt;
        }
        return word == "TIME" ? "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n" : "+OK\r\n";
    });
    RedisStore::Settings settings;
    settings.url = redis.url();
    settings.timeout = Millis{500};
    RedisStore store(loop, settings);
    std::optional<Result<void>> ready;
    store.awaitReady([&](const Result<void>& answer) { ready = answer; }, [] {});
    ASSERT_TRUE(loop.runUntil([&] { return ready.has_value(); }, Millis{10'000}));
    EXPECT_FALSE(*ready);
    EXPECT_TRUE(store.coldProblem().isNone());
}

TEST(ConnectionErrors, aRedisThatFallsSilentLaterIsNotTakenForItsJournalEither)
{
    const TempDir directory;
    EpollLoop loop;
    int questions = 0;
    // The store has cold jobs, and then nobody is told which store it is.
    ScriptedRedis redis(loop, [&](const std::string& word) -> std::optional<std::string> {
        if (word == "HGET") {
            return ++questions == 1 ? std::optional(ScriptedRedis::bulk("86400000")) : std::nullopt;
        }
        return word == "TIME" ? "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n" : "+OK\r\n";
    });
    RedisStore::Settings settings;
    settings.url = redis.url();
    settings.timeout = Millis{500};
    const auto url = journal::parseJournalUrl("sqlite://" + (directory / "j.db").string());
    ASSERT_TRUE(url);
    settings.journal = *url;
    RedisStore store(loop, settings);
    std::optional<Result<void>> ready;
    store.awaitReady([&](const Result<void>& answer) { ready = answer; }, [] {});
    ASSERT_TRUE(loop.runUntil([&] { return ready.has_value(); }, Millis{10'000}));
    EXPECT_EQ(questions, 2);
    EXPECT_FALSE(*ready);
    EXPECT_TRUE(store.coldProblem().isNone());
}

TEST(ConnectionErrors, anotherKindOfServerIsRecognised)
{
    Stranger stranger;
    OpenedSession session(redisProfile("redis://127.0.0.1:" + std::to_string(stranger.port)));
    stranger.greet("SSH-2.0-OpenSSH_9.2\r\n");
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("does not talk like Redis"));
}

TEST(ConnectionErrors, anAddressThatWeDoNotSpeakIsRefusedByName)
{
    OpenedSession session(redisProfile("redis+ring://redis.example.org"));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("\"redis+ring\" is not supported"));
}

TEST(ConnectionErrors, keysOfSomebodyElseAreNotTaken)
{
    const RedisServer redis;
    redis.send({"SET", "rst:meta", "something else"});
    OpenedSession session(redisProfile(urlOf(redis)));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("“rst” are not Restante's"));
}

TEST(ConnectionErrors, aNewerStoreIsShownAndNotChanged)
{
    const RedisServer redis;
    makeStore(redis, "7");
    OpenedSession session(redisProfile(urlOf(redis)));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    EXPECT_FALSE(session.link().writable);
    EXPECT_THAT(session.link().whyNotWritable.toStdString(), HasSubstr("schema 7"));
}

TEST(ConnectionErrors, aStoreThatNobodyHasUsedIsLeftAlone)
{
    const RedisServer redis;
    OpenedSession session(redisProfile(urlOf(redis)));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    EXPECT_FALSE(session.link().writable);
    EXPECT_THAT(session.link().whyNotWritable.toStdString(), HasSubstr("No daemon has used"));
    EXPECT_EQ(std::get<std::int64_t>(redis.send({"EXISTS", "rst:meta"}).value), 0);
}

TEST(ConnectionErrors, aReplicaIsShownAndNotChanged)
{
    const RedisServer master({.tcp = true, .extra = {}, .password = {}});
    makeStore(master);
    const RedisServer replica;
    replica.send({"REPLICAOF", "127.0.0.1", std::to_string(master.tcpUrl().port)});
    ASSERT_TRUE(until([&] {
        return std::get<std::int64_t>(replica.send({"EXISTS", "rst:meta"}).value) == 1;
    }));
    OpenedSession session(redisProfile(urlOf(replica)));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    EXPECT_FALSE(session.link().writable);
    EXPECT_THAT(session.link().whyNotWritable.toStdString(), HasSubstr("is a replica"));
}

TEST(ConnectionErrors, aStoreThatIsLostComesBackByItself)
{
    RedisServer redis;
    makeStore(redis);
    OpenedSession session(redisProfile(urlOf(redis)));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    redis.kill9();
    ASSERT_TRUE(until([&] { return session.link().phase == Phase::Lost; }));
    EXPECT_THAT(session.problem(), testing::Not(testing::IsEmpty()));
    const auto meanwhile =
        session.answer<StoreCounts>([&](auto reply) { session.source().counts(reply); });
    ASSERT_FALSE(meanwhile);
    EXPECT_EQ(meanwhile.error().code, ErrorCode::Unavailable);
    redis.restart();
    makeStore(redis);
    EXPECT_TRUE(until([&] { return session.link().phase == Phase::Ready; }));
    EXPECT_TRUE(session.answer<StoreCounts>([&](auto reply) { session.source().counts(reply); }));
}

TEST(ConnectionErrors, aDaemonThatDoesNotRunIsNamedByItsSocket)
{
    const TempDir directory;
    const auto file = directory / "restante.toml";
    std::ofstream(file) << "state_dir = \"" << (directory / "state").string() << "\"\n";
    ConnectionProfile profile;
    profile.kind = ConnectionProfile::Kind::Local;
    profile.configFile = QString::fromStdString(file.string());
    OpenedSession session(profile);
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("redis.sock. Is the daemon running"));
}

TEST(ConnectionErrors, aConfigurationThatCannotBeReadIsNamedWithItsLine)
{
    const TempDir directory;
    const auto file = directory / "restante.toml";
    std::ofstream(file) << "\nno_such_key = 1\n";
    ConnectionProfile profile;
    profile.kind = ConnectionProfile::Kind::Local;
    profile.configFile = QString::fromStdString(file.string());
    OpenedSession session(profile);
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("restante.toml:2"));
}

}  // namespace
}  // namespace restante::gui::test
