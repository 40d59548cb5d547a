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

std::uint64_t moved(const Sample& sample, const char* transition)
{
    const auto found = sample.moves.find(transition);
    return found == sample.moves.end() ? 0 : found->second;
}

/// What the lines of the first chart count.
struct Rate {
    Line line;
    std::vector<const char*> transitions;
};
const Rate kRates[] = {{Line::Pushed, {"push"}},
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

/// None when the counters began anew.
std::optional<double> difference(const Sample& before, const Sample& after, const Rate& rate)
{
    double sum = 0;
    for (const auto* transition : rate.transitions) {
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

MonitorSeries::Bucket& MonitorSeries::bucketAt(std::size_t range, TimePoint at)
{
    auto& buckets = buckets_[range];
    const auto begin = beginOfStep(at, kTimeRanges[range].step);
    if (buckets.empty() || buckets.back().at != begin) {
        buckets.push_back({begin, {}});
    }
    while (buckets.front().at + kTimeRanges[range].span <= begin) {
        buckets.pop_front();
    }
    return buckets.back();
}

void MonitorSeries::put(Line line, TimePoint at, double value, double weight)
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
    for (const auto& rate : kRates) {
        if (const auto jobs = difference(before, sample, rate)) {
            put(rate.line, sample.at, *jobs, seconds);
        }
    }
}

void MonitorSeries::addBacklog(const Sample& sample)
{
    if (scope_.isAll()) {
        for (const auto& [line, state] : kBacklogs) {
            const auto found = sample.counts.states.find(state);
            const auto jobs = found == sample.counts.states.end() ? 0 : found->second;
            put(line, sample.at, static_cast<double>(jobs), 1);
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
    put(Line::Ready, sample.at, static_cast<double>(ready), 1);
    put(Line::Scheduled, sample.at, static_cast<double>(scheduled), 1);
}

void MonitorSeries::add(const Sample& sample)
{
    if (last_ && sample.at <= last_->at) {
        return;
    }
    if (last_ && scope_.isAll() && sample.at - last_->at <= kFarApart) {
        addRates(*last_, sample);
    }
    addBacklog(sample);
    const auto late = sample.lateness.value_or(Lateness{});
    put(Line::LatenessP50, sample.at, static_cast<double>(late.p50.count()), 1);
    put(Line::LatenessP95, sample.at, static_cast<double>(late.p95.count()), 1);
    put(Line::LatenessP99, sample.at, static_cast<double>(late.p99.count()), 1);
    last_ = sample;
    since_ = since_.value_or(sample.at);
}

/// A look of the daemon stands for some time after it, for no longer, and so does a step of looks.
void MonitorSeries::fillBacklog(SeriesPoint& point, std::size_t range) const
{
    const auto& looks = pasts_[range]->backlog;
    const auto after =
        std::upper_bound(looks.begin(), looks.end(), point.at,
                         [](TimePoint at, const PastBacklog& look) { return at < look.at; });
    if (after == looks.begin() || std::prev(after)->until <= point.at) {
        return;
    }
    const auto& look = *std::prev(after);
    const auto put = [&point](Line line, double value) {
        auto& place = point.values[static_cast<std::size_t>(line)];
        place = place.value_or(value);
    };
    for (const auto& [line, state] : kBacklogs) {
        if (const auto found = look.states.find(state); found != look.states.end()) {
            put(line, found->second);
        }
    }
    if (look.lateness) {
        put(Line::LatenessP50, static_cast<double>(look.lateness->p50.count()));
        put(Line::LatenessP95, static_cast<double>(look.lateness->p95.count()));
        put(Line::LatenessP99, static_cast<double>(look.lateness->p99.count()));
    }
}

/// Of a step that was not watched, unless the journal knows only a part of it.
void MonitorSeries::fillMoves(SeriesPoint& point, std::size_t range) const
{
    const auto& past = pasts_[range];
    const auto length = kTimeRanges[range].step;
    if (point.at < past->knownFrom || point.at + length > past->knownUntil) {
        return;
    }
    const auto seconds = static_cast<double>(length.count()) / 1'000.0;
    for (const auto& rate : kRates) {
        auto& value = point.values[static_cast<std::size_t>(rate.line)];
        if (value) {
            continue;
        }
        double jobs = 0;
        for (const auto* transition : rate.transitions) {
            const auto found = past->moves.find({point.at, transition});
            jobs += found == past->moves.end() ? 0 : static_cast<double>(found->second);
        }
        value = jobs / seconds;
    }
}

std::vector<SeriesPoint> MonitorSeries::points(std::size_t index, TimePoint now) const
{
    const auto [span, length] = kTimeRanges[index];
    const auto last = beginOfStep(now, length);
    const auto first = last - span + length;
    const auto& buckets = buckets_[index];
    auto bucket = std::find_if(buckets.begin(), buckets.end(),
                               [&](const Bucket& each) { return each.at >= first; });
    std::vector<SeriesPoint> points;
    for (auto at = first; at <= last; at += length) {
        SeriesPoint point;
        point.at = at;
        if (bucket != buckets.end() && bucket->at == at) {
            for (std::size_t line = 0; line < kLines; ++line) {
                const auto& sum = bucket->sums[line];
                if (sum.weight > 0) {
                    point.values[line] = sum.value / sum.weight;
                }
            }
            ++bucket;
        }
        if (pasts_[index]) {  // what was watched stays
            fillMoves(point, index);
            fillBacklog(point, index);
        }
        points.push_back(point);
    }
    return points;
}

}  // namespace restante::gui
