#include "core/redis/client/blocking_command.h"
#include "tests/support/append_only.h"
#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"

#include <gmock/gmock.h>

#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// A daemon without a journal: what its file does not have nobody has.
class TornFile : public testing::Test {
protected:
    static Daemon::Settings alone()
    {
        Daemon::Settings settings;
        settings.set = {"journal.mode=off"};
        return settings;
    }
    HttpAnswer ask(std::string_view method, const std::string& path, const json& body = {})
    {
        return HttpClient(daemon_.httpPort())
            .ask(method, path, body.is_null() ? std::string() : body.dump());
    }
    void push(const std::string& id)
    {
        const auto answer = ask("POST", "/v1/jobs", {{"id", id}, {"topic", "order"}, {"body", id}});
        ASSERT_EQ(answer.status, 201) << answer.body;
    }
    /// Every job of the topic that is due, given out and finished.
    std::vector<std::string> popped()
    {
        std::vector<std::string> ids;
        while (true) {
            const auto answer =
                ask("POST", "/v1/topics/order/pop", {{"max", 100}, {"wait", "0ms"}});
            const auto told = json::parse(answer.body, nullptr, false);
            if (answer.status != 200 || told["jobs"].empty()) {
                return ids;
            }
            for (const auto& job : told["jobs"]) {
                ids.push_back(job["id"]);
                EXPECT_LT(
                    ask("POST", "/v1/jobs/" + ids.back() + "/finish", {{"attempt", job["attempt"]}})
                        .status,
                    300);
            }
        }
    }
    void killBoth()
    {
        const auto redis = daemon_.embeddedRedis();
        daemon_.kill9();
        ::kill(redis, SIGKILL);
        EXPECT_TRUE(eventually([&] { return daemon_.embeddedRedis() <= 0; }));
    }
    fs::path file() const { return lastIncrementIn(daemon_.directory() / "state/redis"); }
    /// What the daemon's Redis answers.
    Result<redis::Reply> tell(std::initializer_list<std::string_view> command) const
    {
        return redis::blockingCommand(daemon_.redisSocket(), command, Millis{5'000});
    }

    Daemon daemon_{alone()};
};

std::vector<std::string> idsUpTo(int count)
{
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i) {
        ids.push_back(fmt::format("job-{:03}", i));
    }
    return ids;
}

TEST_F(TornFile, losesNothingThatWasAcknowledgedBeforeTheTornTransaction)
{
    const auto before = idsUpTo(50);
    for (const auto& id : before) {
        push(id);
    }
    const auto whole = fs::file_size(file());
    push("job-torn");
    killBoth();
    // As after a power cut that the disk has not survived as well as Redis believed.
    const auto torn = fs::file_size(file()) - 20;
    ASSERT_GT(torn, whole);
    fs::resize_file(file(), torn);
    daemon_.start();
    EXPECT_THAT(daemon_.process().allOutput(),
                HasSubstr("bytes behind its last whole transaction"));
    EXPECT_FALSE(fs::is_empty(daemon_.directory() / "state/redis/torn"));
    EXPECT_EQ(ask("GET", "/v1/jobs/job-torn").status, 404);
    EXPECT_EQ(popped(), before);
    EXPECT_EQ(daemon_.jobsInAll(), 0U);
}

TEST_F(TornFile, isRefusedWhereItIsDamagedBeforeItsEnd)
{
    for (const auto& id : idsUpTo(10)) {
        push(id);
    }
    killBoth();
    {
        std::fstream damaged(file(), std::ios::in | std::ios::out | std::ios::binary);
        // Longer than anything that is written whole, such as a job's record: within one the
        // damage would not show.
        const std::string damage(400, '?');
        const auto middle = fs::file_size(file()) / 2;
        ASSERT_GT(middle, damage.size());
        damaged.seekp(static_cast<std::streamoff>(middle));
        damaged << damage;
    }
    const auto size = fs::file_size(file());
    daemon_.launch();
    EXPECT_EQ(daemon_.process().waitForExit().value_or(0), 1);
    const auto told = daemon_.process().allOutput();
    EXPECT_THAT(told, HasSubstr("is damaged at byte"));
    EXPECT_THAT(told, HasSubstr("--fix"));
    EXPECT_EQ(fs::file_size(file()), size);
}

TEST_F(TornFile, isNotReadAfterAnOrderlyEnd)
{
    push("job-1");
    EXPECT_EQ(daemon_.stop(), 0);
    EXPECT_TRUE(fs::exists(daemon_.directory() / "state/redis/ended-in-order"));
    daemon_.start();
    EXPECT_FALSE(fs::exists(daemon_.directory() / "state/redis/ended-in-order"));
    EXPECT_EQ(popped(), std::vector<std::string>{"job-1"});
}

TEST_F(TornFile, leavesLostJobsThatAreShownAndPutBackOnRequest)
{
    push("job-1");
    ASSERT_TRUE(tell({"ZREM", "rst:{s0}:due:pull:5:order", "job-1"}));
    const auto shown = ask("GET", "/v1/jobs/job-1");
    EXPECT_EQ(shown.status, 200) << shown.body;
    EXPECT_THAT(shown.body, HasSubstr("in no set"));

    const auto seen = daemon_.control({"doctor", "--json"});
    EXPECT_EQ(seen.status, 1);
    EXPECT_THAT(seen.output, HasSubstr("1 jobs were in no set"));
    EXPECT_THAT(seen.output, HasSubstr("doctor --repair"));
    const auto repaired = daemon_.control({"doctor", "--repair"});
    EXPECT_EQ(repaired.status, 0) << repaired.output;
    EXPECT_THAT(repaired.output, HasSubstr("put right: 1 jobs were in no set"));
    EXPECT_EQ(popped(), std::vector<std::string>{"job-1"});
}

TEST_F(TornFile, isNotRepairedByHandWhileTheJournalBringsTheStoreBack)
{
    push("job-1");
    ASSERT_TRUE(tell({"ZREM", "rst:{s0}:due:pull:5:order", "job-1"}));
    ASSERT_TRUE(tell({"HSET", "rst:{s0}:store", "phase", "lost", "done", "0", "of", "1"}));
    const auto refused = daemon_.control({"doctor", "--repair"});
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.output, HasSubstr("nothing was repaired"));
    EXPECT_THAT(ask("GET", "/v1/jobs/job-1").body, HasSubstr("in no set"));
    ASSERT_TRUE(tell({"DEL", "rst:{s0}:store"}));
    EXPECT_EQ(daemon_.control({"doctor", "--repair"}).status, 0);
    EXPECT_EQ(popped(), std::vector<std::string>{"job-1"});
}

