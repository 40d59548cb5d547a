#include "core/http/classic/api_classic.h"

#include "core/base/async_task.h"
#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/http/api/access_check.h"
#include "core/http/classic/classic_request.h"
#include "core/job/job_id.h"
#include "core/json/object_writer.h"

#include <string>
#include <string_view>

namespace restante::http {

namespace {

using Services = std::shared_ptr<const ClassicServices>;

/// `appendData(out)` appends the data of the answer as JSON.
template <class AppendData>
Response successReply(const AppendData& appendData)
{
    Response reply;
    reply.body = R"({"code":0,"message":"ok","data":)";
    appendData(reply.body);
    reply.body += '}';
    return reply;
}

Response replyWithoutData()
{
    return successReply([](std::string& out) { out += "null"; });
}

Response failureReply(const Error& error)
{
    if (!isTemporary(error.code)) {
        return classicFailure(200, error.message);
    }
    auto response = classicFailure(503, error.message);
    response.headers.push_back({"Retry-After", "1"});
    return response;
}

/// A handler that answers with code 0 and no data, or with the error.
Done<void> responderWithoutData(HttpCallPtr call)
{
    return [call = std::move(call)](const Result<void>& result) {
        call->respond(result ? replyWithoutData() : failureReply(result.error()));
    };
}

void addBody(json::ObjectWriter& data, const std::string& body)
{
    const bool isText = isUtf8(body);
    data.text("body", isText ? std::string_view(body) : std::string_view());
    if (!isText) {
        data.text("body_base64", toBase64(body));
    }
}

Response replyWithPopped(const Job& job)
{
    return successReply([&job](std::string& out) {
        json::ObjectWriter data(out);
        data.text("id", job.id);
        addBody(data, job.body);
        data.end();
    });
}

std::int64_t secondsOf(Millis time)
{
    return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

/// Whether a classic client may see the job: the earlier queues forgot finished and deleted jobs.
bool isVisible(JobState state)
{
    return state != JobState::Done && state != JobState::Trashed;
}

/// `delay` is the Unix time in seconds at which it is due, as in the first of these queues.
Response replyWithJob(const JobView& view)
{
    return successReply([&view](std::string& out) {
        // A job that is held outside a mailbox may have no due time.
        const auto due = view.due == TimePoint::max() ? TimePoint{} : view.due;
        json::ObjectWriter data(out);
        data.text("topic", view.job.topic);
        data.text("id", view.job.id);
        data.number("delay", secondsOf(due.time_since_epoch()));
        data.number("ttr", secondsOf(view.job.ttr));
        addBody(data, view.job.body);
        data.text("state", name(view.state));
        data.number("attempt", view.attempt);
        data.number("due_ms", toEpochMs(due));
        if (!view.lastError.empty()) {
            data.text("last_error", view.lastError);
        }
        data.end();
    });
}

void respondToPush(const HttpCallPtr& call, const Result<PushOutcome>& outcome)
{
    if (!outcome) {
        return call->respond(failureReply(outcome.error()));
    }
    call->respond(successReply([&](std::string& out) { json::appendString(out, outcome->id); }));
}

/// The earlier queues forgot a job as soon as it had ended; ours can be restored, but its id may be
/// used again all the same. Tried only when the id is there, because most ids are new; so the
/// request is read once more.
void pushRenewed(const Services& services, const HttpCallPtr& call)
{
    auto push = classicPushOf(call->request().body);
    if (!push) {
        return call->respond(failureReply(push.error()));
    }
    push->renew = true;
    const Done<PushOutcome> answer = [call](const Result<PushOutcome>& outcome) {
        respondToPush(call, outcome);
    };
    const auto id = push->job.id;
    checkJobAccess(services->inspector, call->request(), id,
                   onSuccess(answer, [services, push = std::move(*push), answer] {
                       services->queue.push(push, answer);
                   }));
}

void push(const Services& services, const HttpCallPtr& call)
{
    auto push = classicPushOf(call->request().body);
    if (!push) {
        return call->respond(failureReply(push.error()));
    }
    if (const auto covered = checkTopicAccess(call->request(), push->job.topic); !covered) {
        return call->respond(classicFailure(403, covered.error().message));
    }
    services->queue.push(std::move(*push), [services, call](const Result<PushOutcome>& outcome) {
        const bool exists = outcome ? outcome->status == PushStatus::AlreadyThere
                                    : outcome.error().code == ErrorCode::Conflict;
        exists ? pushRenewed(services, call) : respondToPush(call, outcome);
    });
}

void pop(const Services& services, const HttpCallPtr& call, std::vector<std::string> topics)
{
    for (const auto& topic : topics) {
        if (const auto covered = checkTopicAccess(call->request(), topic); !covered) {
            return call->respond(classicFailure(403, covered.error().message));
        }
    }
    const auto respondToPop = [services, call](Result<LongPollQueue::Jobs> jobs) {
        if (!jobs) {
            return call->respond(failureReply(jobs.error()));
        }
        if (jobs->empty()) {
            return call->respond(replyWithoutData());
        }
        auto answer = replyWithPopped(jobs->front().job);
        call->respond(std::move(answer),
                      [services, jobs = std::move(*jobs)] { services->longPolls.requeue(jobs); });
    };
    const auto id = services->longPolls.pop({std::move(topics), 1, services->wait}, respondToPop);
    call->onClosed([services, id] { services->longPolls.cancel(id); });
}

/// Calls `next` with the value of `parsed`, or answers with its error.
template <class T, class Next>
void withParsed(const HttpCallPtr& call, Result<T> parsed, const Next& next)
{
    if (!parsed) {
        return call->respond(failureReply(parsed.error()));
    }
    next(std::move(*parsed));
}

/// The same for a job's id, if the caller's token covers that job.
template <class Next>
void withJob(const Services& services, const HttpCallPtr& call, Result<std::string> id, Next next)
{
    withParsed(call, std::move(id), [&](std::string jobId) {
        if (!isConfined(call->request())) {
            return next(std::move(jobId));
        }
        checkJobAccess(services->inspector, call->request(), jobId,
                       [call, jobId, next = std::move(next)](const Result<void>& covered) {
                           covered ? next(jobId) : call->respond(failureReply(covered.error()));
                       });
    });
}

/// A job that the caller's token does not cover is answered like a missing one.
void show(const Services& services, const HttpCallPtr& call)
{
    withParsed(call, classicIdOf(call->request().body), [&](std::string id) {
        services->inspector.show(std::move(id), [call](const Result<JobView>& view) {
            if (!view && view.error().code != ErrorCode::NotFound) {
                return call->respond(failureReply(view.error()));
            }
            const bool isShown = view && isVisible(view->state) &&
                                 checkTopicAccess(call->request(), view->job.topic).has_value();
            call->respond(isShown ? replyWithJob(*view) : replyWithoutData());
        });
    });
}

void finish(const Services& services, const HttpCallPtr& call)
{
    withJob(services, call, classicIdOf(call->request().body), [=](std::string id) {
        services->queue.finish({std::move(id), 0, {}}, responderWithoutData(call));
    });
}

void trash(const Services& services, const HttpCallPtr& call, Result<std::string> id)
{
    withJob(services, call, std::move(id), [=](std::string jobId) {
        services->queue.store().trash({std::move(jobId), call->request().actor, "deleted by HTTP"},
                                      responderWithoutData(call));
    });
}

/// Restores a deleted job in Redis, or from the journal a job that Redis has lost.
void restore(const Services& services, const HttpCallPtr& call)
{
    const auto parsed = checkedJobId(call->pathValue("id"));
    withParsed(call, parsed, [&](const std::string& id) {
        const auto respondOrRecover = [services, call, id](const Result<void>& result) {
            const bool isLost = !result && result.error().code == ErrorCode::NotFound;
            if (isLost && services->recover) {
                return services->recover(id, call->request().actor, responderWithoutData(call));
            }
            responderWithoutData(call)(result);
        };
        services->queue.store().restore({id, call->request().actor, "restored by HTTP"},
                                        respondOrRecover);
    });
}

void restoreAll(const Services& services, const HttpCallPtr& call)
{
    const auto expire = call->request().parameter("expire").value_or("false");
    if (expire != "true" && expire != "false") {
        return call->respond(classicFailure(200, "expire: is true or false"));
    }
    if (!services->recoverAll) {
        return call->respond(classicFailure(
            200, "there is no journal to restore from; set journal.mode to async or durable"));
    }
    services->recoverAll(
        expire == "true", call->request().actor, [call](const Result<std::uint64_t>& count) {
            if (!count) {
                return call->respond(failureReply(count.error()));
            }
            call->respond(successReply([&](std::string& out) { out += std::to_string(*count); }));
        });
}

Result<std::string> idParameter(const HttpCallPtr& call)
{
    return checkedJobId(call->request().parameter("id").value_or(""));
}

}  // namespace

void addClassicRoutes(Router& router, const ClassicServices& borrowed)
{
    const auto sharedServices = std::make_shared<const ClassicServices>(borrowed);
    const auto addRoute = [&](const char* method, const char* path, Scope scope, auto handler,
                              std::size_t bodyLimit = Router::kSmallBody) {
        // No route here is safe in the sense of HTTP, so HEAD is not served.
        router.add(
            {method, path, scope, Dialect::Classic,
             [sharedServices, handler](const HttpCallPtr& call) { handler(sharedServices, call); },
             false, false, bodyLimit});
    };
    addRoute("POST", "/push", Scope::Push, push, Router::kAnyBody);
    addRoute("POST", "/pop", Scope::Pop, [](const Services& services, const HttpCallPtr& call) {
        withParsed(
            call, classicTopicsOf(call->request().body),
            [&](std::vector<std::string> topics) { pop(services, call, std::move(topics)); });
    });
    addRoute("GET", "/get/{topic}", Scope::Pop,
             [](const Services& services, const HttpCallPtr& call) {
                 withParsed(call, topicsOf(call->pathValue("topic")),
                            [&](std::vector<std::string> topics) {
                                pop(services, call, std::move(topics));
                            });
             });
    addRoute("POST", "/get", Scope::Push, show);
    addRoute("POST", "/finish", Scope::Pop, finish);
    addRoute("POST", "/delete", Scope::Push, [](const Services& services, const HttpCallPtr& call) {
        trash(services, call, classicIdOf(call->request().body));
    });
    addRoute("GET", "/delete", Scope::Push, [](const Services& services, const HttpCallPtr& call) {
        trash(services, call, idParameter(call));
    });
    addRoute("GET", "/restore", Scope::Admin, restoreAll);
    addRoute("GET", "/restore/{id}", Scope::Admin, restore);
}

}  // namespace restante::http
