#pragma once

#include "core/http/server/http_call.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::http {

struct RouteMetrics;

/// Maps requests to handlers. *One loop*; filled before the server starts.
class Router {
public:
    /// For routes that take a few words: a filter, a reason, an id.
    static constexpr std::size_t kSmallBody = 524'288;
    /// For routes that bring jobs, or whole batches: what the server allows.
    static constexpr std::size_t kAnyBody = std::numeric_limits<std::size_t>::max();

    struct Route {
        std::string method;   ///< "POST"; a "GET" serves HEAD, too, where it is safe
        std::string pattern;  ///< "/v1/jobs/{id}/{verb}"; a {name} matches one segment
        Scope scope;          ///< what the caller's token must allow
        Dialect dialect;
        Handler handler;
        bool open = false;  ///< needs no token: /healthz, /readyz, /openapi.json
        bool safe = true;   ///< false: a GET that changes something, so HEAD is refused
        /// Bytes of a request's body at most, and never more than the server's; 413 beyond.
        std::size_t bodyLimit = kSmallBody;
        mutable RouteMetrics* metrics = nullptr;  ///< RequestMeter finds them once, and keeps them
    };
    Router() = default;
    Router(const Router&) = delete;
    Router& operator=(const Router&) = delete;

    /// Invalidates references to routes.
    void add(Route route);
    /// All of them, in the order in which they were added: a test compares them with openapi.json.
    const std::vector<Route>& routes() const noexcept { return routes_; }

    using Values = std::vector<std::pair<std::string, std::string>>;
    struct Match {
        const Route* route = nullptr;      ///< null: 404, or 405
        Values values;                     ///< by the pattern's names
        std::vector<std::string> allowed;  ///< without a route: the methods of the path, 405
    };
    /// `path` is percent-encoded, so that an id may hold a "/"; the values are decoded. A literal
    /// segment wins over a {name}.
    Match match(std::string_view method, std::string_view path) const;

private:
    using Segments = std::vector<std::string_view>;
    struct Pattern {
        std::vector<std::string> segments;  ///< "{id}" for a name
        std::size_t literals = 0;

        /// By its literals alone: the values are not looked at.
        bool fits(const Segments& path) const noexcept;
        /// The values of its names; none when one is empty or broken.
        std::optional<Values> valuesIn(const Segments& path) const;
    };
    /// The methods that are served at the path.
    std::vector<std::string> methodsOf(const Segments& path) const;

    std::vector<Route> routes_;
    std::vector<Pattern> patterns_;  ///< by the index in routes_
};

}  // namespace restante::http
