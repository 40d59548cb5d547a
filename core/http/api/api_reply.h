#pragma once

#include "core/base/result.h"
#include "core/http/server/http_call.h"
#include "core/json/document.h"
#include "core/json/object_reader.h"
#include "core/queue/job_inspector.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::http {

/// How the handlers of v1 read requests and write answers. *Pure functions.*

/// What an operator may say about why; of a topic it is the same.
constexpr std::size_t kLongestReason = 1'024;

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

/// Calls `serve` with the fields of the body, or refuses it.
Handler withFields(EmptyBody emptyBody,
                   std::function<void(const HttpCallPtr&, json::ObjectReader&)> serve);

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

/// What became of one job of a request. *Value.*
struct ItemAnswer {
    int status = 0;
    std::shared_ptr<nlohmann::json> document = {};  ///< of a refusal a problem; never null
    std::vector<Header> headers = {};               ///< of a refusal: Retry-After
};

using Answer = std::function<void(ItemAnswer)>;

ItemAnswer itemOf(int status, nlohmann::json document);
ItemAnswer itemOf(const Response& refusal);

/// Of a request about one job: the answer is that of the request.
Response responseOf(const ItemAnswer& answer);
Answer answeringWith(HttpCallPtr call);

/// Of an array: each item's answer in its place, with its status, all together when the last is in.
/// The status of the whole: 201 when all are new, 200 when all are done, 207 when one was refused.
/// Shared by the answers that are missing. *One loop.*
class ArrayAnswer {
public:
    ArrayAnswer(HttpCallPtr call, std::size_t items)
        : call_(std::move(call)),
          items_(items),
          missing_(items)
    {
    }

    /// Takes the answer of one item; once for each.
    static Answer placing(std::shared_ptr<ArrayAnswer> answers, std::size_t index);

private:
    void take(std::size_t index, ItemAnswer answer);

    HttpCallPtr call_;
    std::vector<ItemAnswer> items_;
    std::size_t missing_;
};

/// How a job stands, without its body: id, topic, channel, state, attempt, due, last_error.
nlohmann::json standingOf(const JobView& view);

/// After a move of job `id`: answers how the job stands now, or the refusal of the move.
Done<void> thenStanding(JobInspector& inspector, std::string id, Answer answer);

}  // namespace restante::http
