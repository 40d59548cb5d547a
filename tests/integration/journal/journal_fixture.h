#pragma once

#include "core/assembly/redis_queue.h"
#include "core/job/job_id.h"
#include "core/journal/journal_service.h"
#include "core/journal/sql/sql_journal.h"
#include "tests/support/eventually.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/redis_server.h"
#include "tests/support/sql_server.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace restante::test {

using namespace std::chrono_literals;

/// A queue on a real Redis, and a journal on a real database, each test with its own.
class JournalFixture : public LoopFixture {
protected:
    JournalFixture() { config_.journal.mode = Config::JournalMode::Async; }

    void useDatabase(const std::string& url) { url_ = url; }

    /// A new database of `kind`.
    static std::string newDatabase(SqlKind kind)
    {
        static int number = 0;
        return sharedSql(kind).url("journal" + std::to_string(++number));
    }

    void openQueue()
    {
        queue_ = std::make_unique<redis::RedisQueue>(loop_, redis_->url(), config_, "test",
                                                     redis::RedisQueue::WakeUps::No);
        const auto ready = await<void>([&](auto done) {
            queue_->awaitReady(redis::RedisQueue::Report::Silent, std::move(done));
        });
        ASSERT_TRUE(ready) << ready.error().message;
    }

    std::unique_ptr<journal::JournalService> newJournal(const std::string& owner = "test")
    {
        journal::JournalService::Settings settings;
        settings.redis = redis_->url();
        settings.config = config_;
        settings.journal = journal::parseJournalUrl(url_).value();
        settings.owner = owner;
        settings.movesColdJobs = movesColdJobs_;
        settings.recoverLost = config_.journal.recover == Config::Recover::Auto;
        return std::make_unique<journal::JournalService>(std::move(settings));
    }
    Result<void> open(journal::JournalService& journal)
    {
        return await<void>([&](auto done) { journal.open(loop_, std::move(done)); }, 60s);
    }
    void openJournal(const std::string& owner = "test")
    {
        journal_ = newJournal(owner);
        const auto opened = open(*journal_);
        ASSERT_TRUE(opened) << opened.error().message;
    }

    Job order(const std::string& id = {})
    {
        Job job;
        job.id = id;
        job.topic = "order";
        job.body = std::string("close 'it'; -- \0 :now \\", 23);
        return job;
    }
    Job message(const std::string& recipient)
    {
        auto job = order();
        job.topic = "sip";
        job.channel = Channel::Sip;
        job.recipient = recipient;
        return job;
    }
    std::string push(PushOptions wanted)
    {
        const auto pushed =
            await<PushOutcome>([&](auto done) { queue_->queue().push(wanted, std::move(done)); });
        EXPECT_TRUE(pushed) << pushed.error().message;
        return pushed ? pushed->id : std::string();
    }
    std::string push(const Job& job, Millis delay = 0ms)
    {
        return push({.job = job, .delay = delay});
    }
    /// "job-0" and so on, due in an hour.
    void pushMany(int count)
    {
        int missing = count;
        for (int n = 0; n < count; ++n) {
            queue_->queue().push({.job = order("job-" + std::to_string(n)), .delay = 1h},
                                 [&](const auto& pushed) { missing -= pushed ? 1 : 0; });
        }
        ASSERT_TRUE(runUntil([&] { return missing == 0; }, 60s));
    }
    /// Whether the journal has all events of shard 0, now.
    bool isRecorded()
    {
        const auto newest = redis_->send({"XREVRANGE", "rst:{s0}:events", "+", "-", "COUNT", "1"});
        const auto last = redis::StreamId::parse(*newest.array()->at(0).array()->at(0).text());
        const auto position =
            journal::SqlJournal(journal::parseJournalUrl(url_).value()).position(0);
        return last && position && *position && (*position)->cursor >= *last;
    }
    std::vector<ClaimedJob> claim(std::uint32_t max = 10)
    {
        auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
            queue_->queue().claim({Channel::Pull, {"order"}, max}, std::move(done));
        });
        EXPECT_TRUE(claimed) << claimed.error().message;
        return claimed.value_or(std::vector<ClaimedJob>{});
    }
    std::vector<ClaimedJob> claimMailbox(const std::string& recipient, std::uint32_t max = 10)
    {
        return await<std::vector<ClaimedJob>>([&](auto done) {
                   queue_->store().claimMailbox({recipient, max}, std::move(done));
               })
            .value();
    }
    void finish(const ClaimedJob& job)
    {
        const auto done = await<void>(
            [&](auto answer) { queue_->queue().finish(leaseOf(job), std::move(answer)); });
        EXPECT_TRUE(done) << done.error().message;
    }
    Result<void> act(void (JobStore::*verb)(OperatorAction, Done<void>), const std::string& id)
    {
        return await<void>([&](auto done) {
            (queue_->store().*verb)({id, "olga", "test"}, std::move(done));
        });
    }
    Result<JobView> view(const std::string& id)
    {
        return await<JobView>([&](auto done) { queue_->inspector().show(id, std::move(done)); });
    }

    Result<std::vector<HistoryRow>> askHistory(const std::string& id)
    {
        return await<std::vector<HistoryRow>>(
            [&](auto done) { journal_->history(loop_, id, std::move(done)); });
    }
    /// The transitions of a job, once there are `count` of them: "push:>ready".
    std::vector<std::string> moves(const std::string& id, std::size_t count)
    {
        std::vector<std::string> moves;
        eventually(
            [&] {
                moves.clear();
                for (const auto& row : askHistory(id).value_or(std::vector<HistoryRow>{})) {
                    moves.push_back(row.transition + ":" + row.from + ">" + row.to);
                }
                return moves.size() >= count;
            },
            10s);
        return moves;
    }
    Result<RecoverOutcome> recover(RecoverRequest request)
    {
        return await<RecoverOutcome>(
            [&](auto done) { journal_->recover(loop_, request, std::move(done)); }, 60s);
    }
    /// Redis is there again with nothing in it.
    void loseRedis()
    {
        queue_.reset();
        redis_ = std::make_unique<RedisServer>();
        openQueue();
    }

    Config config_;
    bool movesColdJobs_ = false;
    std::string url_;
    std::unique_ptr<RedisServer> redis_ = std::make_unique<RedisServer>();
    std::unique_ptr<redis::RedisQueue> queue_;
    std::unique_ptr<journal::JournalService> journal_;
};

}  // namespace restante::test
