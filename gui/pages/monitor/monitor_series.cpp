#include "gui/pages/monitor/monitor_series.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace restante::gui {

namespace {

TimePoint beginOfStep(TimePoint at, Millis step)
{
    const auto since = at.time_since_epoch();
    return TimePoint{since - since % step};
}

std::uint64_t countOf(const Sample& sample, const char* transition)
{
    const auto found = sample.moves.find(transition);
    return found == sample.moves.end() ? 0 : found->second;
}

/// The transitions that a line of the first chart counts.
struct RateLine {
    Line line;
    std::vector<const char*> transitions;
};
const RateLine kRateLines[] = {{Line::Pushed, {"push"}},
                               {Line::Finished, {"finish"}},
                               {Line::Retried, {"retry"}},
                               {Line::Failed, {"bury", "expire"}}};

constexpr std::array<std::pair<Line, JobState>, 5> kBacklogs{{
    {Line::Ready, JobState::Ready},
    {Line::Leased, JobState::Leased},
    {Line::Scheduled, JobState::Scheduled},
    {Line::Held, JobState::Held},
    {Line::Dead, JobState::Dead},
}};

/// The steps of a range are kept for so many times its span, so that a later zoom finds them in
/// their original resolution.
constexpr int kKeptSpans = 8;
/// The most steps that fit a chart; the predefined ranges have 180 at most.
constexpr std::int64_t kMaxSteps = 240;

/// None when the counters were reset.
std::optional<double> difference(const Sample& before, const Sample& next, const RateLine& rateLine)
{
    double sum = 0;
    for (const auto* transition : rateLine.transitions) {
        const auto from = countOf(before, transition);
        const auto to = countOf(next, transition);
        if (to < from) {
            return {};
        }
        sum += static_cast<double>(to - from);
    }
    return sum;
}

}  // namespace

MonitorSeries::Bucket& MonitorSeries::bucketAt(std::size_t range, TimePoint at)
{
    auto& buckets = buckets_[range];
    const auto begin = beginOfStep(at, kTimeRanges[range].step);
    if (buckets.empty() || buckets.back().at != begin) {
        buckets.push_back({begin, {}});
    }
    while (buckets.front().at + kTimeRanges[range].span * kKeptSpans <= begin) {
        buckets.pop_front();
    }
    return buckets.back();
}

