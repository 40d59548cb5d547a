#pragma once

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::test {

/// A Redis Sentinel on 127.0.0.1 that watches the master at `master` under the name "mymaster", and
/// alone decides that it is down, after half a second. Throws when it does not start. *One thread.*
class Sentinel {
public:
    struct Settings {
        std::uint16_t master = 0;
        bool tls = false;                ///< listens with TLS instead; `extra` has the certificates
        std::vector<std::string> extra;  ///< lines of its configuration
    };
    explicit Sentinel(Settings settings);

    std::uint16_t port() const noexcept { return port_; }
    /// Waits until it has found a replica that could take over, and that is in step.
    void awaitReplica();

private:
    TempDir directory_{TempDir::Where::Memory};
    std::uint16_t port_;
    std::unique_ptr<Process> process_;
};

}  // namespace restante::test
