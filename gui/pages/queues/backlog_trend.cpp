#include "gui/pages/queues/backlog_trend.h"

namespace restante::gui {

void BacklogTrend::addSample(const std::string& topic, TimePoint at, std::uint64_t backlog)
{
    auto& points = points_[topic];
    if (!points.empty() && at < points.back().at) {
        points.clear();  // the clock was set back
    }
    points.push_back({at, backlog});
    while (points.size() > 1 && at - points.front().at > kSpan) {
        points.pop_front();
    }
}

std::optional<double> BacklogTrend::perMinute(const std::string& topic) const
{
    const auto found = points_.find(topic);
    if (found == points_.end() || found->second.size() < 2) {
        return {};
    }
    const auto& first = found->second.front();
    const auto& last = found->second.back();
    const auto passed = last.at - first.at;
    if (passed < Millis{1'000}) {
        return {};
    }
    const auto grown = static_cast<double>(last.backlog) - static_cast<double>(first.backlog);
    return grown * 60'000.0 / static_cast<double>(passed.count());
}

}  // namespace restante::gui
