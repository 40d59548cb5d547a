#pragma once

#include "core/base/alert_evaluator.h"
#include "core/redis/store/daemon_registry.h"
#include "core/redis/store/store_activity.h"

#include <deque>
#include <optional>
#include <vector>

namespace restante::gui {

struct LinkState;

/// Derives the values of the alert rules from samples, daemons and link state that others request.
/// *Value.*
class AlertValues {
public:
    /// Older samples are ignored.
    static constexpr Millis kMaxSampleAge{30'000};

    void setLink(const LinkState& link);
    /// None = nobody knows.
    void setDaemons(std::optional<std::vector<redis::DaemonView>> daemons)
    {
        daemons_ = std::move(daemons);
    }
    /// Samples of the whole store, in the order of time.
    void addSample(const redis::StoreStats& sample);

    AlertReadings readings(TimePoint now) const;

private:
    struct Snapshot {
        TimePoint at{};
        double dead = 0;
        double failed = 0;  ///< attempts since the store began
        double ended = 0;   ///< attempts that failed or delivered
    };
    std::optional<double> deliveringDaemons() const;
    void addWindowReadings(AlertReadings& readings) const;
    const Snapshot* oldestWithin(Millis window) const;

    std::optional<bool> isReachable_;  ///< whether the store answers; none = unknown yet
    bool isServed_ = true;
    std::optional<std::vector<redis::DaemonView>> daemons_;
    std::optional<redis::StoreStats> lastSample_;
    std::deque<Snapshot> snapshots_;  ///< of the last hour, the newest is that of lastSample_
};

}  // namespace restante::gui
