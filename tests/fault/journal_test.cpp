// What the journal promises when processes and its database die: no gap, no double row, and a
// daemon that goes on.

#include "core/assembly/redis_queue.h"
#include "core/journal/sql/sql_journal.h"
#include "tests/fault/patience.h"
#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/redis_server.h"
#include "tests/support/sql_server.h"

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <optional>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// Pushes and finishes jobs straight in Redis, whatever happens to the daemons that record them.
class JournalUnderFire : public LoopFixture {
protected:
    void workOn(const redis::RedisUrl& url)
    {
        queue_.emplace(loop_, url, Config{}, "load", redis::RedisQueue::WakeUps::No);
        const auto ready = await<void>([&](auto done) {
            queue_->awaitReady(redis::RedisQueue::Report::Silent, std::move(done));
        });
        ASSERT_TRUE(ready) << ready.error().message;
    }
    void push(int count)
    {
        for (int i = 0; i < count; ++i) {
            Job job;
            job.topic = "order";
            const auto pushed = await<PushOutcome>(
                [&](auto done) { queue_->queue().push({.job = job}, std::move(done)); });
            ASSERT_TRUE(pushed) << pushed.error().message;
            ids_.push_back(pushed->id);
        }
    }
    void finishAll()
    {
        const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
            queue_->queue().claim({Channel::Pull, {"order"}, 1'000}, std::move(done));
        });
        ASSERT_TRUE(claimed) << claimed.error().message;
        for (const auto& job : *claimed) {
            ASSERT_TRUE(await<void>(
                [&](auto done) { queue_->queue().finish(leaseOf(job), std::move(done)); }));
        }
    }
    /// Every job was pushed, claimed and finished, each of it once.
    void expectWholeHistories(const std::string& url)
    {
        journal::SqlJournal journal(journal::parseJournalUrl(url).value());
        EXPECT_TRUE(eventually(
            [&] {
                const auto rows = journal.history(ids_.back());
                return rows && rows->size() >= 3;
            },
            kSoon));
        for (const auto& id : ids_) {
            const auto rows = journal.history(id);
            ASSERT_TRUE(rows) << rows.error().message;
            std::vector<std::string> words;
            for (const auto& row : *rows) {
                words.push_back(row.transition);
            }
            EXPECT_THAT(words, ElementsAre("push", "claim", "finish")) << id;
        }
    }

    std::optional<redis::RedisQueue> queue_;
    std::vector<std::string> ids_;
};

TEST_F(JournalUnderFire, hasNeitherAGapNorADoubleRowAfterItsDaemonWasKilled)
{
    Daemon daemon({.set = {"sip.listen="}});
    redis::RedisUrl url;
    url.socketPath = daemon.redisSocket();
    workOn(url);
    for (int round = 0; round < 5; ++round) {
        push(40);
        daemon.kill9();
        finishAll();
        push(20);
        daemon.start();
        finishAll();
    }
    expectWholeHistories("sqlite://" + (daemon.directory() / "state/journal.db").string());
}

TEST_F(JournalUnderFire, isTakenOverByAnotherDaemonWhenItsRecorderIsKilled)
{
    RedisServer redis;
    SqlServer sql(SqlKind::Postgresql);
    const auto url = sql.url("takeover");
    const Daemon::Settings settings{
        .set = {"sip.listen=", "redis.url=" + redis.url().toString(), "journal.url=" + url}};
    Daemon first(settings);
    Daemon second(settings);
    workOn(redis.url());
    std::map<std::string, int> owners;
    const auto owner = [&] { return *redis.send({"HGET", "rst:{s0}:journal", "owner"}).text(); };
    for (int round = 0; round < 3; ++round) {
        push(30);
        const auto before = owner();
        ++owners[before];
        auto& recording =
            before.ends_with("/" + std::to_string(first.process().id())) ? first : second;
        recording.kill9();
        finishAll();
        push(10);
        EXPECT_TRUE(eventually([&] { return owner() != before; }, kSoon));
        finishAll();
        recording.start();
    }
    EXPECT_EQ(owners.size(), 3U) << "each round another process";
    expectWholeHistories(url);
}

class JournalOutage : public JournalUnderFire {
protected:
    /// One value of /metrics, nothing when it is not there.
    static std::optional<double> metric(const Daemon& daemon, const std::string& name)
    {
        const auto text = HttpClient(daemon.httpPort()).ask("GET", "/metrics").body;
        const auto at = text.find("\n" + name);
        if (at == std::string::npos) {
            return std::nullopt;
        }
        return std::stod(text.substr(text.find(' ', at + 1)));
    }
};

TEST_F(JournalOutage, costsNothingButTimeAndShowsInTheMetrics)
{
    SqlServer sql(SqlKind::Mariadb);
    const auto url = sql.url("outage");
    Daemon daemon({.set = {"sip.listen=", "journal.url=" + url}});
    redis::RedisUrl redis;
    redis.socketPath = daemon.redisSocket();
    workOn(redis);
    push(10);
    EXPECT_TRUE(eventually(
        [&] { return metric(daemon, "restante_journal_lag_entries{shard=\"0\"}") == 0.0; }, kSoon));

    sql.kill9();
    push(50);
    EXPECT_TRUE(eventually(
        [&] {
            return metric(daemon, "restante_journal_up") == 0.0 &&
                   metric(daemon, "restante_journal_lag_entries{shard=\"0\"}") >= 40.0 &&
                   metric(daemon, "restante_journal_lag_seconds{shard=\"0\"}") > 1.0;
        },
        kSoon));
    EXPECT_TRUE(daemon.process().running());
    EXPECT_EQ(daemon.control({"push", "other", "--body", "x", "--delay", "1h"}).status, 0);
    finishAll();

    sql.restart();
    EXPECT_TRUE(eventually(
        [&] {
            return metric(daemon, "restante_journal_up") == 1.0 &&
                   metric(daemon, "restante_journal_lag_entries{shard=\"0\"}") == 0.0 &&
                   metric(daemon, "restante_journal_lag_seconds{shard=\"0\"}") == 0.0;
        },
        kSoon));
    expectWholeHistories(url);
    EXPECT_TRUE(daemon.process().running());
}

}  // namespace
}  // namespace restante::test
