#include "core/assembly/redis_queue.h"
#include "core/base/epoll_loop.h"
#include "core/redis/client/redis_url.h"
#include "tests/bench/daemon.h"
#include "tests/bench/http_load.h"
#include "tests/bench/rows.h"
#include "tests/bench/server.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <sys/resource.h>

namespace restante::bench {

namespace {

constexpr std::uint32_t kParkedPolls = 2'000;
/// How long before they are due the jobs for the parked polls are pushed.
constexpr Millis kPushAhead{2'000};

/// Each connection pops and finishes in turn; jobs per second.
double runPopsAndFinishes(std::uint16_t port, std::uint32_t count)
{
    HttpLoad load;
    load.port = port;
    load.requests = count * 2;
    load.next = [](std::string_view last) {
        const auto id = last.find(R"("id":")");
        if (id == std::string_view::npos) {
            return httpRequest("/pop", R"({"topic":"bench"})");
        }
        const auto text = last.substr(id + 6, last.find('"', id + 6) - id - 6);
        return httpRequest("/finish", fmt::format(R"({{"id":"{}"}})", text));
    };
    return runHttpLoad(load) / 2;
}

/// The attempts of a pop's answer as `finish` takes them; empty when it has none.
std::string attemptsIn(std::string_view popped, std::uint64_t& count)
{
    constexpr std::string_view kAttempt = R"("attempt":)";
    constexpr std::string_view kId = R"("id":")";
    std::string items;
    for (auto at = popped.find(kAttempt); at != std::string_view::npos;
         at = popped.find(kAttempt, at)) {
        at += kAttempt.size();
        const auto attempt = popped.substr(at, popped.find_first_of(",}", at) - at);
        const auto id = popped.find(kId, at) + kId.size();
        items += fmt::format(R"({}{{"id":"{}","attempt":{}}})", items.empty() ? "" : ",",
                             popped.substr(id, popped.find('"', id) - id), attempt);
        ++count;
    }
    return items.empty() ? items : "[" + items + "]";
}

/// Each connection pops a batch and finishes it by one array, in turn; jobs per second.
double runBatchPopsAndFinishes(std::uint16_t port, std::uint32_t batches)
{
    std::uint64_t jobs = 0;
    HttpLoad load;
    load.port = port;
    load.requests = batches * 2;
    load.next = [&jobs](std::string_view last) {
        const auto attempts =
            last.starts_with(R"({"jobs":)") ? attemptsIn(last, jobs) : std::string();
        return attempts.empty()
                   ? httpRequest("/v1/topics/bench/pop", fmt::format(R"({{"max":{}}})", kBatch))
                   : httpRequest("/v1/jobs/finish", attempts);
    };
    const auto answersPerSecond = runHttpLoad(load);
    return static_cast<double>(jobs) * answersPerSecond / load.requests;
}

/// Wakes all parked polls at the same millisecond; returns how much later the last client has its
/// job.
double measureWakeMs(std::uint16_t port, const std::string& redisUrl)
{
    EpollLoop loop;
    redis::RedisQueue redis(loop, redis::parseRedisUrl(redisUrl).value(), Config{}, "bench",
                            redis::RedisQueue::WakeUps::No);
    const auto due =
        std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()) + kPushAhead;
    const auto last =
        timeOfLastAnswer(port, kParkedPolls, httpRequest("/pop", R"({"topic":"parked"})"), [&] {
            bool ready = false;
            redis.awaitReady(redis::RedisQueue::Report::Silent, [&](const auto&) { ready = true; });
            loop.runUntil([&] { return ready; }, Millis{5'000});
            std::uint32_t stored = 0;
            for (std::uint32_t i = 0; i < kParkedPolls; ++i) {
                PushOptions order;
                order.job.topic = "parked";
                order.at = due;
                redis.queue().push(std::move(order),
                                   [&](const auto& outcome) { stored += outcome ? 1 : 0; });
            }
            if (!loop.runUntil([&] { return stored == kParkedPolls; }, Millis{5'000})) {
                throw std::runtime_error("the jobs of the parked polls were not stored");
            }
        });
    return std::chrono::duration<double, std::milli>(last - due).count();
}

}  // namespace

void addHttpRows(Report& report, const Setting& setting)
{
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);

    Server bare("bare-http-server", {setting.self, "--bare-http-server"});
    Daemon restanted(setting, Daemon::Serves::SipAndHttp);
    const auto barePort = portIn(bare.readyLine(), "http=");
    const auto port = restanted.httpPort();
    const auto jobs = setting.scaled(100'000);
    const auto lastWords = [&] { return lastWordsOf(bare, restanted); };
    // `load` drives the server on a port and gives jobs a second.
    const auto add = [&](const RowKind& kind, double operations,
                         const std::function<double(std::uint16_t)>& load) {
        report.attempt(
            kind.path,
            [&] {
                const auto bareSample = measureWork(bare.processes(), operations,
                                                    [&] { return load(barePort) / 1'000; });
                report.add(kind, bareSample, measureWork(restanted.processes(), operations, [&] {
                               return load(port) / 1'000;
                           }));
            },
            lastWords);
    };

    add({"HTTP push", "k/s", Target::shareOfBare(0.75)}, jobs,
        [&](std::uint16_t at) { return runHttpPushes(at, jobs); });
    add({"HTTP pop + finish", "k/s", Target::shareOfBare(0.7)}, jobs / 2,
        [&](std::uint16_t at) { return runPopsAndFinishes(at, jobs / 2); });
    // Of what is left some hundred jobs are leased by the connections of the row before.
    const auto batches = jobs / 2 / kBatch * 9 / 10;
    add({fmt::format("HTTP pop + finish, arrays of {}", kBatch), "k/s", Target::shareOfBare(0.7)},
        batches * kBatch, [&](std::uint16_t at) { return runBatchPopsAndFinishes(at, batches); });

    const RowKind parked{fmt::format("{} parked polls, all woken", kParkedPolls), "ms",
                         Target::atMost(50, "<= 50 ms")};
    report.attempt(
        parked.path,
        [&] {
            report.add(parked, {}, measureWork(restanted.processes(), kParkedPolls, [&] {
                           return measureWakeMs(port, restanted.redisUrl());
                       }));
        },
        lastWords);
}

}  // namespace restante::bench
