#include "tests/support/daemon.h"

#include "core/base/file_descriptor.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/tls_socket.h"

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace restante::test {

namespace {

/// The process that listens on a unix socket, -1 when none does.
pid_t listenerOf(const std::string& path)
{
    const FileDescriptor fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool known =
        ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    return known ? peer.pid : -1;
}

}  // namespace

Daemon::Daemon(Settings settings)
    : settings_(std::move(settings)),
      port_(freePort()),
      tlsPort_(settings_.tls ? freePort() : 0),
      httpPort_(freePort())
{
    auto listen = "\"" + udp().hostPort() + "\"";
    if (const auto& own = settings_.tls) {
        listen += ", \"tls:" + tls().hostPort() + "\"";
        settings_.set.insert(settings_.set.end(),
                             {"sip.tls.certificate=" + own->certificate.string(),
                              "sip.tls.key=" + own->key.string(),
                              "sip.tls.ca=" + own->ca.string()});
    }
    std::ofstream(configuration()) << "state_dir = " << directory_ / "state"
                                   << "\n"
                                   << "[sip]\nlisten = [" << listen << "]\n"
                                   << "domain = [\"" << kDomain << "\"]\n"
                                   << "[http]\nlisten = \"127.0.0.1:" << httpPort_ << "\"\n";
    start();
}

Daemon::~Daemon()
{
    stop();
    // A killed daemon has left its Redis running.
    eventually([this] {
        const auto redis = embeddedRedis();
        if (redis > 0) {
            ::kill(redis, SIGKILL);
        }
        return redis <= 0;
    });
}

SipServer Daemon::server(SipTransport transport) const
{
    return transport == SipTransport::Tls ? tls() : transport == SipTransport::Tcp ? tcp() : udp();
}

void Daemon::launch()
{
    std::vector<std::string> words{builtProgram("restanted"), "--config", configuration()};
    for (const auto& setting : settings_.set) {
        words.insert(words.end(), {"--set", setting});
    }
    process_ = std::make_unique<Process>(Process::Command{std::move(words), {}, {}});
}

void Daemon::start()
{
    launch();
    if (!waitUntilReady()) {
        throw std::runtime_error("restanted is not ready:\n" + process_->allOutput());
    }
}

bool Daemon::waitUntilReady()
{
    return process_->waitForLine("ready ").has_value();
}

void Daemon::kill9()
{
    process_->kill9();
}

int Daemon::stop()
{
    process_->signal(SIGTERM);
    const auto status = process_->waitForExit();
    if (!status) {
        process_->kill9();
    }
    return status.value_or(-1);
}

pid_t Daemon::embeddedRedis() const
{
    return listenerOf(redisSocket());
}

Finished Daemon::control(std::vector<std::string> words) const
{
    words.insert(words.begin(), {builtProgram("restantectl"), "--config", configuration()});
    for (const auto& setting : settings_.set) {
        words.insert(words.end(), {"--set", setting});
    }
    return run({std::move(words), {}, {}});
}

std::map<std::string, std::size_t> Daemon::jobs() const
{
    const auto told = control({"stats", "--json"});
    if (told.status != 0) {
        throw std::runtime_error("restantectl stats failed: " + told.output + told.errors);
    }
    return nlohmann::json::parse(told.output).at("states");
}

std::size_t Daemon::jobsInAll() const
{
    const auto all = jobs();
    return std::accumulate(all.begin(), all.end(), std::size_t{0},
                           [](auto sum, const auto& state) { return sum + state.second; });
}

std::string Daemon::lastErrors() const
{
    const auto told = control({"list", "--json"});
    const auto listed = nlohmann::json::parse(told.output, nullptr, false);
    if (told.status != 0 || !listed.contains("jobs")) {
        throw std::runtime_error("restantectl list failed: " + told.output + told.errors);
    }
    std::string errors;
    for (const auto& job : listed.at("jobs")) {
        errors += job.value("last_error", "") + "\n";
    }
    return errors;
}

std::size_t Daemon::residentKilobytes() const
{
    std::ifstream file("/proc/" + std::to_string(process_->id()) + "/statm");
    std::size_t total = 0;
    std::size_t resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

}  // namespace restante::test
