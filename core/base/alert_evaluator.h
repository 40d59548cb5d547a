#pragma once

#include "core/base/alert_rules.h"

#include <array>
#include <optional>
#include <vector>

namespace restante {

/// The values that are compared with the thresholds, by rule. None = not known now.
using AlertReadings = std::array<std::optional<double>, kAlertCount>;

/// The state of a rule.
enum class AlertPhase {
    Off,
    Unknown,  ///< there is nothing to compare
    Quiet,
    Pending,  ///< the condition holds, but not for long enough
    Firing,
};

/// A time in which a rule has fired. *Value.*
struct AlertEpisode {
    AlertId rule{};
    TimePoint began{};  ///< the condition has held since then
    std::optional<TimePoint> ended = {};
    double last = 0;  ///< the last value that is known
    double most = 0;  ///< the highest, of a rule that compares by Above
    bool acknowledged = false;
};

/// An episode that has begun or ended; reported once for each. *Value.*
struct AlertChange {
    enum class Kind { Began, Ended };
    Kind kind{};
    AlertEpisode episode;
};

/// Judges rules by what is known of a store. A rule fires when its condition has held for the time
/// `holds`, and ends when the condition has not held for as long, clamped to kMinClearTime and
/// kMaxClearTime; so a value that moves around the threshold does not fire again and again. An
/// unknown value neither begins nor ends an episode. *Value.*
class AlertEvaluator {
public:
    static constexpr Millis kMinClearTime{10'000};
    /// An alert that is over need not stay longer than this.
    static constexpr Millis kMaxClearTime{60'000};
    /// Older ones are forgotten.
    static constexpr std::size_t kMostEpisodes = 100;

    struct Status {
        AlertPhase phase = AlertPhase::Unknown;
        std::optional<double> value = {};  ///< the current one
    };

    /// Episodes of rules that are off end without an AlertChange.
    void setSettings(const AlertSettings& settings, TimePoint now);
    const AlertSettings& settings() const noexcept { return settings_; }
    /// To be called with increasing times; when the clock was set back, waiting times begin anew.
    std::vector<AlertChange> evaluate(const AlertReadings& readings, TimePoint now);

    Status status(AlertId rule) const;
    /// Those that have not ended first, then by when they began, the newest first.
    std::vector<AlertEpisode> episodes() const;
    std::size_t firingCount() const;
    /// Marks the open episode of the rule as seen by somebody.
    void acknowledge(AlertId rule);

private:
    struct Track {
        Status status = {};
        TimePoint pendingSince{};  ///< when the phase became Pending
        std::optional<TimePoint> clearSince = {};
    };
    AlertEpisode* openEpisode(AlertId rule);
    bool isMet(AlertId rule, double value) const;
    std::optional<AlertChange>
    evaluateRule(AlertId rule, const std::optional<double>& value, TimePoint now);
    std::optional<AlertChange> evaluateFiringRule(AlertId rule, double value, TimePoint now);
    void endEpisode(AlertId rule, TimePoint now);

    AlertSettings settings_ = standardAlertSettings();
    std::array<Track, kAlertCount> tracks_{};
    std::vector<AlertEpisode> episodes_;  ///< in the order in which they fired
};

}  // namespace restante
