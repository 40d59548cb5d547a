// journal.mode = "durable": whatever a daemon acknowledges is in SQL at that moment, whoever dies.

#include "core/journal/sql/sql_journal.h"
#include "tests/fault/patience.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/redis_server.h"
#include "tests/support/sql_server.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fmt/format.h>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

class DurableDaemons : public ::testing::Test {
protected:
    Daemon::Settings settings() const
    {
        return {.set = {"redis.url=" + redis_.url().toString(), "journal.url=" + url_,
                        "journal.mode=durable"}};
    }
    /// The status of a push of that id; 0 when nobody answers.
    static int push(const Daemon& daemon, const std::string& id)
    {
        try {
            return HttpClient(daemon.httpPort())
                .ask("POST", "/v1/jobs",
                     fmt::format(R"({{"topic":"order","id":"{}","delay":"1h","body":"x"}})", id))
                .status;
        } catch (const std::exception&) {
            return 0;
        }
    }
    static bool pushed(const Daemon& daemon, const std::string& id)
    {
        const auto status = push(daemon, id);
        return status == 200 || status == 201;
    }
    bool journalHas(const std::string& id)
    {
        const auto found = journal_.rowsOf({id});
        return found && found->size() == 1;
    }

    RedisServer redis_;
    SqlServer sql_{SqlKind::Postgresql};
    std::string url_ = sql_.url("durable");
    journal::SqlJournal journal_{journal::parseJournalUrl(url_).value()};
};

TEST_F(DurableDaemons, haveWrittenWhatTheyAcknowledgeThoughTheyAreKilled)
{
    Daemon first(settings());
    Daemon second(settings());
    int acknowledged = 0;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 20; ++i) {
            const auto id = fmt::format("order-{}-{}", round, i);
            const auto& daemon = i % 2 == 0 ? first : second;
            if (pushed(daemon, id)) {
                ++acknowledged;
                EXPECT_TRUE(journalHas(id)) << id;
            }
            if (i == 10) {
                (round % 2 == 0 ? first : second).kill9();
            }
        }
        auto& killed = round % 2 == 0 ? first : second;
        const auto& other = round % 2 == 0 ? second : first;
        const auto id = fmt::format("takeover-{}", round);
        EXPECT_TRUE(eventually([&] { return pushed(other, id); }, kSoon));
        EXPECT_TRUE(journalHas(id));
        killed.start();
    }
    EXPECT_GE(acknowledged, 10);
}

TEST_F(DurableDaemons, haveWrittenWhatTheyAcknowledgeWhenRedisIsLost)
{
    Daemon daemon(settings());
    std::vector<std::string> acknowledged;
    for (int i = 0; i < 20; ++i) {
        const auto id = fmt::format("order-{}", i);
        ASSERT_TRUE(eventually([&] { return pushed(daemon, id); }, kSoon));
        acknowledged.push_back(id);
    }
    daemon.kill9();
    redis_.send({"FLUSHALL"});
    daemon.start();
    for (const auto& id : acknowledged) {
        EXPECT_EQ(daemon.control({"show", id}).status, 0) << id;
    }
}

TEST_F(DurableDaemons, refuseWithAReasonWhileTheDatabaseIsDownAndGoOnThen)
{
    Daemon daemon(settings());
    auto alice = phoneOf(daemon, "alice");
    ASSERT_TRUE(eventually([&] { return pushed(daemon, "before"); }, kSoon));
    ASSERT_TRUE(eventually([&] { return alice.say(kBob, "before") == 202; }, kSoon));

    sql_.kill9();
    HttpClient client(daemon.httpPort());
    const auto refused =
        client.ask("POST", "/v1/jobs", R"({"topic":"order","delay":"1h","body":"x"})");
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, ::testing::HasSubstr("journal"));
    EXPECT_THAT(
        client.ask("POST", "/push", R"({"topic":"order","id":"o","delay":9,"ttr":9,"body":"x"})")
            .body,
        ::testing::Not(::testing::HasSubstr("\"code\":0,")));
    EXPECT_EQ(alice.say(kBob, "refused"), 503);
    EXPECT_EQ(daemon.control({"push", "order", "--body", "x"}).status, 1);
    EXPECT_TRUE(daemon.process().running());

    sql_.restart();
    EXPECT_TRUE(eventually([&] { return pushed(daemon, "after"); }, kSoon));
    EXPECT_TRUE(journalHas("after"));
    EXPECT_TRUE(eventually([&] { return alice.say(kBob, "after") == 202; }, kSoon));
    EXPECT_TRUE(eventually(
        [&] {
            return daemon.control({"push", "order", "--body", "x"}).status == 0;
        },
        kSoon));
}

TEST_F(DurableDaemons, deliverWhileTheDatabaseIsDown)
{
    Daemon daemon(settings());
    auto alice = phoneOf(daemon, "alice");
    ASSERT_TRUE(eventually([&] { return alice.say(kBob, "hello") == 202; }, kSoon));
    sql_.kill9();
    auto bob = registeredPhone(daemon, "bob");
    EXPECT_TRUE(bob.workUntil([&] { return !bob.bodies().empty(); }));
    EXPECT_TRUE(bob.workUntil([&] { return daemon.jobsInAll() == 0; }));
    EXPECT_THAT(bob.bodies(), ::testing::Each("hello"));
}

}  // namespace
}  // namespace restante::test
