#pragma once

#include "core/base/clock.h"
#include "core/base/thread_times.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace restante {
struct Config;
}  // namespace restante

namespace restante::journal {

/// What a commit has cost.
struct CommitCost {
    std::optional<ThreadTimes> times;  ///< of the thread that committed; none = not known
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;  ///< of records
};

/// Decides when a recorder that nobody waits for works (docs/decisions/0045). It pauses after each
/// commit, so that the next one is shared by more jobs; for many times as long as the commit took
/// while other threads want the cores that it works on, so that it takes a small share of them. The
/// event stream keeps what has not been recorded. When too much waits there, it records without
/// pauses until half of that is done. *Value.*
class RecordingPace {
public:
    /// What may wait in the stream, and how long the pauses may be.
    struct Limits {
        Millis lag{0};
        std::uint64_t entries = 0;
        std::uint64_t bytes = 0;
        Millis shortestPause{0};
        Millis longestPause{0};

        /// There are never pauses.
        static Limits none() { return {}; }
    };

    /// Of the recorder of one shard. There are pauses only where nobody waits for the recorder:
    /// durable answers do, and so does the mover of cold jobs.
    static Limits limitsOf(const Config& config, bool movesColdJobs);

    explicit RecordingPace(Limits limits) : limits_(limits) {}

    /// Whether there are pauses at all, which the times of a commit decide.
    bool mayPause() const noexcept { return limits_.longestPause > Millis{0}; }

    void addCommit(const CommitCost& cost);
    /// What waits in the stream: the number of entries, and the age of the oldest one.
    void setWaiting(std::uint64_t entries, Millis age);

    /// The pause after the last commit: the shortest when nobody else wanted the core, none while
    /// catching up.
    Millis pause() const;
    /// Too much waits: a pause under way ends now.
    bool isCatchingUp() const noexcept { return isCatchingUp_; }

private:
    /// Whether what waits exceeds the limits divided by `divisor`.
    bool exceeds(std::uint64_t entries, Millis age, std::uint64_t divisor) const;

    Limits limits_;
    Millis pause_{0};
    std::uint64_t bytesPerEntry_ = 0;
    bool isCatchingUp_ = false;
};

}  // namespace restante::journal
