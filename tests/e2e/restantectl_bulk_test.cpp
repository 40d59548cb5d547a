#include "tests/support/file_content.h"
#include "tests/support/process.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Filters, verbs in bulk, export and import against a Redis of their own.
class RestantectlBulk : public ::testing::Test {
protected:
    RestantectlBulk() : redis_(sharedRedis()), url_("unix://" + redis_.socketPath()) {}

    Finished ctl(std::vector<std::string> words, std::string_view input = {}) const
    {
        words.insert(words.begin(), {builtProgram("restantectl").string(), "--redis", url_});
        Process process({words, {{"TZ", "UTC"}}, {}});
        process.write(input);
        process.closeInput();
        const auto status = process.waitForExit();
        return {status.value_or(-1), process.output(), process.errors()};
    }
    json ctlJson(std::vector<std::string> words) const
    {
        words.push_back("--json");
        const auto result = ctl(std::move(words));
        return json::parse(result.output, nullptr, false);
    }
    void push(const std::string& id, std::vector<std::string> words = {}) const
    {
        words.insert(words.begin(), {"push", "order", "--body", "b", "--id", id, "--delay", "1h"});
        EXPECT_EQ(ctl(std::move(words)).status, 0);
    }
    std::string stateOf(const std::string& id) const
    {
        const auto job = ctlJson({"show", id});
        return job.is_object() ? job.value("state", "none") : "none";
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

    RedisServer& redis_;

private:
    std::string url_;
};

TEST_F(RestantectlBulk, listsByFilterInBothDirections)
{
    push("a");
    push("b", {"--biz-key", "17"});
    EXPECT_THAT(idsOf({"--filter", "biz_key:17"}), ElementsAre("b"));
    EXPECT_THAT(idsOf({"--filter", "topic:order due<2h"}), ElementsAre("a", "b"));
    EXPECT_THAT(idsOf({"--filter", "topic:order", "--reverse"}), ElementsAre("b", "a"));
    EXPECT_THAT(idsOf({"--filter", "state:dead"}), IsEmpty());
    const auto wrong = ctl({"list", "--filter", "state:sleeping"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("column 7"));
}

TEST_F(RestantectlBulk, saysFirstWhatABulkVerbWouldDo)
{
    push("a");
    push("b");
    const auto asked = ctl({"delete", "--filter", "topic:order"});
    EXPECT_EQ(asked.status, 1);
    EXPECT_THAT(asked.output, HasSubstr("2 scheduled"));
    EXPECT_THAT(asked.errors, HasSubstr("--yes"));
    EXPECT_EQ(stateOf("a"), "scheduled");
    EXPECT_EQ(ctl({"delete", "--filter", "topic:order", "--dry-run"}).status, 0);
    EXPECT_EQ(stateOf("a"), "scheduled");
}

TEST_F(RestantectlBulk, doesItToAllThatMatchWhenToldSo)
{
    push("a", {"--biz-key", "17"});
    push("b", {"--biz-key", "17"});
    push("c");
    EXPECT_EQ(ctlJson({"delete", "--biz-key", "17", "--yes"}).value("done", 0), 2);
    EXPECT_EQ(stateOf("b"), "trashed");
    EXPECT_EQ(stateOf("c"), "scheduled");
    EXPECT_EQ(ctlJson({"restore", "--biz-key", "17", "--yes"}).value("done", 0), 2);
    EXPECT_EQ(
        ctlJson({"reschedule", "--filter", "biz_key:17", "--in", "2h", "--yes"}).value("done", 0),
        2);
    EXPECT_THAT(idsOf({"--filter", "due>90m"}), ElementsAre("a", "b"));
    EXPECT_EQ(ctlJson({"run", "--filter", "id:a", "--yes"}).value("done", 0), 1);
    EXPECT_EQ(stateOf("a"), "ready");
    EXPECT_EQ(ctlJson({"purge", "--filter", "topic:order", "--yes"}).value("done", 0), 3);
    EXPECT_THAT(idsOf({}), IsEmpty());
}

TEST_F(RestantectlBulk, resetsAttemptsWhenToldSo)
{
    push("a");
    push("b");
    const auto tried = [this](const std::string& id) { return ctlJson({"show", id}); };
    for (const auto* id : {"a", "b"}) {
        redis_.send({"HSET", "rst:{s0}:past", id, "4"});
    }
    EXPECT_EQ(ctl({"reschedule", "a", "--in", "2h"}).status, 0);
    EXPECT_FALSE(tried("a").contains("attempts_forgotten"));
    EXPECT_EQ(ctl({"reschedule", "a", "--in", "2h", "--reset-attempts"}).status, 0);
    EXPECT_EQ(tried("a").value("attempt", 0), 4);
    EXPECT_EQ(tried("a").value("attempts_forgotten", 0), 4);
    EXPECT_THAT(ctl({"show", "a"}).output, HasSubstr("0 since they were reset, 4 in all"));
    EXPECT_EQ(ctlJson({"reschedule", "--filter", "id:b", "--in", "2h", "--reset-attempts", "--yes"})
                  .value("done", 0),
              1);
    EXPECT_EQ(tried("b").value("attempts_forgotten", 0), 4);
    EXPECT_THAT(idsOf({"--filter", "attempts=0"}), ElementsAre("a", "b"));
}

TEST_F(RestantectlBulk, refusesIdsTogetherWithAFilter)
{
    EXPECT_EQ(ctl({"delete", "a", "--filter", "topic:order"}).status, 2);
    EXPECT_EQ(ctl({"delete"}).status, 2);
}

TEST_F(RestantectlBulk, bringsBackWhatItHasExported)
{
    const TempDir directory;
    const auto file = (directory / "jobs.jsonl").string();
    push("a", {"--biz-key", "17", "--header", "X-A: 1", "--retry", "0s,2m"});
    push("b");
    push("c");
    ctl({"delete", "c"});
    ASSERT_EQ(ctl({"export", file}).status, 0);
    const auto before = ctlJson({"show", "a"});
    EXPECT_EQ(ctl({"purge", "a", "b", "c"}).status, 0);

    const auto outcome = ctlJson({"import", file});
    EXPECT_EQ(outcome.value("stored", 0), 3);
    EXPECT_EQ(ctlJson({"show", "a"}), before);
    EXPECT_EQ(stateOf("c"), "trashed");
    EXPECT_THAT(idsOf({"--filter", "biz_key:17"}), ElementsAre("a"));
    EXPECT_EQ(ctlJson({"import", file}).value("already_there", 0), 3);
}

TEST_F(RestantectlBulk, exportsOnlyWhatMatches)
{
    push("a");
    push("b");
    const auto text = ctl({"export", "--filter", "id:b"}).output;
    EXPECT_EQ(json::parse(text).value("id", ""), "b");
}

TEST_F(RestantectlBulk, writesNothingButTheExportToItsOutputWhenItFailsMidway)
{
    push("a");
    redis_.send({"SET", "rst:{s0}:trash", "of a foreign type"});
    const auto failed = ctl({"export", "--json"});
    EXPECT_NE(failed.status, 0);
    EXPECT_THAT(failed.output, HasSubstr("\"shards\"")) << "it had begun";
    EXPECT_THAT(failed.output, Not(HasSubstr("\"error\"")));
    EXPECT_THAT(failed.errors, HasSubstr("restantectl: "));
}

TEST_F(RestantectlBulk, storesNothingOfAFileWithAWrongLine)
{
    push("a");
    const auto line = ctl({"export", "--filter", "id:a"}).output;
    ctl({"purge", "a"});
    const auto refused = ctl({"import"}, line + "\n{\"id\":\"x\"}\n[1\n");
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.errors, HasSubstr("line 3: state: is required"));
    EXPECT_THAT(refused.errors, HasSubstr("line 4: [1]: is not JSON"));
    EXPECT_EQ(stateOf("a"), "none");
    EXPECT_EQ(ctl({"import", "--dry-run"}, line).status, 0);
    EXPECT_EQ(stateOf("a"), "none");
    EXPECT_EQ(ctl({"import"}, line).status, 0);
    EXPECT_EQ(stateOf("a"), "scheduled");
}

TEST_F(RestantectlBulk, replacesAnotherJobOnlyWhenToldSo)
{
    push("a");
    auto job = json::parse(ctl({"export", "--filter", "id:a"}).output);
    job["body"] = "another";
    EXPECT_EQ(ctl({"import"}, job.dump()).status, 1);
    EXPECT_EQ(ctlJson({"show", "a"})["body"], "b");
    EXPECT_EQ(ctl({"import", "--replace"}, job.dump()).status, 0);
    EXPECT_EQ(ctlJson({"show", "a"})["body"], "another");
}

}  // namespace
}  // namespace restante::test
