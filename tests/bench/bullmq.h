#pragma once

#include "tests/bench/cpu_meter.h"
#include "tests/support/process.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace restante::bench {

/// BullMQ in a Node.js process of its own (bullmq_load.js), on a Redis that may be shared.
class BullMq {
public:
    /// Why it cannot be measured here, "" when it can. `folder` is where npm has put it; empty:
    /// where `npm install -g` does.
    static std::string missing(const std::string& folder);

    /// Throws with what it printed when it does not become ready.
    BullMq(const std::string& folder, const std::string& redisSocket);

    /// So many at once, each adding arrays of `batch` jobs one after the other; jobs a second.
    double
    push(std::uint32_t jobs, std::uint32_t batch, std::uint32_t callers, std::size_t bodyBytes);
    /// One worker with so many jobs at once; jobs a second until all that were pushed are gone.
    double claimAndFinish(std::uint32_t jobs, std::uint32_t concurrency);
    std::vector<WatchedProcess> processes() const;

private:
    double run(std::uint32_t jobs, const std::string& word, const std::string& arguments);

    test::Process process_;
    std::uint32_t commands_ = 0;
};

}  // namespace restante::bench
