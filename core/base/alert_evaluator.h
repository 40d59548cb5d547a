#pragma once

#include "core/base/alert_rules.h"

#include <array>
#include <optional>
#include <vector>

namespace restante {

/// What is compared with the thresholds, by rule. None = nobody knows it at the moment.
using AlertReadings = std::array<std::optional<double>, kAlerts>;

/// How a rule stands.
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

/// Something has begun or ended, once for each time that it does. *Value.*
struct AlertChange {
    enum class Kind { Began, Ended };
    Kind kind{};
    AlertEpisode episode;
};

/// Judges rules by what is known of a store. A rule fires when its condition has held for as long
/// as it asks, and ends when the condition has not held for as long, but for kShortestEnd at least
/// and kLongestEnd at most: so a value about the threshold does not fire again and again. What is
/// not known begins nothing and ends nothing. *Value.*
class AlertEvaluator {
public:
    static constexpr Millis kShortestEnd{10'000};
    /// Good news need not be proven for longer.
    static constexpr Millis kLongestEnd{60'000};
    /// Older ones are forgotten.
    static constexpr std::size_t kMostEpisodes = 100;

    struct Status {
        AlertPhase phase = AlertPhase::Unknown;
        std::optional<double> value = {};  ///< of now
    };

    /// Those that are off end without a word.
    void setSettings(const AlertSettings& settings, TimePoint now);
    const AlertSettings& settings() const noexcept { return settings_; }
    /// In the order of time; a clock that was set back begins its waiting times anew.
    std::vector<AlertChange> evaluate(const AlertReadings& readings, TimePoint now);

    Status status(AlertId rule) const;
    /// Those that have not ended first, then by when they began, the newest first.
    std::vector<AlertEpisode> episodes() const;
    std::size_t firing() const;
    /// Of those that fire: has been seen by somebody.
    void acknowledge(AlertId rule);

private:
    struct Track {
        Status status = {};
        TimePoint since{};  ///< of Pending
        std::optional<TimePoint> clearSince = {};
    };
    AlertEpisode* current(AlertId rule);
    bool isMet(AlertId rule, double value) const;
    std::optional<AlertChange>
    judge(AlertId rule, const std::optional<double>& value, TimePoint now);
    std::optional<AlertChange> judgeFiring(AlertId rule, double value, TimePoint now);
    void end(AlertId rule, TimePoint now);

    AlertSettings settings_ = standardAlertSettings();
    std::array<Track, kAlerts> tracks_{};
    std::vector<AlertEpisode> episodes_;  ///< in the order in which they fired
};

}  // namespace restante
