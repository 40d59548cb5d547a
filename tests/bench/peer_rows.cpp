#include "tests/bench/bare_queue.h"
#include "tests/bench/beanstalkd.h"
#include "tests/bench/bullmq.h"
#include "tests/bench/daemon.h"
#include "tests/bench/msilo.h"
#include "tests/bench/queue_load.h"
#include "tests/bench/rows.h"
#include "tests/bench/sip_load.h"

#include <fmt/format.h>

namespace restante::bench {

namespace {

/// `work` gives jobs a second.
Sample rate(const std::vector<WatchedProcess>& processes,
            std::uint32_t jobs,
            const std::function<double()>& work)
{
    return measureWork(processes, jobs, [&] { return work() / 1'000; });
}

/// Pushes and claims of Restante in the way that the peer was driven.
struct RestanteSamples {
    Sample push;
    Sample claim;
};

RestanteSamples
restanteSide(const Setting& setting, std::uint32_t jobs, std::uint32_t batch, std::uint32_t callers)
{
    BareQueue(setting.redisSocket).flushAll();
    QueueLoad queue(setting.redisSocket);
    const std::vector<WatchedProcess> processes{thisProcess(), setting.redis};
    auto push = rate(processes, jobs, [&] { return queue.push(jobs, batch, callers, kBody); });
    auto claim = rate(processes, jobs, [&] { return queue.claimAndFinish(jobs, batch, callers); });
    return {std::move(push), std::move(claim)};
}

RowKind rowBeside(const std::string& path, const char* peer, double times)
{
    return {fmt::format("{}, beside {}", path, peer), "k/s",
            Target::shareOfBare(times, fmt::format("{:.0f} times {}", times, peer))};
}

/// Calls `measure` when `missing` is empty, and says so when it is not.
void addPeer(Report& report,
             const char* peer,
             const std::string& missing,
             const std::function<void()>& measure)
{
    if (missing.empty()) {
        report.attempt(fmt::format("beside {}", peer), measure);
    } else {
        report.note(fmt::format("{} is not measured: {}", peer, missing));
    }
}

void addBeanstalkd(Report& report, const Setting& setting)
{
    const auto jobs = setting.scaled(100'000);
    Beanstalkd peer(setting.fsync);
    const auto push =
        rate(peer.processes(), jobs, [&] { return peer.push(jobs, kSingleCallers, kBody); });
    const auto claim =
        rate(peer.processes(), jobs, [&] { return peer.claimAndFinish(jobs, kSingleCallers); });
    const auto ours = restanteSide(setting, jobs, 1, kSingleCallers);
    report.add(rowBeside("push, 64 single callers", "beanstalkd", 1), push, ours.push);
    report.add(rowBeside("claim + finish, 64 single callers", "beanstalkd", 1), claim, ours.claim);
}

void addBullMq(Report& report, const Setting& setting)
{
    const auto jobs = setting.scaled(50'000);
    BareQueue(setting.redisSocket).flushAll();
    BullMq peer(setting.bullmq, setting.redisSocket);
    auto processes = peer.processes();
    processes.push_back(setting.redis);
    const auto push =
        rate(processes, jobs, [&] { return peer.push(jobs, kBatch, kCallsInFlight, kBody); });
    const auto claim = rate(processes, jobs, [&] { return peer.claimAndFinish(jobs, kBatch); });
    const auto ours = restanteSide(setting, jobs, kBatch, kCallsInFlight);
    report.add(rowBeside("push, arrays of 100", "BullMQ", 1), push, ours.push);
    report.add(rowBeside("claim + finish, 100 at once", "BullMQ", 1), claim, ours.claim);
}

void addMsilo(Report& report, const Setting& setting)
{
    const Msilo peer;
    const Daemon restanted(setting, Daemon::Serves::Sip);
    const auto before = peer.stored();
    SipLoad load;
    load.messages = setting.scaled(20'000);
    SipLoadResult result;
    const auto accepted = [&](std::uint16_t port) {
        load.port = port;
        result = runSipLoad(load);
        return result.acceptedPerSecond();
    };
    const auto theirs =
        rate(peer.processes(), load.messages, [&] { return accepted(peer.port()); });
    if (const auto stored = peer.stored() - before; stored < load.messages) {
        report.note(fmt::format("msilo has stored {} of {} messages", stored, load.messages));
    }
    const auto ours =
        rate(restanted.processes(), load.messages, [&] { return accepted(restanted.sipPort()); });
    report.add(rowBeside("MESSAGE -> stored -> 202, UDP", "msilo", 10), theirs, ours,
               result.refused == 0
                   ? std::string()
                   : fmt::format("{} of {} messages were refused", result.refused, load.messages));
}

}  // namespace

void addPeerRows(Report& report, const Setting& setting)
{
    addPeer(report, "beanstalkd", Beanstalkd::missing(), [&] { addBeanstalkd(report, setting); });
    addPeer(report, "BullMQ", BullMq::missing(setting.bullmq), [&] { addBullMq(report, setting); });
    addPeer(report, "msilo", Msilo::missing(), [&] { addMsilo(report, setting); });
}

}  // namespace restante::bench
