#pragma once

#include "core/base/clock.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace restante::test {

/// Jobs that are pushed over HTTP through several daemons, due some seconds later, and taken and
/// finished through each of them, while daemons die. What was acknowledged has to come, once its
/// time has come. *Three threads of its own; the functions may be called from any.*
class DelayedJobs {
public:
    using Clock = std::chrono::steady_clock;

    struct Settings {
        std::vector<std::uint16_t> httpPorts;  ///< of the daemons
        Millis pause{20};                      ///< between two pushes
        std::uint32_t seed = 1;
    };
    /// What became of the jobs that were due between two calls of take(). *Value.*
    struct Report {
        std::vector<Millis> lateness;  ///< of each that was taken, from when it could be due
        std::uint64_t early = 0;
        std::uint64_t repeated = 0;  ///< taken again: its lease, or an answer, was lost
    };

    explicit DelayedJobs(Settings settings);
    DelayedJobs(const DelayedJobs&) = delete;
    DelayedJobs& operator=(const DelayedJobs&) = delete;
    ~DelayedJobs();

    /// A daemon dies now, or is ready again: what is due close to that is not in the lateness.
    void disturbed();
    Report take();
    std::uint64_t finished() const;
    /// Pushes nothing more, and waits until all that was acknowledged is finished. The number of
    /// those that are not, within `timeout`.
    std::size_t settle(Millis timeout);

private:
    class Line;
    struct Expected {
        Clock::time_point earliest{};  ///< it is due: counted from before the push
        bool again = false;  ///< pushed more than once: which push was stored is not known
        bool taken = false;
    };

    void pushAll(std::mt19937 random);
    void workOff(std::uint16_t port);
    void finish(Line& line, const std::string& id, std::uint32_t attempt);
    void taken(const std::string& id);
    bool isDisturbed(Clock::time_point due) const;

    Settings settings_;
    mutable std::mutex mutex_;
    std::map<std::string, Expected> open_;  ///< pushed, and not known to be finished
    std::vector<Clock::time_point> disturbances_;
    Report report_;
    std::uint64_t finished_ = 0;
    std::atomic<bool> pushing_{true};
    std::atomic<bool> working_{true};
    std::vector<std::thread> threads_;
};

}  // namespace restante::test
