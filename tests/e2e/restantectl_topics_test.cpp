#include "tests/support/process.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RestantectlTopics : public ::testing::Test {
protected:
    Finished ctl(std::vector<std::string> words)
    {
        words.insert(words.begin(), {builtProgram("restantectl").string(), "--redis",
                                     "unix://" + redis_.socketPath()});
        Process process({words, {{"TZ", "UTC"}}, {}});
        process.closeInput();
        const auto status = process.waitForExit();
        return {status.value_or(-1), process.output(), process.errors()};
    }
    json topic(const std::string& name)
    {
        const auto result = ctl({"topics", "--json"});
        EXPECT_EQ(result.status, 0) << result.errors;
        const auto answer = json::parse(result.output);
        for (const auto& view : answer["topics"]) {
            if (view["topic"] == name) {
                return view;
            }
        }
        return {};
    }

    RedisServer& redis_ = sharedRedis();
};

TEST_F(RestantectlTopics, pausesWithAReasonAndResumes)
{
    EXPECT_EQ(ctl({"push", "order", "--body", "x"}).status, 0);
    EXPECT_EQ(ctl({"pause", "order", "--reason", "shop is down"}).output, "order is paused\n");
    const auto paused = topic("order");
    EXPECT_EQ(paused["paused"], true);
    EXPECT_EQ(paused["pause"]["reason"], "shop is down");
    EXPECT_THAT(paused["pause"]["actor"].get<std::string>(), HasSubstr("@"));
    EXPECT_GT(paused["pause"]["since_ms"].get<std::int64_t>(), 1'700'000'000'000);
    EXPECT_EQ(paused["ready"], 1);
    EXPECT_THAT(ctl({"topics"}).output,
                AllOf(HasSubstr("order"), HasSubstr("pull"), HasSubstr("shop is down")));

    EXPECT_EQ(ctl({"resume", "order"}).output, "order goes on\n");
    EXPECT_EQ(topic("order")["paused"], false);
}

TEST_F(RestantectlTopics, limitsAndKeepsTheLimitThatIsNotNamed)
{
    EXPECT_EQ(ctl({"limit", "order", "--rate", "10/s"}).output,
              "order is limited to any number at once, at a rate of 10/s\n");
    EXPECT_EQ(ctl({"limit", "order", "--concurrency", "4"}).output,
              "order is limited to 4 at once, at a rate of 10/s\n");
    EXPECT_EQ(topic("order")["limits"], (json{{"concurrency", 4}, {"rate", "10/s"}}));
    EXPECT_EQ(topic("order")["leased"], 0);
    EXPECT_EQ(ctl({"limit", "order", "--concurrency", "0", "--rate", "0"}).output,
              "order has no limits\n");
    EXPECT_TRUE(topic("order").is_null());
}

TEST_F(RestantectlTopics, leavesOneEntryOfEachInTheEvents)
{
    EXPECT_EQ(ctl({"pause", "order", "--reason", "down"}).status, 0);
    EXPECT_EQ(ctl({"limit", "order", "--rate", "3/m"}).status, 0);
    EXPECT_EQ(ctl({"resume", "order"}).status, 0);
    const auto entries = redis_.send({"XRANGE", "rst:{s0}:events", "-", "+"});
    ASSERT_NE(entries.array(), nullptr);
    std::vector<std::string> told;
    for (const auto& entry : *entries.array()) {
        std::map<std::string, std::string> fields;
        const auto& words = *(*entry.array())[1].array();
        for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
            fields[*words[i].text()] = *words[i + 1].text();
        }
        EXPECT_EQ(fields["topic"], "order");
        EXPECT_THAT(fields["by"], HasSubstr("@"));
        told.push_back(fields["t"] + "|" + fields["why"] + "|" + fields["limits"]);
    }
    EXPECT_EQ(told, (std::vector<std::string>{"pause|down|", "limit||0 3 60000", "resume||"}));
}

TEST_F(RestantectlTopics, refusesWhatIsNoTopicOrLimit)
{
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"pause"},
             {"pause", "two words"},
             {"pause", "a,b"},
             {"pause", ""},
             {"resume", std::string(129, 'x')},
             {"pause", "order", "--reason", "a\nb"},
             {"limit", "order"},
             {"limit", "order", "--rate", "fast"},
             {"limit", "order", "--rate", "0/s"},
             {"limit", "order", "--concurrency", "-1"},
             {"limit", "order", "--concurrency", "many"},
             {"limit", "order", "--concurrency", "9223372036854775808"},
             {"limit", "order", "--concurrency", "100001"},
         }) {
        const auto result = ctl(words);
        EXPECT_EQ(result.status, 2) << words.back();
        EXPECT_NE(result.errors, "") << words.back();
    }
    EXPECT_EQ(*redis_.send({"EXISTS", "rst:{s0}:paused", "rst:{s0}:limits"}).integer(), 0);
}

}  // namespace
}  // namespace restante::test
