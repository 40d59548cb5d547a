#pragma once

#include "core/http/exchange.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace restante::http {

/// How errors that the server itself answers (401, 404, 405, 413 ...) look on a route: problem
/// details, or the classic {"code":1,"message":...,"data":null}.
enum class Dialect { V1, Classic, Plain };

/// Which handler serves which request. *One loop*; filled before the server starts.
class Router {
public:
    struct Route {
        std::string method;   ///< "POST"
        std::string pattern;  ///< "/v1/jobs/{id}/{verb}"; a {name} matches one segment
        Scope scope;          ///< what the caller's token must allow
        Dialect dialect;
        Handler handler;
        bool open = false;  ///< needs no token: /healthz, /readyz, /openapi.json
    };
    Router();
    Router(const Router&) = delete;
    Router& operator=(const Router&) = delete;
    ~Router();

    void add(Route route);
    /// All of them, in the order in which they were added: a test compares them with openapi.json.
    const std::vector<Route>& routes() const noexcept;

    struct Match {
        const Route* route = nullptr;                             ///< null: 404, or 405
        std::vector<std::pair<std::string, std::string>> values;  ///< of the pattern's names
        std::vector<std::string> allowed;                         ///< 405: the methods of the path
    };
    /// A literal segment wins over a {name}.
    Match match(std::string_view method, std::string_view path) const;

private:
    std::vector<Route> routes_;
};

}  // namespace restante::http
