// What is asked of ssh, and what its words mean. No ssh is run here.

#include "core/redis/client/reply.h"
#include "gui/session/tunnel_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace restante::gui::test {
namespace {

using Kind = LinkProblem::Kind;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

redis::RedisUrl redisAt(const std::string& host, std::uint16_t port = 6379)
{
    redis::RedisUrl url;
    url.host = host;
    url.port = port;
    return url;
}

Kind refusalOf(const std::string& jump, const std::string& key, const redis::RedisUrl& url)
{
    const auto plan = planTunnel(jump, key, url, Millis{5'000});
    return plan ? Kind::None : plan.error().kind;
}

TunnelPlan planOf(const std::string& jump,
                  const std::string& key = {},
                  const redis::RedisUrl& url = redisAt("redis.internal"))
{
    return planTunnel(jump, key, url, Millis{5'000}).value();
}

TEST(JumpHost, hasPerhapsAUserAndAPort)
{
    const auto all = parseJumpHost("anna@jump.example.org:2222");
    ASSERT_TRUE(all);
    EXPECT_EQ(all->user, "anna");
    EXPECT_EQ(all->host, "jump.example.org");
    EXPECT_EQ(all->port, 2222);
    EXPECT_EQ(all->toString(), "anna@jump.example.org:2222");
    EXPECT_EQ(parseJumpHost("bastion")->toString(), "bastion");
    EXPECT_EQ(parseJumpHost("[::1]:22")->host, "::1");
    EXPECT_EQ(parseJumpHost("[::1]:22")->toString(), "[::1]:22");
    EXPECT_EQ(parseJumpHost("anna@firm.example@jump")->user, "anna@firm.example");
}

TEST(JumpHost, isRefusedWhenSshOrAShellCouldTakeItForSomethingElse)
{
    for (const auto* text : {"-oProxyCommand=id",
                             "-oProxyCommand=id@jump",
                             "anna@-oProxyCommand=id",
                             "-l",
                             "",
                             "@jump",
                             "anna@",
                             "jump host",
                             " jump",
                             "jump;id",
                             "jump`id`",
                             "$(id)@jump",
                             "a|b@jump",
                             "jump\nid",
                             "jump\tid",
                             "jump%h",
                             "jump/x",
                             "jump'x",
                             "jump\"x",
                             "jump:",
                             "jump:0",
                             "jump:65536",
                             "jump:22x",
                             "jump:-1",
                             "[::1",
                             "[jump]:22",
                             "::1",
                             "jump,other",
                             "jump:22:23",
                             "j\xc3\xbcmp"}) {
        EXPECT_FALSE(parseJumpHost(text)) << text;
    }
    EXPECT_FALSE(parseJumpHost(std::string(254, 'a')));
    EXPECT_FALSE(parseJumpHost(std::string_view("jump\0x", 6)));
}

TEST(KeyFile, isAPathWithoutWhatSshExpands)
{
    for (const auto* file : {"/home/anna/.ssh/id_ed25519", "~/.ssh/id", "/home/anna/my keys/id"}) {
        EXPECT_TRUE(isKeyFile(file)) << file;
    }
    for (const auto* file : {"", "id", "-i", "~anna/id", "/home/%u/id", "/home/${HOME}", "/a\nb",
                             "/a:b", "/a'b", "\\a"}) {
        EXPECT_FALSE(isKeyFile(file)) << file;
    }
}

TEST(TunnelPlan, refusesEachPartThatCannotBe)
{
    EXPECT_EQ(refusalOf("-oProxyCommand=id", "", redisAt("redis")), Kind::BadJumpHost);
    EXPECT_EQ(refusalOf("jump", "-i", redisAt("redis")), Kind::BadKeyFile);
    for (const auto* host : {"-oProxyCommand=id", "a b", "x:1:y", "a/b", "*", "a%b", "a]"}) {
        EXPECT_EQ(refusalOf("jump", "", redisAt(host)), Kind::BadTunnelTarget) << host;
    }
    auto sentinels = redisAt("redis");
    sentinels.sentinels = {{"s", 26'379}};
    EXPECT_EQ(refusalOf("jump", "", sentinels), Kind::NoTunnelForSentinels);
    auto cluster = redisAt("redis");
    cluster.nodes = {{"n", 6'379}};
    EXPECT_EQ(refusalOf("jump", "", cluster), Kind::NoTunnelForSentinels);
    auto socket = redisAt("redis");
    socket.socketPath = "/run/redis:x.sock";
    EXPECT_EQ(refusalOf("jump", "", socket), Kind::BadTunnelTarget);
}

TEST(TunnelPlan, endsAtAHostOrAtASocket)
{
    EXPECT_EQ(planOf("jump").target, "redis.internal:6379");
    EXPECT_EQ(planOf("jump", {}, redisAt("::1", 7)).target, "[::1]:7");
    auto socket = redisAt("redis");
    socket.socketPath = "/run/redis.sock";
    EXPECT_EQ(planOf("jump", {}, socket).target, "/run/redis.sock");
}

TEST(TunnelPlan, givesSshItsPartsAsArgumentsOfTheirOwn)
{
    const auto command = sshCommand(planOf("anna@jump:2222", "~/.ssh/id"), "/tmp/x/redis.sock");
    const auto after = [&command](const std::string& option) {
        const auto found = std::find(command.begin(), command.end(), option);
        return found == command.end() || found + 1 == command.end() ? std::string{} : *(found + 1);
    };
    EXPECT_EQ(command.front(), "ssh");
    EXPECT_EQ(after("-l"), "anna");
    EXPECT_EQ(after("-p"), "2222");
    EXPECT_EQ(after("-i"), "~/.ssh/id");
    EXPECT_EQ(after("-L"), "/tmp/x/redis.sock:redis.internal:6379");
    EXPECT_EQ(after("--"), "jump");
    EXPECT_EQ(command.back(), "jump");
    EXPECT_THAT(command, Contains("BatchMode=yes"));
    EXPECT_THAT(command, Contains("ConnectTimeout=5"));
    EXPECT_THAT(command,
                Not(Contains(HasSubstr("StrictHostKeyChecking"))));  // the user's own affair
    const auto bare = sshCommand(planOf("jump"), "/tmp/x/redis.sock");
    EXPECT_THAT(bare, Not(Contains("-l")));
    EXPECT_THAT(bare, Not(Contains("-p")));
    EXPECT_THAT(bare, Not(Contains("-i")));
}

TEST(SshsWords, sayWhyTheJumpHostIsNotReached)
{
    const auto plan = planOf("anna@jump", "/k");
    const auto kindOf = [&plan](const char* output) { return jumpProblemOf(output, plan).kind; };
    EXPECT_EQ(kindOf("ssh: Could not resolve hostname jump: Name or service not known\r\n"),
              Kind::UnknownJumpHost);
    EXPECT_EQ(kindOf("Host key verification failed.\r\n"), Kind::HostKeyUnknown);
    EXPECT_EQ(kindOf("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\n"
                     "Host key verification failed.\r\n"),
              Kind::HostKeyChanged);
    EXPECT_EQ(kindOf("anna@jump: Permission denied (publickey).\r\n"), Kind::KeyRefused);
    EXPECT_EQ(kindOf("Warning: Identity file /k not accessible: No such file or directory.\n"
                     "anna@jump: Permission denied (publickey).\r\n"),
              Kind::NoKeyFile);
    const auto refused =
        jumpProblemOf("ssh: connect to host jump port 22: Connection refused\r\n", plan);
    EXPECT_EQ(refused.kind, Kind::JumpUnreachable);
    EXPECT_EQ(refused.detail, "Connection refused");
    const auto other = jumpProblemOf("first\r\nBad \x1b[31mpacket\r\n\r\n", plan);
    EXPECT_EQ(other.kind, Kind::TunnelFailed);
    EXPECT_EQ(other.detail, "Bad  [31mpacket");
    EXPECT_LT(jumpProblemOf(std::string(10'000, 'x'), plan).detail.size(), 400U);
}

TEST(SshsWords, sayWhyTheTargetIsNotReached)
{
    const auto plan = planOf("jump");
    const auto kindOf = [&plan](const char* output) { return targetProblemOf(output, plan).kind; };
    EXPECT_EQ(kindOf(""), Kind::None);
    EXPECT_EQ(kindOf("Welcome to jump\r\n"), Kind::None);
    EXPECT_EQ(kindOf("channel 1: open failed: connect failed: Connection refused\r\n"),
              Kind::TargetRefused);
    EXPECT_EQ(kindOf("channel 1: open failed: administratively prohibited: open failed\r\n"),
              Kind::TargetForbidden);
    const auto unknown = targetProblemOf(
        "channel 1: open failed: connect failed: Name or service not known\r\n", plan);
    EXPECT_EQ(unknown.kind, Kind::TargetUnreachable);
    EXPECT_THAT(unknown.detail, HasSubstr("Name or service not known"));
    auto socket = redisAt("redis");
    socket.socketPath = "/run/redis.sock";
    EXPECT_EQ(targetProblemOf("channel 1: open failed: connect failed: open failed\r\n",
                              planOf("jump", {}, socket))
                  .kind,
              Kind::TargetSocketFailed);
}

}  // namespace
}  // namespace restante::gui::test
