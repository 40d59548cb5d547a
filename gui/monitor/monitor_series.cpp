#include "gui/monitor/monitor_series.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace restante::gui {

namespace {

TimePoint beginOfStep(TimePoint at, Millis step)
{
    const auto since = at.time_since_epoch();
    return TimePoint{since - since % step};
}

bool isLateness(std::size_t line)
{
    return line >= static_cast<std::size_t>(Line::Half);
}

std::uint64_t moved(const Sample& sample, const char* transition)
{
    const auto found = sample.moves.find(transition);
    return found == sample.moves.end() ? 0 : found->second;
}

/// None when the counters began anew.
std::optional<double>
difference(const Sample& before, const Sample& after, const std::vector<const char*>& transitions)
{
    double sum = 0;
    for (const auto* transition : transitions) {
        const auto from = moved(before, transition);
        const auto to = moved(after, transition);
        if (to < from) {
            return {};
        }
        sum += static_cast<double>(to - from);
    }
    return sum;
}

}  // namespace

double percentile(const std::vector<Millis>& sorted, int p)
{
    if (sorted.empty()) {
        return 0;
    }
    const auto rank = std::ceil(static_cast<double>(sorted.size()) * p / 100.0);
    const auto at = std::clamp<std::size_t>(static_cast<std::size_t>(rank), 1, sorted.size());
    return static_cast<double>(sorted[at - 1].count());
}

void MonitorSeries::clear()
{
    for (auto& window : windows_) {
        window.clear();
    }
    last_.reset();
}

MonitorSeries::Bucket& MonitorSeries::bucketAt(std::size_t window, TimePoint at)
{
    auto& buckets = windows_[window];
    const auto begin = beginOfStep(at, kWindows[window].step);
    if (buckets.empty() || buckets.back().at != begin) {
        Bucket bucket;
        bucket.at = begin;
        buckets.push_back(bucket);
    }
    while (buckets.front().at + kWindows[window].span <= begin) {
        buckets.pop_front();
    }
    return buckets.back();
}

void MonitorSeries::put(Line line, TimePoint at, double value, double weight)
{
    const auto index = static_cast<std::size_t>(line);
    for (std::size_t window = 0; window < kWindows.size(); ++window) {
        auto& sum = bucketAt(window, at).sums[index];
        if (isLateness(index)) {
            sum.value = std::max(sum.value, value);
            sum.weight = 1;
        } else {
            sum.value += value;
            sum.weight += weight;
        }
    }
}

void MonitorSeries::addRates(const Sample& before, const Sample& sample)
{
    const std::pair<Line, std::vector<const char*>> rates[] = {
        {Line::Pushed, {"push"}},
        {Line::Finished, {"finish"}},
        {Line::Retried, {"retry"}},
        {Line::Failed, {"bury", "expire"}},
    };
    const auto seconds = static_cast<double>((sample.at - before.at).count()) / 1'000.0;
    for (const auto& [line, transitions] : rates) {
        if (const auto jobs = difference(before, sample, transitions)) {
            put(line, sample.at, *jobs, seconds);
        }
    }
}

void MonitorSeries::add(const Sample& sample)
{
    if (last_ && sample.at <= last_->at) {
        return;
    }
    if (last_ && sample.at - last_->at <= kFarApart) {
        addRates(*last_, sample);
    }
    const std::pair<Line, JobState> backlogs[] = {
        {Line::Ready, JobState::Ready},         {Line::Leased, JobState::Leased},
        {Line::Scheduled, JobState::Scheduled}, {Line::Held, JobState::Held},
        {Line::Dead, JobState::Dead},
    };
    for (const auto& [line, state] : backlogs) {
        const auto found = sample.counts.states.find(state);
        const auto jobs = found == sample.counts.states.end() ? 0 : found->second;
        put(line, sample.at, static_cast<double>(jobs), 1);
    }
    put(Line::Half, sample.at, percentile(sample.lateness, 50), 1);
    put(Line::Most, sample.at, percentile(sample.lateness, 95), 1);
    put(Line::Nearly, sample.at, percentile(sample.lateness, 99), 1);
    last_ = sample;
}

std::vector<Step> MonitorSeries::window(std::size_t index, TimePoint now) const
{
    const auto [span, length] = kWindows[index];
    const auto last = beginOfStep(now, length);
    const auto first = last - span + length;
    const auto& buckets = windows_[index];
    auto bucket = std::find_if(buckets.begin(), buckets.end(),
                               [&](const Bucket& each) { return each.at >= first; });
    std::vector<Step> steps;
    for (auto at = first; at <= last; at += length) {
        Step step;
        step.at = at;
        if (bucket != buckets.end() && bucket->at == at) {
            for (std::size_t line = 0; line < kLines; ++line) {
                const auto& sum = bucket->sums[line];
                if (sum.weight > 0) {
                    step.values[line] = sum.value / sum.weight;
                }
            }
            ++bucket;
        }
        steps.push_back(step);
    }
    return steps;
}

}  // namespace restante::gui
