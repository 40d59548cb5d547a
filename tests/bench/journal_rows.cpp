#include "tests/bench/daemon.h"
#include "tests/bench/http_load.h"
#include "tests/bench/journal_position.h"
#include "tests/bench/queue_load.h"
#include "tests/bench/rows.h"
#include "tests/bench/sip_load.h"

#include <fmt/format.h>
#include <functional>
#include <stdexcept>

namespace restante::bench {

namespace {

/// The results of one daemon with its journal in one mode.
struct JournalSamples {
    Sample message;
    Sample messageP99;  ///< ms until its answer
    Sample push;
    Sample pushP99;
};

JournalSamples samplesWith(const std::string& mode, Setting setting)
{
    setting.journal = mode;
    const Daemon restanted(setting, Daemon::Serves::SipAndHttp);
    SipLoad load;
    load.port = restanted.sipPort();
    load.messages = setting.scaled(50'000);
    SipLoadResult result;
    JournalSamples samples;
    samples.message = measureWork(restanted.processes(), load.messages, [&] {
        result = runSipLoad(load);
        return result.acceptedPerSecond() / 1'000;
    });
    if (result.refused > 0) {
        throw std::runtime_error(fmt::format("{} of {} messages were refused, journal {}",
                                             result.refused, load.messages, mode));
    }
    samples.messageP99 = {result.p99Ms, {}};
    const auto jobs = setting.scaled(50'000);
    HttpLoadResult pushes;
    samples.push = measureWork(restanted.processes(), jobs, [&] {
        pushes = timedHttpPushes(restanted.httpPort(), jobs);
        return pushes.perSecond / 1'000;
    });
    samples.pushP99 = {pushes.p99Ms, {}};
    return samples;
}

/// The results of one daemon's queue in arrays of 100 with its journal in one mode.
struct QueueSamples {
    Sample push;
    Sample claimAndFinish;
};

/// The figure is the rate of answers; the CPU time includes recording after them. "restanted" is
/// the recorder and its database, because the load goes directly to the daemon's Redis.
QueueSamples queueSamplesWith(const std::string& mode, Setting setting)
{
    setting.journal = mode;
    const Daemon restanted(setting, Daemon::Serves::SipAndHttp);
    QueueLoad load(restanted.redisSocket());
    const auto jobs = setting.scaled(200'000);
    auto processes = restanted.processes();
    processes.push_back(thisProcess());
    const auto recorded = [&](const std::function<double()>& work) {
        return measureWork(processes, jobs, [&] {
            const auto figure = work() / 1'000;
            if (mode != "off") {
                awaitRecorded(restanted.redisSocket());
            }
            return figure;
        });
    };
    QueueSamples samples;
    samples.push = recorded([&] { return load.push(jobs, kBatch, kCallsInFlight, kBody); });
    samples.claimAndFinish =
        recorded([&] { return load.claimAndFinish(jobs, kBatch, kCallsInFlight); });
    return samples;
}

void addArrayRows(Report& report, const Setting& setting, const std::string& mode, double share)
{
    const auto off = queueSamplesWith("off", setting);
    const auto with = queueSamplesWith(mode, setting);
    const auto target = Target::shareOfBare(share, fmt::format("{:.2f} of journal off", share));
    report.add({fmt::format("push, arrays of 100, journal {}, beside off", mode), "k/s", target},
               off.push, with.push);
    report.add({fmt::format("claim + finish, batches of 100, journal {}, beside off", mode), "k/s",
                target},
               off.claimAndFinish, with.claimAndFinish);
}

}  // namespace

void addJournalRows(Report& report, const Setting& setting)
{
    report.attempt("arrays of 100, journal async",
                   [&] { addArrayRows(report, setting, "async", 0.8); });
    const auto off = samplesWith("off", setting);
    const auto add = [&](const std::string& mode, double share) {
        report.attempt(fmt::format("journal {}", mode), [&] {
            const auto with = samplesWith(mode, setting);
            const auto words = fmt::format("{:.2f} of journal off", share);
            report.add({fmt::format("MESSAGE, UDP, journal {}, beside off", mode), "k/s",
                        Target::shareOfBare(share, words)},
                       off.message, with.message);
            report.add({fmt::format("MESSAGE, UDP, journal {}, p99, beside off", mode), "ms",
                        Target::atMost(10, "<= 10 ms")},
                       off.messageP99, with.messageP99);
            report.add({fmt::format("HTTP push, journal {}, beside off", mode), "k/s",
                        Target::shareOfBare(share, words)},
                       off.push, with.push);
            report.add({fmt::format("HTTP push, journal {}, p99, beside off", mode), "ms",
                        Target::atMost(10, "<= 10 ms")},
                       off.pushP99, with.pushP99);
        });
    };
    add("async", 0.8);
    add("durable", 0.5);
}

}  // namespace restante::bench
