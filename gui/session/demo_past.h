#pragma once

#include "core/base/clock.h"
#include "gui/session/demo_jobs.h"
#include "gui/session/demo_store.h"

#include <atomic>
#include <cstdint>

namespace restante::gui {

/// The time of the machine, or a time in the past while that is played. *One loop*, but now() on
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

/// Fills an empty store with the jobs of a busy week: about `count` jobs in every state, each with
/// its history. Sets the clock to the present at the end.
void playPast(DemoStore& store, DemoClock& clock, DemoJobs& jobs, std::uint32_t count);

}  // namespace restante::gui
