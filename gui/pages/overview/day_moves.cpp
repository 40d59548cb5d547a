#include "gui/pages/overview/day_moves.h"

#include <algorithm>

namespace restante::gui {

namespace {

TimePoint beginOfStep(TimePoint at)
{
    return at - at.time_since_epoch() % DayMoves::kStep;
}

std::uint64_t delivered(const DayMoves::Count& count)
{
    return count.delivered;
}

std::uint64_t failed(const DayMoves::Count& count)
{
    return count.failed();
}

void add(DayMoves::Count& count, const std::string& transition, std::uint64_t jobs)
{
    if (transition == "finish") {
        count.delivered += jobs;
    } else if (transition == "bury") {
        count.givenUp += jobs;
    } else if (transition == "expire") {
        count.expired += jobs;
    }
}

DayMoves::Count countOf(const std::map<std::string, std::uint64_t>& moves)
{
    DayMoves::Count count;
    for (const auto& [transition, jobs] : moves) {
        add(count, transition, jobs);
    }
    return count;
}

/// The counts between two samples; zero when the counters were reset.
DayMoves::Count difference(const Sample& before, const Sample& after)
{
    const auto from = countOf(before.moves);
    const auto to = countOf(after.moves);
    if (to.delivered < from.delivered || to.givenUp < from.givenUp || to.expired < from.expired) {
        return {};
    }
    return {to.delivered - from.delivered, to.givenUp - from.givenUp, to.expired - from.expired};
}

}  // namespace

DayMoves::Count& DayMoves::Count::operator+=(const Count& other)
{
    delivered += other.delivered;
    givenUp += other.givenUp;
    expired += other.expired;
    return *this;
}

PastRequest DayMoves::request(TimePoint from, TimePoint now)
{
    return {{}, beginOfStep(std::min(from, now - kSpan)), now, kStep};
}

void DayMoves::setPast(const Past& past)
{
    journalCounts_.clear();
    knownFrom_.reset();
    if (!past.movesProblem.empty()) {
        return;
    }
    for (const auto& [stepAndTransition, jobs] : past.moves) {
        const auto& [step, transition] = stepAndTransition;
        add(journalCounts_[step], transition, jobs);
    }
    knownFrom_ = past.knownFrom;
    knownUntil_ = past.knownUntil;
}

bool DayMoves::isInJournal(const SampleCount& counted) const
{
    return knownFrom_ && counted.at <= knownUntil_;
}

void DayMoves::addSample(const Sample& sample)
{
    if (lastSample_ && sample.at <= lastSample_->at) {
        return;
    }
    if (lastSample_) {
        sampleCounts_.push_back({sample.at, difference(*lastSample_, sample)});
    }
    firstSampleTime_ = firstSampleTime_.value_or(sample.at);
    lastSample_ = sample;
    // A day has 25 hours where the clocks are set back.
    constexpr Millis kKeptSpan = kSpan + Millis{2 * 3'600'000};
    while (!sampleCounts_.empty() && sample.at - sampleCounts_.front().at > kKeptSpan) {
        sampleCounts_.pop_front();
    }
}

std::optional<DayMoves::Total> DayMoves::totalSince(TimePoint from) const
{
    const auto knownSince = knownFrom_ ? knownFrom_ : firstSampleTime_;
    if (!knownSince) {
        return {};
    }
    Total total;
    total.since = std::max(from, *knownSince);
    for (const auto& [step, count] : journalCounts_) {
        if (step + kStep > total.since) {
            total.count += count;
        }
    }
    for (const auto& counted : sampleCounts_) {
        if (counted.at > total.since && !isInJournal(counted)) {
            total.count += counted.count;
        }
    }
    return total;
}

std::map<TimePoint, DayMoves::Count> DayMoves::byStep() const
{
    auto steps = journalCounts_;
    for (const auto& counted : sampleCounts_) {
        if (!isInJournal(counted)) {
            steps[beginOfStep(counted.at)] += counted.count;
        }
    }
    return steps;
}

Sparkline::Values DayMoves::steps(TimePoint now, std::uint64_t (*value)(const Count&)) const
{
    Sparkline::Values values;
    const auto knownSince = knownFrom_ ? knownFrom_ : firstSampleTime_;
    const auto counts = byStep();
    // Without the current step, which would always look like a drop.
    for (auto at = beginOfStep(now - kSpan); at < beginOfStep(now); at += kStep) {
        const auto found = counts.find(at);
        if (!knownSince || at + kStep <= *knownSince) {
            values.emplace_back();
        } else {
            values.emplace_back(found == counts.end() ? 0.0
                                                      : static_cast<double>(value(found->second)));
        }
    }
    return values;
}

Sparkline::Values DayMoves::delivered(TimePoint now) const
{
    return steps(now, &gui::delivered);
}

Sparkline::Values DayMoves::failed(TimePoint now) const
{
    return steps(now, &gui::failed);
}

}  // namespace restante::gui
