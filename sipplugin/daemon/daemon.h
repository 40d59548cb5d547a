#pragma once

#include "core/base/result.h"
#include "core/config/config_reader.h"

#include <memory>

namespace restante::daemon {

/// All of Restante in one process and on one loop. Composes and nothing else. *One loop.*
class Daemon {
public:
    /// Serves when it returns; `sources` are read again on SIGHUP.
    static Result<std::unique_ptr<Daemon>> start(Config config, ConfigSources sources);
    ~Daemon();

    /// "ready sip=udp:127.0.0.1:5060,... http=off redis=unix:... journal=off"
    std::string readyLine() const;

    /// Until SIGTERM or SIGINT, and what was in flight is done; a second one ends it at once.
    void run();

private:
    struct Parts;
    explicit Daemon(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

}  // namespace restante::daemon
