// journal.mode = "durable", where those who wait for the journal are in the process that records,
// and where they are not.

#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/commit_notices.h"
#include "tests/integration/journal/journal_fixture.h"

#include <chrono>
#include <regex>

namespace restante::test {
namespace {

constexpr int kPushes = 40;

class CommitNoticesOfAJournal : public JournalFixture {
protected:
    void SetUp() override
    {
        useDatabase(newDatabase(SqlKind::Sqlite));
        config_.journal.mode = Config::JournalMode::Durable;
        openQueue();
        openJournal();
        gated_ = std::make_unique<redis::RedisQueue>(
            loop_, redis_->url(), config_, "gated", redis::RedisQueue::WakeUps::No,
            redis::RedisQueue::Confirms::Everything, redis::RedisQueue::Gated::Yes);
        ASSERT_TRUE(await<void>([&](auto done) {
            gated_->awaitReady(redis::RedisQueue::Report::Silent, std::move(done));
        }));
        ASSERT_TRUE(await<void>([&](auto done) { gated_->awaitServing(std::move(done)); }, 20s));
        // The journal's word that it records has yet to come to both.
        ASSERT_TRUE(eventually([&] { return tryPush(*queue_, "first").has_value(); }, 30s));
        ASSERT_TRUE(eventually([&] { return tryPush(*gated_, "second").has_value(); }, 30s));
    }

    Result<PushOutcome> tryPush(redis::RedisQueue& queue, const std::string& id)
    {
        return await<PushOutcome>([&](auto done) {
            queue.queue().push({.job = order(id), .delay = 1h}, std::move(done));
        });
    }

    /// One after the other, each of which waits for a commit of its own.
    void pushOneByOne(redis::RedisQueue& queue, const std::string& name)
    {
        for (int n = 0; n < kPushes; ++n) {
            const auto id = name + std::to_string(n);
            const auto pushed = tryPush(queue, id);
            ASSERT_TRUE(pushed) << pushed.error().message;
            ASSERT_EQ(askHistory(id)->size(), 1U) << "answered before the journal had it";
        }
    }
    /// How often a commit has been told by way of Redis.
    int reports()
    {
        const auto reply = redis_->send({"INFO", "commandstats"});
        std::smatch found;
        const std::string text = reply.text() != nullptr ? *reply.text() : "";
        return std::regex_search(text, found, std::regex("cmdstat_publish:calls=(\\d+)"))
                   ? std::stoi(found[1])
                   : 0;
    }

    std::unique_ptr<redis::RedisQueue> gated_;
};

}  // namespace

TEST_F(CommitNoticesOfAJournal, answerInItsProcessWhileRedisHearsOfThemNowAndThen)
{
    queue_.reset();  // it listens, but hears of commits from Redis only, as another process does
    pushOneByOne(*gated_, "warm-up-");
    const auto before = reports();
    const auto start = std::chrono::steady_clock::now();
    pushOneByOne(*gated_, "order-");
    const auto elapsed = std::chrono::steady_clock::now() - start;
    EXPECT_LE(reports() - before, elapsed / 50ms + 3) << "of " << kPushes << " commits";
}

TEST_F(CommitNoticesOfAJournal, areToldByRedisAtOnceWhileSomebodyElseListens)
{
    pushOneByOne(*gated_, "warm-up-");
    const auto before = reports();
    pushOneByOne(*gated_, "order-");  // queue_ listens
    EXPECT_TRUE(eventually([&] { return reports() - before >= kPushes; }, 5s))
        << reports() - before << " of " << kPushes;
}

}  // namespace restante::test
