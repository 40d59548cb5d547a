#include "tests/bench/daemon.h"
#include "tests/bench/http_load.h"
#include "tests/bench/rows.h"
#include "tests/bench/sip_load.h"
#include "tests/support/redis_cluster.h"

#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <vector>

namespace restante::bench {

namespace {

/// Of each thread as many as of one in the other rows of SIP.
constexpr std::uint32_t kUnansweredOfThread = 64;

/// A daemon of so many SIP threads on one Redis, its own, or on four.
class Case {
public:
    Case(const Setting& setting, std::uint32_t threads, bool onFour)
        : cluster_(onFour ? std::make_unique<test::RedisCluster>(fourMasters(setting)) : nullptr),
          daemon_(setting, Daemon::Serves::Sip, {settingsOf(threads, cluster_.get())})
    {
    }

    Sample measure(std::uint32_t threads, std::uint32_t messages)
    {
        SipLoad load;
        load.port = daemon_.sipPort();
        load.messages = messages;
        load.inFlight = kUnansweredOfThread * threads;
        auto processes = daemon_.processes();
        if (cluster_) {
            for (std::size_t i = 0; i < cluster_->size(); ++i) {
                processes.push_back({"redis-server", cluster_->node(i).processId()});
            }
        }
        return measureWork(processes, messages, [&] {
            const auto result = runSipLoad(load);
            if (result.refused > 0) {
                throw std::runtime_error(
                    fmt::format("{} of {} messages were refused", result.refused, messages));
            }
            return result.acceptedPerSecond() / 1'000;
        });
    }

private:
    static test::RedisCluster::Settings fourMasters(const Setting& setting)
    {
        test::RedisCluster::Settings settings;
        settings.masters = 4;
        settings.appendOnly = test::RedisServer::AppendOnly::Yes;
        settings.extra = setting.redisOptions();
        return settings;
    }
    static std::vector<std::string> settingsOf(std::uint32_t threads,
                                               const test::RedisCluster* cluster)
    {
        std::vector<std::string> set{fmt::format("sip.threads={}", threads)};
        if (cluster != nullptr) {
            set.push_back("redis.url=" + cluster->url().toString());
            set.emplace_back("redis.shards=4");
        }
        return set;
    }

    std::unique_ptr<test::RedisCluster> cluster_;
    Daemon daemon_;
};

/// A daemon of so many HTTP threads on one Redis, its own.
Sample measureHttp(const Setting& setting, std::uint32_t threads, std::uint32_t jobs)
{
    const Daemon daemon(setting, Daemon::Serves::SipAndHttp,
                        {{fmt::format("http.threads={}", threads)}});
    return measureWork(daemon.processes(), jobs, [&] {
        return runHttpPushes(daemon.httpPort(), jobs, kUnansweredOfThread * threads) / 1'000;
    });
}

}  // namespace

void addThreadRows(Report& report, const Setting& setting)
{
    const auto messages = setting.scaled(100'000);
    for (const bool onFour : {false, true}) {
        const auto* store = onFour ? "4 shards in 4 Redis" : "1 shard";
        for (const std::uint32_t threads : {1U, 2U, 4U}) {
            RowKind kind;
            kind.path = fmt::format("MESSAGE, UDP, sip.threads = {}, {}, beside 1", threads, store);
            kind.unit = "k/s";
            report.attempt(kind.path, [&] {
                const auto one = Case(setting, 1, onFour).measure(1, messages);
                report.add(kind, one, Case(setting, threads, onFour).measure(threads, messages));
            });
        }
    }
    for (const std::uint32_t threads : {1U, 2U, 4U}) {
        RowKind kind;
        kind.path = fmt::format("HTTP push, http.threads = {}, beside 1", threads);
        kind.unit = "k/s";
        report.attempt(kind.path, [&] {
            const auto one = measureHttp(setting, 1, messages);
            report.add(kind, one, measureHttp(setting, threads, messages));
        });
    }
}

}  // namespace restante::bench
