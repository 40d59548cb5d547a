// What doctor finds out about the machine, and about rules that only make sense on it.

#include "core/base/address_policy.h"
#include "core/base/network.h"
#include "core/base/time_zone.h"
#include "core/cli/finding.h"
#include "core/config/config.h"
#include "core/schedule/zoned_clock.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <netdb.h>
#include <sstream>
#include <string>
#include <sys/resource.h>

namespace restante::cli {

namespace {

void examineTimeZones(const Config& config, Findings& findings)
{
    // "UTC" alone could be built in; a zone with summer time needs the data.
    if (const auto zone = TimeZone::load("Europe/Berlin"); !zone) {
        findings.error("time zones", zone.error().message,
                       "install the package tzdata: reminders and quiet hours need it");
        return;
    }
    const auto own =
        config.reminder.timeZone.empty() ? machineTimeZone() : config.reminder.timeZone;
    if (const auto clock = ZonedClock::find(own); !clock) {
        findings.error("reminder.time_zone", clock.error().message, "name a zone of tzdata");
    } else {
        findings.ok("time zones",
                    fmt::format("the data are there; reminders without a zone go by {}", own));
    }
}

bool resolves(const std::string& host)
{
    addrinfo* found = nullptr;
    const bool known = getaddrinfo(host.c_str(), nullptr, nullptr, &found) == 0;
    if (known) {
        freeaddrinfo(found);
    }
    return known;
}

/// What a webhook could reach through this entry and should not, "" = nothing that matters.
std::string dangerOf(const Network& network, const Config& config)
{
    const auto text = network.print();
    if (text == "0.0.0.0/0" || text == "::/0") {
        return "every address, this machine and your own network included";
    }
    // The services of clouds that hand out credentials to whoever asks.
    for (const char* metadata : {"169.254.169.254", "fd00:ec2::254"}) {
        if (network.contains(metadata)) {
            return fmt::format("{}, where clouds keep credentials", metadata);
        }
    }
    if (network.contains("127.0.0.1") || network.contains("::1")) {
        return config.http.listen
                   ? "this machine, with restanted's own HTTP interface and whatever else listens "
                     "on loopback"
                   : "this machine, with whatever listens on loopback";
    }
    return {};
}

/// A receiver on this machine is reached by a name that leads to one of these.
void examineOwnAddresses(const Config& config, Findings& findings)
{
    const auto policy = AddressPolicy::allowing(config.webhook.allow);
    const auto closed =
        policy ? policy->closedPublic(machineAddresses()) : std::vector<std::string>{};
    if (!closed.empty()) {
        findings.ok("webhook.allow",
                    fmt::format("no webhook reaches {}: public, but this machine's own; "
                                "webhook.allow can name it if a receiver runs here",
                                fmt::join(closed, ", ")));
    }
}

void examineAllowed(const Config& config, Findings& findings)
{
    examineOwnAddresses(config, findings);
    if (config.webhook.allow.empty()) {
        findings.ok("webhook.allow", "webhooks reach public addresses only");
        return;
    }
    bool fine = true;
    for (const auto& word : config.webhook.allow) {
        const auto network = Network::parse(word);
        const auto danger = network ? dangerOf(*network, config) : std::string{};
        if (!danger.empty()) {
            findings.warning("webhook.allow",
                             fmt::format("with {} whoever may push can reach {}", word, danger),
                             "name the networks and hosts that are meant, and nothing wider");
        } else if (!network && !resolves(word)) {
            findings.warning("webhook.allow", fmt::format("{} has no address now", word),
                             "correct the name, or look at DNS");
        } else {
            continue;
        }
        fine = false;
    }
    if (fine) {
        findings.ok("webhook.allow",
                    fmt::format("{} exceptions, none of them wide", config.webhook.allow.size()));
    }
}

bool isLoopback(const std::string& network)
{
    const auto first = network.substr(0, network.find('/'));
    return SocketAddress{first, 0}.isLoopback();
}

/// A datagram says by itself where it comes from.
void examineTrusted(const Config& config, Findings& findings)
{
    const auto& listen = config.sip.listen;
    const bool hears = std::ranges::any_of(
        listen, [](const SipListen& one) { return one.udp && !one.address.isLoopback(); });
    bool fine = true;
    for (const auto& peer : config.sip.trusted) {
        if (!hears || !peer.believesDatagrams() || !peer.network ||
            isLoopback(peer.network->print())) {
            continue;
        }
        fine = false;
        findings.warning(
            "sip.trusted",
            fmt::format("{} is believed over UDP, where whoever can forge that source address may "
                        "send as anybody",
                        peer.print()),
            fmt::format("write \"tcp:{}\", or \"tls:\" and the name of its certificate; or keep "
                        "it where a firewall drops such packets from elsewhere",
                        peer.network->print()));
    }
    if (fine && !listen.empty()) {
        findings.ok("sip.trusted", "nobody beyond this machine is believed by a datagram");
    }
}

/// "Max open files" of a process; 0 = unknown.
std::uint64_t openFilesOf(int process)
{
    std::ifstream file(fmt::format("/proc/{}/limits", process));
    constexpr std::string_view kTitle = "Max open files";
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(kTitle)) {
            std::istringstream rest(line.substr(kTitle.size()));
            std::uint64_t limit = 0;
            rest >> limit;
            return limit;
        }
    }
    return 0;
}

void examineDescriptors(const Config& config, Findings& findings)
{
    // Besides HTTP's clients: Redis, the journal, SIP, couriers, files.
    constexpr std::uint64_t kRest = 500;
    const auto wanted = kRest + config.webhook.concurrency +
                        (config.http.listen ? config.http.limits.connections : 0);
    const auto process = daemonProcess(config);
    rlimit own{};
    getrlimit(RLIMIT_NOFILE, &own);
    const auto running = process > 0 ? openFilesOf(process) : 0;
    const auto limit = running > 0 ? running : static_cast<std::uint64_t>(own.rlim_max);
    const auto what = fmt::format("{} may have {} files and connections open",
                                  running > 0 ? "restanted" : "a process of this user", limit);
    if (limit < wanted) {
        findings.warning("descriptors",
                         fmt::format("{}; with this configuration it may want {}", what, wanted),
                         "raise it (LimitNOFILE= of the service, ulimit -n), or lower "
                         "http.limits.connections");
    } else {
        findings.ok("descriptors", what);
    }
}

void examineMemory(const Config& config, Findings& findings)
{
    if (!config.redis.url.empty()) {
        return;  // it may be another machine's
    }
    std::ifstream overcommit("/proc/sys/vm/overcommit_memory");
    int mode = 1;
    if (overcommit >> mode && mode == 2) {
        findings.warning("memory", "vm.overcommit_memory is 2: Redis may fail to rewrite its file",
                         "sysctl vm.overcommit_memory=1");
    }
}

}  // namespace

void examineMachine(const Config& config, Findings& findings)
{
    examineTimeZones(config, findings);
    examineAllowed(config, findings);
    examineTrusted(config, findings);
    examineDescriptors(config, findings);
    examineMemory(config, findings);
}

}  // namespace restante::cli
