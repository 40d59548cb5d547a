#include "core/base/text.h"
#include "core/http/server/request_guard.h"
#include "core/http/server/router.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <string>

namespace {

using namespace restante;

/// Lines of the input: method, path, Host, Origin, then "Name: value".
std::string lineOf(std::string_view& text)
{
    const auto end = std::min(text.find('\n'), text.size());
    std::string line{text.substr(0, end)};
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// An address, not a name, that no other machine has: 127.0.0.0/8.
bool isLoopback(const std::string& authority)
{
    in_addr address{};
    const auto host = authority.substr(0, authority.find(':'));
    return inet_pton(AF_INET, host.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

bool isOurs(std::string host)
{
    host = lowered(host);
    constexpr std::array<std::string_view, 4> kOurs{"api.example.org", "localhost",
                                                    "::", "ip6-localhost"};
    return isLoopback(host) || std::ranges::any_of(kOurs, [&](auto ours) {
               return host.find(ours) != std::string::npos;
           });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    auto text = fuzz::textOf(data, size);
    http::Request request;
    request.method = lineOf(text);
    request.path = "/" + lineOf(text);
    const auto authority = lineOf(text);
    const auto origin = lineOf(text);
    if (!origin.empty()) {
        request.headers.push_back({"Origin", origin});
    }
    bool proxied = false;
    while (!text.empty()) {
        const auto line = lineOf(text);
        const auto colon = std::min(line.find(':'), line.size());
        auto name = line.substr(0, colon);
        proxied = proxied || lowered(name) == "forwarded" || lowered(name) == "via" ||
                  lowered(name).starts_with("x-forwarded-");
        request.headers.push_back({name, line.substr(std::min(colon + 1, line.size()))});
    }
    http::Router router;
    router.add({"POST", "/v1/jobs", http::Scope::Push, http::Dialect::V1,
                [](const std::shared_ptr<http::HttpCall>&) {}});
    router.add({"GET", "/v1/jobs/{id}", http::Scope::Admin, http::Dialect::V1,
                [](const std::shared_ptr<http::HttpCall>&) {}});
    for (const bool open : {true, false}) {
        http::RequestGuard::Settings settings;
        settings.hosts = {"api.example.org"};
        if (!open) {
            settings.tokens = http::Tokens::parse("bill push 0123456789abcdef\n", "tokens").value();
        }
        http::RequestGuard guard{router, std::move(settings)};
        http::RequestGuard::Peer peer{"127.0.0.1", "127.0.0.1", false};
        const auto verdict = guard.judge(request, authority, peer);
        if (verdict.refusal) {
            fuzz::require(verdict.refusal->status >= 400, "a refusal is a refusal");
            continue;
        }
        fuzz::require(verdict.route != nullptr, "what passes has a handler");
        // HTTP/1.0 names no host, and no browser speaks it.
        fuzz::require(authority.empty() || isOurs(authority), "what passes was meant for us");
        fuzz::require(origin.empty() || lowered(origin) == "null" ||
                          lowered(origin).find(lowered(authority).substr(0, 3)) !=
                              std::string::npos,
                      "no foreign page gets through");
        fuzz::require(!open || !proxied, "without tokens nothing comes through a proxy");
        if (!open) {
            const auto login = request.header("Authorization");
            fuzz::require(login && login->find("0123456789abcdef") != std::string_view::npos,
                          "nobody passes without the secret");
            fuzz::require(!verdict.admin, "a token for pushing is no administrator's");
        }
    }
    return 0;
}
