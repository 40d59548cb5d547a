#include "tests/support/sentinel.h"

#include "core/redis/server/server_defaults.h"
#include "tests/support/free_port.h"

#include <fmt/format.h>
#include <fstream>
#include <stdexcept>

namespace restante::test {

Sentinel::Sentinel(Settings settings) : port_(freePort())
{
    const auto file = directory_ / "sentinel.conf";
    std::ofstream config(file);
    config << "bind 127.0.0.1\n"
           << (settings.tls ? "port 0\ntls-port " : "port ") << port_ << "\n"
           << "dir " << directory_.path().string() << "\n"
           << "sentinel monitor mymaster 127.0.0.1 " << settings.master << " 1\n"
           << "sentinel down-after-milliseconds mymaster 500\n"
           << "sentinel failover-timeout mymaster 5000\n";
    for (const auto& line : settings.extra) {
        config << line << "\n";
    }
    config.close();
    process_ = std::make_unique<Process>(
        Process::Command{{redis::serverProgram(), file, "--sentinel"}, {}, directory_.path()});
    if (!process_->waitForLine("+monitor master mymaster")) {
        throw std::runtime_error("the sentinel does not start: " + process_->allOutput());
    }
}

void Sentinel::awaitReplica()
{
    if (!process_->waitForLine("+slave slave")) {
        throw std::runtime_error("the sentinel finds no replica: " + process_->allOutput());
    }
}

}  // namespace restante::test
