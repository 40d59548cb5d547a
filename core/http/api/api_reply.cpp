#include "core/http/api/api_reply.h"

#include "core/base/text.h"
#include "core/json/job_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

/// Errors that are found only in the whole item name their field without the item's index.
void prefixField(std::size_t index, nlohmann::json& document)
{
    const auto field = document.value("field", "");
    if (field.empty() || field.starts_with('[')) {
        return;
    }
    const auto prefix = fmt::format("[{}].", index);
    document["field"] = prefix + field;
    document["detail"] = prefix + document.value("detail", "");
}

}  // namespace

Response jsonReply(int status, const nlohmann::json& document)
{
    return {status, "application/json", json::toString(document), {}};
}

tl::unexpected<json::FieldError> fieldError(std::string_view field, std::string detail)
{
    return tl::unexpected(json::FieldError{std::string(field), std::move(detail)});
}

Response errorResponse(const json::FieldError& problem)
{
    const auto detail = problem.field.empty()
                            ? problem.detail
                            : fmt::format("{}: {}", problem.field, problem.detail);
    return http::problem(400, "Invalid input", detail, problem.field);
}

Response errorResponse(const Error& error)
{
    return error.code == ErrorCode::Invalid ? errorResponse(json::fieldErrorOf(error))
                                            : problemOf(error);
}

json::Parsed<nlohmann::json> objectIn(const Request& request, EmptyBody emptyBody)
{
    if (request.body.empty() && emptyBody == EmptyBody::Allowed) {
        return nlohmann::json::object();
    }
    auto document = json::parseDocument(request.body);
    if (document && !document->is_object()) {
        return fieldError("", "the body is one JSON object");
    }
    return document;
}

Handler withFields(EmptyBody emptyBody,
                   std::function<void(const HttpCallPtr&, json::ObjectReader&)> serve)
{
    return [emptyBody, serve = std::move(serve)](const HttpCallPtr& call) {
        const auto document = objectIn(call->request(), emptyBody);
        if (!document) {
            return call->respond(errorResponse(document.error()));
        }
        json::ObjectReader fields(*document);
        serve(call, fields);
    };
}

std::optional<json::FieldError> invalidParameter(const Request& request,
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
            std::any_of(one->second.begin(), one->second.end(), isAsciiControl)) {
            return json::FieldError{name, "is UTF-8 without control characters"};
        }
    }
    return std::nullopt;
}

json::Parsed<bool> flagIn(const Request& request, std::string_view name)
{
    const auto value = request.parameter(name).value_or("false");
    if (value != "true" && value != "false") {
        return fieldError(name, "is true or false");
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
        return fieldError(name, fmt::format("is a whole number, {} to {}", least, most));
    }
    return *number;
}

nlohmann::json idAndState(std::string_view id, std::string_view state)
{
    return {{"id", id}, {"state", state}};
}

ItemAnswer itemAnswer(int status, nlohmann::json document)
{
    return {status, std::make_shared<nlohmann::json>(std::move(document))};
}

ItemAnswer itemAnswer(const Response& refusal)
{
    auto item = itemAnswer(refusal.status, nlohmann::json::parse(refusal.body));
    item.headers = refusal.headers;
    return item;
}

Response responseOf(const ItemAnswer& answer)
{
    auto response = jsonReply(answer.status, *answer.document);
    if (answer.status >= 400) {
        response.contentType = "application/problem+json";
    }
    response.headers = answer.headers;
    return response;
}

AnswerHandler respondTo(HttpCallPtr call)
{
    return
        [call = std::move(call)](const ItemAnswer& answer) { call->respond(responseOf(answer)); };
}

AnswerHandler ArrayAnswer::answerAt(std::shared_ptr<ArrayAnswer> answers, std::size_t index)
{
    return [answers = std::move(answers), index](ItemAnswer answer) {
        answers->take(index, std::move(answer));
    };
}

void ArrayAnswer::take(std::size_t index, ItemAnswer answer)
{
    items_[index] = std::move(answer);
    if (--unanswered_ > 0) {
        return;
    }
    int lowestStatus = 600;
    int highestStatus = 0;
    auto document = nlohmann::json::array();
    for (std::size_t i = 0; i < items_.size(); ++i) {
        auto& item = items_[i];
        (*item.document)["status"] = item.status;
        prefixField(i, *item.document);
        document.push_back(std::move(*item.document));
        lowestStatus = std::min(lowestStatus, item.status);
        highestStatus = std::max(highestStatus, item.status);
    }
    call_->respond(jsonReply(highestStatus >= 400 ? 207 : lowestStatus, document));
}

nlohmann::json jobStatusOf(const JobView& view)
{
    nlohmann::json document{{"id", view.job.id},
                            {"topic", view.job.topic},
                            {"channel", name(view.job.channel)},
                            {"state", name(view.state)},
                            {"attempt", view.attempt}};
    json::addTime(document, "due", view.due);
    if (!view.lastError.empty()) {
        document["last_error"] = view.lastError;
    }
    return document;
}

Done<void> answerWithJobStatus(JobInspector& inspector, std::string id, AnswerHandler answer)
{
    return [&inspector, id = std::move(id), answer = std::move(answer)](const Result<void>& moved) {
        if (!moved) {
            return answer(itemAnswer(errorResponse(moved.error())));
        }
        inspector.show(id, [id, answer](const Result<JobView>& view) {
            if (view) {
                return answer(itemAnswer(200, jobStatusOf(*view)));
            }
            // The move is stored; the job has been finished since, or its status is not known.
            answer(itemAnswer(200, view.error().code == ErrorCode::NotFound
                                       ? idAndState(id, name(JobState::Done))
                                       : nlohmann::json{{"id", id}}));
        });
    };
}

}  // namespace restante::http
