// The operator verbs on one job. With its attempt, a consumer gives it up by bury, or by hold if
// its token has the scope admin.

#include "core/http/api/access_check.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"
#include "core/json/object_reader.h"
#include "core/queue/bulk_action.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

constexpr std::int64_t kMaxAttempt = std::numeric_limits<std::uint32_t>::max();

/// The body of a verb, and the request to answer.
struct VerbCall {
    const V1Services& services;
    HttpCallPtr httpCall;
    json::ObjectReader& fields;

    std::string id() const { return std::string(httpCall->pathValue("id")); }
    /// With the fencing token of a consumer; without one an operator asks.
    Lease lease() const
    {
        const auto attempt = fields.integer("attempt", 1, kMaxAttempt).value_or(0);
        Lease lease{id(), static_cast<std::uint32_t>(attempt), {}};
        lease.actor = attempt == 0 ? httpCall->request().actor : std::string{};
        return lease;
    }
    OperatorAction action() const
    {
        return {id(), httpCall->request().actor,
                fields.text("reason", kLongestReason).value_or("")};
    }
    /// Whether all fields are valid; otherwise it has answered.
    bool validateOrRespond() const
    {
        if (const auto problem = fields.finish()) {
            httpCall->respond(errorResponse(*problem));
            return false;
        }
        return true;
    }
};

/// With an attempt: this consumer gives up for good. Without one, an operator buries it in any live
/// state.
void bury(const VerbCall& call)
{
    auto lease = call.lease();
    const auto reason = call.fields.text("reason", kLongestReason).value_or("buried by hand");
    if (!call.validateOrRespond()) {
        return;
    }
    if (lease.attempt == 0 && !call.httpCall->request().admin) {
        return call.httpCall->respond(refusal(
            Dialect::V1, 403, "Forbidden",
            "burying a job without its attempt needs the scope admin; a consumer names the attempt "
            "that pop answered"));
    }
    call.services.queue.bury(std::move(lease), reason,
                             respondWith<void>(call.httpCall, [id = call.id()] {
                                 return jsonReply(200, idAndState(id, name(JobState::Dead)));
                             }));
}

/// With an attempt: only while that attempt has the lease. Without one: only jobs that are not
/// leased.
void hold(const VerbCall& call)
{
    auto lease = call.lease();
    auto action = call.action();
    if (!call.validateOrRespond()) {
        return;
    }
    const auto& services = call.services;
    auto done = answerWithJobStatus(services.inspector, call.id(), respondTo(call.httpCall));
    if (lease.attempt == 0) {
        return holdWaiting(services.inspector, services.queue.store(), std::move(action),
                           std::move(done));
    }
    lease.actor = std::move(action.actor);
    lease.reason = std::move(action.reason);
    services.queue.hold(std::move(lease), std::move(done));
}

void runOperatorAction(const VerbCall& call, void (JobStore::*change)(OperatorAction, Done<void>))
{
    auto action = call.action();
    if (call.validateOrRespond()) {
        auto done =
            answerWithJobStatus(call.services.inspector, call.id(), respondTo(call.httpCall));
        (call.services.queue.store().*change)(std::move(action), std::move(done));
    }
}

struct OperatorVerb {
    const char* word;
    Scope scope;
    void (*run)(const VerbCall&);
};

constexpr OperatorVerb kOperatorVerbs[]{
    {"bury", Scope::Pop, bury},
    {"run", Scope::Admin, [](const VerbCall& call) { runOperatorAction(call, &JobStore::runNow); }},
    {"restore", Scope::Admin,
     [](const VerbCall& call) { runOperatorAction(call, &JobStore::restore); }},
    {"hold", Scope::Admin, hold},
    {"release", Scope::Admin,
     [](const VerbCall& call) { runOperatorAction(call, &JobStore::release); }},
};

}  // namespace

void addVerbRoutes(Router& router, const V1Services& services)
{
    for (const auto& verb : kOperatorVerbs) {
        const auto serve = [&verb](const V1Services& v1, const HttpCallPtr& call,
                                   json::ObjectReader& fields) {
            verb.run({v1, call, fields});
        };
        router.add({"POST", std::string("/v1/jobs/{id}/") + verb.word, verb.scope, Dialect::V1,
                    requireJobAccess(services.inspector,
                                     servedByFields(services, EmptyBody::Allowed, serve))});
    }
}

}  // namespace restante::http
