#pragma once

#include "core/assembly/redis_queue.h"
#include "core/config/config.h"
#include "tests/support/redis_cluster.h"
#include "tests/support/redis_fixture.h"

#include <set>
#include <string>
#include <vector>

namespace restante::test {

/// A queue of three shards in a cluster.
class ClusterFixture : public RedisFixture {
protected:
    std::unique_ptr<redis::RedisQueue> open(const redis::RedisUrl& url)
    {
        Config config;
        config.redis.shards = 3;
        auto queue = std::make_unique<redis::RedisQueue>(loop_, url, config, "test");
        const auto ready = await<void>(
            [&](auto done) { queue->awaitReady(redis::RedisQueue::Report::Silent, done); });
        EXPECT_TRUE(ready) << ready.error().message;
        return queue;
    }

    /// Pushes until `enough`, ten at a time; the errors of those that were refused.
    std::vector<std::string> pushUntil(redis::RedisQueue& queue,
                                       const std::function<bool()>& enough)
    {
        std::vector<std::string> errors;
        while (!enough()) {
            std::size_t missing = 10;
            for (int i = 0; i < 10; ++i) {
                Job job;
                job.topic = "order";
                job.body = "close it";
                queue.queue().push({.job = job}, [&](const Result<PushOutcome>& outcome) {
                    --missing;
                    if (outcome) {
                        pushed_.insert(outcome->id);
                    } else {
                        errors.push_back(outcome.error().message);
                    }
                });
            }
            EXPECT_TRUE(runUntil([&] { return missing == 0; }));
        }
        return errors;
    }

    /// Claims all that is due; the ids.
    std::set<std::string> claimAll(redis::RedisQueue& queue)
    {
        std::set<std::string> ids;
        for (int empty = 0; empty < 6;) {
            const auto jobs = await<std::vector<ClaimedJob>>([&](auto done) {
                queue.queue().claim({Channel::Pull, {"order"}, 100}, std::move(done));
            });
            empty = jobs && !jobs->empty() ? 0 : empty + 1;
            for (std::size_t i = 0; jobs && i < jobs->size(); ++i) {
                EXPECT_TRUE(ids.insert((*jobs)[i].job.id).second) << "given out twice";
            }
        }
        return ids;
    }

    std::set<std::string> pushed_;
};

}  // namespace restante::test
