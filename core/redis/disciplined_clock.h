#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/redis/connection.h"

#include <memory>

namespace restante::redis {

/// Redis' time, carried by the local monotonic clock between samples of `TIME` (at each connection
/// and every 10 s), so that all daemons agree and a step of the local clock has no effect. Never
/// ahead of Redis, so nothing is early; see ClockDiscipline for a step of Redis' own clock.
///
/// Until the first sample it shows the local time, which that sample may correct backwards, this
/// once: wait for disciplined() before deciding anything by it. *One loop*, but now() on any
/// thread.
class DisciplinedClock final : public Clock {
public:
    /// `connection` outlives it.
    DisciplinedClock(EventLoop& loop, Connection& connection);
    ~DisciplinedClock() override;

    TimePoint now() const noexcept override;
    bool disciplined() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::redis
