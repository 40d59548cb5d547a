#pragma once

#include "core/base/clock.h"
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

/// How the handlers of v1 read requests and write answers.

/// The bytes of an operator's reason for an action on a job or a topic.
constexpr std::size_t kLongestReason = 1'024;

Response jsonReply(int status, const nlohmann::json& document);
/// An error about a field: what is wrong with it, or what it may be.
tl::unexpected<json::FieldError> fieldError(std::string_view field, std::string detail);
/// 400, naming the field.
Response errorResponse(const json::FieldError& problem);
/// The store's error; an Invalid one names the field it is about.
Response errorResponse(const Error& error);

/// The body as one JSON object; with EmptyBody::Allowed an empty body is an empty object.
enum class EmptyBody { Refused, Allowed };
json::Parsed<nlohmann::json> objectIn(const Request& request, EmptyBody emptyBody);

/// Calls `serve` with the fields of the body, or refuses it.
Handler withFields(EmptyBody emptyBody,
                   std::function<void(const HttpCallPtr&, json::ObjectReader&)> serve);

/// The first query parameter that is not among `known`, that comes twice, or whose value is no
/// UTF-8 or has control characters, as a problem.
std::optional<json::FieldError> invalidParameter(const Request& request,
                                                 const std::vector<std::string_view>& known);
/// "true" or "false"; absent = false.
json::Parsed<bool> flagIn(const Request& request, std::string_view name);
json::Parsed<std::int64_t> numberIn(const Request& request,
                                    std::string_view name,
                                    std::int64_t least,
                                    std::int64_t most,
                                    std::int64_t absent);

/// {"id","state"}
nlohmann::json idAndState(std::string_view id, std::string_view state);

/// A handler that answers `call` with `reply(value)`, or with the error.
template <class T, class Reply>
Done<T> respondWith(HttpCallPtr call, Reply reply)
{
    return [call = std::move(call), reply = std::move(reply)](const Result<T>& result) {
        if (!result) {
            return call->respond(errorResponse(result.error()));
        }
        if constexpr (std::is_void_v<T>) {
            call->respond(reply());
        } else {
            call->respond(reply(*result));
        }
    };
}

/// The answer about one job of a request. *Value.*
struct ItemAnswer {
    int status = 0;
    std::string id = {};               ///< of the job; empty if it is refused
    std::string document = {};         ///< one JSON object with fields; a problem if it is refused
    std::vector<Header> headers = {};  ///< Retry-After if it is refused
};

using AnswerHandler = std::function<void(ItemAnswer)>;

/// `document` names the job in its field `id`.
ItemAnswer itemAnswer(int status, const nlohmann::json& document);
ItemAnswer itemAnswer(Response refusal);

/// A time of an answer: RFC 3339 under `name`, ms since the epoch under `nameMs`.
struct AnswerTime {
    const char* name = "";
    const char* nameMs = "";
    TimePoint at = TimePoint::max();  ///< max() = it is left out
};
/// The job is in that state now: {"id","state"} and the time.
ItemAnswer
stateAnswer(int status, std::string id, std::string_view state, const AnswerTime& time = {});

/// The response to a request about a single job.
Response responseOf(ItemAnswer answer);
AnswerHandler respondTo(HttpCallPtr call);

/// The response to a request with an array: the answers of all items with their status, in the
/// order of the items, sent when the last one has come. The status of the response is 201 when all
/// are new, 200 when all are done, 207 when one was refused. Shared by the handlers of the answers.
/// *One loop.*
class ArrayAnswer {
public:
    ArrayAnswer(HttpCallPtr call, std::size_t items)
        : call_(std::move(call)),
          items_(items),
          unanswered_(items)
    {
    }

    /// The handler that takes the answer of one item; to be called once for each.
    static AnswerHandler answerAt(std::shared_ptr<ArrayAnswer> answers, std::size_t index);

private:
    void take(std::size_t index, ItemAnswer answer);

    HttpCallPtr call_;
    std::vector<ItemAnswer> items_;
    std::size_t unanswered_;
};

/// The status of a job, without its body: id, topic, channel, state, attempt, due, last_error.
nlohmann::json jobStatusOf(const JobView& view);

/// The handler of a move of job `id`: answers with the job's status afterwards, or with the error
/// of the move.
Done<void> answerWithJobStatus(JobInspector& inspector, std::string id, AnswerHandler answer);

}  // namespace restante::http
