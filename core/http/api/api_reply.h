#pragma once

#include "core/base/result.h"
#include "core/http/server/http_call.h"
#include "core/json/field_error.h"
#include "core/json/object_reader.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace restante::http {

/// How the handlers of v1 read requests and write answers. *Pure functions.*

Response jsonReply(int status, const nlohmann::json& document);
/// Says what is wrong with a field, or what it may be.
tl::unexpected<json::FieldError> wrong(std::string_view field, std::string detail);
/// 400, naming the field.
Response refused(const json::FieldError& problem);
/// The store's error; an Invalid one names the field it is about.
Response refused(const Error& error);

/// The body as one JSON object; an empty body is an empty object where `allowed`.
enum class EmptyBody { Refused, Allowed };
json::Parsed<nlohmann::json> objectIn(const Request& request, EmptyBody emptyBody);

/// The first query parameter that is not among `known`, that comes twice, or whose value is no
/// UTF-8 or has control characters, as a problem.
std::optional<json::FieldError> wrongParameter(const Request& request,
                                               const std::vector<std::string_view>& known);
/// "true" or "false"; absent = false.
json::Parsed<bool> flagIn(const Request& request, std::string_view name);
json::Parsed<std::int64_t> numberIn(const Request& request,
                                    std::string_view name,
                                    std::int64_t least,
                                    std::int64_t most,
                                    std::int64_t absent);

/// {"id","state"}
nlohmann::json briefOf(std::string_view id, std::string_view state);
/// As RFC 3339 and in ms; a moment that nobody knows (TimePoint::max()) is left out.
void addTime(nlohmann::json& object, const std::string& name, TimePoint at);

/// Answers `call` with what `reply` makes of a success, or with the refusal.
template <class T, class Reply>
Done<T> answering(HttpCallPtr call, Reply reply)
{
    return [call = std::move(call), reply = std::move(reply)](const Result<T>& result) {
        if (!result) {
            return call->respond(refused(result.error()));
        }
        if constexpr (std::is_void_v<T>) {
            call->respond(reply());
        } else {
            call->respond(reply(*result));
        }
    };
}

/// "/v1/jobs/<id>", percent-encoded.
std::string locationOf(std::string_view id);

}  // namespace restante::http
