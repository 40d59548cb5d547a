#include "core/base/clock.h"
#include "core/base/encoding.h"
#include "core/base/try.h"
#include "core/http/api/access_check.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"
#include "core/job/web_url.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"
#include "core/queue/array_scope.h"
#include "core/queue/topic.h"
#include "core/sms/phone_number.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

/// Fields of a push that cannot be changed later.
constexpr std::array<std::string_view, 18> kFixedFields{
    "id",      "topic",      "channel",    "body",    "body_base64", "content_type",
    "headers", "recipient",  "sender",     "biz_key", "priority",    "ttr",
    "expires", "expires_ms", "expires_in", "retry",   "replace",     "recurrence"};

json::FieldError recipientProblem(const Error& error)
{
    return {"recipient", std::string(error.detail())};
}

/// Checks what only outside callers are refused: a reserved topic, or a recipient that the channel
/// cannot reach. A SIP address becomes its address of record.
json::Parsed<PushOptions> checkedPush(const V1Services& services, PushOptions push)
{
    auto& job = push.job;
    TRY(checkNotReserved(job.topic).map_error(json::fieldErrorOf));
    if (job.recipient.empty()) {
        return push;  // refused by the queue, except on channel pull
    }
    Result<void> valid;
    switch (job.channel) {
    case Channel::Pull: break;
    case Channel::Sip: {
        job.recipient = TRY(services.addressOfRecord(job.recipient).map_error(recipientProblem));
        break;
    }
    case Channel::Sms: valid = sms::phoneNumber(job.recipient).map([](const auto&) {}); break;
    case Channel::Webhook: valid = parseWebUrl(job.recipient).map([](const auto&) {}); break;
    }
    TRY(valid.map_error(recipientProblem));
    return push;
}

/// Answers with the status of a job that was there already and may be finished.
void answerAlreadyThere(const V1Services& services, const std::string& id, AnswerHandler answer)
{
    services.inspector.show(id, [id, answer = std::move(answer)](const Result<JobView>& view) {
        if (!view && view.error().code != ErrorCode::NotFound) {
            return answer(itemAnswer(errorResponse(view.error())));
        }
        answer(view ? itemAnswer(200, jobStatusOf(*view))
                    : stateAnswer(200, id, name(JobState::Done)));
    });
}

void pushChecked(const V1Services& services,
                 json::Parsed<PushOptions> checked,
                 const AnswerHandler& answer)
{
    const auto now = services.queue.clock().now();
    // Set explicitly, so that the answer contains the time that is stored.
    checked->at = checked->at.value_or(momentAfter(services.queue.clock(), checked->delay));
    checked->delay = Millis{0};
    checked->job.rememberId = !checked->job.id.empty();
    const auto due = *checked->at + services.queue.firstWait(checked->job);
    services.queue.push(
        std::move(*checked), [&services, due, now, answer](const Result<PushOutcome>& outcome) {
            if (!outcome) {
                return answer(itemAnswer(errorResponse(outcome.error())));
            }
            if (outcome->status == PushStatus::AlreadyThere) {
                return answerAlreadyThere(services, outcome->id, answer);
            }
            answer(stateAnswer(201, outcome->id,
                               name(due <= now ? JobState::Ready : JobState::Scheduled),
                               {"due", "due_ms", due}));
        });
}

/// The answer when the caller's token does not allow the push; none = it does.
std::optional<ItemAnswer>
accessRefusal(const V1Services& services, const Request& request, const Job& job)
{
    if (const auto covered = checkTopicAccess(request, job.topic); !covered) {
        return itemAnswer(problem(403, "Forbidden", covered.error().message, "topic"));
    }
    // In the form of a SIP message's From, so that no URI parameter hides another user.
    const auto address = services.addressOfRecord(job.sender);
    if (const auto covered = checkSenderAccess(request, address.value_or(job.sender)); !covered) {
        return itemAnswer(problem(403, "Forbidden", covered.error().message, "sender"));
    }
    return {};
}

void pushOne(const V1Services& services,
             const HttpCallPtr& call,
             json::Parsed<PushOptions> push,
             const AnswerHandler& answer)
{
    auto checked = push ? checkedPush(services, std::move(*push))
                        : json::Parsed<PushOptions>(tl::unexpected(push.error()));
    if (!checked) {
        return answer(itemAnswer(errorResponse(checked.error())));
    }
    if (auto refusal = accessRefusal(services, call->request(), checked->job)) {
        return answer(std::move(*refusal));
    }
    if (!checked->replace || checked->job.id.empty()) {
        return pushChecked(services, std::move(checked), answer);
    }
    const auto id = checked->job.id;
    checkJobAccess(services.inspector, call->request(), id,
                   [&services, checked = std::move(checked), answer](const Result<void>& covered) {
                       if (!covered) {
                           return answer(
                               itemAnswer(problem(403, "Forbidden",
                                                  "the id is that of a job of a topic that the "
                                                  "token does not cover",
                                                  "id")));
                       }
                       pushChecked(services, checked, answer);
                   });
}

