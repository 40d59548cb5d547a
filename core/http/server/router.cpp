#include "core/http/server/router.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace restante::http {

namespace {

std::vector<std::string_view> segmentsOf(std::string_view path)
{
    assert(path.starts_with('/'));
    return split(path.substr(1), '/');
}

bool isPlaceholder(std::string_view segment)
{
    return segment.starts_with('{');
}

bool servesHead(const Router::Route& route)
{
    return route.method == "GET" && route.safe;
}

bool serves(const Router::Route& route, std::string_view method)
{
    return route.method == method || (method == "HEAD" && servesHead(route));
}

}  // namespace

bool Router::Pattern::fits(const Segments& path) const noexcept
{
    // The number first: only a few routes have as many segments as the path.
    return segments.size() == path.size() &&
           std::equal(segments.begin(), segments.end(), path.begin(),
                      [](const std::string& patternSegment, std::string_view pathSegment) {
                          return isPlaceholder(patternSegment) || patternSegment == pathSegment;
                      });
}

std::optional<Router::Values> Router::Pattern::valuesIn(const Segments& path) const
{
    Values values;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (!isPlaceholder(segments[i])) {
            continue;
        }
        auto value = percentDecoded(path[i]);
        if (!value || value->empty()) {
            return {};
        }
        values.emplace_back(segments[i].substr(1, segments[i].size() - 2), std::move(*value));
    }
    return values;
}

void Router::add(Route route)
{
    const auto segments = segmentsOf(route.pattern);
    Pattern pattern{{segments.begin(), segments.end()}, 0};
    pattern.literals = static_cast<std::size_t>(
        std::count_if(segments.begin(), segments.end(), std::not_fn(isPlaceholder)));
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
    std::size_t bestLiterals = 0;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        const auto& route = routes_[i];
        const auto& pattern = patterns_[i];
        const bool isBetter = match.route == nullptr || pattern.literals > bestLiterals;
        if (!isBetter || !pattern.fits(segments) || !serves(route, method)) {
            continue;
        }
        if (auto values = pattern.valuesIn(segments)) {
            match.route = &route;
            match.values = std::move(*values);
            bestLiterals = pattern.literals;
        }
    }
    if (match.route == nullptr) {
        match.allowed = methodsOf(segments);
    }
    return match;
}

std::vector<std::string> Router::methodsOf(const Segments& path) const
{
    std::vector<std::string> methods;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        if (!patterns_[i].fits(path) || !patterns_[i].valuesIn(path)) {
            continue;
        }
        methods.push_back(routes_[i].method);
        if (servesHead(routes_[i])) {
            methods.emplace_back("HEAD");
        }
    }
    return methods;
}

}  // namespace restante::http
