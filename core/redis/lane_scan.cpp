#include "core/redis/lane_scan.h"

#include "core/redis/store_answers.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace restante::redis {

namespace {

struct Scan {
    Done<std::vector<Lanes>> done;
    std::vector<Lanes> lanes;
    std::size_t missing = 0;
    std::optional<Error> error;
};

void endShard(Scan& scan)
{
    if (--scan.missing > 0) {
        return;
    }
    if (scan.error) {
        return scan.done(tl::unexpected(*scan.error));
    }
    for (auto& lanes : scan.lanes) {
        // SSCAN may name a member twice.
        std::sort(lanes.begin(), lanes.end());
        lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
    }
    scan.done(std::move(scan.lanes));
}

void scanShard(const std::shared_ptr<Scan>& scan,
               ScriptQueue& queue,
               Lanes& lanes,
               const std::string& cursor)
{
    queue.add(script("lanes"), {}, {cursor}, [&queue, &lanes, scan](const Result<Reply>& reply) {
        if (!reply) {
            scan->error = reply.error();
            return endShard(*scan);
        }
        auto found = textsOf(*reply);
        if (found.empty()) {
            return endShard(*scan);
        }
        std::move(found.begin() + 1, found.end(), std::back_inserter(lanes));
        if (found.front() == "0") {
            return endShard(*scan);
        }
        scanShard(scan, queue, lanes, found.front());
    });
}

}  // namespace

void scanLanes(const ShardQueues& shards, Done<std::vector<Lanes>> done)
{
    auto scan = std::make_shared<Scan>();
    scan->done = std::move(done);
    scan->lanes.resize(shards.size());
    scan->missing = shards.size();
    for (std::size_t shard = 0; shard < shards.size(); ++shard) {
        scanShard(scan, *shards[shard], scan->lanes[shard], "0");
    }
}

}  // namespace restante::redis
