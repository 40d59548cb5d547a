#include "core/schedule/lease_reaper.h"

#include "core/base/log.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace restante {

namespace {

/// Enough to amortise the round trip, few enough to keep the store's script short.
constexpr std::uint32_t kJobsPerCall = 100;

}  // namespace

LeaseReaper::LeaseReaper(DelayQueue& queue, DueWatcher& due) : queue_(queue)
{
    due.watch({.kind = DueSource::Kind::Leases},
              [this](auto settled) { reap(std::move(settled)); });
    due.watch({.kind = DueSource::Kind::Expiry},
              [this](auto settled) { expire(std::move(settled)); });
}

void LeaseReaper::reap(std::function<void()> settled)
{
    queue_.reapLapsed(kJobsPerCall, [this, settled](Result<std::uint32_t> reaped) {
        if (!reaped) {
            log::warning("schedule", "leases are not reaped: {}", reaped.error().message);
        }
        reaped.value_or(0U) >= kJobsPerCall ? reap(settled) : settled();
    });
}

void LeaseReaper::expire(std::function<void()> settled)
{
    queue_.store().expire(kJobsPerCall, [this, settled](Result<std::vector<std::string>> expired) {
        if (!expired) {
            log::warning("schedule", "nothing is expired: {}", expired.error().message);
        }
        expired && expired->size() == kJobsPerCall ? expire(settled) : settled();
    });
}

}  // namespace restante
