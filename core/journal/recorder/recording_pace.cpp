#include "core/journal/recorder/recording_pace.h"

#include "core/config/config.h"

#include <algorithm>

namespace restante::journal {

namespace {

/// A pause is so many times as long as the commit was, with its waiting: so the recorder takes a
/// sixteenth of a core.
constexpr int kPausePerCommit = 15;
/// A core counts as wanted when the thread has waited for more than the time that it has run,
/// divided by this. Less is the kernel's own work, and threads that run for a moment.
constexpr int kWantedCoreDivisor = 8;
/// Catching up ends when what may wait, divided by this, is left, so that there is room for a
/// burst.
constexpr std::uint64_t kCaughtUpDivisor = 2;
/// A commit costs as much as some hundred rows do, whatever is in it. With a core to spare the
/// journal is still no further behind than some tens of milliseconds.
constexpr Millis kShortestRecordingPause{10};
/// After so long, what the last commit has shown of the cores may have changed.
constexpr Millis kLongestRecordingPause{1'000};
/// What may wait in Redis in all shards: little beside any `redis.max_memory`.
constexpr std::uint64_t kMostWaitingBytes = 64 << 20;
/// `journal.backlog`, divided by this, may wait: most of it is for a database that is away.
constexpr std::uint64_t kBacklogDivisor = 4;

}  // namespace

RecordingPace::Limits RecordingPace::limitsOf(const Config& config, bool movesColdJobs)
{
    const auto& journal = config.journal;
    if (journal.mode == Config::JournalMode::Durable || movesColdJobs ||
        journal.allowedLag == Millis{0}) {
        return Limits::none();
    }
    return {journal.allowedLag, journal.backlog / kBacklogDivisor,
            kMostWaitingBytes / config.redis.shards, kShortestRecordingPause,
            kLongestRecordingPause};
}

void RecordingPace::addCommit(const CommitCost& cost)
{
    if (cost.entries > 0) {
        bytesPerEntry_ = cost.bytes / cost.entries;
    }
    pause_ = limits_.shortestPause;
    if (cost.times && cost.times->waiting * kWantedCoreDivisor > cost.times->running) {
        const auto took = cost.times->running + cost.times->waiting;
        pause_ = std::clamp(std::chrono::ceil<Millis>(took * kPausePerCommit),
                            limits_.shortestPause, limits_.longestPause);
    }
}

bool RecordingPace::exceeds(std::uint64_t entries, Millis age, std::uint64_t divisor) const
{
    return entries > 0 && (age >= limits_.lag / static_cast<Millis::rep>(divisor) ||
                           entries >= limits_.entries / divisor ||
                           entries * bytesPerEntry_ >= limits_.bytes / divisor);
}

void RecordingPace::setWaiting(std::uint64_t entries, Millis age)
{
    isCatchingUp_ = exceeds(entries, age, isCatchingUp_ ? kCaughtUpDivisor : 1);
}

Millis RecordingPace::pause() const
{
    return isCatchingUp_ ? Millis{0} : pause_;
}

}  // namespace restante::journal
