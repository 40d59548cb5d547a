#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/base/result_gathering.h"
#include "core/queue/job_inspector.h"
#include "core/redis/store/shard_queues.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

class Connection;
class ServingGate;
struct ScannedJobs;

/// The JobInspector in Redis, by scripts and commands that only read. Each is bounded; a filter
/// that matches few jobs needs several of them, between which others are served.
///
/// Borrows everything. *One loop.*
class RedisJobInspector final : public JobInspector {
public:
    struct Settings {
        std::string prefix = "rst";
        std::uint32_t shards = 1;
        ServingGate* gate = nullptr;  ///< reads fail while the store is not served; null = never
    };

    RedisJobInspector(EventLoop& loop,
                      Connection& connection,
                      const Clock& clock,
                      Settings settings);
    ~RedisJobInspector() override;

    void show(std::string id, Done<JobView> done) override;
    void list(JobQuery query, Done<JobPage> done) override;
    void counts(Done<StoreCounts> done) override;
    void search(JobSearch search, Done<SearchPage> done) override;
    void ranked(RankQuery query, Done<RankPage> done) override;
    void count(JobSearch search, Done<JobCount> done) override;
    void indexed(IndexQuery query, Done<JobPage> done) override;
    void countIndexed(IndexQuery::Kind kind, std::string value, Done<std::uint64_t> done) override;
    void onceKeys(std::function<void(std::vector<OnceKey>)> onBatch, Done<void> done) override;
    void topics(Done<std::vector<TopicView>> done) override;
    void mailboxes(MailboxQuery query, Done<MailboxPage> done) override;
    void mailbox(MailboxRequest request, Done<MailboxContent> done) override;

private:
    struct PartialCounts;
    using Counting = ResultGathering<PartialCounts>;

    /// Answers at most `mostFound` jobs; 0 = counts only. `search.budget` bounds how many are
    /// examined.
    void examineJobs(const JobSearch& search, std::uint32_t mostFound, Done<ScannedJobs> done);
    void count(const std::shared_ptr<Counting>& counting,
               std::size_t shard,
               std::vector<std::string> lanes);

    EventLoop& loop_;
    Connection& connection_;
    const Clock& clock_;
    Settings settings_;
    ShardQueues shards_;
};

}  // namespace restante::redis
