#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace restante::gui {

/// How fast the backlog of each topic grows or shrinks, from looks at it. *Value.*
class BacklogTrend {
public:
    /// Looks older than this say nothing about now.
    static constexpr Millis kSpan{60'000};

    void addSample(const std::string& topic, TimePoint at, std::uint64_t backlog);
    /// Jobs a minute, negative when it shrinks; none until two looks are a second apart.
    std::optional<double> perMinute(const std::string& topic) const;
    void clear() { points_.clear(); }

private:
    struct Point {
        TimePoint at{};
        std::uint64_t backlog = 0;
    };
    std::map<std::string, std::deque<Point>> points_;
};

}  // namespace restante::gui
