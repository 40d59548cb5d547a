#include "core/http/server/http_call.h"

#include "core/base/text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

/// Refusals quote the request, which need not be UTF-8.
std::string formatJson(const nlohmann::ordered_json& json)
{
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// How long a caller should wait before the next try: a restarted Redis is back by then.
constexpr auto kRetryAfterSeconds = "1";

bool covers(const std::vector<std::string>& patterns, std::string_view text) noexcept
{
    return patterns.empty() ||
           std::any_of(patterns.begin(), patterns.end(), [text](const std::string& pattern) {
               return matchesPattern(pattern, text);
           });
}

}  // namespace

bool TokenGrant::coversTopic(std::string_view topic) const noexcept
{
    return covers(topics, topic);
}

bool TokenGrant::coversSender(std::string_view sender) const noexcept
{
    return covers(senders, sender);
}

std::optional<std::string_view> Request::header(std::string_view name) const
{
    const auto found = std::find_if(headers.begin(), headers.end(), [&](const Header& header) {
        return equalIgnoringCase(header.name, name);
    });
    return found == headers.end() ? std::nullopt : std::optional<std::string_view>(found->value);
}

std::optional<std::string_view> Request::parameter(std::string_view name) const
{
    const auto found = std::find_if(query.begin(), query.end(),
                                    [&](const auto& pair) { return pair.first == name; });
    return found == query.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

Response
problem(int status, std::string_view title, std::string_view detail, std::string_view field)
{
    nlohmann::ordered_json json{
        {"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}};
    if (!field.empty()) {
        json["field"] = field;
    }
    return {status, "application/problem+json", formatJson(json), {}};
}

Response problemOf(const Error& error)
{
    switch (error.code) {
    case ErrorCode::Invalid: return problem(400, "Invalid input", error.message);
    case ErrorCode::NotFound: return problem(404, "Not found", error.message);
    case ErrorCode::Conflict: return problem(409, "Conflict", error.message);
    case ErrorCode::Stale: return problem(409, "Stale attempt", error.message);
    case ErrorCode::MailboxFull: return problem(429, "Mailbox full", error.message);
    case ErrorCode::Internal: return problem(500, "Internal error", error.message);
    case ErrorCode::Unavailable:
    case ErrorCode::Full:
    case ErrorCode::ReadOnly:
    case ErrorCode::Loading:
    case ErrorCode::Busy:
    case ErrorCode::Denied: break;
    }
    auto response = problem(503, "Store unavailable", error.message);
    response.headers.push_back({"Retry-After", kRetryAfterSeconds});
    return response;
}

Response classicFailure(int status, std::string_view message)
{
    return {status,
            "application/json",
            formatJson({{"code", 1}, {"message", message}, {"data", nullptr}}),
            {}};
}

Response refusal(Dialect dialect, int status, std::string_view title, std::string_view detail)
{
    switch (dialect) {
    case Dialect::Classic: return classicFailure(status, detail);
    case Dialect::Plain:
        return {status, "text/plain; charset=utf-8", std::string(detail) + "\n", {}};
    case Dialect::V1: break;
    }
    return problem(status, title, detail);
}

}  // namespace restante::http
