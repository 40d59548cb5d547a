#include "core/http/api/api_reply.h"

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/json/document.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

bool isControl(char c) noexcept
{
    return (c >= '\0' && c < ' ') || c == '\x7f';
}

}  // namespace

Response jsonReply(int status, const nlohmann::json& document)
{
    return {status, "application/json", json::print(document), {}};
}

tl::unexpected<json::FieldError> wrong(std::string_view field, std::string detail)
{
    return tl::unexpected(json::FieldError{std::string(field), std::move(detail)});
}

Response refused(const json::FieldError& problem)
{
    const auto detail = problem.field.empty()
                            ? problem.detail
                            : fmt::format("{}: {}", problem.field, problem.detail);
    return http::problem(400, "Invalid input", detail, problem.field);
}

Response refused(const Error& error)
{
    return error.code == ErrorCode::Invalid ? refused(json::fieldErrorOf(error)) : problemOf(error);
}

json::Parsed<nlohmann::json> objectIn(const Request& request, EmptyBody emptyBody)
{
    if (request.body.empty() && emptyBody == EmptyBody::Allowed) {
        return nlohmann::json::object();
    }
    auto document = json::parseDocument(request.body);
    if (document && !document->is_object()) {
        return wrong("", "the body is one JSON object");
    }
    return document;
}

std::optional<json::FieldError> wrongParameter(const Request& request,
                                               const std::vector<std::string_view>& known)
{
    for (auto one = request.query.begin(); one != request.query.end(); ++one) {
        const auto& name = one->first;
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            return json::FieldError{
                name, known.empty() ? "is no parameter of this request; it takes none"
                                    : fmt::format("is no parameter of this request; it takes "
                                                  "{}",
                                                  fmt::join(known, ", "))};
        }
        if (std::any_of(request.query.begin(), one,
                        [&](const auto& earlier) { return earlier.first == name; })) {
            return json::FieldError{name, "is given once"};
        }
        if (!isUtf8(one->second) ||
            std::any_of(one->second.begin(), one->second.end(), isControl)) {
            return json::FieldError{name, "is UTF-8 without control characters"};
        }
    }
    return std::nullopt;
}

json::Parsed<bool> flagIn(const Request& request, std::string_view name)
{
    const auto value = request.parameter(name).value_or("false");
    if (value != "true" && value != "false") {
        return wrong(name, "is true or false");
    }
    return value == "true";
}

json::Parsed<std::int64_t> numberIn(const Request& request,
                                    std::string_view name,
                                    std::int64_t least,
                                    std::int64_t most,
                                    std::int64_t absent)
{
    const auto text = request.parameter(name);
    if (!text) {
        return absent;
    }
    const auto number = wholeNumber<std::int64_t>(*text);
    if (!number || *number < least || *number > most) {
        return wrong(name, fmt::format("is a whole number, {} to {}", least, most));
    }
    return *number;
}

void addTime(nlohmann::json& object, const std::string& name, TimePoint at)
{
    if (at != TimePoint::max()) {
        object[name] = printRfc3339(at);
        object[name + "_ms"] = toEpochMs(at);
    }
}

nlohmann::json briefOf(std::string_view id, std::string_view state)
{
    return {{"id", id}, {"state", state}};
}

std::string locationOf(std::string_view id)
{
    return "/v1/jobs/" + percentEncoded(id);
}

}  // namespace restante::http
