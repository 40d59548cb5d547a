#include "tests/bench/bare_sip_sender.h"
#include "tests/bench/bare_sip_server.h"
#include "tests/bench/daemon.h"
#include "tests/bench/rows.h"
#include "tests/bench/server.h"
#include "tests/bench/sip_load.h"
#include "tests/bench/sip_receiver.h"
#include "tests/bench/socket.h"
#include "tests/support/tls_socket.h"

#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <stdexcept>
#include <thread>

namespace restante::bench {

namespace {

constexpr std::uint32_t kMailboxMessages = 1'000;
constexpr std::uint32_t kUnanswered = 64;

/// A server that takes MESSAGE and REGISTER, and whose CPU is counted.
struct Side {
    std::uint16_t port = 0;
    std::vector<WatchedProcess> processes;
};

/// Runs the load; returns the accepted messages per second.
double runAcceptLoad(const SipLoad& load)
{
    const SipLoadResult result = runSipLoad(load);
    if (result.refused > 0) {
        throw std::runtime_error(
            fmt::format("{} of {} messages were refused", result.refused, load.messages));
    }
    return result.acceptedPerSecond();
}

void addAcceptRow(
    Report& report, const RowKind& kind, const Side& bare, const Side& restante, SipLoad load)
{
    const auto side = [&](const Side& one) {
        load.port = one.port;
        return measureWork(one.processes, load.messages,
                           [&] { return runAcceptLoad(load) / 1'000; });
    };
    const Sample bareSample = side(bare);
    report.add(kind, bareSample, side(restante));
}

/// The bare sender is a thread of this program, beside the device that it sends to.
Sample bareFlush()
{
    SipReceiver device;
    device.registerAt(9, "nobody");  // starts its clock
    BareSending sending;
    std::exception_ptr failure;
    std::thread sender([&] {
        try {
            sending = runBareSipSender(device.port(), kMailboxMessages, 1);
        } catch (...) {
            failure = std::current_exception();
        }
    });
    device.receive(kMailboxMessages);
    sender.join();
    if (failure) {
        std::rethrow_exception(failure);
    }
    return {sending.seconds * 1'000,
            {{"bare-sip-sender", sending.cpuMicroseconds / kMailboxMessages}}};
}

void addFlushRow(Report& report, const RowKind& kind, const Side& restante)
{
    SipLoad load;
    load.port = restante.port;
    load.messages = kMailboxMessages;
    load.inFlight = 1;  // so that the order of arrival is the order of the numbers
    load.recipients = 1;
    runAcceptLoad(load);
    SipReceiver device;
    Delivery delivery;
    const Sample sample = measureWork(restante.processes, kMailboxMessages, [&] {
        device.registerAt(restante.port, "u0");
        delivery = device.receive(kMailboxMessages);
        return delivery.seconds * 1'000;
    });
    const bool whole =
        delivery.received == kMailboxMessages && delivery.inversions == 0 && delivery.repeated == 0;
    report.add(kind, bareFlush(), sample,
               whole ? std::string()
                     : fmt::format("{} of {} delivered, {} inversions, {} repeated",
                                   delivery.received, kMailboxMessages, delivery.inversions,
                                   delivery.repeated));
}

/// Each user has a message, and all register at once: the time includes the REGISTERs.
Sample measureReturn(const Side& side, std::uint32_t users, std::string& flaw, const char* who)
{
    SipReceiver devices;
    return measureWork(side.processes, users, [&] {
        const Delivery delivery = devices.returnAll(side.port, users, kUnanswered);
        if (delivery.received != users || delivery.repeated != 0) {
            flaw += fmt::format("{}{}: {} of {} have theirs, {} twice", flaw.empty() ? "" : "; ",
                                who, delivery.received, users, delivery.repeated);
        }
        return delivery.seconds > 0 ? delivery.received / delivery.seconds / 1'000 : 0;
    });
}

void addReturnRow(Report& report,
                  const RowKind& kind,
                  const Side& bare,
                  const Side& restante,
                  std::uint32_t users)
{
    SipLoad load;
    load.port = restante.port;
    load.messages = users;
    load.recipients = users;
    runAcceptLoad(load);
    std::string flaw;
    const Sample bareSample = measureReturn(bare, users, flaw, "bare");
    const Sample sample = measureReturn(restante, users, flaw, "Restante");
    report.add(kind, bareSample, sample, flaw);
}

/// Accepted a second over one connection of TLS, as accepted() over one of TCP.
double runAcceptLoadOverTls(std::uint16_t port, const SipLoad& load)
{
    test::TlsSocket socket(port, {test::loopbackTls()->ca, {}, {}, 0});
    if (!socket.connected()) {
        throw std::runtime_error("no TLS connection to the daemon");
    }
    const auto local = localPort(socket.descriptor());
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t sent = 0, answered = 0; answered < load.messages; ++answered) {
        for (; sent < load.messages && sent - answered < load.inFlight; ++sent) {
            socket.send(messageText(load, sent, "TLS", local));
        }
        const auto answer = socket.receive();
        if (!answer || !answer->startLine.starts_with("SIP/2.0 202")) {
            throw std::runtime_error("over TLS: " + (answer ? answer->startLine : "no answer"));
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return load.messages / took.count();
}

/// Both sides are Restante's: TLS beside TCP.
void addTlsRow(Report& report, const RowKind& kind, const Setting& setting, SipLoad load)
{
    const Daemon restanted(setting, Daemon::Serves::SipAndTls);
    const auto processes = restanted.processes();
    load.transport = Transport::Tcp;
    load.port = restanted.sipPort();
    const auto tcp =
        measureWork(processes, load.messages, [&] { return runAcceptLoad(load) / 1'000; });
    report.add(kind, tcp, measureWork(processes, load.messages, [&] {
                   return runAcceptLoadOverTls(restanted.tlsPort(), load) / 1'000;
               }));
}

}  // namespace

void addSipRows(Report& report, const Setting& setting)
{
    Server bareServer("bare-sip-server", {setting.self, "--bare-sip-server", setting.redisSocket});
    Daemon restanted(setting, Daemon::Serves::Sip);
    Side bare{portIn(bareServer.readyLine(), "udp:"), bareServer.processes()};
    bare.processes.push_back(setting.redis);
    const Side restante{restanted.sipPort(), restanted.processes()};

    const auto lastWords = [&] { return lastWordsOf(bareServer, restanted); };

    const RowKind flush{"1,000 stored -> delivered in order to one user", "ms",
                        Target::atMost(50, "<= 50 ms")};
    report.attempt(
        flush.path, [&] { addFlushRow(report, flush, restante); }, lastWords);

    const auto users = setting.scaled(10'000);
    const RowKind returning{fmt::format("{} recipients return at once, a message each", users),
                            "k/s", Target::shareOfBare(0.7)};
    report.attempt(
        returning.path,
        [&] {
            storeForBareRecipients(setting.redisSocket, users);
            addReturnRow(report, returning, bare, restante, users);
        },
        lastWords);

    SipLoad load;
    load.messages = setting.scaled(100'000);
    for (const auto transport : {Transport::Udp, Transport::Tcp}) {
        load.transport = transport;
        const RowKind kind{transport == Transport::Udp ? "MESSAGE -> stored -> 202, UDP"
                                                       : "MESSAGE -> stored -> 202, TCP",
                           "k/s", Target::shareOfBare(0.9)};
        report.attempt(
            kind.path, [&] { addAcceptRow(report, kind, bare, restante, load); }, lastWords);
    }

    const RowKind tls{"MESSAGE -> stored -> 202, TLS, beside TCP", "k/s",
                      Target::shareOfBare(0.8, "0.80 of TCP")};
    load.messages = setting.scaled(50'000);
    report.attempt(tls.path, [&] { addTlsRow(report, tls, setting, load); });
}

}  // namespace restante::bench
