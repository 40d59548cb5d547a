#pragma once

#include "core/base/result.h"
#include "core/config/config_reader.h"

#include <memory>

namespace restante::daemon {

/// The whole daemon: composes the parts in one process. *One loop.*
class Daemon {
public:
    /// Serves when it returns; `sources` are read again on SIGHUP. Told to stop before, it leaves
    /// out the rest of its start and whatever fails then: isStopping() says so, and run() returns
    /// at once.
    static Result<std::unique_ptr<Daemon>> start(Config config, ConfigSources sources);
    ~Daemon();

    bool isStopping() const noexcept;
    /// Not while it is stopping: "ready sip=udp:127.0.0.1:5060,... http=off redis=unix:...
    /// journal=off"
    std::string readyLine() const;

    /// Runs until SIGTERM or SIGINT and until work in progress is done; a second signal ends it at
    /// once.
    void run();

private:
    struct Parts;
    explicit Daemon(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

}  // namespace restante::daemon
