#include "core/http/server/router.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <cassert>

namespace restante::http {

namespace {

std::vector<std::string> segmentsOf(std::string_view path)
{
    assert(path.starts_with('/'));
    const auto parts = split(path.substr(1), '/');
    return {parts.begin(), parts.end()};
}

bool isPlaceholder(const std::string& segment)
{
    return segment.starts_with('{');
}

using Values = std::vector<std::pair<std::string, std::string>>;

/// The values of the placeholders; none when the path does not match.
std::optional<Values> matchSegments(const std::vector<std::string>& pattern,
                                    const std::vector<std::string>& path)
{
    if (pattern.size() != path.size()) {
        return {};
    }
    Values values;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (!isPlaceholder(pattern[i])) {
            if (pattern[i] != path[i]) {
                return {};
            }
            continue;
        }
        auto value = percentDecoded(path[i]);
        if (!value || value->empty()) {
            return {};
        }
        values.emplace_back(pattern[i].substr(1, pattern[i].size() - 2), std::move(*value));
    }
    return values;
}

}  // namespace

void Router::add(Route route)
{
    Pattern pattern{segmentsOf(route.pattern), 0};
    pattern.literals = static_cast<std::size_t>(std::count_if(
        pattern.segments.begin(), pattern.segments.end(), std::not_fn(isPlaceholder)));
    patterns_.push_back(std::move(pattern));
    routes_.push_back(std::move(route));
}

Router::Match Router::match(std::string_view method, std::string_view path) const
{
    Match match;
    if (!path.starts_with('/')) {
        return match;
    }
    const auto segments = segmentsOf(path);
    std::size_t literals = 0;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        const auto& route = routes_[i];
        auto values = matchSegments(patterns_[i].segments, segments);
        if (!values) {
            continue;
        }
        match.allowed.push_back(route.method);
        const bool servesHead = route.method == "GET" && route.safe;
        if (servesHead) {
            match.allowed.emplace_back("HEAD");
        }
        const bool serves = route.method == method || (method == "HEAD" && servesHead);
        if (serves && (match.route == nullptr || patterns_[i].literals > literals)) {
            match.route = &route;
            match.values = std::move(*values);
            literals = patterns_[i].literals;
        }
    }
    return match;
}

}  // namespace restante::http
