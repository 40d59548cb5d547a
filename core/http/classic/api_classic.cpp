#include "core/http/classic/api_classic.h"

#include "core/base/encoding.h"
#include "core/base/utf8.h"
#include "core/http/api/reach_check.h"
#include "core/http/classic/classic_request.h"
#include "core/job/job_id.h"

#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

using nlohmann::ordered_json;
using Services = std::shared_ptr<const ClassicServices>;

Response success(const ordered_json& data)
{
    const ordered_json answer{{"code", 0}, {"message", "ok"}, {"data", data}};
    return {200,
            "application/json",
            answer.dump(-1, ' ', false, ordered_json::error_handler_t::replace),
            {}};
}

Response failed(const Error& error)
{
    if (!isTemporary(error.code)) {
        return classicFailure(200, error.message);
    }
    auto response = classicFailure(503, error.message);
    response.headers.push_back({"Retry-After", "1"});
    return response;
}

/// Answers code 0 without data, or why not.
Done<void> plainly(ExchangePtr exchange)
{
    return [exchange = std::move(exchange)](const Result<void>& result) {
        exchange->respond(result ? success(nullptr) : failed(result.error()));
    };
}

void putBody(ordered_json& data, const std::string& body)
{
    data["body"] = isUtf8(body) ? body : "";
    if (!isUtf8(body)) {
        data["body_base64"] = toBase64(body);
    }
}

ordered_json poppedJson(const Job& job)
{
    ordered_json data{{"id", job.id}};
    putBody(data, job.body);
    return data;
}

std::int64_t secondsOf(Millis time)
{
    return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

/// Whether a client of the queues before would find the job: they forgot what was finished or
/// deleted.
bool isThere(JobState state)
{
    return state != JobState::Done && state != JobState::Trashed;
}

/// `delay` is the second at which it is due, as it was with the first of these queues.
ordered_json wholeJson(const JobView& view)
{
    // One that is held by itself may have no time: whenever somebody lets it go.
    const auto due = view.due == TimePoint::max() ? TimePoint{} : view.due;
    ordered_json data{{"topic", view.job.topic},
                      {"id", view.job.id},
                      {"delay", secondsOf(due.time_since_epoch())},
                      {"ttr", secondsOf(view.job.ttr)}};
    putBody(data, view.job.body);
    data["state"] = name(view.state);
    data["attempt"] = view.attempt;
    data["due_ms"] = toEpochMs(due);
    if (!view.lastError.empty()) {
        data["last_error"] = view.lastError;
    }
    return data;
}

void push(const Services& services, const ExchangePtr& exchange)
{
    auto order = classicPushOf(exchange->request().body);
    if (!order) {
        return exchange->respond(failed(order.error()));
    }
    const auto answer = [exchange](const Result<PushOutcome>& outcome) {
        exchange->respond(outcome ? success(outcome->id) : failed(outcome.error()));
    };
    if (const auto covered = checkTopic(exchange->request(), order->job.topic); !covered) {
        return exchange->respond(classicFailure(403, covered.error().message));
    }
    services->queue.push(*order, [services, exchange, order = *order,
                                  answer](const Result<PushOutcome>& outcome) mutable {
        const bool isThere = outcome ? outcome->status == PushStatus::AlreadyThere
                                     : outcome.error().code == ErrorCode::Conflict;
        if (!isThere) {
            return answer(outcome);
        }
        // The queues before forgot a job that had ended at once, ours can be restored; its id
        // may be used again all the same. Asked for only now, because most ids are new.
        order.renew = true;
        const auto id = order.job.id;
        checkJob(services->inspector, exchange->request(), id,
                 [services, order = std::move(order), answer](const Result<void>& covered) {
                     if (!covered) {
                         return answer(tl::unexpected(covered.error()));
                     }
                     services->queue.push(order, answer);
                 });
    });
}

void pop(const Services& services, const ExchangePtr& exchange, std::vector<std::string> topics)
{
    for (const auto& topic : topics) {
        if (const auto covered = checkTopic(exchange->request(), topic); !covered) {
            return exchange->respond(classicFailure(403, covered.error().message));
        }
    }
    const auto popped = [services, exchange](Result<PopDesk::Jobs> jobs) {
        if (!jobs) {
            return exchange->respond(failed(jobs.error()));
        }
        if (jobs->empty()) {
            return exchange->respond(success(nullptr));
        }
        auto answer = success(poppedJson(jobs->front().job));
        exchange->respond(std::move(answer),
                          [services, jobs = std::move(*jobs)] { services->desk.giveBack(jobs); });
    };
    const auto ticket = services->desk.pop({std::move(topics), 1, services->wait}, popped);
    exchange->onClosed([services, ticket] { services->desk.cancel(ticket); });
}

/// Calls `next` with what `parsed` holds, or answers why there is nothing.
template <class T, class Next>
void with(const ExchangePtr& exchange, Result<T> parsed, const Next& next)
{
    if (!parsed) {
        return exchange->respond(failed(parsed.error()));
    }
    next(std::move(*parsed));
}

/// The same for a job's id, if the caller's token covers that job.
template <class Next>
void withJob(const Services& services,
             const ExchangePtr& exchange,
             Result<std::string> id,
             Next next)
{
    with(exchange, std::move(id), [&](const std::string& known) {
        checkJob(services->inspector, exchange->request(), known,
                 [exchange, known, next = std::move(next)](const Result<void>& covered) {
                     covered ? next(known) : exchange->respond(failed(covered.error()));
                 });
    });
}

/// A job that the caller's token does not cover is answered like one that is not there.
void show(const Services& services, const ExchangePtr& exchange)
{
    with(exchange, classicIdOf(exchange->request().body), [&](std::string id) {
        services->inspector.show(std::move(id), [exchange](const Result<JobView>& view) {
            if (!view && view.error().code != ErrorCode::NotFound) {
                return exchange->respond(failed(view.error()));
            }
            const bool found = view && isThere(view->state) &&
                               checkTopic(exchange->request(), view->job.topic).has_value();
            exchange->respond(success(found ? wholeJson(*view) : ordered_json(nullptr)));
        });
    });
}

void finish(const Services& services, const ExchangePtr& exchange)
{
    withJob(services, exchange, classicIdOf(exchange->request().body), [=](std::string id) {
        services->queue.finish({std::move(id), 0, {}}, plainly(exchange));
    });
}

void trash(const Services& services, const ExchangePtr& exchange, Result<std::string> id)
{
    withJob(services, exchange, std::move(id), [=](std::string known) {
        services->queue.store().trash(
            {std::move(known), exchange->request().actor, "deleted by HTTP"}, plainly(exchange));
    });
}

/// What an operator or a client has deleted comes back from Redis; what Redis has lost, from the
/// journal.
void restore(const Services& services, const ExchangePtr& exchange)
{
    const auto parsed = checkedJobId(exchange->pathValue("id"));
    with(exchange, parsed, [&](const std::string& id) {
        const auto restored = [services, exchange, id](const Result<void>& result) {
            const bool isLost = !result && result.error().code == ErrorCode::NotFound;
            if (isLost && services->recover) {
                return services->recover(id, exchange->request().actor, plainly(exchange));
            }
            plainly(exchange)(result);
        };
        services->queue.store().restore({id, exchange->request().actor, "restored by HTTP"},
                                        restored);
    });
}

void restoreAll(const Services& services, const ExchangePtr& exchange)
{
    const auto expire = exchange->request().parameter("expire").value_or("false");
    if (expire != "true" && expire != "false") {
        return exchange->respond(classicFailure(200, "expire: is true or false"));
    }
    if (!services->recoverAll) {
        return exchange->respond(classicFailure(
            200, "there is no journal to restore from; set journal.mode to async or durable"));
    }
    services->recoverAll(expire == "true", exchange->request().actor,
                         [exchange](const Result<std::uint64_t>& count) {
                             exchange->respond(count ? success(*count) : failed(count.error()));
                         });
}

Result<std::string> idParameter(const ExchangePtr& exchange)
{
    return checkedJobId(exchange->request().parameter("id").value_or(""));
}

}  // namespace

