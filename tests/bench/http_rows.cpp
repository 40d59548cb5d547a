#include "core/base/epoll_loop.h"
#include "core/redis/redis_queue.h"
#include "core/redis/redis_url.h"
#include "tests/bench/http_load.h"
#include "tests/bench/rows.h"
#include "tests/bench/server.h"
#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <sys/resource.h>

namespace restante::bench {

namespace {

constexpr std::uint32_t kParked = 2'000;
/// For the pushes of the parked polls' jobs to be stored before they are due.
constexpr Millis kAhead{2'000};

std::uint16_t httpPortIn(const std::string& readyLine)
{
    const auto http = readyLine.find("http=127.0.0.1:");
    const auto from = http == std::string::npos ? readyLine.find(' ') + 1 : http + 15;
    return static_cast<std::uint16_t>(std::strtoul(readyLine.c_str() + from, nullptr, 10));
}

double pushes(std::uint16_t port, std::uint32_t count)
{
    std::uint64_t number = 0;
    HttpLoad load;
    load.port = port;
    load.answers = count;
    load.next = [&number, body = std::string(256, 'b')](std::string_view) {
        return httpRequest(
            "/push",
            fmt::format(R"({{"topic":"bench","id":"bench-{}","delay":0,"ttr":120,"body":"{}"}})",
                        ++number, body));
    };
    return runHttpLoad(load);
}

/// Each connection pops and finishes in turn; jobs per second.
double popsAndFinishes(std::uint16_t port, std::uint32_t count)
{
    HttpLoad load;
    load.port = port;
    load.answers = count * 2;
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

/// All of them due at the same millisecond; how long after it the last waiting client has its job.
double wakeMs(std::uint16_t port, const std::string& redisUrl)
{
    EpollLoop loop;
    redis::RedisQueue redis(loop, redis::parseRedisUrl(redisUrl).value(), Config{}, "bench",
                            redis::RedisQueue::WakeUps::No);
    const auto due =
        std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()) + kAhead;
    const auto last = lastAnswer(port, kParked, httpRequest("/pop", R"({"topic":"parked"})"), [&] {
        bool ready = false;
        redis.awaitReady(redis::RedisQueue::Report::Silent, [&](const auto&) { ready = true; });
        loop.runUntil([&] { return ready; }, Millis{5'000});
        std::uint32_t stored = 0;
        for (std::uint32_t i = 0; i < kParked; ++i) {
            PushOrder order;
            order.job.topic = "parked";
            order.at = due;
            redis.queue().push(std::move(order),
                               [&](const auto& outcome) { stored += outcome ? 1 : 0; });
        }
        if (!loop.runUntil([&] { return stored == kParked; }, Millis{5'000})) {
            throw std::runtime_error("bench: the jobs of the parked polls were not stored");
        }
    });
    return std::chrono::duration<double, std::milli>(last - due).count();
}

}  // namespace

void addHttpRows(Report& report,
                 const Programs& programs,
                 const std::string& fsync,
                 std::uint32_t scale)
{
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);

    const test::TempDir state;
    const Server bare({programs.self, "--bare-http-server"});
    const Server restanted({programs.restanted, "--set", "state_dir=" + state.path().string(),
                            "--set", "sip.listen=127.0.0.1:0", "--set", "http.listen=127.0.0.1:0",
                            "--set", "redis.fsync=" + fsync, "--set",
                            "journal.mode=" + programs.journal, "--set", "log.level=error"});
    const auto barePort = httpPortIn(bare.readyLine());
    const auto port = httpPortIn(restanted.readyLine());
    const auto jobs = 100'000 / scale;

    const double barePush = pushes(barePort, jobs);
    const double push = pushes(port, jobs);
    report.add({"HTTP push", barePush / 1'000, push / 1'000, "k/s", "0.50 of bare",
                push >= 0.5 * barePush});
    const double barePop = popsAndFinishes(barePort, jobs / 2);
    const double pop = popsAndFinishes(port, jobs / 2);
    report.add({"HTTP pop + finish", barePop / 1'000, pop / 1'000, "k/s", "0.50 of bare",
                pop >= 0.5 * barePop});
    const auto& ready = restanted.readyLine();
    const auto url = ready.find("redis=") + 6;
    const double wake = wakeMs(port, ready.substr(url, ready.find(' ', url) - url));
    report.add({fmt::format("{} parked polls, all woken", kParked), 0, wake, "ms", "<= 50 ms",
                wake <= 50});
}

}  // namespace restante::bench
