#pragma once

#include "core/job/job_id.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/redis_job_store.h"
#include "core/redis/store/script_queue.h"
#include "tests/support/manual_clock.h"
#include "tests/support/redis_fixture.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace restante::test {

using namespace std::chrono_literals;

/// A RedisJobStore on a real server, whose keys the test can look at and spoil.
class StoreFixture : public RedisFixture {
public:
    /// Whom the messages are for.
    static inline const std::string kBob = "sip:bob@example.org";

protected:
    void SetUp() override { open(sharedRedis(), {}); }

    void open(const RedisServer& server, const redis::RedisJobStore::Settings& settings)
    {
        store_.reset();
        server_ = &server;
        connection_ = connect(server.url());
        store_ =
            std::make_unique<redis::RedisJobStore>(loop_, *connection_, nullptr, clock_, settings);
    }

    Job order(std::uint32_t shard = 0)
    {
        Job job;
        job.id = ids_.generate(shard);
        job.topic = "order";
        job.body = "close it";
        job.created = clock_.now();
        return job;
    }

    Result<PushOutcome> push(const Job& job, Millis delay = 0ms)
    {
        return await<PushOutcome>(
            [&](auto done) { store_->push({.job = job, .due = clock_.now() + delay}, done); });
    }
    Result<std::vector<ClaimedJob>> claim(std::uint32_t max = 10)
    {
        return await<std::vector<ClaimedJob>>([&](auto done) {
            store_->claim({Channel::Pull, {"order"}, max}, done);
        });
    }
    std::vector<std::string> claimedIds(std::uint32_t max)
    {
        const auto claimed = claim(max);
        EXPECT_TRUE(claimed) << claimed.error().message;
        std::vector<std::string> ids;
        for (const auto& one : claimed.value()) {
            ids.push_back(one.job.id);
        }
        return ids;
    }
    Result<void> finish(const Lease& lease)
    {
        return await<std::uint64_t>([&](auto done) { store_->finish(lease, done); })
            .map([](std::uint64_t) {});
    }

    redis::Reply send(const std::vector<std::string>& command) const
    {
        return server_->send(command);
    }
    std::int64_t number(const std::vector<std::string>& command) const
    {
        const auto reply = send(command);
        return reply.integer() != nullptr ? *reply.integer() : -1;
    }
    std::string text(const std::vector<std::string>& command) const
    {
        const auto reply = send(command);
        return reply.text() != nullptr ? *reply.text() : std::string();
    }

    const RedisServer* server_ = nullptr;
    ManualClock clock_;
    JobIdGenerator ids_{clock_};
    std::unique_ptr<redis::Connection> connection_;
    std::unique_ptr<redis::RedisJobStore> store_;
};

}  // namespace restante::test
