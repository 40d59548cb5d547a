#include "core/http/api_reply.h"
#include "core/http/job_answers.h"
#include "core/http/push_check.h"
#include "core/http/v1_api.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

/// What an operator may say about why; the topic's limit is the same.
constexpr std::size_t kLongestReason = 1'024;

/// What became of one push of a request.
struct PushAnswer {
    int status = 0;
    nlohmann::json document;
    std::vector<Header> headers = {};  ///< of a refusal: Retry-After
};

PushAnswer answerOf(const Response& refusal)
{
    return {refusal.status, nlohmann::json::parse(refusal.body), refusal.headers};
}

using Answer = std::function<void(PushAnswer)>;

/// The job was there already: as it stands now, which may be finished.
void answerAlreadyThere(const V1Services& services, const std::string& id, Answer answer)
{
    services.inspector.show(id, [id, answer = std::move(answer)](const Result<JobView>& view) {
        if (!view && view.error().code != ErrorCode::NotFound) {
            return answer(answerOf(refused(view.error())));
        }
        answer({200, view ? standingOf(*view) : briefOf(id, name(JobState::Done))});
    });
}

void pushOne(const V1Services& services, json::Parsed<PushOrder> order, Answer answer)
{
    auto checked = order ? checkedPush(services, std::move(*order))
                         : json::Parsed<PushOrder>(tl::unexpected(order.error()));
    if (!checked) {
        return answer(answerOf(refused(checked.error())));
    }
    const auto now = services.queue.clock().now();
    // Said outright, so that the answer tells the very time that is stored.
    checked->at = checked->at.value_or(now + checked->delay);
    checked->delay = Millis{0};
    const auto due = *checked->at + services.queue.firstWait(checked->job);
    services.queue.push(std::move(*checked), [&services, due, now, answer = std::move(answer)](
                                                 const Result<PushOutcome>& outcome) {
        if (!outcome) {
            return answer(answerOf(refused(outcome.error())));
        }
        if (outcome->status == PushStatus::AlreadyThere) {
            return answerAlreadyThere(services, outcome->id, answer);
        }
        auto document =
            briefOf(outcome->id, name(due <= now ? JobState::Ready : JobState::Scheduled));
        addTime(document, "due", due);
        answer({201, std::move(document)});
    });
}

/// An array: each item's answer in its place, all together when the last is in.
struct BatchAnswer {
    ExchangePtr exchange;
    nlohmann::json items = nlohmann::json::array();
    std::size_t missing = 0;
    int lowest = 600;
    int highest = 0;

    /// What only a whole job shows to be wrong is told without its place in the array.
    static void placeField(std::size_t index, nlohmann::json& document)
    {
        const auto field = document.value("field", "");
        if (field.empty() || field.starts_with('[')) {
            return;
        }
        const auto place = fmt::format("[{}].", index);
        document["field"] = place + field;
        document["detail"] = place + document.value("detail", "");
    }

    void take(std::size_t index, PushAnswer answer)
    {
        answer.document["status"] = answer.status;
        placeField(index, answer.document);
        items[index] = std::move(answer.document);
        lowest = std::min(lowest, answer.status);
        highest = std::max(highest, answer.status);
        if (--missing == 0) {
            // 201: all are new. 200: all are stored. 207: look at each.
            const int status = highest >= 400 ? 207 : lowest;
            exchange->respond(jsonReply(status, items));
        }
    }
};

void pushMany(const V1Services& services, const ExchangePtr& exchange, json::PushBatch batch)
{
    auto answers = std::make_shared<BatchAnswer>();
    answers->exchange = exchange;
    answers->missing = batch.orders.size();
    for (std::size_t i = 0; i < batch.orders.size(); ++i) {
        answers->items.push_back(nullptr);
    }
    // All in one turn: the store sends them as one call a shard.
    for (std::size_t i = 0; i < batch.orders.size(); ++i) {
        pushOne(services, std::move(batch.orders[i]),
                [answers, i](PushAnswer answer) { answers->take(i, std::move(answer)); });
    }
}

