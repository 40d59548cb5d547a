// The checks of doctor about the daemon, its process, its ports and its readiness, and about the
// gateway for text messages.

#include "core/assembly/sms_delivery.h"
#include "core/base/state_directory.h"
#include "core/base/text.h"
#include "core/cli/daemon_client.h"
#include "core/cli/finding.h"
#include "core/cli/local_ports.h"
#include "core/config/config.h"
#include "core/redis/server/server_defaults.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace restante::cli {

namespace {

constexpr Millis kAnswerTimeout{5'000};

std::string_view nameOf(Transport transport)
{
    return transport == Transport::Udp ? "udp" : "tcp";
}

/// Whether the daemon holds the port, it is free, or another program has it.
void examinePort(const char* key,
                 const SocketAddress& address,
                 Transport transport,
                 bool running,
                 Findings& findings)
{
    const auto addressText = fmt::format("{}:{}", nameOf(transport), address.toString());
    const int problem = address.port == 0 ? 0 : whyNotBindable(address, transport);
    if (address.port == 0) {
        findings.ok(key, addressText + " is any free port: the daemon's ready line names it");
    } else if (problem == EADDRINUSE) {
        const auto holder = holderOf(address, transport);
        const bool ours =
            running && (holder.starts_with("restanted ") || holder.starts_with("another user's"));
        if (ours) {
            findings.ok(key, fmt::format("{} is held by {}", addressText, holder));
        } else {
            findings.error(
                key,
                fmt::format("{} is taken{}", addressText, holder.empty() ? "" : " by " + holder),
                "stop that program, or give restanted another address");
        }
    } else if (problem != 0) {
        findings.error(key, fmt::format("{}: {}", addressText, std::strerror(problem)),
                       problem == EACCES
                           ? "ports below 1024 need CAP_NET_BIND_SERVICE, or choose another"
                           : "name an address that this machine has");
    } else if (running) {
        findings.error(key, fmt::format("restanted runs, but does not listen on {}", addressText),
                       "restart it: it was started with another configuration, or look at its log");
    } else {
        findings.ok(key, fmt::format("{} is free for restanted", addressText));
    }
}

void examinePorts(const Config& config, bool running, Findings& findings)
{
    for (const auto& listen : config.sip.listen) {
        if (listen.udp) {
            examinePort("sip.listen", listen.address, Transport::Udp, running, findings);
        }
        if (listen.tcp || listen.tls) {
            examinePort("sip.listen", listen.address, Transport::Tcp, running, findings);
        }
    }
    if (config.http.listen) {
        examinePort("http.listen", *config.http.listen, Transport::Tcp, running, findings);
    }
}

/// Asks the daemon about its Redis and its journal.
void askReadiness(const DaemonClient& daemon, Findings& findings)
{
    const auto answer = daemon.get("/readyz", kAnswerTimeout);
    constexpr int kOk = 200;
    constexpr int kUnauthorized = 401;
    constexpr int kUnavailable = 503;
    const auto about = "readyz";
    if (!answer && answer.error().kind == delivery::HttpError::Kind::Tls) {
        findings.warning(about, answer.error().message,
                         fmt::format("its certificate may be for a name only: ask {}/readyz by "
                                     "that name",
                                     daemon.url()));
    } else if (!answer) {
        findings.error(about, answer.error().message, "look at restanted's log, then restart it");
    } else if (answer->status == kOk) {
        findings.ok(about, "it says that it is ready");
    } else if (answer->status == kUnavailable) {
        findings.error(about, "it is not ready: " + answer->body.substr(0, 300),
                       "mend what it names");
    } else if (answer->status == kUnauthorized && !daemon.tokenProblem().empty()) {
        findings.error(about, fmt::format("{}/readyz answers 401", daemon.url()),
                       daemon.tokenProblem());
    } else {
        findings.error(about, fmt::format("{}/readyz answers {}", daemon.url(), answer->status),
                       "is it restanted that listens there?");
    }
}

/// Requests a message without a recipient: Kannel checks name and password first and then refuses
/// it.
void examineKannel(const sms::Gateway& gateway, Findings& findings)
{
    const auto answer = askOnce(gateway.requestFor({}), kAnswerTimeout);
    constexpr int kForbidden = 403;
    constexpr int kNotFound = 404;
    constexpr int kServerError = 500;
    if (!answer) {
        findings.error("sms.gateway", answer.error().message,
                       "start Kannel's smsbox, or correct sms.url");
        return;
    }
    const auto answerText = fmt::format("{} answers {}: {}", gateway.name(), answer->status,
                                        answer->body.substr(0, 200));
    if (answer->status == kForbidden) {
        findings.error("sms.gateway", answerText,
                       "correct sms.user and sms.password_file, or Kannel's sendsms-user");
    } else if (answer->status == kNotFound) {
        findings.error("sms.gateway", answerText, "correct sms.url: it ends in /cgi-bin/sendsms");
    } else if (answer->status >= kServerError) {
        findings.warning("sms.gateway", answerText,
                         "look at Kannel's log: is its bearerbox running, and an SMSC connected?");
    } else {
        findings.ok("sms.gateway", fmt::format("Kannel at {} knows us", gateway.name()));
    }
}

/// Any request could be a message to an unknown gateway, so only its port is tried.
void examineGatewayPort(const std::string& name, Findings& findings)
{
    const auto colon = name.rfind(':');
    const auto port = colon == std::string::npos
                          ? std::uint16_t{0}
                          : leadingNumber<std::uint16_t>(name.substr(colon + 1));
    auto host = name.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    if (port == 0 || !acceptsConnections(host, port, kAnswerTimeout)) {
        findings.error("sms.gateway", fmt::format("nobody answers at {}", name),
                       "start the gateway, or correct sms.url");
    } else {
        findings.ok("sms.gateway", fmt::format("{} takes connections", name));
    }
}

}  // namespace

int daemonProcess(const Config& config)
{
    return StateDirectory::holder(config.stateDirectory());
}

void examineDaemon(const Config& config, Findings& findings)
{
    const auto process = daemonProcess(config);
    if (process == 0) {
        findings.error("daemon",
                       fmt::format("no restanted runs with the state directory {}",
                                   config.stateDirectory().string()),
                       "start it: systemctl start restanted, or restanted --config FILE");
        if (const auto program = redis::serverProgram();
            config.redis.url.empty() && !redis::isProgram(program)) {
            findings.error("redis",
                           fmt::format("{} is not installed, and redis.url names none", program),
                           "install it, or set redis.url");
        }
    } else {
        findings.ok("daemon", fmt::format("process {}", process));
    }
    examinePorts(config, process != 0, findings);
    if (const auto daemon = DaemonClient::of(config); daemon && process != 0) {
        askReadiness(*daemon, findings);
    }
}

void examineGateway(const Config& config, Findings& findings)
{
    const auto& password = config.sms.passwordFile;
    const bool isReadable =
        access(password.c_str(), R_OK) == 0 && !isRefusedToRoot(password, config);
    if (config.sms.gateway != Config::SmsGateway::Off && !isReadable &&
        access(password.c_str(), F_OK) == 0) {
        findings.warning("sms.gateway",
                         fmt::format("it was not asked: {} is for the user of restanted alone",
                                     password.string()),
                         "run doctor as that user to be sure");
        return;
    }
    const auto setup = sms::SmsDelivery::setupOf(config);
    if (!setup) {
        findings.error("sms.gateway", setup.error().message, "see docs/sms.md");
    } else if (setup->gateway == nullptr) {
        findings.ok("sms.gateway", "off: text messages are refused");
    } else if (config.sms.gateway == Config::SmsGateway::Kannel) {
        examineKannel(*setup->gateway, findings);
    } else {
        examineGatewayPort(setup->gateway->name(), findings);
    }
}

}  // namespace restante::cli
