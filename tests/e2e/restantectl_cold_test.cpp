// restantectl on a store that has jobs in its journal alone (docs/decisions/0042-cold-jobs.md).

#include "core/redis/client/blocking_command.h"
#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RestantectlCold : public ::testing::Test {
protected:
    RestantectlCold() : daemon_({.set = {"sip.listen=", "queue.hot_horizon=1h"}}) {}

    /// Over HTTP, as a program does.
    void push(const std::string& id, const std::string& delay, const std::string& key = {})
    {
        json job{{"topic", "order"}, {"id", id}, {"body", "close it"}, {"delay", delay}};
        if (!key.empty()) {
            job["biz_key"] = key;
        }
        const auto answer = HttpClient(daemon_.httpPort()).ask("POST", "/v1/jobs", job.dump());
        EXPECT_EQ(answer.status / 100, 2) << answer.body;
    }
    Finished ctl(std::vector<std::string> words) const { return daemon_.control(std::move(words)); }
    json ctlJson(std::vector<std::string> words) const
    {
        words.push_back("--json");
        const auto finished = ctl(std::move(words));
        EXPECT_EQ(finished.status, 0) << finished.errors;
        EXPECT_THAT(finished.errors, Not(HasSubstr("queue.hot_horizon")));
        return json::parse(finished.output, nullptr, false);
    }
    std::vector<std::string> idsOf(std::vector<std::string> words) const
    {
        words.insert(words.begin(), "list");
        std::vector<std::string> ids;
        const auto page = ctlJson(std::move(words));
        for (const auto& job : page["jobs"]) {
            ids.push_back(job["id"]);
        }
        return ids;
    }
    std::string stateOf(const std::string& id) const
    {
        const auto shown = ctl({"show", id, "--json"});
        const auto job = json::parse(shown.output, nullptr, false);
        return shown.status == 0 ? job.value("state", "none") : "none";
    }
    std::size_t scheduled() const { return ctlJson({"stats"})["states"].value("scheduled", 0U); }
    bool isInRedis(const std::string& id) const
    {
        const auto key = "rst:{s0}:j:" + id.substr(0, id.size() - 1);
        const auto found = redis::blockingCommand(
            daemon_.redisSocket(), {"HEXISTS", key, id.substr(id.size() - 1)}, Millis{5'000});
        EXPECT_TRUE(found);
        return found && *found->integer() == 1;
    }
    /// restantectl on the same Redis, without the daemon's configuration.
    Finished ctlByAddress(std::vector<std::string> words) const
    {
        words.insert(words.begin(), {builtProgram("restantectl").string(), "--redis",
                                     "unix://" + daemon_.redisSocket()});
        return run({std::move(words), {}, {}});
    }

    Daemon daemon_;
};

TEST_F(RestantectlCold, listsShowsAndCountsWhatIsInTheJournalAlone)
{
    push("near", "10m");
    push("far", "24h", "17");
    ASSERT_FALSE(isInRedis("far"));
    EXPECT_THAT(idsOf({}), ElementsAre("near", "far"));
    EXPECT_THAT(idsOf({"--reverse"}), ElementsAre("far", "near"));
    EXPECT_THAT(idsOf({"--filter", "due>2h"}), ElementsAre("far"));
    EXPECT_THAT(idsOf({"--biz-key", "17"}), ElementsAre("far"));
    EXPECT_THAT(idsOf({"--state", "dead"}), IsEmpty());
    EXPECT_EQ(ctlJson({"show", "far"}).value("state", ""), "scheduled");
    EXPECT_THAT(ctl({"show", "far"}).output, HasSubstr("close it"));
    const auto stats = ctlJson({"stats"});
    EXPECT_EQ(stats["states"].value("scheduled", 0), 2);
    EXPECT_EQ(ctlJson({"delete", "--filter", "topic:order", "--dry-run"}).value("matched", 0), 2);
    EXPECT_FALSE(isInRedis("far"));  // looking moves nothing
}

TEST_F(RestantectlCold, goesOnBehindAPageOfColdJobs)
{
    for (const auto* id : {"a", "b", "c"}) {
        push(id, "24h");
    }
    const auto first = ctlJson({"list", "--limit", "2"});
    ASSERT_TRUE(first["cursor"].is_string());
    EXPECT_THAT(idsOf({"--limit", "2", "--cursor", first["cursor"].get<std::string>()}),
                ElementsAre("c"));
}

TEST_F(RestantectlCold, doesEveryVerbToAColdJob)
{
    push("far", "24h");
    ASSERT_EQ(ctl({"delete", "far"}).status, 0);
    EXPECT_EQ(stateOf("far"), "trashed");
    ASSERT_EQ(ctl({"restore", "far"}).status, 0);
    EXPECT_EQ(stateOf("far"), "scheduled");
    // It is moved out again, and counted on neither side until the journal has recorded that.
    EXPECT_TRUE(eventually([&] { return !isInRedis("far") && scheduled() == 1; }));
    ASSERT_EQ(ctl({"reschedule", "far", "--in", "30m"}).status, 0);
    EXPECT_TRUE(isInRedis("far"));

    push("held", "24h");
    ASSERT_EQ(ctl({"hold", "held"}).status, 0);
    EXPECT_EQ(stateOf("held"), "held");
    ASSERT_EQ(ctl({"release", "held"}).status, 0);
    push("buried", "24h");
    ASSERT_EQ(ctl({"bury", "buried", "--reason", "no more"}).status, 0);
    EXPECT_EQ(stateOf("buried"), "dead");
    push("now", "24h");
    ASSERT_EQ(ctl({"run", "now"}).status, 0);
    EXPECT_EQ(stateOf("now"), "ready");
    push("gone", "24h");
    ASSERT_EQ(ctl({"purge", "gone"}).status, 0);
    EXPECT_EQ(stateOf("gone"), "none");
    EXPECT_EQ(ctl({"delete", "nobody"}).status, 1);
}

TEST_F(RestantectlCold, doesABulkVerbToBothSides)
{
    push("near", "10m", "17");
    push("far", "24h", "17");
    push("other", "24h", "18");
    EXPECT_EQ(ctlJson({"delete", "--biz-key", "17", "--yes"}).value("done", 0), 2);
    EXPECT_EQ(stateOf("far"), "trashed");
    EXPECT_EQ(stateOf("other"), "scheduled");
    EXPECT_FALSE(isInRedis("other"));
}

TEST_F(RestantectlCold, pushesBeyondTheHorizonIntoTheJournalAndKnowsTheIdsThere)
{
    ASSERT_EQ(ctl({"push", "order", "--body", "b", "--id", "mine", "--delay", "24h"}).status, 0);
    EXPECT_FALSE(isInRedis("mine"));
    const auto again = ctl({"push", "order", "--body", "b", "--id", "mine", "--delay", "1m"});
    EXPECT_EQ(again.status, 0);
    EXPECT_THAT(again.output, HasSubstr("was already there"));
    EXPECT_FALSE(isInRedis("mine"));
    EXPECT_EQ(ctl({"push", "order", "--body", "other", "--id", "mine", "--delay", "1m"}).status, 1);
    EXPECT_EQ(scheduled(), 1U);
}

TEST_F(RestantectlCold, exportsColdJobsAndImportsNoneTwice)
{
    push("near", "10m");
    push("far", "24h");
    const auto file = (daemon_.directory() / "jobs.jsonl").string();
    ASSERT_EQ(ctl({"export", file}).status, 0);
    std::ifstream exported(file);
    const std::string lines{std::istreambuf_iterator<char>(exported), {}};
    EXPECT_THAT(lines, AllOf(HasSubstr("\"near\""), HasSubstr("\"far\"")));
    ASSERT_EQ(ctl({"import", file}).status, 0);
    EXPECT_EQ(scheduled(), 2U);
    ASSERT_EQ(ctl({"purge", "far"}).status, 0);
    ASSERT_EQ(ctl({"import", file}).status, 0);
    EXPECT_EQ(stateOf("far"), "scheduled");
    EXPECT_EQ(scheduled(), 2U);
}

TEST_F(RestantectlCold, worksWithoutADaemon)
{
    push("far", "24h");
    daemon_.kill9();  // Redis lives on
    EXPECT_THAT(idsOf({}), ElementsAre("far"));
    ASSERT_EQ(ctl({"reschedule", "far", "--in", "5s"}).status, 0);
    EXPECT_TRUE(isInRedis("far"));
    EXPECT_EQ(scheduled(), 1U);
    daemon_.start();
    EXPECT_EQ(scheduled(), 1U);
}

TEST_F(RestantectlCold, saysThatThereMayBeMoreWhenNobodyNamesTheJournal)
{
    push("near", "10m");
    push("far", "24h");
    const auto listed = ctlByAddress({"list"});
    EXPECT_EQ(listed.status, 0);
    EXPECT_THAT(listed.output, AllOf(HasSubstr("near"), Not(HasSubstr("far"))));
    EXPECT_THAT(listed.errors, AllOf(HasSubstr("queue.hot_horizon"), HasSubstr("is not known"),
                                     HasSubstr("--set journal.url=URL")));
    EXPECT_THAT(ctlByAddress({"stats"}).errors, HasSubstr("is not known"));
    EXPECT_THAT(ctlByAddress({"delete", "far"}).errors,
                AllOf(HasSubstr("is not known"), HasSubstr("far")));
    // What would go wrong with a part of the store is not done.
    const auto own = ctlByAddress({"push", "order", "--body", "b", "--id", "far"});
    EXPECT_EQ(own.status, 1);
    EXPECT_THAT(own.errors, HasSubstr("nothing was done"));
    EXPECT_EQ(ctlByAddress({"export"}).status, 1);
    EXPECT_EQ(ctlByAddress({"export", "--state", "dead"}).status, 0);
    EXPECT_EQ(ctlByAddress({"push", "order", "--body", "b"}).status, 0);
    EXPECT_EQ(stateOf("far"), "scheduled");
    EXPECT_FALSE(isInRedis("far"));
}

TEST_F(RestantectlCold, takesNoOtherStoresJournal)
{
    push("far", "24h");
    Daemon other({.set = {"sip.listen=", "queue.hot_horizon=1h"}});
    const auto url = "journal.url=sqlite://" + (other.directory() / "state/journal.db").string();
    const auto listed = ctlByAddress({"list", "--set", url});
    EXPECT_EQ(listed.status, 0);
    EXPECT_THAT(listed.errors, HasSubstr("journal of another store"));
    const auto ours = "journal.url=sqlite://" + (daemon_.directory() / "state/journal.db").string();
    const auto right = ctlByAddress({"list", "--set", ours});
    EXPECT_THAT(right.output, HasSubstr("far"));
    EXPECT_THAT(right.errors, IsEmpty());
}

TEST(RestantectlAfterCold, saysNothingOnceTheHorizonIsOffAndAllAreBack)
{
    RedisServer redis;
    const TempDir directory(TempDir::Where::Memory);
    const auto url = "unix://" + redis.socketPath();
    std::vector<std::string> set{"sip.listen=", "redis.url=" + url,
                                 "journal.url=sqlite://" + (directory / "journal.db").string()};
    const auto list = [&] {
        return run({{builtProgram("restantectl").string(), "--redis", url, "list"}, {}, {}});
    };
    set.emplace_back("queue.hot_horizon=1h");
    {
        Daemon daemon({.set = set});
        ASSERT_EQ(daemon.control({"push", "order", "--body", "b", "--delay", "24h"}).status, 0);
        EXPECT_THAT(list().output, HasSubstr("no jobs"));
        EXPECT_THAT(list().errors, HasSubstr("queue.hot_horizon"));
        ASSERT_EQ(daemon.stop(), 0);
    }
    set.back() = "queue.hot_horizon=0s";
    const Daemon daemon({.set = set});
    EXPECT_TRUE(eventually([&] { return list().errors.empty(); }, 30s));
    EXPECT_THAT(list().output, HasSubstr("order"));
}

TEST_F(RestantectlCold, tellsInDoctorWhetherTheyCanBeRead)
{
    EXPECT_THAT(ctl({"doctor"}).output, HasSubstr("ok       cold jobs: what is due later than 1h"));
    const auto blind = ctlByAddress({"doctor"});
    EXPECT_EQ(blind.status, 1);
    EXPECT_THAT(blind.output, HasSubstr("error    cold jobs"));
    EXPECT_THAT(blind.errors, IsEmpty());
}

}  // namespace
}  // namespace restante::test
