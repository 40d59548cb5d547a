#include "tests/support/kamailio.h"

#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/sip_phone.h"
#include "tests/support/tls_socket.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace restante::test {

namespace {

std::string quoted(std::string_view name, std::string_view value)
{
    return fmt::format("{}=\"{}\"", name, value);
}

/// By the scripts of the package, as its README says.
void makeTables(const std::filesystem::path& database)
{
    const auto made = run({{"sh", "-c",
                            "cat /usr/share/kamailio/db_sqlite/standard-create.sql "
                            "/usr/share/kamailio/db_sqlite/presence-create.sql | sqlite3 '" +
                                database.string() + "'"},
                           {},
                           {}});
    if (made.status != 0) {
        throw std::runtime_error("no tables for reg-event: " + made.errors);
    }
}

}  // namespace

Kamailio::Kamailio() : port_(freePort()), tlsPort_(freePort()) {}

Kamailio::~Kamailio()
{
    stop();
}

SipServer Kamailio::server(const SipPath& path) const
{
    if (path.transport == SipTransport::Tls) {
        return {path.transport, path.host(), tlsPort_, loopbackTls()};
    }
    return {path.transport, path.host(), port_};
}

void Kamailio::start(const Settings& settings)
{
    settings_ = settings;
    restart();
}

void Kamailio::restart()
{
    stop();
    const auto configuration = settings_.configuration.empty()
                                   ? sourceDirectory() / "resources/kamailio/kamailio.cfg"
                                   : settings_.configuration;
    // -DD: no daemon; -E: it logs to us; little memory and few processes, for many tests at once.
    // TLS needs more: it refuses connections below some megabytes of free memory.
    std::vector<std::string> words{"/usr/sbin/kamailio",
                                   "-DD",
                                   "-E",
                                   "-f",
                                   configuration,
                                   "-Y",
                                   directory_.path(),
                                   "-w",
                                   directory_.path(),
                                   "-n",
                                   "2",
                                   "-N",
                                   "2",
                                   "-m",
                                   settings_.overTls ? "128" : "32",
                                   "-M",
                                   "4"};
    std::vector<std::string> defines{quoted("DOMAIN", settings_.domain),
                                     fmt::format("LISTEN_UDP=udp:{}:{}", kHost, port_),
                                     fmt::format("LISTEN_TCP=tcp:{}:{}", kHost, port_)};
    if (!settings_.restanteUri.empty()) {
        defines.push_back(quoted("RESTANTE_URI", settings_.restanteUri));
        defines.push_back(quoted("RESTANTE_HOST", settings_.restanteHost));
    }
    const auto database = directory_ / "regevent.sqlite";
    defines.push_back(quoted("REGEVENT_DB", "sqlite:///" + database.string()));
    defines.push_back(quoted("REGEVENT_ADDRESS", "sip:" + udp().hostPort()));
    std::filesystem::remove(database);
    if (std::ranges::find(settings_.defines, "WITH_REGEVENT") != settings_.defines.end()) {
        makeTables(database);
    }
    defines.insert(defines.end(), settings_.defines.begin(), settings_.defines.end());
    if (settings_.overTls) {
        const auto own = loopbackTls();
        defines.insert(defines.end(),
                       {"WITH_TLS", fmt::format("LISTEN_TLS=tls:{}:{}", kHost, tlsPort_),
                        quoted("TLS_CERTIFICATE", own->certificate.string()),
                        quoted("TLS_KEY", own->key.string()), quoted("TLS_CA", own->ca.string())});
    }
    if (settings_.overIpv6) {
        for (const auto& path : kEveryPath) {
            if (path.overIpv6 && (settings_.overTls || path.transport != SipTransport::Tls)) {
                words.insert(words.end(), {"-l", fmt::format("{}:{}", name(path.transport),
                                                             server(path).hostPort())});
            }
        }
    }
    for (auto& define : defines) {
        words.insert(words.end(), {"-A", std::move(define)});
    }
    process_ = std::make_unique<Process>(Process::Command{std::move(words), {}, {}});
    if (!eventually([this] { return !process_->running() || answers(); }, kProcessTimeout) ||
        !process_->running()) {
        throw std::runtime_error("kamailio does not start:\n" + log());
    }
}

bool Kamailio::answers() const
{
    // Both, because its processes for UDP begin before those for TCP.
    for (const auto& one : {udp(), tcp()}) {
        SipPhone caller({"caller", settings_.domain, one});
        caller.timeout = Millis{1'000};
        if (caller.ask(caller.request("OPTIONS", "sip:" + settings_.domain)).status != 200) {
            return false;
        }
    }
    return true;
}

void Kamailio::stop()
{
    if (process_ == nullptr) {
        return;
    }
    process_->signal(SIGTERM);
    if (!process_->waitForExit()) {
        process_->kill9();
    }
    process_.reset();  // and whatever is left of its group
}

}  // namespace restante::test
