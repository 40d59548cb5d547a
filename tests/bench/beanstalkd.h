#pragma once

#include "tests/bench/cpu_meter.h"
#include "tests/bench/socket.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::bench {

/// Debian's beanstalkd with its write-ahead log, flushed as Redis' append-only file is, and one
/// connection that pipelines commands, which is the fastest way to use it.
class Beanstalkd {
public:
    /// Why it cannot be measured here, "" when it can.
    static std::string missing();

    /// `fsync` as in Redis: always, everysec, no. Throws with what it printed when it does not
    /// answer.
    explicit Beanstalkd(const std::string& fsync);
    ~Beanstalkd();

    /// `put` of so many jobs; jobs a second.
    double push(std::uint32_t jobs, std::uint32_t unanswered, std::size_t bodyBytes);
    /// `reserve` and `delete` of so many that have been put; jobs a second through both.
    double claimAndFinish(std::uint32_t jobs, std::uint32_t unanswered);
    std::vector<WatchedProcess> processes() const;

private:
    struct Connection;

    test::TempDir log_;
    std::uint16_t port_;
    test::Process process_;
    std::unique_ptr<Connection> connection_;
};

}  // namespace restante::bench
