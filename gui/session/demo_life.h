#pragma once

#include "core/base/event_loop.h"
#include "gui/session/demo_jobs.h"
#include "gui/session/demo_store.h"

#include <atomic>
#include <cstdint>
#include <deque>

namespace restante::gui {

/// The machine's time, unless it has been taken back to play the past. *One loop*, but now() on
/// any thread.
class DemoClock final : public Clock {
public:
    TimePoint now() const noexcept override
    {
        const auto past = past_.load();
        return past != 0 ? fromEpochMs(past) : machine_.now();
    }
    void setPast(TimePoint at) { past_ = toEpochMs(at); }
    void live() { past_ = 0; }

private:
    SystemClock machine_;
    std::atomic<std::int64_t> past_{0};  ///< ms since epoch, 0 = now
};

/// Fills an empty store with what a busy week left behind: some `count` jobs in every state, each
/// with its history. Leaves the clock in the present.
void playPast(DemoStore& store, DemoClock& clock, DemoJobs& jobs, std::uint32_t count);

/// Plays the daemon of the demonstration: new jobs come, due ones are delivered or fail, people
/// register, old ones are forgotten. *One loop.*
class DemoLife {
public:
    DemoLife(EventLoop& loop, const Clock& clock, DemoStore& store, DemoJobs& jobs);

    void begin();

private:
    struct Running {
        ClaimedJob claimed;
        TimePoint ends;
    };

    void beat();
    void newJobs();
    void claimDue();
    void take(const Result<std::vector<ClaimedJob>>& claimed, const char* from);
    void endSome();
    void end(const ClaimedJob& claimed);
    void somebodyRegisters();
    void tidyUp();

    const Clock& clock_;
    DemoStore& store_;
    DemoJobs& jobs_;
    std::deque<Running> running_;
    std::uint64_t beats_ = 0;
    Timer pace_;
};

}  // namespace restante::gui
