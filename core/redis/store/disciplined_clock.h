#pragma once

#include "core/base/bounded_clock.h"
#include "core/base/event_loop.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/clock_discipline.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace restante::redis {

/// Redis' time, carried by the local monotonic clock between samples of `TIME` (several at each
/// connection, then one every 2 s), so that all daemons agree and a step of the local clock has no
/// effect. now() is never ahead of Redis, however slow the answers are, and latest() never behind,
/// so nothing is early; see ClockDiscipline for the proof and for a step of Redis' own clock.
///
/// Until the first sample both show the local time, which that sample may correct backwards, this
/// once: wait for disciplined() before deciding anything by it. *One loop*, but now() and latest()
/// on any thread.
class DisciplinedClock final : public BoundedClock {
public:
    /// `connection` outlives it.
    DisciplinedClock(EventLoop& loop, Connection& connection);

    TimePoint now() const noexcept override;
    TimePoint latest() const noexcept override;
    bool disciplined() const noexcept { return discipline_.offset().has_value(); }

private:
    void begin();
    void sample();
    void learn(const ClockDiscipline::Sample& sample);

    Connection& connection_;
    ClockDiscipline discipline_;
    int firstSamples_ = 0;  ///< still to be asked for
    // Of local time 0 as if the clocks had drifted apart since; us.
    std::atomic<std::int64_t> low_;
    std::atomic<std::int64_t> high_;
    mutable std::atomic<std::int64_t> latest_{0};  // ms
    Timer next_;
    /// Expires with this: the connection keeps its handlers longer.
    std::shared_ptr<const void> life_ = std::make_shared<char>();
};

}  // namespace restante::redis
