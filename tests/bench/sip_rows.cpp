#include "tests/bench/bare_sip_sender.h"
#include "tests/bench/msilo.h"
#include "tests/bench/rows.h"
#include "tests/bench/server.h"
#include "tests/bench/sip_load.h"
#include "tests/bench/sip_receiver.h"
#include "tests/support/temp_dir.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>
#include <thread>

namespace restante::bench {

namespace {

constexpr std::uint32_t kMailbox = 1'000;
constexpr std::uint32_t kUnanswered = 64;

/// "ready sip=udp:127.0.0.1:5060,tcp:..." or "ready 5060".
std::uint16_t portIn(const std::string& readyLine)
{
    const auto udp = readyLine.find("udp:");
    const auto from = udp == std::string::npos ? readyLine.find(' ') : readyLine.find(':', udp + 4);
    return static_cast<std::uint16_t>(std::strtoul(readyLine.c_str() + from + 1, nullptr, 10));
}

double
accepted(std::uint16_t port, Transport transport, std::uint32_t messages, std::uint32_t inFlight)
{
    SipLoad load;
    load.transport = transport;
    load.port = port;
    load.messages = messages;
    load.inFlight = inFlight;
    const SipLoadResult result = runSipLoad(load);
    if (result.refused > 0) {
        throw std::runtime_error(
            fmt::format("bench: {} of {} messages were refused", result.refused, messages));
    }
    return result.acceptedPerSecond();
}

void addAcceptRows(Report& report,
                   std::uint16_t bare,
                   std::uint16_t restante,
                   std::uint32_t messages)
{
    for (const auto transport : {Transport::Udp, Transport::Tcp}) {
        const double bareRate = accepted(bare, transport, messages, 64);
        const double rate = accepted(restante, transport, messages, 64);
        report.add({transport == Transport::Udp ? "MESSAGE -> stored -> 202, UDP"
                                                : "MESSAGE -> stored -> 202, TCP",
                    bareRate / 1'000, rate / 1'000, "k/s", "0.70 of bare", rate >= 0.7 * bareRate});
    }
}

double bareFlush(std::uint32_t messages, std::uint32_t window)
{
    SipReceiver device;
    device.registerAt(9, "nobody");  // starts its clock
    double seconds = 0;
    std::thread sender([&] { seconds = runBareSipSender(device.port(), messages, window); });
    device.receive(messages);
    sender.join();
    return seconds;
}

/// Each has a message, and all register at once: the time includes their REGISTERs.
void addReturnRow(Report& report, std::uint16_t restante, std::uint32_t users)
{
    SipLoad load;
    load.port = restante;
    load.messages = users;
    load.recipients = users;
    if (const auto refused = runSipLoad(load).refused; refused > 0) {
        throw std::runtime_error(
            fmt::format("bench: {} of {} messages were refused", refused, users));
    }
    SipReceiver devices;
    const Delivery delivery = devices.returnAll(restante, users, kUnanswered);
    const bool whole = delivery.received == users && delivery.repeated == 0;
    const double rate = delivery.received / delivery.seconds;
    const double bareRate = users / bareFlush(users, kUnanswered);
    report.add({whole ? fmt::format("{} recipients return at once, a message each", users)
                      : fmt::format("{} recipients return, {} have theirs, {} twice", users,
                                    delivery.received, delivery.repeated),
                bareRate / 1'000, rate / 1'000, "k/s", "0.60 of bare sending",
                whole && rate >= 0.6 * bareRate});
}

void addFlushRow(Report& report, std::uint16_t restante)
{
    SipLoad load;
    load.port = restante;
    load.messages = kMailbox;
    load.inFlight = 1;  // so that the order of arrival is the order of the numbers
    load.recipients = 1;
    runSipLoad(load);
    SipReceiver device;
    device.registerAt(restante, "u0");
    const Delivery delivery = device.receive(kMailbox);
    const bool whole =
        delivery.received == kMailbox && delivery.inversions == 0 && delivery.repeated == 0;
    report.add({whole ? "1,000 stored -> delivered in order to one user"
                      : fmt::format("1,000 stored -> {} delivered, {} inversions, {} repeated",
                                    delivery.received, delivery.inversions, delivery.repeated),
                bareFlush(kMailbox, 1) * 1'000, delivery.seconds * 1'000, "ms", "<= 500 ms",
                whole && delivery.seconds <= 0.5});
}

/// Beside a peer that does the same job, not beside a bare library.
void addMsiloRow(Report& report, std::uint16_t restante, std::uint32_t messages)
{
    if (const auto missing = Msilo::missing(); !missing.empty()) {
        std::fprintf(stderr, "msilo is not measured: %s\n", missing.c_str());
        return;
    }
    const Msilo msilo;
    const auto before = msilo.stored();
    SipLoad load;
    load.port = msilo.port();
    load.messages = messages;
    const SipLoadResult peer = runSipLoad(load);
    const auto stored = msilo.stored() - before;
    load.port = restante;
    const SipLoadResult ours = runSipLoad(load);
    report.add(
        {fmt::format("the same beside Kamailio msilo, UDP ({} of {} stored)", stored, messages),
         peer.acceptedPerSecond() / 1'000, ours.acceptedPerSecond() / 1'000, "k/s", "5 times msilo",
         ours.refused == 0 && ours.acceptedPerSecond() >= 5 * peer.acceptedPerSecond()});
}

}  // namespace

void addSipRows(Report& report,
                const Programs& programs,
                const std::string& redisSocket,
                const std::string& fsync,
                std::uint32_t scale)
{
    test::TempDir state;
    const Server bare({programs.self, "--bare-sip-server", redisSocket});
    const auto daemon = [&] {
        return std::vector<std::string>{programs.restanted,
                                        "--set",
                                        "state_dir=" + state.path().string(),
                                        "--set",
                                        "sip.listen=127.0.0.1:0",
                                        "--set",
                                        "http.listen=off",
                                        "--set",
                                        "sip.limits.per_sender=0",  // one sender writes it all
                                        "--set",
                                        "redis.fsync=" + fsync,
                                        "--set",
                                        "journal.mode=" + programs.journal,
                                        "--set",
                                        "log.level=error"};
    };
    const Server restanted(daemon());
    const std::uint16_t port = portIn(restanted.readyLine());
    addFlushRow(report, port);
    addReturnRow(report, port, 10'000 / scale);
    addAcceptRows(report, portIn(bare.readyLine()), port, 100'000 / scale);
    if (programs.msilo) {
        addMsiloRow(report, port, 20'000 / scale);
    }
}

}  // namespace restante::bench
