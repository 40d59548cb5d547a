// restantectl daemons: who works on a store, by real daemons.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

json daemonsOf(const Daemon& daemon)
{
    const auto result = daemon.control({"daemons", "--json"});
    EXPECT_EQ(result.status, 0) << result.errors;
    return json::parse(result.output)["daemons"];
}

TEST(RestantectlDaemons, tellsWhoIsThereAndWhatItDoes)
{
    Daemon daemon;
    json found;
    EXPECT_TRUE(eventually(
        [&] {
            found = daemonsOf(daemon);
            return found.size() == 1 && found[0]["duties"].size() >= 5;
        },
        kProcessTimeout))
        << found.dump(1);
    const auto process = fmt::format("/{}", daemon.process().id());
    EXPECT_TRUE(found[0]["name"].get<std::string>().ends_with(process)) << found.dump(1);
    EXPECT_EQ(found[0]["state"], "alive");
    EXPECT_THAT(found[0]["duties"].get<std::vector<std::string>>(),
                IsSupersetOf({"sip", "http", "webhook", "scheduler", "upkeep"}));
    EXPECT_GE(found[0]["seen_ms"], found[0]["since_ms"]);
    EXPECT_THAT(daemon.control({"daemons"}).output, HasSubstr(process + "  alive"));
    EXPECT_THAT(daemon.control({"doctor"}).output, HasSubstr(process + ", "));
}

TEST(RestantectlDaemons, oneThatIsStoppedIsGoneAtOnce)
{
    RedisServer::Settings settings;
    settings.appendOnly = RedisServer::AppendOnly::Yes;
    RedisServer redis(settings);
    const auto url = "redis.url=" + redis.url().toString();
    Daemon stays({.set = {url}});
    Daemon ends({.set = {url}});
    ASSERT_TRUE(eventually([&] { return daemonsOf(stays).size() == 2; }, kProcessTimeout));
    EXPECT_EQ(ends.stop(), 0);
    const auto left = daemonsOf(stays);
    ASSERT_EQ(left.size(), 1U) << left.dump(1);
    EXPECT_THAT(left[0]["name"].get<std::string>(),
                HasSubstr(fmt::format("/{}", stays.process().id())));
}

}  // namespace
}  // namespace restante::test
