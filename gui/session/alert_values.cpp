#include "gui/session/alert_values.h"

#include "gui/session/backend.h"

#include <algorithm>

namespace restante::gui {

namespace {

/// Kept samples are at least this far apart, so an hour has at most 360.
constexpr Millis kMinSampleGap{10'000};

double movesOf(const Sample& sample, std::initializer_list<const char*> transitions)
{
    double sum = 0;
    for (const auto* transition : transitions) {
        const auto found = sample.moves.find(transition);
        sum += found == sample.moves.end() ? 0 : static_cast<double>(found->second);
    }
    return sum;
}

double deadJobsIn(const Sample& sample)
{
    const auto found = sample.counts.states.find(JobState::Dead);
    return found == sample.counts.states.end() ? 0 : static_cast<double>(found->second);
}

double secondsOf(Millis length)
{
    return static_cast<double>(length.count()) / 1'000.0;
}

}  // namespace

void AlertValues::setLink(const LinkState& link)
{
    using Phase = LinkState::Phase;
    const bool isUnknown = link.phase == Phase::Connecting || link.phase == Phase::Closed;
    isReachable_ = isUnknown ? std::nullopt : std::optional(link.phase == Phase::Ready);
    isServed_ = link.whyNotServed.isEmpty();
}

void AlertValues::addSample(const Sample& sample)
{
    if (lastSample_ && sample.at <= lastSample_->at) {
        return;
    }
    const Snapshot snapshot{sample.at, deadJobsIn(sample), movesOf(sample, {"retry", "bury"}),
                            movesOf(sample, {"finish", "retry", "bury"})};
    const bool countersWereReset = !snapshots_.empty() && snapshot.ended < snapshots_.back().ended;
    if (countersWereReset) {
        snapshots_.clear();  // perhaps the store was, too
    }
    // The newest is replaced until it is far enough from the one before.
    if (snapshots_.size() > 1 &&
        snapshots_.back().at - snapshots_[snapshots_.size() - 2].at < kMinSampleGap) {
        snapshots_.pop_back();
    }
    snapshots_.push_back(snapshot);
    while (snapshots_.front().at < sample.at - alertRule(AlertId::Dead).window) {
        snapshots_.pop_front();
    }
    lastSample_ = sample;
}

AlertReadings AlertValues::readings(TimePoint now) const
{
    AlertReadings readings{};
    const auto set = [&readings](AlertId rule, std::optional<double> value) {
        readings[static_cast<std::size_t>(rule)] = value;
    };
    if (!isReachable_) {
        return readings;
    }
    set(AlertId::StoreAway, *isReachable_ ? 1 : 0);
    if (!*isReachable_) {
        return readings;
    }
    set(AlertId::NobodyDelivers, deliveringDaemons());
    if (!lastSample_ || now - lastSample_->at > kMaxSampleAge) {
        return readings;
    }
    set(AlertId::Late, secondsOf(lastSample_->lateness.value_or(Lateness{}).p99));
    if (lastSample_->journal) {
        set(AlertId::JournalDown, lastSample_->journal->owned ? 1 : 0);
        set(AlertId::JournalBehind, secondsOf(lastSample_->journal->behind));
    }
    addWindowReadings(readings);
    return readings;
}

std::optional<double> AlertValues::deliveringDaemons() const
{
    if (!isServed_) {
        return 0;
    }
    if (!daemons_) {
        return {};
    }
    return static_cast<double>(
        std::count_if(daemons_->begin(), daemons_->end(),
                      [](const DaemonView& daemon) { return daemon.delivers(); }));
}

const AlertValues::Snapshot* AlertValues::oldestWithin(Millis window) const
{
    const auto from = snapshots_.back().at - window;
    const auto found =
        std::find_if(snapshots_.begin(), snapshots_.end(),
                     [from](const Snapshot& snapshot) { return snapshot.at >= from; });
    return &*found == &snapshots_.back() ? nullptr : &*found;
}

/// What happened within the windows of the rules; since the first sample while that is later.
void AlertValues::addWindowReadings(AlertReadings& readings) const
{
    const auto& newest = snapshots_.back();
    if (const auto* before = oldestWithin(alertRule(AlertId::Dead).window)) {
        readings[static_cast<std::size_t>(AlertId::Dead)] =
            std::max(0.0, newest.dead - before->dead);
    }
    if (const auto* before = oldestWithin(alertRule(AlertId::DeliveriesFail).window)) {
        const auto ended = newest.ended - before->ended;
        readings[static_cast<std::size_t>(AlertId::DeliveriesFail)] =
            ended > 0 ? (newest.failed - before->failed) / ended : 0;
    }
}

}  // namespace restante::gui
