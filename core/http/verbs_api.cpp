#include "core/http/api_reply.h"
#include "core/http/job_answers.h"
#include "core/http/v1_api.h"
#include "core/json/object_reader.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

constexpr std::int64_t kMostAttempts = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kLongestText = 1'024;  ///< of a reason or an error
constexpr Millis kLongestTtr{std::chrono::hours{24 * 30}};
constexpr Millis kShortestTtr{1};

/// The body of a verb, and the exchange to answer.
struct Call {
    const V1Services& services;
    ExchangePtr exchange;
    json::ObjectReader& fields;

    std::string id() const { return std::string(exchange->pathValue("id")); }
    TimePoint now() const { return services.queue.clock().now(); }
    /// The fencing token, required.
    Lease lease() const
    {
        fields.require("attempt");
        const auto attempt = fields.integer("attempt", 1, kMostAttempts).value_or(0);
        return {id(), static_cast<std::uint32_t>(attempt), {}};
    }
    OperatorAction action() const
    {
        return {id(), exchange->request().actor, fields.text("reason", kLongestText).value_or("")};
    }
    /// True when all fields are fine; else it has answered.
    bool sound() const
    {
        if (const auto problem = fields.finish()) {
            exchange->respond(refused(*problem));
            return false;
        }
        return true;
    }
};

void finish(const Call& call)
{
    const auto lease = call.lease();
    if (!call.sound()) {
        return;
    }
    call.services.queue.finish(lease, answering<void>(call.exchange, [id = lease.id] {
                                   return jsonReply(200, briefOf(id, name(JobState::Done)));
                               }));
}

void touch(const Call& call)
{
    const auto lease = call.lease();
    const auto ttr = call.fields.duration("ttr", kShortestTtr, kLongestTtr).value_or(Millis{0});
    if (!call.sound()) {
        return;
    }
    call.services.queue.touch(lease, ttr,
                              answering<TimePoint>(call.exchange, [id = lease.id](TimePoint ends) {
                                  auto document = briefOf(id, name(JobState::Leased));
                                  addTime(document, "lease_ends", ends);
                                  return jsonReply(200, document);
                              }));
}

/// What a consumer said about its failed attempt.
struct Failure {
    Lease lease;
    std::string error;
    std::optional<Millis> delay;
};

/// The schedule of the job decides whether there is another attempt; `delay` only when.
void failAttempt(const V1Services& services,
                 const ExchangePtr& exchange,
                 const Failure& failure,
                 const JobView& view)
{
    auto& queue = services.queue;
    const auto& job = view.job;
    const ClaimedJob claimed{job, failure.lease.attempt, {}, {}, view.forgotten};
    if (job.channel == Channel::Sip) {
        return queue.fail(claimed, failure.error, thenStanding(services, exchange, job.id),
                          failure.delay.value_or(Millis{0}));
    }
    const auto next = queue.nextAttempt(job, claimed.counted());
    if (!next) {
        return queue.bury(failure.lease, failure.error, answering<void>(exchange, [id = job.id] {
                              return jsonReply(200, briefOf(id, name(JobState::Dead)));
                          }));
    }
    const auto now = queue.clock().now();
    const auto due = failure.delay ? now + *failure.delay : *next;
    queue.store().retry({.lease = failure.lease, .due = due, .error = failure.error},
                        answering<void>(exchange, [id = job.id, due, now] {
                            auto document = briefOf(
                                id, name(due <= now ? JobState::Ready : JobState::Scheduled));
                            addTime(document, "due", due);
                            return jsonReply(200, document);
                        }));
}

void retry(const Call& call)
{
    Failure failure;
    failure.lease = call.lease();
    failure.error = call.fields.text("error", kLongestText).value_or("");
    failure.delay =
        call.fields.duration("delay", Millis{0}, call.services.queue.settings().limits.horizon);
    if (!call.sound()) {
        return;
    }
    call.services.inspector.show(failure.lease.id,
                                 [&services = call.services, exchange = call.exchange,
                                  failure](const Result<JobView>& view) {
                                     if (!view) {
                                         return exchange->respond(refused(view.error()));
                                     }
                                     failAttempt(services, exchange, failure, *view);
                                 });
}

/// With an attempt: this consumer gives up for good. Without: an operator does, in any live state.
void bury(const Call& call)
{
    const auto attempt = call.fields.integer("attempt", 1, kMostAttempts).value_or(0);
    const auto reason = call.fields.text("reason", kLongestText).value_or("buried by hand");
    if (!call.sound()) {
        return;
    }
    Lease lease{call.id(), static_cast<std::uint32_t>(attempt), {}};
    lease.actor = attempt == 0 ? call.exchange->request().actor : std::string{};
    call.services.queue.bury(std::move(lease), reason,
                             answering<void>(call.exchange, [id = call.id()] {
                                 return jsonReply(200, briefOf(id, name(JobState::Dead)));
                             }));
}

template <void (JobStore::*Move)(OperatorAction, Done<void>)>
void operate(const Call& call)
{
    auto action = call.action();
    if (call.sound()) {
        (call.services.queue.store().*Move)(std::move(action),
                                            thenStanding(call.services, call.exchange, call.id()));
    }
}

struct Verb {
    const char* word;
    Scope scope;
    void (*run)(const Call&);
};

constexpr Verb kVerbs[]{
    {"finish", Scope::Pop, finish},
    {"retry", Scope::Pop, retry},
    {"touch", Scope::Pop, touch},
    {"bury", Scope::Pop, bury},
    {"run", Scope::Admin, operate<&JobStore::runNow>},
    {"restore", Scope::Admin, operate<&JobStore::restore>},
    {"release", Scope::Admin, operate<&JobStore::release>},
};

void serve(const V1Services& services, const Verb& verb, const ExchangePtr& exchange)
{
    const auto document = objectIn(exchange->request(), EmptyBody::Allowed);
    if (!document) {
        return exchange->respond(refused(document.error()));
    }
    json::ObjectReader fields(*document);
    verb.run({services, exchange, fields});
}

}  // namespace

void addVerbRoutes(Router& router, const V1Services& services)
{
    for (const auto& verb : kVerbs) {
        router.add(
            {"POST", std::string("/v1/jobs/{id}/") + verb.word, verb.scope, Dialect::V1,
             [&services, &verb](const ExchangePtr& exchange) { serve(services, verb, exchange); }});
    }
}

}  // namespace restante::http
