#include "core/http/api/api_reply.h"

#include "core/base/text.h"
#include "core/json/job_json.h"
#include "core/json/object_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

/// The problem of one item of an array. Errors that are found only in the whole item name their
/// field without the item's index.
std::string problemOfItem(std::size_t index, std::string problem)
{
    auto document = nlohmann::json::parse(problem);
    const auto field = document.value("field", "");
    if (field.empty() || field.starts_with('[')) {
        return problem;
    }
    const auto prefix = fmt::format("[{}].", index);
    document["field"] = prefix + field;
    document["detail"] = prefix + document.value("detail", "");
    return json::toString(document);
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
    for (auto parameter = request.query.begin(); parameter != request.query.end(); ++parameter) {
        const auto& name = parameter->first;
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            return json::FieldError{
                name, known.empty() ? "is no parameter of this request; it takes none"
                                    : fmt::format("is no parameter of this request; it takes "
                                                  "{}",
                                                  fmt::join(known, ", "))};
        }
        if (std::any_of(request.query.begin(), parameter,
                        [&](const auto& earlier) { return earlier.first == name; })) {
            return json::FieldError{name, "is given once"};
        }
        if (!isUtf8(parameter->second) ||
            std::any_of(parameter->second.begin(), parameter->second.end(), isAsciiControl)) {
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

ItemAnswer itemAnswer(int status, const nlohmann::json& document)
{
    return {status, document.at("id").get<std::string>(), json::toString(document), {}};
}

ItemAnswer itemAnswer(Response refusal)
{
    return {refusal.status, {}, std::move(refusal.body), std::move(refusal.headers)};
}

ItemAnswer stateAnswer(int status, std::string id, std::string_view state, const AnswerTime& time)
{
    ItemAnswer answer{.status = status, .id = std::move(id)};
    json::ObjectWriter document(answer.document);
    // In the order of the names, as documents are printed.
    const bool isTimeFirst = std::string_view(time.name) < "id";
    json::addTime(document, time.name, time.nameMs, isTimeFirst ? time.at : TimePoint::max());
    document.text("id", answer.id);
    json::addTime(document, time.name, time.nameMs, isTimeFirst ? TimePoint::max() : time.at);
    document.text("state", state);
    document.end();
    return answer;
}

Response responseOf(ItemAnswer answer)
{
    return {answer.status, answer.status >= 400 ? "application/problem+json" : "application/json",
            std::move(answer.document), std::move(answer.headers)};
}

AnswerHandler respondTo(HttpCallPtr call)
{
    return [call = std::move(call)](ItemAnswer answer) {
        call->respond(responseOf(std::move(answer)));
    };
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
    constexpr std::size_t kStatusBytes = 16;  // `,"status":200},`
    int lowestStatus = 600;
    int highestStatus = 0;
    std::size_t bytes = 0;
    for (const auto& item : items_) {
        lowestStatus = std::min(lowestStatus, item.status);
        highestStatus = std::max(highestStatus, item.status);
        bytes += item.document.size() + kStatusBytes;
    }
    std::string list = "[";
    list.reserve(bytes);
    for (std::size_t i = 0; i < items_.size(); ++i) {
        auto& item = items_[i];
        list += i == 0 ? "" : ",";
        if (item.status >= 400) {
            list += problemOfItem(i, std::move(item.document));  // it says its status
        } else {
            item.document.pop_back();  // the brace at its end
            fmt::format_to(std::back_inserter(list), R"({},"status":{}}})", item.document,
                           item.status);
        }
    }
    list += ']';
    call_->respond(
        {highestStatus >= 400 ? 207 : lowestStatus, "application/json", std::move(list), {}});
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
            answer(view.error().code == ErrorCode::NotFound
                       ? stateAnswer(200, id, name(JobState::Done))
                       : itemAnswer(200, nlohmann::json{{"id", id}}));
        });
    };
}

}  // namespace restante::http