TEST_F(TornFile, leavesLostJobsThatTheDaemonPutsBackAfterACrash)
{
    push("job-1");
    ASSERT_TRUE(tell({"ZREM", "rst:{s0}:due:pull:5:order", "job-1"}));
    killBoth();
    daemon_.start();
    EXPECT_TRUE(eventually([&] { return popped() == std::vector<std::string>{"job-1"}; }));
    EXPECT_TRUE(eventually([&] {
        const auto metrics = ask("GET", "/metrics").body;
        return metrics.find("restante_sweep_repairs_total{fault=\"lost\"} 1") != std::string::npos;
    }));
}

/// With a journal a lost job goes back to where that saw it last: never early.
TEST(TornFileWithAJournal, leavesLostJobsThatAreDueWhenTheyWereToBe)
{
    Daemon daemon;
    const auto ask = [&](std::string_view method, const std::string& path,
                         const std::string& body) {
        return HttpClient(daemon.httpPort()).ask(method, path, body);
    };
    const auto pushed =
        ask("POST", "/v1/jobs", R"({"id":"job-1","topic":"order","body":"b","delay":"1h"})");
    ASSERT_EQ(pushed.status, 201) << pushed.body;
    const auto due = json::parse(ask("GET", "/v1/jobs/job-1", "").body)["due_ms"];
    ASSERT_TRUE(eventually([&] {
        return ask("GET", "/v1/jobs/job-1/history", "").body.find("push") != std::string::npos;
    }));
    ASSERT_TRUE(redis::blockingCommand(
        daemon.redisSocket(), {"ZREM", "rst:{s0}:due:pull:5:order", "job-1"}, Millis{5'000}));
    const auto redis = daemon.embeddedRedis();
    daemon.kill9();
    ::kill(redis, SIGKILL);
    ASSERT_TRUE(eventually([&] { return daemon.embeddedRedis() <= 0; }));
    daemon.start();
    EXPECT_TRUE(eventually([&] { return daemon.jobs()["scheduled"] == 1; }));
    const auto shown = json::parse(ask("GET", "/v1/jobs/job-1", "").body);
    EXPECT_EQ(shown["state"], "scheduled");
    EXPECT_EQ(shown["due_ms"], due);
}

/// Somebody who repairs the store and does not know of its journal would let it be delivered now.
TEST(TornFileWithAJournal, isNotRepairedByHandWithoutIt)
{
    Daemon daemon;
    const auto ask = [&](std::string_view method, const std::string& path,
                         const std::string& body) {
        return HttpClient(daemon.httpPort()).ask(method, path, body);
    };
    const auto tell = [&](std::initializer_list<std::string_view> command) {
        return redis::blockingCommand(daemon.redisSocket(), command, Millis{5'000});
    };
    const auto pushed =
        ask("POST", "/v1/jobs", R"({"id":"job-1","topic":"order","body":"b","delay":"1h"})");
    ASSERT_EQ(pushed.status, 201) << pushed.body;
    ASSERT_TRUE(eventually([&] {
        return ask("GET", "/v1/jobs/job-1/history", "").body.find("push") != std::string::npos;
    }));
    ASSERT_TRUE(eventually([&] {
        const auto cursor = tell({"HGET", "rst:{s0}:journal", "cursor"});
        return cursor && !cursor->textOrEmpty().empty();
    }));
    ASSERT_TRUE(tell({"ZREM", "rst:{s0}:due:pull:5:order", "job-1"}));
    const auto refused = run({{builtProgram("restantectl").string(), "--redis",
                               "unix://" + daemon.redisSocket(), "doctor", "--repair"},
                              {},
                              {}});
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.output,
                HasSubstr("1 jobs in no set were left alone: --redis does not say"));
    EXPECT_THAT(ask("GET", "/v1/jobs/job-1", "").body, HasSubstr("in no set"));
    EXPECT_EQ(daemon.control({"doctor", "--repair"}).status, 0);
    EXPECT_EQ(daemon.jobs()["scheduled"], 1U);
}

}  // namespace
}  // namespace restante::test