void push(const V1Services& services, const ExchangePtr& exchange)
{
    if (auto problem = wrongParameter(exchange->request(), {})) {
        return exchange->respond(refused(*problem));
    }
    auto batch = json::pushBatchOf(exchange->request().body, services.queue.clock().now());
    if (!batch) {
        return exchange->respond(refused(batch.error()));
    }
    if (batch->isArray) {
        return pushMany(services, exchange, std::move(*batch));
    }
    pushOne(services, std::move(batch->orders.at(0)), [exchange](const PushAnswer& answer) {
        auto response = jsonReply(answer.status, answer.document);
        if (answer.status >= 400) {
            response.contentType = "application/problem+json";
            response.headers = answer.headers;
        } else {
            response.headers.push_back(
                {"Location", locationOf(answer.document.at("id").get<std::string>())});
        }
        exchange->respond(std::move(response));
    });
}

void show(const V1Services& services, const ExchangePtr& exchange)
{
    services.inspector.show(std::string(exchange->pathValue("id")),
                            answering<JobView>(exchange, [](const JobView& view) {
                                return jsonReply(200, json::jsonOf(view));
                            }));
}

/// PATCH: another time, nothing else; the record itself is never changed.
void change(const V1Services& services, const ExchangePtr& exchange)
{
    const auto document = objectIn(exchange->request(), EmptyBody::Refused);
    if (!document) {
        return exchange->respond(refused(document.error()));
    }
    for (const auto& [field, value] : document->items()) {
        if (isFixedAtPush(field)) {
            return exchange->respond(refused(json::Problem{
                field, "cannot change after the push; push the job again with \"replace\": true, "
                       "or give delay, at or at_ms for another time"}));
        }
    }
    json::ObjectReader reader(*document);
    const auto now = services.queue.clock().now();
    const auto delay = reader.duration("delay");
    const auto at = reader.time("at");
    reader.excludes("delay", "at");
    reader.excludes("delay", "at_ms");
    const auto reason = reader.text("reason", kLongestReason);
    const bool resets = reader.boolean("reset_attempts").value_or(false);
    const auto due = at ? *at : now + delay.value_or(Millis{0});
    if (due - now > services.queue.settings().limits.horizon || due < TimePoint{}) {
        reader.refuse(at ? "at" : "delay", "is not before 1970 and within the horizon of a push");
    }
    auto problem = reader.finish();
    if (!problem && !delay && !at) {
        problem = json::Problem{"at", "or at_ms or delay is required"};
    }
    if (problem) {
        return exchange->respond(refused(*problem));
    }
    const std::string id{exchange->pathValue("id")};
    NewTime time{due};
    if (resets) {
        time.forgotten = NewTime::kEveryAttempt;
    }
    services.queue.store().reschedule({id, exchange->request().actor, reason.value_or("")}, time,
                                      thenStanding(services, exchange, id));
}

void remove(const V1Services& services, const ExchangePtr& exchange)
{
    const auto& request = exchange->request();
    if (auto problem = wrongParameter(request, {"purge", "reason"})) {
        return exchange->respond(refused(*problem));
    }
    const auto purge = flagIn(request, "purge");
    if (!purge) {
        return exchange->respond(refused(purge.error()));
    }
    const std::string id{exchange->pathValue("id")};
    const std::string reason{request.parameter("reason").value_or("")};
    if (reason.size() > kLongestReason) {
        return exchange->respond(
            refused(json::Problem{"reason", fmt::format("is at most {} bytes", kLongestReason)}));
    }
    const std::string state = *purge ? "purged" : std::string(name(JobState::Trashed));
    auto done =
        answering<void>(exchange, [id, state] { return jsonReply(200, briefOf(id, state)); });
    OperatorAction action{id, request.actor, reason};
    auto& store = services.queue.store();
    *purge ? store.purge(std::move(action), std::move(done))
           : store.trash(std::move(action), std::move(done));
}

}  // namespace

void addJobRoutes(Router& router, const V1Services& services)
{
    const auto serving = [&services](auto handler) {
        return [&services, handler](const ExchangePtr& exchange) { handler(services, exchange); };
    };
    router.add({"POST", "/v1/jobs", Scope::Push, Dialect::V1, serving(push)});
    router.add({"GET", "/v1/jobs/{id}", Scope::Push, Dialect::V1, serving(show)});
    router.add({"PATCH", "/v1/jobs/{id}", Scope::Push, Dialect::V1, serving(change)});
    router.add({"DELETE", "/v1/jobs/{id}", Scope::Push, Dialect::V1, serving(remove)});
}

}  // namespace restante::http
