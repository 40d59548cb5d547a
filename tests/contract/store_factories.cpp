// Every store that must pass the contract. A new one gets a class here and a line in the list.

#include "core/queue/memory_job_store.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/redis_job_store.h"
#include "tests/contract/store_under_test.h"
#include "tests/support/redis_cluster.h"
#include "tests/support/redis_server.h"
#include "tests/support/tls_redis.h"

namespace restante::test {

namespace {

class MemoryStoreUnderTest final : public StoreUnderTest {
public:
    explicit MemoryStoreUnderTest(const StoreOptions& options)
        : store_(loop, clock, {options.retentionDone})
    {
    }
    JobStore& store() override { return store_; }
    JobInspector& inspector() override { return store_; }

private:
    MemoryJobStore store_;
};

enum class ServerKind { Plain, Tls, Cluster };

template <std::uint32_t Shards, ServerKind kServerKind = ServerKind::Plain>
class RedisStoreUnderTest final : public StoreUnderTest {
public:
    explicit RedisStoreUnderTest(const StoreOptions& options)
        : commands_(loop, {.url = flushedUrl()}),
          wakeUps_(loop, {.url = flushedUrl()}),
          store_(loop,
                 commands_,
                 &wakeUps_,
                 clock,
                 {.shards = Shards, .keepDone = options.retentionDone > Millis{0}}),
          inspector_(loop, commands_, clock, {.shards = Shards})
    {
        loop.runUntil([this] { return commands_.ready(); }, Millis{10'000});
    }
    JobStore& store() override { return store_; }
    JobInspector& inspector() override { return inspector_; }
    std::uint32_t shards() const override { return Shards; }

private:
    static redis::RedisUrl flushedUrl()
    {
        switch (kServerKind) {
        case ServerKind::Tls: return sharedTlsRedis().url();
        case ServerKind::Cluster: return sharedCluster().url();
        case ServerKind::Plain: break;
        }
        return sharedRedis().url();
    }

    redis::Connection commands_;
    redis::Connection wakeUps_;
    redis::RedisJobStore store_;
    redis::RedisJobInspector inspector_;
};

template <class Store>
StoreFactory factoryOf(std::string name)
{
    return {std::move(name),
            [](const StoreOptions& options) { return std::make_unique<Store>(options); }};
}

}  // namespace

const std::vector<StoreFactory>& storeFactories()
{
    static const std::vector<StoreFactory> factories{
        factoryOf<MemoryStoreUnderTest>("memory"),
        factoryOf<RedisStoreUnderTest<1>>("redis"),
        factoryOf<RedisStoreUnderTest<3>>("redisOf3Shards"),
        factoryOf<RedisStoreUnderTest<1, ServerKind::Tls>>("redisOverTls"),
        factoryOf<RedisStoreUnderTest<3, ServerKind::Cluster>>("redisCluster"),
    };
    return factories;
}

}  // namespace restante::test