void MonitorSeries::addValue(Line line, TimePoint at, double value, double weight)
{
    const auto index = static_cast<std::size_t>(line);
    for (std::size_t range = 0; range < kTimeRanges.size(); ++range) {
        auto& sum = bucketAt(range, at).sums[index];
        if (line >= Line::LatenessP50) {
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
    const auto seconds = static_cast<double>((sample.at - before.at).count()) / 1'000.0;
    for (const auto& rateLine : kRateLines) {
        if (const auto count = difference(before, sample, rateLine)) {
            addValue(rateLine.line, sample.at, *count, seconds);
        }
    }
}

void MonitorSeries::addBacklog(const Sample& sample)
{
    if (scope_.isAll()) {
        for (const auto& [line, state] : kBacklogs) {
            const auto found = sample.counts.states.find(state);
            const auto count = found == sample.counts.states.end() ? 0 : found->second;
            addValue(line, sample.at, static_cast<double>(count), 1);
        }
        return;
    }
    std::uint64_t ready = 0;
    std::uint64_t scheduled = 0;
    for (const auto& counts : sample.counts.topics) {
        if ((scope_.topic.empty() || scope_.topic == counts.topic) &&
            (!scope_.channel || *scope_.channel == counts.channel)) {
            ready += counts.ready;
            scheduled += counts.scheduled;
        }
    }
    addValue(Line::Ready, sample.at, static_cast<double>(ready), 1);
    addValue(Line::Scheduled, sample.at, static_cast<double>(scheduled), 1);
}

void MonitorSeries::add(const Sample& sample)
{
    if (lastSample_ && sample.at <= lastSample_->at) {
        return;
    }
    if (lastSample_ && scope_.isAll() && sample.at - lastSample_->at <= kMaxSampleGap) {
        addRates(*lastSample_, sample);
    }
    addBacklog(sample);
    const auto lateness = sample.lateness.value_or(Lateness{});
    addValue(Line::LatenessP50, sample.at, static_cast<double>(lateness.p50.count()), 1);
    addValue(Line::LatenessP95, sample.at, static_cast<double>(lateness.p95.count()), 1);
    addValue(Line::LatenessP99, sample.at, static_cast<double>(lateness.p99.count()), 1);
    lastSample_ = sample;
    since_ = since_.value_or(sample.at);
}

namespace {

/// A backlog record is valid from its time until its `until`.
void fillBacklog(MonitorPoint& point, const Past& past)
{
    const auto& backlog = past.backlog;
    const auto next =
        std::upper_bound(backlog.begin(), backlog.end(), point.at,
                         [](TimePoint at, const PastBacklog& record) { return at < record.at; });
    if (next == backlog.begin() || std::prev(next)->until <= point.at) {
        return;
    }
    const auto& record = *std::prev(next);
    const auto setIfMissing = [&point](Line line, double value) {
        auto& slot = point.values[static_cast<std::size_t>(line)];
        slot = slot.value_or(value);
    };
    for (const auto& [line, state] : kBacklogs) {
        if (const auto found = record.states.find(state); found != record.states.end()) {
            setIfMissing(line, found->second);
        }
    }
    if (record.lateness) {
        setIfMissing(Line::LatenessP50, static_cast<double>(record.lateness->p50.count()));
        setIfMissing(Line::LatenessP95, static_cast<double>(record.lateness->p95.count()));
        setIfMissing(Line::LatenessP99, static_cast<double>(record.lateness->p99.count()));
    }
}

/// Fills a step without samples, if the journal knows all of it.
void fillMoves(MonitorPoint& point, Millis length, const Past& past)
{
    if (point.at < past.knownFrom || point.at + length > past.knownUntil) {
        return;
    }
    const auto seconds = static_cast<double>(length.count()) / 1'000.0;
    for (const auto& rateLine : kRateLines) {
        auto& value = point.values[static_cast<std::size_t>(rateLine.line)];
        if (value) {
            continue;
        }
        double count = 0;
        for (const auto* transition : rateLine.transitions) {
            const auto found = past.moves.find({point.at, transition});
            count += found == past.moves.end() ? 0 : static_cast<double>(found->second);
        }
        value = count / seconds;
    }
}

}  // namespace

std::size_t rangeIndexFor(const TimeSpan& span)
{
    std::size_t index = 0;
    while (index + 1 < kTimeRanges.size() && span.length() / kTimeRanges[index].step > kMaxSteps) {
        ++index;
    }
    return index;
}

/// Fills the point from the step of that range that contains it.
void MonitorSeries::fillFromSamples(MonitorPoint& point, std::size_t range) const
{
    const auto& buckets = buckets_[range];
    const auto begin = beginOfStep(point.at, kTimeRanges[range].step);
    const auto bucket =
        std::lower_bound(buckets.begin(), buckets.end(), begin,
                         [](const Bucket& candidate, TimePoint at) { return candidate.at < at; });
    if (bucket == buckets.end() || bucket->at != begin) {
        return;
    }
    for (std::size_t line = 0; line < kLines; ++line) {
        const auto& sum = bucket->sums[line];
        if (sum.weight > 0 && !point.values[line]) {
            point.values[line] = sum.value / sum.weight;
        }
    }
}

MonitorPoint
MonitorSeries::pointAt(TimePoint at, std::size_t range, const std::optional<Past>& past) const
{
    MonitorPoint point;
    point.at = at;
    fillFromSamples(point, range);
    if (past) {  // samples take precedence
        fillMoves(point, kTimeRanges[range].step, *past);
        fillBacklog(point, *past);
    }
    return point;
}

std::vector<MonitorPoint> MonitorSeries::points(std::size_t range, TimePoint now) const
{
    const auto [span, length] = kTimeRanges[range];
    const auto last = beginOfStep(now, length);
    std::vector<MonitorPoint> points;
    for (auto at = last - span + length; at <= last; at += length) {
        points.push_back(pointAt(at, range, pasts_[range]));
    }
    return points;
}

std::vector<MonitorPoint> MonitorSeries::points(const TimeSpan& span,
                                                const std::optional<Past>& past) const
{
    const auto range = rangeIndexFor(span);
    const auto length = kTimeRanges[range].step;
    std::vector<MonitorPoint> points;
    for (auto at = beginOfStep(span.from, length); at < span.to; at += length) {
        auto point = pointAt(at, range, past);
        for (auto coarser = range + 1; coarser < kTimeRanges.size(); ++coarser) {
            const auto& finer = buckets_[coarser - 1];
            if (finer.empty() ||
                at > finer.back().at - kTimeRanges[coarser - 1].span * kKeptSpans) {
                break;  // the finer steps are still kept: a missing one had no sample
            }
            fillFromSamples(point, coarser);
        }
        points.push_back(point);
    }
    return points;
}

}  // namespace restante::gui
