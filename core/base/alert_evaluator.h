#pragma once

#include "core/base/alert_rules.h"

#include <array>
#include <optional>
#include <vector>

namespace restante {

/// The current values that are compared with the thresholds, by rule. None = unknown.
using AlertReadings = std::array<std::optional<double>, kAlertCount>;

/// The state of a rule.
enum class AlertPhase {
    Off,
    Unknown,  ///< there is no value to compare
    Quiet,    ///< the condition does not hold
    Pending,  ///< the condition holds, but not for long enough
    Firing,   ///< the condition has held for long enough
};

/// A period in which a rule has fired. *Value.*
struct AlertEpisode {
    AlertId rule{};
    TimePoint began{};  ///< the condition has held since then
    std::optional<TimePoint> ended = {};
    double lastValue = 0;     ///< the last known value
    double highestValue = 0;  ///< since it fires; of rules that compare by Above only
    bool acknowledged = false;
};

/// An episode that has begun or ended; reported once for each. *Value.*
struct AlertChange {
    enum class Kind { Began, Ended };
    Kind kind{};
    AlertEpisode episode;
};

/// Decides which rules fire. A rule fires when its condition has held for its `holdTime`. It stops
/// when the condition has not held for the same time, but at least kMinClearTime and at most
/// kMaxClearTime, so that a value that moves around the threshold does not fire again and again. An
/// unknown value neither begins nor ends an episode. *Value.*
class AlertEvaluator {
public:
    static constexpr Millis kMinClearTime{10'000};
    static constexpr Millis kMaxClearTime{60'000};
    /// When there are more, the oldest that has ended is removed.
    static constexpr std::size_t kMostEpisodes = 100;

    struct Status {
        AlertPhase phase = AlertPhase::Unknown;
        std::optional<double> value = {};  ///< the current one
    };

    /// Episodes of rules that are off end without an AlertChange.
    void setSettings(const AlertSettings& settings, TimePoint now);
    const AlertSettings& settings() const noexcept { return settings_; }
    /// Returns what has begun or ended. `now` should increase from call to call; when it does not,
    /// the waiting times begin anew.
    std::vector<AlertChange> evaluate(const AlertReadings& readings, TimePoint now);

    Status status(AlertId rule) const;
    /// First those that have not ended, then the others; of each the newest first.
    std::vector<AlertEpisode> episodes() const;
    std::size_t firingCount() const;
    /// Marks the open episode of the rule as seen by somebody.
    void acknowledge(AlertId rule);

private:
    struct RuleState {
        Status status = {};
        TimePoint pendingSince{};  ///< when the phase became Pending
        /// While firing: since when the condition has not held.
        std::optional<TimePoint> clearSince = {};
    };
    AlertEpisode* findOpenEpisode(AlertId rule);
    bool isMet(AlertId rule, double value) const;
    std::optional<AlertChange>
    evaluateRule(AlertId rule, const std::optional<double>& value, TimePoint now);
    std::optional<AlertChange> evaluateFiringRule(AlertId rule, double value, TimePoint now);
    void endEpisode(AlertId rule, TimePoint at);

    AlertSettings settings_ = standardAlertSettings();
    std::array<RuleState, kAlertCount> ruleStates_{};
    std::vector<AlertEpisode> episodes_;  ///< in the order in which they fired
};

}  // namespace restante
