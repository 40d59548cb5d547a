#include "core/base/alert_evaluator.h"

#include <algorithm>

namespace restante {

namespace {

std::size_t indexOf(AlertId rule)
{
    return static_cast<std::size_t>(rule);
}

}  // namespace

void AlertEvaluator::setSettings(const AlertSettings& settings, TimePoint now)
{
    settings_ = settings;
    for (const auto& rule : alertRules()) {
        auto& track = tracks_[indexOf(rule.id)];
        if (!settings_[indexOf(rule.id)].on) {
            endEpisode(rule.id, now);
            track = {{AlertPhase::Off, {}}, {}, {}};
        } else if (track.status.phase == AlertPhase::Off) {
            track.status.phase = AlertPhase::Unknown;
        }
    }
}

std::vector<AlertChange> AlertEvaluator::evaluate(const AlertReadings& readings, TimePoint now)
{
    std::vector<AlertChange> changes;
    for (const auto& rule : alertRules()) {
        if (!settings_[indexOf(rule.id)].on) {
            continue;
        }
        if (auto change = evaluateRule(rule.id, readings[indexOf(rule.id)], now)) {
            changes.push_back(*change);
        }
    }
    return changes;
}

std::optional<AlertChange>
AlertEvaluator::evaluateRule(AlertId rule, const std::optional<double>& value, TimePoint now)
{
    auto& track = tracks_[indexOf(rule)];
    auto& status = track.status;
    status.value = value;
    const bool fires = status.phase == AlertPhase::Firing;
    if (!value) {
        track.clearSince.reset();
        status.phase = fires ? AlertPhase::Firing : AlertPhase::Unknown;
        return {};
    }
    if (fires) {
        return evaluateFiringRule(rule, *value, now);
    }
    if (!isMet(rule, *value)) {
        status.phase = AlertPhase::Quiet;
        return {};
    }
    if (status.phase != AlertPhase::Pending || now < track.pendingSince) {
        status.phase = AlertPhase::Pending;
        track.pendingSince = now;
    }
    if (now - track.pendingSince < settings_[indexOf(rule)].holds) {
        return {};
    }
    status.phase = AlertPhase::Firing;
    track.clearSince.reset();
    if (episodes_.size() == kMostEpisodes) {
        const auto oldestEnded =
            std::find_if(episodes_.begin(), episodes_.end(),
                         [](const AlertEpisode& each) { return each.ended.has_value(); });
        episodes_.erase(oldestEnded);  // there are more of them than rules, so one has ended
    }
    episodes_.push_back({rule, track.pendingSince, {}, *value, *value, false});
    return AlertChange{AlertChange::Kind::Began, episodes_.back()};
}

std::optional<AlertChange>
AlertEvaluator::evaluateFiringRule(AlertId rule, double value, TimePoint now)
{
    auto& track = tracks_[indexOf(rule)];
    auto* episode = openEpisode(rule);
    episode->last = value;
    if (isMet(rule, value)) {
        episode->most = std::max(episode->most, value);
        track.clearSince.reset();
        return {};
    }
    if (!track.clearSince || now < *track.clearSince) {
        track.clearSince = now;
    }
    if (now - *track.clearSince <
        std::clamp(settings_[indexOf(rule)].holds, kMinClearTime, kMaxClearTime)) {
        return {};
    }
    endEpisode(rule, *track.clearSince);
    track.clearSince.reset();
    track.status.phase = AlertPhase::Quiet;
    return AlertChange{AlertChange::Kind::Ended, *episode};
}

void AlertEvaluator::endEpisode(AlertId rule, TimePoint now)
{
    if (auto* episode = openEpisode(rule)) {
        episode->ended = std::max(now, episode->began);
    }
}

AlertEpisode* AlertEvaluator::openEpisode(AlertId rule)
{
    const auto found = std::find_if(episodes_.begin(), episodes_.end(), [&](const auto& each) {
        return each.rule == rule && !each.ended;
    });
    return found == episodes_.end() ? nullptr : &*found;
}

bool AlertEvaluator::isMet(AlertId rule, double value) const
{
    const auto threshold = settings_[indexOf(rule)].threshold;
    return alertRule(rule).compare == AlertRule::Compare::Above ? value > threshold
                                                                : value == threshold;
}

AlertEvaluator::Status AlertEvaluator::status(AlertId rule) const
{
    return tracks_[indexOf(rule)].status;
}

std::vector<AlertEpisode> AlertEvaluator::episodes() const
{
    std::vector<AlertEpisode> sorted(episodes_.rbegin(), episodes_.rend());
    std::stable_partition(sorted.begin(), sorted.end(),
                          [](const AlertEpisode& each) { return !each.ended; });
    return sorted;
}

std::size_t AlertEvaluator::firingCount() const
{
    return static_cast<std::size_t>(std::count_if(
        episodes_.begin(), episodes_.end(), [](const AlertEpisode& each) { return !each.ended; }));
}

void AlertEvaluator::acknowledge(AlertId rule)
{
    if (auto* episode = openEpisode(rule)) {
        episode->acknowledged = true;
    }
}

}  // namespace restante
