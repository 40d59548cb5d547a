#include "tests/bench/daemon.h"
#include "tests/bench/http_load.h"
#include "tests/bench/rows.h"
#include "tests/bench/sip_load.h"

#include <fmt/format.h>
#include <stdexcept>

namespace restante::bench {

namespace {

/// What one daemon does with its journal in that mode.
struct JournalSamples {
    Sample message;
    Sample messageP99;  ///< ms until its answer
    Sample push;
};

JournalSamples samplesWith(const std::string& mode, Setting setting)
{
    setting.journal = mode;
    const Daemon restanted(setting, Daemon::Serves::SipAndHttp);
    SipLoad load;
    load.port = restanted.sipPort();
    load.messages = 50'000 / setting.scale;
    SipLoadResult result;
    JournalSamples samples;
    samples.message = measured(restanted.processes(), load.messages, [&] {
        result = runSipLoad(load);
        return result.acceptedPerSecond() / 1'000;
    });
    if (result.refused > 0) {
        throw std::runtime_error(fmt::format("{} of {} messages were refused, journal {}",
                                             result.refused, load.messages, mode));
    }
    samples.messageP99 = {result.p99Ms, {}};
    const auto jobs = 50'000 / setting.scale;
    samples.push = measured(restanted.processes(), jobs,
                            [&] { return httpPushes(restanted.httpPort(), jobs) / 1'000; });
    return samples;
}

}  // namespace

void addJournalRows(Report& report, const Setting& setting)
{
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
        });
    };
    add("async", 0.8);
    add("durable", 0.5);
}

}  // namespace restante::bench
