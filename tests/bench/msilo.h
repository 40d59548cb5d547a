#pragma once

#include "tests/bench/cpu_meter.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::bench {

/// Debian's Kamailio with the msilo module, as usual for offline messages: each MESSAGE is stored
/// in SQLite (with a write-ahead log, its faster mode) and answered 202. With one worker, because
/// several would block each other in SQLite.
class Msilo {
public:
    /// Why it cannot be measured here, "" when it can: a package is missing.
    static std::string missing();

    /// Returns when it answers; throws with its log when it does not.
    Msilo();
    Msilo(const Msilo&) = delete;
    Msilo& operator=(const Msilo&) = delete;
    ~Msilo();

    std::uint16_t port() const noexcept { return port_; }
    /// It and its workers, all of them one name in the table.
    std::vector<WatchedProcess> processes() const;
    /// Messages in its table.
    std::uint32_t stored() const;

private:
    test::TempDir directory_;
    std::uint16_t port_;
    std::unique_ptr<test::Process> process_;
};

}  // namespace restante::bench