void addClassicRoutes(Router& router, const ClassicServices& given)
{
    const auto services = std::make_shared<const ClassicServices>(given);
    const auto add = [&](const char* method, const char* path, Scope scope, auto handler,
                         std::size_t body = Router::kSmallBody) {
        // Nothing here is safe to ask twice, so HEAD finds nothing.
        router.add(
            {method, path, scope, Dialect::Classic,
             [services, handler](const ExchangePtr& exchange) { handler(services, exchange); },
             false, false, body});
    };
    add("POST", "/push", Scope::Push, push, Router::kAnyBody);
    add("POST", "/pop", Scope::Pop, [](const Services& all, const ExchangePtr& exchange) {
        with(exchange, classicTopicsOf(exchange->request().body),
             [&](std::vector<std::string> topics) { pop(all, exchange, std::move(topics)); });
    });
    add("GET", "/get/{topic}", Scope::Pop, [](const Services& all, const ExchangePtr& exchange) {
        with(exchange, topicsOf(exchange->pathValue("topic")),
             [&](std::vector<std::string> topics) { pop(all, exchange, std::move(topics)); });
    });
    add("POST", "/get", Scope::Push, show);
    add("POST", "/finish", Scope::Pop, finish);
    add("POST", "/delete", Scope::Push, [](const Services& all, const ExchangePtr& exchange) {
        trash(all, exchange, classicIdOf(exchange->request().body));
    });
    add("GET", "/delete", Scope::Push, [](const Services& all, const ExchangePtr& exchange) {
        trash(all, exchange, idParameter(exchange));
    });
    add("GET", "/restore", Scope::Admin, restoreAll);
    add("GET", "/restore/{id}", Scope::Admin, restore);
}

}  // namespace restante::http