void pushMany(const V1Services& services, const HttpCallPtr& call, json::PushBatch batch)
{
    auto answers = std::make_shared<ArrayAnswer>(call, batch.pushes.size());
    const ArrayScope together;  // the store sends one call per shard
    for (std::size_t i = 0; i < batch.pushes.size(); ++i) {
        pushOne(services, call, std::move(batch.pushes[i]), ArrayAnswer::answerAt(answers, i));
    }
}

void push(const V1Services& services, const HttpCallPtr& call)
{
    if (auto problem = invalidParameter(call->request(), {})) {
        return call->respond(errorResponse(*problem));
    }
    auto batch = json::pushBatchOf(call->request().body, services.queue.clock().now());
    if (!batch) {
        return call->respond(errorResponse(batch.error()));
    }
    if (batch->isArray) {
        return pushMany(services, call, std::move(*batch));
    }
    pushOne(services, call, std::move(batch->pushes.at(0)), [call](ItemAnswer answer) {
        const auto id = std::move(answer.id);
        auto response = responseOf(std::move(answer));
        if (response.status < 400) {
            response.headers.push_back({"Location", "/v1/jobs/" + percentEncoded(id)});
        }
        call->respond(std::move(response));
    });
}

void show(const V1Services& services, const HttpCallPtr& call)
{
    services.inspector.show(std::string(call->pathValue("id")),
                            respondWith<JobView>(call, [](const JobView& view) {
                                return jsonReply(200, json::jsonOf(view));
                            }));
}

/// PATCH changes only the time; the record itself is never changed.
void reschedule(const V1Services& services, const HttpCallPtr& call)
{
    const auto document = objectIn(call->request(), EmptyBody::Refused);
    if (!document) {
        return call->respond(errorResponse(document.error()));
    }
    for (const auto& [field, value] : document->items()) {
        if (std::find(kFixedFields.begin(), kFixedFields.end(), field) != kFixedFields.end()) {
            return call->respond(errorResponse(json::FieldError{
                field, "cannot change after the push; push the job again with \"replace\": true, "
                       "or give delay, at or at_ms for another time"}));
        }
    }
    json::ObjectReader reader(*document);
    const auto now = services.queue.clock().now();
    const auto delay = reader.duration("delay");
    const auto at = reader.time("at");
    reader.refuseBoth("delay", "at");
    reader.refuseBoth("delay", "at_ms");
    const auto reason = reader.text("reason", kLongestReason);
    const bool resetsAttempts = reader.boolean("reset_attempts").value_or(false);
    const auto due = at ? *at : momentAfter(services.queue.clock(), delay.value_or(Millis{0}));
    if (due - now > services.queue.settings().limits.horizon || due < TimePoint{}) {
        reader.refuse(at ? "at" : "delay", "is not before 1970 and within the horizon of a push");
    }
    auto problem = reader.finish();
    if (!problem && !delay && !at) {
        problem = json::FieldError{"at", "or at_ms or delay is required"};
    }
    if (problem) {
        return call->respond(errorResponse(*problem));
    }
    const std::string id{call->pathValue("id")};
    NewTime time{due};
    if (resetsAttempts) {
        time.attemptOffset = NewTime::kEveryAttempt;
    }
    services.queue.store().reschedule({id, call->request().actor, reason.value_or("")}, time,
                                      answerWithJobStatus(services.inspector, id, respondTo(call)));
}

void remove(const V1Services& services, const HttpCallPtr& call)
{
    const auto& request = call->request();
    if (auto problem = invalidParameter(request, {"purge", "reason"})) {
        return call->respond(errorResponse(*problem));
    }
    const auto purge = flagIn(request, "purge");
    if (!purge) {
        return call->respond(errorResponse(purge.error()));
    }
    if (*purge && !request.admin) {
        return call->respond(refusal(Dialect::V1, 403, "Forbidden",
                                     "purging a job needs the scope admin; without purge it "
                                     "goes into the trash"));
    }
    const std::string id{call->pathValue("id")};
    const std::string reason{request.parameter("reason").value_or("")};
    if (reason.size() > kLongestReason) {
        return call->respond(errorResponse(
            json::FieldError{"reason", fmt::format("is at most {} bytes", kLongestReason)}));
    }
    const std::string state = *purge ? "purged" : std::string(name(JobState::Trashed));
    auto done =
        respondWith<void>(call, [id, state] { return jsonReply(200, idAndState(id, state)); });
    OperatorAction action{id, request.actor, reason};
    auto& store = services.queue.store();
    *purge ? store.purge(std::move(action), std::move(done))
           : store.trash(std::move(action), std::move(done));
}

}  // namespace

void addJobRoutes(Router& router, const V1Services& services)
{
    router.add({.method = "POST",
                .pattern = "/v1/jobs",
                .scope = Scope::Push,
                .dialect = Dialect::V1,
                .handler = servedBy(services, push),
                .bodyLimit = Router::kAnyBody});
    const auto serveJob = [&services](auto handler) {
        return requireJobAccess(services.inspector, servedBy(services, handler));
    };
    router.add({"GET", "/v1/jobs/{id}", Scope::Push, Dialect::V1, serveJob(show)});
    router.add({"PATCH", "/v1/jobs/{id}", Scope::Push, Dialect::V1, serveJob(reschedule)});
    router.add({"DELETE", "/v1/jobs/{id}", Scope::Push, Dialect::V1, serveJob(remove)});
}

}  // namespace restante::http
