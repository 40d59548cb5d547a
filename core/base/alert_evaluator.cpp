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
        auto& state = ruleStates_[indexOf(rule.id)];
        if (!settings_[indexOf(rule.id)].on) {
            endEpisode(rule.id, now);
            state = {{AlertPhase::Off, {}}, {}, {}};
        } else if (state.status.phase == AlertPhase::Off) {
            state.status.phase = AlertPhase::Unknown;
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
    auto& state = ruleStates_[indexOf(rule)];
    auto& status = state.status;
    status.value = value;
    const bool wasFiring = status.phase == AlertPhase::Firing;
    if (!value) {
        state.clearSince.reset();
        status.phase = wasFiring ? AlertPhase::Firing : AlertPhase::Unknown;
        return {};
    }
    if (wasFiring) {
        return evaluateFiringRule(rule, *value, now);
    }
    if (!isMet(rule, *value)) {
        status.phase = AlertPhase::Quiet;
        return {};
    }
    if (status.phase != AlertPhase::Pending || now < state.pendingSince) {
        status.phase = AlertPhase::Pending;
        state.pendingSince = now;
    }
    if (now - state.pendingSince < settings_[indexOf(rule)].holdTime) {
        return {};
    }
    status.phase = AlertPhase::Firing;
    state.clearSince.reset();
    if (episodes_.size() == kMostEpisodes) {
        const auto oldestEnded =
            std::find_if(episodes_.begin(), episodes_.end(),
                         [](const AlertEpisode& each) { return each.ended.has_value(); });
        episodes_.erase(oldestEnded);  // there are more of them than rules, so one has ended
    }
    episodes_.push_back({rule, state.pendingSince, {}, *value, *value, false});
    return AlertChange{AlertChange::Kind::Began, episodes_.back()};
}

std::optional<AlertChange>
AlertEvaluator::evaluateFiringRule(AlertId rule, double value, TimePoint now)
{
    auto& state = ruleStates_[indexOf(rule)];
    auto* episode = findOpenEpisode(rule);
    episode->lastValue = value;
    if (isMet(rule, value)) {
        episode->highestValue = std::max(episode->highestValue, value);
        state.clearSince.reset();
        return {};
    }
    if (!state.clearSince || now < *state.clearSince) {
        state.clearSince = now;
    }
    if (now - *state.clearSince <
        std::clamp(settings_[indexOf(rule)].holdTime, kMinClearTime, kMaxClearTime)) {
        return {};
    }
    endEpisode(rule, *state.clearSince);
    state.clearSince.reset();
    state.status.phase = AlertPhase::Quiet;
    return AlertChange{AlertChange::Kind::Ended, *episode};
}

void AlertEvaluator::endEpisode(AlertId rule, TimePoint at)
{
    if (auto* episode = findOpenEpisode(rule)) {
        episode->ended = std::max(at, episode->began);
    }
}

AlertEpisode* AlertEvaluator::findOpenEpisode(AlertId rule)
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
    return ruleStates_[indexOf(rule)].status;
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
    if (auto* episode = findOpenEpisode(rule)) {
        episode->acknowledged = true;
    }
}

}  // namespace restante
