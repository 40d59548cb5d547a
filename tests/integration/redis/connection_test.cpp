#include "core/base/file_descriptor.h"
#include "core/redis/client/command_pipeline.h"
#include "core/redis/client/connection.h"
#include "tests/support/eventually.h"
#include "tests/support/redis_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace restante::redis {
namespace {

using test::RedisServer;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using SteadyClock = std::chrono::steady_clock;

class ConnectionTest : public test::RedisFixture {};

/// A pipeline whose server is the test.
class PipelineTest : public test::LoopFixture {
protected:
    PipelineTest()
    {
        std::array<int, 2> ends{};
        constexpr int kKind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
        EXPECT_EQ(::socketpair(AF_UNIX, kKind, 0, ends.data()), 0);
        ours_ = FileDescriptor{ends[0]};
        theirs_ = FileDescriptor{ends[1]};
        const int room = 1 << 20;
        setsockopt(theirs_.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    }
    std::unique_ptr<CommandPipeline> pipeline(Millis timeout)
    {
        CommandPipeline::Handlers handlers;
        handlers.onBroken = [this](std::string why) { broken_ = std::move(why); };
        return std::make_unique<CommandPipeline>(loop_, std::move(ours_), timeout,
                                                 std::move(handlers));
    }
    void ask(CommandPipeline& asking)
    {
        const std::vector<std::string_view> words{"GET", "k"};
        asking.send(words, [this](const Result<Reply>& reply) {
            answers_.emplace_back(reply ? reply->textOrEmpty() : "an error");
        });
    }
    void answer(std::string_view bytes) const
    {
        ASSERT_EQ(::send(theirs_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }

    std::string broken_;
    std::vector<std::string> answers_;

private:
    FileDescriptor ours_;
    FileDescriptor theirs_;
};

TEST_F(PipelineTest, readsAllThatHasComeBeforeItTakesAnAnswerForLate)
{
    const auto asking = pipeline(Millis{0});
    ask(*asking);
    const std::string big(150'000, 'x');  // more than two reads
    answer("$150000\r\n" + big + "\r\n");
    ASSERT_TRUE(runUntil([&] { return !answers_.empty() || !broken_.empty(); }));
    EXPECT_EQ(broken_, "");
    EXPECT_EQ(answers_, std::vector{big});
}

TEST_F(PipelineTest, waitsForAnAnswerWhileItsBytesKeepComing)
{
    const auto asking = pipeline(Millis{200});
    ask(*asking);
    ask(*asking);
    answer("$10\r\n");
    Timer timer(loop_);
    int sent = 0;
    const std::function<void()> sendOne = [&] {
        answer("x");
        if (++sent < 10) {
            timer.arm(Millis{50}, sendOne);
        } else {
            answer("\r\n$1\r\ny\r\n");
        }
    };
    timer.arm(Millis{50}, sendOne);
    ASSERT_TRUE(runUntil([&] { return answers_.size() == 2 || !broken_.empty(); }));
    EXPECT_EQ(broken_, "");
    EXPECT_EQ(answers_, (std::vector<std::string>{"xxxxxxxxxx", "y"}));

    ask(*asking);
    answer("$10\r\nx");  // and no more
    ASSERT_TRUE(runUntil([&] { return !broken_.empty(); }));
    EXPECT_EQ(broken_, "no answer within 200 ms");
}

TEST_F(ConnectionTest, answersEveryKindOfReply)
{
    auto connection = connect(test::sharedRedis().url());
    EXPECT_EQ(*call(*connection, {"SET", "k", std::string("a\0\r\nb", 5)})->text(), "OK");
    EXPECT_EQ(*call(*connection, {"GET", "k"})->text(), std::string("a\0\r\nb", 5));
    EXPECT_TRUE(call(*connection, {"GET", "none"})->isNil());
    EXPECT_EQ(*call(*connection, {"INCRBY", "n", "-7"})->integer(), -7);
    EXPECT_EQ(*call(*connection, {"SET", "e", ""})->text(), "OK");
    EXPECT_EQ(*call(*connection, {"GET", "e"})->text(), "");

    const auto nested = call(*connection, {"EVAL", "return {1,{'x',{false,{}}}}", "0"});
    ASSERT_TRUE(nested) << nested.error().message;
    const auto& outer = *nested->array();
    EXPECT_EQ(*outer.at(0).integer(), 1);
    const auto& inner = *outer.at(1).array();
    EXPECT_EQ(*inner.at(0).text(), "x");
    EXPECT_TRUE(inner.at(1).array()->at(0).isNil());
    EXPECT_TRUE(inner.at(1).array()->at(1).array()->empty());
}

TEST_F(ConnectionTest, carriesBigRequestsAndBigReplies)
{
    auto connection = connect(test::sharedRedis().url());
    const std::string big(16U << 20U, 'x');  // more than a socket buffer takes at once
    ASSERT_TRUE(call(*connection, {"SET", "big", big}));
    const auto reply = call(*connection, {"GET", "big"});
    ASSERT_TRUE(reply);
    EXPECT_EQ(*reply->text(), big);
}

TEST_F(ConnectionTest, answersAPipelineInOrder)
{
    auto connection = connect(test::sharedRedis().url());
    constexpr std::int64_t kCount = 10'000;
    std::int64_t answered = 0;
    for (std::int64_t i = 1; i <= kCount; ++i) {
        connection->command({"INCR", "n"}, [&, i](Result<Reply> reply) {
            ASSERT_TRUE(reply);
            EXPECT_EQ(*reply->integer(), i);
            ++answered;
        });
    }
    EXPECT_EQ(connection->inFlight(), static_cast<std::size_t>(kCount));
    EXPECT_TRUE(runUntil([&] { return answered == kCount; }));
    EXPECT_EQ(connection->inFlight(), 0U);
}

TEST_F(ConnectionTest, speaksOverTcpAlsoWhenTheHostIsAName)
{
    RedisServer server({.tcp = true, .extra = {}, .password = {}});
    auto numeric = connect(server.tcpUrl());
    EXPECT_TRUE(call(*numeric, {"PING"}));
    auto url = server.tcpUrl();
    url.host = "localhost";
    auto named = connect(url);
    EXPECT_TRUE(call(*named, {"PING"}));
}

TEST_F(ConnectionTest, selectsItsDatabase)
{
    auto url = test::sharedRedis().url();
    url.database = 3;
    auto third = connect(url);
    ASSERT_TRUE(call(*third, {"SET", "k", "v"}));
    auto first = connect(test::sharedRedis().url());
    EXPECT_TRUE(call(*first, {"GET", "k"})->isNil());
}

TEST_F(ConnectionTest, entersWithUserAndPassword)
{
    RedisServer server;
    server.send({"ACL", "SETUSER", "alice", "on", ">se:cret", "~*", "+@all"});
    auto url = server.url();
    url.user = "alice";
    url.password = "se:cret";
    auto connection = connect(url);
    EXPECT_EQ(*call(*connection, {"ACL", "WHOAMI"})->text(), "alice");
}

TEST_F(ConnectionTest, entersWithAPasswordAlone)
{
    RedisServer server({.extra = {"--requirepass", "secret"}, .password = "secret"});
    auto url = server.url();
    url.password = "secret";
    auto connection = connect(url);
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(ConnectionTest, namesAMissingPasswordAndAWrongOne)
{
    RedisServer server({.extra = {"--requirepass", "secret"}, .password = "secret"});
    auto missing = dial(server.url());
    ASSERT_TRUE(runUntil([&] { return !missing->lastFailure().empty(); }));
    EXPECT_THAT(missing->lastFailure(), HasSubstr("NOAUTH"));
    EXPECT_EQ(call(*missing, {"PING"}).error().code, ErrorCode::Denied);

    auto url = server.url();
    url.password = "guess";
    auto wrong = dial(url);
    ASSERT_TRUE(runUntil([&] { return !wrong->lastFailure().empty(); }));
    EXPECT_THAT(wrong->lastFailure(), HasSubstr("WRONGPASS"));
    EXPECT_THAT(wrong->lastFailure(), Not(HasSubstr("guess")));
    const auto refused = call(*wrong, {"PING"});
    EXPECT_EQ(refused.error().code, ErrorCode::Denied);
}

TEST_F(ConnectionTest, tellsThatAUserLacksPermission)
{
    RedisServer server;
    server.send({"ACL", "SETUSER", "bob", "on", ">pw", "~a*", "+ping", "+get", "+eval"});
    auto url = server.url();
    url.user = "bob";
    url.password = "pw";
    auto connection = connect(url);  // although CLIENT SETNAME is refused
    const auto refused = call(*connection, {"SET", "k", "v"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Denied);
    EXPECT_THAT(refused.error().message, StartsWith("NOPERM"));
    // A script is let in, and what it does is refused.
    for (const auto* script :
         {"return redis.call('set','a','v')", "return redis.call('get','k')"}) {
        const auto within = call(*connection, {"EVAL", script, "0"});
        EXPECT_EQ(within.error().code, ErrorCode::Denied) << within.error().message;
        EXPECT_THAT(within.error().message, HasSubstr("give the Redis user"));
    }
}

TEST_F(ConnectionTest, tellsThatRedisIsFull)
{
    RedisServer server(
        {.extra = {"--maxmemory", "1", "--maxmemory-policy", "noeviction"}, .password = {}});
    auto connection = connect(server.url());
    EXPECT_EQ(call(*connection, {"SET", "k", "v"}).error().code, ErrorCode::Full);
    const auto script =
        call(*connection, {"EVAL", "#!lua\nreturn redis.call('set',KEYS[1],'v')", "1", "k"});
    EXPECT_EQ(script.error().code, ErrorCode::Full);
    EXPECT_TRUE(call(*connection, {"GET", "k"})->isNil());
}

TEST_F(ConnectionTest, tellsThatRedisIsAReadOnlyReplica)
{
    RedisServer server;
    auto connection = connect(server.url());
    ASSERT_TRUE(call(*connection, {"REPLICAOF", "127.0.0.1", "1"}));
    EXPECT_EQ(call(*connection, {"SET", "k", "v"}).error().code, ErrorCode::ReadOnly);
}

TEST_F(ConnectionTest, tellsThatRedisCannotWriteItsDisk)
{
    RedisServer server({.extra = {"--save", "3600 1", "--dbfilename", "taken"}, .password = {}});
    auto connection = connect(server.url());
    ASSERT_TRUE(call(*connection, {"SET", "k", "v"}));
    // A directory in the snapshot's place makes saving fail for root, too.
    const auto directory = std::filesystem::path(server.socketPath()).parent_path();
    std::filesystem::create_directories(directory / "taken" / "by");
    ASSERT_TRUE(call(*connection, {"BGSAVE"}));
    ASSERT_TRUE(test::eventually([&] { return !call(*connection, {"SET", "k", "v"}); }));
    EXPECT_EQ(call(*connection, {"SET", "k", "v"}).error().code, ErrorCode::ReadOnly);
    auto later = connect(server.url());  // PING is refused, too, yet it becomes ready
    EXPECT_EQ(call(*later, {"SET", "k", "v"}).error().code, ErrorCode::ReadOnly);
}

TEST_F(ConnectionTest, tellsThatReplicasAreMissing)
{
    RedisServer server({.extra = {"--min-replicas-to-write", "1"}, .password = {}});
    auto connection = connect(server.url());
    const auto refused = call(*connection, {"SET", "k", "v"});
    EXPECT_EQ(refused.error().code, ErrorCode::Busy);
    EXPECT_THAT(refused.error().message, StartsWith("NOREPLICAS"));
}

TEST_F(ConnectionTest, tellsThatAScriptBlocksRedis)
{
    RedisServer server({.extra = {"--busy-reply-threshold", "10"}, .password = {}});
    auto blocker = connect(server.url());
    auto connection = connect(server.url());
    blocker->command({"EVAL", "while true do end", "0"}, [](const Result<Reply>&) {});
    Result<Reply> reply;
    ASSERT_TRUE(test::eventually([&] {
        reply = call(*connection, {"SET", "k", "v"});
        return !reply;
    }));
    EXPECT_EQ(reply.error().code, ErrorCode::Busy);
    EXPECT_THAT(reply.error().message, StartsWith("BUSY"));
}

TEST_F(ConnectionTest, tellsThatRedisIsLoading)
{
    // 20 ms a key, 3 s in all, and a look at the clients after each.
    RedisServer server(
        {.extra = {"--key-load-delay", "20000", "--loading-process-events-interval-bytes", "1024"},
         .password = {}});
    server.send({"CONFIG", "SET", "rdbcompression", "no"});
    for (int i = 0; i < 150; ++i) {
        server.send({"SETRANGE", "k" + std::to_string(i), "4095", "x"});
    }
    server.send({"SAVE"});
    server.launch();
    auto connection = connect(server.url());
    const auto refused = call(*connection, {"SET", "k", "v"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Loading);
    EXPECT_TRUE(test::eventually(
        [&] {
            return call(*connection, {"SET", "k", "v"}).has_value();
        },
        Millis{20'000}));
}

TEST_F(ConnectionTest, tellsThatAScriptIsNotLoaded)
{
    auto connection = connect(test::sharedRedis().url());
    const auto refused = call(*connection, {"EVALSHA", std::string(40, 'f'), "0"});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, StartsWith("NOSCRIPT"));
    EXPECT_EQ(refused.error().remoteCode, "NOSCRIPT");
}

TEST_F(ConnectionTest, doesNotRepeatTheArgumentsThatRedisQuotes)
{
    auto connection = connect(test::sharedRedis().url());
    const auto refused = call(*connection, {"NOSUCH", "a private body"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Internal);
    EXPECT_THAT(refused.error().message, Not(HasSubstr("private")));
}

TEST_F(ConnectionTest, takesAnErrorInsideAnArrayAsARefusal)
{
    auto connection = connect(test::sharedRedis().url());
    const auto refused =
        call(*connection, {"EVAL", "return {1, redis.error_reply('OOM inside'), 2}", "0"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Full);
    EXPECT_EQ(*call(*connection, {"ECHO", "next"})->text(), "next");
}

TEST_F(ConnectionTest, refusesAtOnceAndNamesTheSocketWhileThereIsNoServer)
{
    test::TempDir empty;
    RedisUrl url;
    url.socketPath = empty / "none.sock";
    auto connection = dial(url);
    const auto refused = call(*connection, {"PING"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
    ASSERT_TRUE(runUntil([&] { return !connection->lastFailure().empty(); }));
    EXPECT_THAT(connection->lastFailure(), HasSubstr(url.socketPath + ": connect: No such file"));
    EXPECT_FALSE(connection->ready());
}

TEST_F(ConnectionTest, namesAHostThatCannotBeResolved)
{
    RedisUrl url;
    url.host = "no-such-host.invalid";
    auto connection = dial(url);
    ASSERT_TRUE(runUntil([&] { return !connection->lastFailure().empty(); }));
    EXPECT_THAT(connection->lastFailure(), HasSubstr("no-such-host.invalid"));
}

TEST_F(ConnectionTest, failsWithinItsTimeoutWhileRedisStandsStillAndComesBackByItself)
{
    RedisServer server;
    auto connection = connect(server.url());
    std::vector<bool> changes;
    connection->onReady([&](bool ready) { changes.push_back(ready); });
    server.pause();
    const auto start = SteadyClock::now();
    // As late as the machine makes a timer of the connection's own time-out.
    SteadyClock::duration late{0};
    Timer timer(loop_);
    timer.arm(Millis{1'500}, [&] { late = SteadyClock::now() - start - Millis{1'500}; });
    EXPECT_EQ(call(*connection, {"SET", "k", "v"}).error().code, ErrorCode::Unavailable);
    EXPECT_LT(SteadyClock::now() - start - late, Millis{2'000});
    EXPECT_EQ(call(*connection, {"PING"}).error().code, ErrorCode::Unavailable);

    server.resume();
    EXPECT_TRUE(runUntil([&] { return connection->ready(); }, Millis{2'000}));
    EXPECT_TRUE(call(*connection, {"PING"}));
    EXPECT_EQ(changes, (std::vector{false, true}));
}

TEST_F(ConnectionTest, answersWhatWasInFlightWhenRedisDiesAndReconnectsWhenItIsBack)
{
    RedisServer server;
    auto connection = connect(server.url());
    server.pause();
    int unavailable = 0;
    for (int i = 0; i < 10; ++i) {
        connection->command({"INCR", "n"}, [&](const Result<Reply>& reply) {
            ASSERT_FALSE(reply);
            unavailable += reply.error().code == ErrorCode::Unavailable ? 1 : 0;
        });
    }
    server.kill9();
    EXPECT_TRUE(runUntil([&] { return unavailable == 10; }));
    server.restart();
    EXPECT_TRUE(runUntil([&] { return connection->ready(); }, Millis{2'000}));
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(ConnectionTest, answersWhatIsInFlightOrRejectedBeforeItIsGone)
{
    auto connection = connect(test::sharedRedis().url());
    int answered = 0;
    connection->command({"PING"}, [&](const Result<Reply>& reply) { answered += reply ? 0 : 1; });
    connection.reset();
    EXPECT_EQ(answered, 1);

    connection = dial(test::sharedRedis().url());
    connection->command({"PING"}, [&](const Result<Reply>& reply) { answered += reply ? 0 : 1; });
    EXPECT_EQ(answered, 1);
    connection.reset();
    EXPECT_EQ(answered, 2);
}

TEST_F(ConnectionTest, rejectsWhatItsLastAnswersSend)
{
    auto connection = connect(test::sharedRedis().url());
    std::string refusal;
    connection->command({"PING"}, [&, closing = connection.get()](const Result<Reply>&) {
        closing->command({"PING"}, [&](const Result<Reply>& reply) {
            refusal = reply ? "none" : reply.error().message;
        });
    });
    connection.reset();
    EXPECT_THAT(refusal, HasSubstr("connection closed"));
}

TEST_F(ConnectionTest, mayBeDestroyedByAnyCallback)
{
    auto connection = connect(test::sharedRedis().url());
    int later = 0;
    connection->command({"PING"}, [&](const Result<Reply>&) { connection.reset(); });
    connection->command({"PING"}, [&](const Result<Reply>&) { ++later; });
    EXPECT_TRUE(runUntil([&] { return later == 1; }));
    EXPECT_EQ(connection, nullptr);

    connection = dial(test::sharedRedis().url());
    connection->onReady([&](bool) { connection.reset(); });
    EXPECT_TRUE(runUntil([&] { return connection == nullptr; }));
}

TEST_F(ConnectionTest, hearsItsChannelsAlsoAfterAReconnection)
{
    RedisServer server;
    auto subscriber = dial(server.url());
    std::vector<std::string> heard;
    subscriber->subscribe({"a", "b"}, [&](std::string_view channel, std::string_view payload) {
        heard.push_back(std::string(channel) + "=" + std::string(payload));
    });
    ASSERT_TRUE(runUntil([&] { return subscriber->ready(); }));
    server.send({"PUBLISH", "a", "1"});
    server.send({"PUBLISH", "other", "x"});
    server.send({"PUBLISH", "b", ""});
    ASSERT_TRUE(runUntil([&] { return heard.size() == 2; }));

    server.restart();
    ASSERT_TRUE(runUntil([&] { return !subscriber->ready(); }));
    ASSERT_TRUE(runUntil([&] { return subscriber->ready(); }, Millis{2'000}));
    server.send({"PUBLISH", "b", "3"});
    ASSERT_TRUE(runUntil([&] { return heard.size() == 3; }));
    EXPECT_EQ(heard, (std::vector<std::string>{"a=1", "b=", "b=3"}));
}

TEST_F(ConnectionTest, subscribesAlsoWhenItIsReadyAlready)
{
    auto subscriber = connect(test::sharedRedis().url());
    std::string heard;
    subscriber->subscribe({"a"}, [&](auto, std::string_view payload) { heard = payload; });
    EXPECT_FALSE(subscriber->ready());
    ASSERT_TRUE(runUntil([&] { return subscriber->ready(); }));
    test::sharedRedis().send({"PUBLISH", "a", "now"});
    ASSERT_TRUE(runUntil([&] { return !heard.empty(); }));
    EXPECT_EQ(heard, "now");
}

}  // namespace
}  // namespace restante::redis
