#pragma once

#include "core/base/clock.h"
#include "gui/session/demo_jobs.h"
#include "gui/session/demo_store.h"

#include <atomic>
#include <cstdint>

namespace restante::gui {

/// The time of the machine, or a time in the past while the history is generated. *One loop*, but
/// now() on any thread.
class DemoClock final : public Clock {
public:
    TimePoint now() const noexcept override
    {
        const auto fixed = fixedMs_.load();
        return fixed != 0 ? fromEpochMs(fixed) : systemClock_.now();
    }
    void setTime(TimePoint at) { fixedMs_ = toEpochMs(at); }
    void followSystemClock() { fixedMs_ = 0; }

private:
    SystemClock systemClock_;
    std::atomic<std::int64_t> fixedMs_{0};  ///< ms since epoch; 0 = the time of the system
};

/// Fills an empty store with the jobs of a busy week: about `count` jobs in all, some in every
/// state, each with its history. Sets the clock to the present at the end.
void generateHistory(DemoStore& store, DemoClock& clock, DemoJobs& jobs, std::uint32_t count);

}  // namespace restante::gui
