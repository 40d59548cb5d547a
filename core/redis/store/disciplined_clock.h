#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/redis/client/connection.h"

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
    ~DisciplinedClock() override;

    TimePoint now() const noexcept override;
    TimePoint latest() const noexcept override;
    bool disciplined() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::redis
