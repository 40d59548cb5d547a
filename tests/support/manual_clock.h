#pragma once

#include "core/base/clock.h"

#include <atomic>

namespace restante::test {

/// A clock that only the test advances. Any thread.
class ManualClock final : public Clock {
public:
    explicit ManualClock(TimePoint start = fromEpochMs(1'700'000'000'000)) : now_(toEpochMs(start))
    {
    }

    TimePoint now() const noexcept override { return fromEpochMs(now_); }
    void advance(Millis by) noexcept { now_ += by.count(); }
    void set(TimePoint now) noexcept { now_ = toEpochMs(now); }

private:
    std::atomic<std::int64_t> now_;
};

}  // namespace restante::test
