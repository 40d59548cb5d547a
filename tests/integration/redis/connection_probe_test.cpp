// What a probe of a connection finds out, and what it says of each thing that can be wrong.

#include "core/base/epoll_loop.h"
#include "core/redis/server/connection_probe.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_server.h"
#include "tests/support/scripted_redis.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tls_redis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fmt/format.h>

namespace restante::test {
namespace {

using redis::ConnectionProbe;
using redis::ProbeFinding;
using redis::ProbeProblem;
using redis::ProbeStep;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = ProbeProblem::Kind;
using Outcome = ProbeFinding::Outcome;

struct Probed {
    std::vector<ProbeFinding> steps;
    std::optional<redis::ProbeFacts> facts;
    ProbeProblem problem;
};

Probed probe(EpollLoop& loop, const redis::RedisUrl& url, ConnectionProbe::Wants wants)
{
    Probed probed;
    bool isOver = false;
    ConnectionProbe::Callbacks callbacks;
    callbacks.stepStarted = [](ProbeStep) {};
    callbacks.stepFinished = [&](const ProbeFinding& step) { probed.steps.push_back(step); };
    callbacks.passed = [&](const redis::ProbeFacts& facts) {
        probed.facts = facts;
        isOver = true;
    };
    callbacks.failed = [&](const ProbeProblem& problem) {
        probed.problem = problem;
        isOver = true;
    };
    const ConnectionProbe steps(loop, {.url = url, .wants = wants}, std::move(callbacks));
    EXPECT_TRUE(loop.runUntil([&] { return isOver; }, Millis{10'000}));
    EXPECT_EQ(probed.problem.isNone(), probed.facts.has_value());
    return probed;
}

Probed probe(const redis::RedisUrl& url,
             ConnectionProbe::Wants wants = ConnectionProbe::Wants::Writing)
{
    EpollLoop loop;
    return probe(loop, url, wants);
}

/// Whether the server is known to throw nothing away.
bool evictsNothing(const Probed& probed)
{
    return std::ranges::any_of(probed.steps, &ProbeFinding::evictsNothing);
}

/// "connection: passed 127.0.0.1:6379", "log-in: failed Redis wants a password".
std::vector<std::string> linesOf(const Probed& probed)
{
    std::vector<std::string> lines;
    for (const auto& step : probed.steps) {
        const auto* outcome = step.outcome == Outcome::Passed   ? "passed "
                              : step.outcome == Outcome::Warned ? "warned "
                                                                : "failed ";
        lines.push_back(fmt::format("{}: {}{}", redis::name(step.step), outcome,
                                    step.problem.isNone() ? step.fact : step.problem.toString()));
    }
    return lines;
}

void makeStore(RedisServer& redis)
{
    redis.send({"HSET", "rst:meta", "schema", "1", "shards", "2"});
}

/// May do everything but what `less` takes away; the password is "secret".
redis::RedisUrl userOf(const RedisServer& redis, const std::string& name, const std::string& less)
{
    redis.send({"ACL", "SETUSER", name, "reset", "on", ">secret", "~*", "&*", "+@all", less});
    auto url = redis.url();
    url.user = name;
    url.password = "secret";
    return url;
}

TEST(ConnectionProbe, tellsEachStepOfAStoreThatIsFit)
{
    TlsRedis redis;
    makeStore(redis.server());
    const auto probed = probe(redis.url());
    const auto place = fmt::format("127.0.0.1:{}", redis.port());
    EXPECT_THAT(
        linesOf(probed),
        ElementsAre("host name: passed 127.0.0.1", "connection: passed " + place,
                    AllOf(HasSubstr("TLS: passed TLSv1."), HasSubstr(", Test Authority, 20")),
                    "answer: passed ", HasSubstr("server: passed "), "store: passed rst, 2",
                    "permissions: passed "));
    ASSERT_TRUE(probed.facts);
    EXPECT_EQ(probed.facts->shards, 2U);
    EXPECT_THAT(probed.facts->server, HasSubstr(" master"));
    EXPECT_TRUE(probed.facts->whyNotWritable.isNone());
}

TEST(ConnectionProbe, changesNothing)
{
    auto& redis = sharedRedis();
    const auto probed = probe(redis.url());
    EXPECT_EQ(probed.facts.value().whyNotWritable, (ProbeProblem{Kind::Unused, "rst", {}, {}}));
    EXPECT_EQ(*redis.send({"DBSIZE"}).integer(), 0);
}

TEST(ConnectionProbe, tellsThatNobodyListens)
{
    auto url = redis::parseRedisUrl(fmt::format("redis://127.0.0.1:{}", freePort())).value();
    EXPECT_EQ(probe(url).problem, (ProbeProblem{Kind::Refused, url.location(), {}, {}}));
    const TempDir directory;
    url = {};
    url.socketPath = directory / "none.sock";
    EXPECT_EQ(probe(url).problem, (ProbeProblem{Kind::NoSuchSocket, url.socketPath, {}, {}}));
}

TEST(ConnectionProbe, tellsAWrongPasswordFromAMissingOne)
{
    const RedisServer redis({.extra = {"--requirepass", "secret"}, .password = "secret"});
    auto url = redis.url();
    EXPECT_EQ(probe(url).problem.kind, Kind::PasswordMissing);
    url.password = "wrong";
    const auto probed = probe(url);
    EXPECT_EQ(probed.problem.kind, Kind::PasswordWrong);
    EXPECT_THAT(linesOf(probed).back(),
                "log-in: failed Redis refused the password of the default user");
    EXPECT_THAT(probed.problem.advice(), HasSubstr("redis.password_file"));
    url.password = "secret";
    EXPECT_TRUE(probe(url).facts);
}

TEST(ConnectionProbe, tellsWhatAUserMayNotDo)
{
    auto& redis = sharedRedis();
    makeStore(redis);
    const auto noWrites = probe(userOf(redis, "reader", "-@write"));
    ASSERT_TRUE(noWrites.facts);
    EXPECT_EQ(noWrites.facts->whyNotWritable.kind, Kind::NoPermission);
    EXPECT_THAT(linesOf(noWrites).back(),
                HasSubstr("permissions: warned user reader may not do this in Redis: NOPERM"));
    // Whoever only reads is not asked for it.
    EXPECT_TRUE(probe(userOf(redis, "reader", "-@write"), ConnectionProbe::Wants::Reading)
                    .facts.value()
                    .whyNotWritable.isNone());
    const auto noReads = probe(userOf(redis, "nobody", "-hmget"));
    EXPECT_EQ(noReads.problem.kind, Kind::NoPermission);
    redis.send({"ACL", "DELUSER", "reader", "nobody"});
}

TEST(ConnectionProbe, tellsHowTlsCameToNothing)
{
    TlsRedis redis;
    auto url = redis.url();
    url.tls->ca = TestAuthority(redis.directory(), "Other Authority").file();
    const auto unknown = probe(url).problem;
    EXPECT_EQ(unknown.tls.kind, redis::TlsError::Kind::UnknownIssuer);
    EXPECT_THAT(unknown.toString(), HasSubstr("its certificate was issued by \"Test Authority\""));
    EXPECT_EQ(unknown.advice(), "name the certificate of that authority with ca=FILE");
    url = redis.url();
    url.tls.reset();
    const auto plain = probe(url).problem;
    EXPECT_EQ(plain.kind, Kind::WantsTls);
    EXPECT_THAT(plain.advice(), HasSubstr("rediss://"));
    const RedisServer without({.tcp = true, .extra = {}, .password = {}});
    url = without.tcpUrl();
    url.tls.emplace();
    EXPECT_EQ(probe(url).problem.kind, Kind::Tls);
}

TEST(ConnectionProbe, judgesServerAndStore)
{
    const RedisServer evicts({.extra = {"--maxmemory-policy", "allkeys-lru"}, .password = {}});
    evicts.send({"HSET", "rst:meta", "schema", "2", "shards", "1"});
    const auto probed = probe(evicts.url());
    ASSERT_TRUE(probed.facts);
    EXPECT_EQ(probed.facts->whyNotWritable, (ProbeProblem{Kind::SchemaNewer, "2", "1", {}}));
    EXPECT_THAT(
        linesOf(probed),
        testing::Contains(
            "server: warned maxmemory-policy is allkeys-lru, with which Redis throws jobs away"));
    evicts.send({"DEL", "rst:meta"});
    evicts.send({"SET", "rst:meta", "somebody else's"});
    EXPECT_EQ(probe(evicts.url()).problem, (ProbeProblem{Kind::ForeignData, "rst", {}, {}}));
}

TEST(ConnectionProbe, claimsThatAServerEvictsNothingOnlyWhenThatSaysSo)
{
    EXPECT_TRUE(evictsNothing(probe(sharedRedis().url())));
    const RedisServer evicts({.extra = {"--maxmemory-policy", "allkeys-lru"}, .password = {}});
    EXPECT_FALSE(evictsNothing(probe(evicts.url())));
    EpollLoop loop;
    ScriptedRedis hides(loop, [](const std::string& word) -> std::optional<std::string> {
        return word == "INFO"    ? ScriptedRedis::bulk("# Server\r\nredis_version:7.2.4\r\n")
               : word == "HMGET" ? "*2\r\n$-1\r\n$-1\r\n"
                                 : "+OK\r\n";
    });
    const auto probed = probe(loop, hides.url(), ConnectionProbe::Wants::Writing);
    EXPECT_TRUE(probed.facts);
    EXPECT_FALSE(evictsNothing(probed));
}

TEST(ConnectionProbe, hasWordsForEachProblem)
{
    EXPECT_THAT(ProbeProblem{}.toString(), IsEmpty());
    for (auto kind = 1; kind <= static_cast<int>(Kind::Other); ++kind) {
        const ProbeProblem problem{static_cast<Kind>(kind),
                                   "the object",
                                   "the detail",
                                   {redis::TlsError::Kind::Expired, {}, "2026-11-20"}};
        EXPECT_FALSE(problem.toString().empty()) << kind;
        EXPECT_FALSE(problem.advice().empty()) << kind;
    }
    for (auto kind = 1; kind <= static_cast<int>(redis::TlsError::Kind::Other); ++kind) {
        const redis::TlsError error{static_cast<redis::TlsError::Kind>(kind), "o", "d"};
        EXPECT_FALSE(error.what().empty()) << kind;
        EXPECT_FALSE(error.advice().empty()) << kind;
    }
}

}  // namespace
}  // namespace restante::test
