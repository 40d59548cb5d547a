#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/queue/job_inspector.h"
#include "core/redis/connection.h"
#include "core/redis/lane_scan.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

/// The JobInspector in Redis, by scripts that only look. Each command is bounded; a filter that
/// matches little reads on in further commands, between which others are served.
///
/// Borrows everything. *One loop.*
class RedisJobInspector final : public JobInspector {
public:
    struct Settings {
        std::string prefix = "rst";
        std::uint32_t shards = 1;
    };

    RedisJobInspector(EventLoop& loop,
                      Connection& connection,
                      const Clock& clock,
                      Settings settings);
    ~RedisJobInspector() override;

    void show(std::string id, Done<JobView> done) override;
    void list(JobQuery query, Done<JobPage> done) override;
    void counts(Done<StoreCounts> done) override;
    void topics(Done<std::vector<TopicView>> done) override;

private:
    struct Listing;
    struct Counting;
    struct TopicLook;

    void listState(std::shared_ptr<Listing> listing);
    void ask(const std::shared_ptr<Listing>& listing, std::size_t shard, const Lanes& sets);
    void gather(const std::shared_ptr<Listing>& listing, const Result<Reply>& reply);
    void count(const std::shared_ptr<Counting>& counting, std::size_t shard, Lanes lanes);

    EventLoop& loop_;
    const Clock& clock_;
    ShardQueues shards_;
};

}  // namespace restante::redis
