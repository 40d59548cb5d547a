// What consumers say about their attempts: one by one, or an array in one request.

#include "core/base/clock.h"
#include "core/http/api/access_check.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/item_answer.h"
#include "core/http/api/popped_jobs.h"
#include "core/http/api/v1_api.h"
#include "core/job/job_id.h"
#include "core/json/document.h"
#include "core/json/object_reader.h"

#include <fmt/format.h>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace restante::http {

namespace {

constexpr std::int64_t kMostAttempts = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kLongestError = 1'024;
constexpr Millis kLongestTtr{std::chrono::hours{24 * 30}};
constexpr Millis kShortestTtr{1};
/// As many as a pop gives out and a push takes.
constexpr std::size_t kMostItems = 1'000;

/// What a consumer says about one attempt.
struct AttemptFields {
    Lease lease;
    Millis ttr{0};                ///< of touch; 0 = the job's own
    std::string error;            ///< of retry
    std::optional<Millis> delay;  ///< of retry
};

struct Parts {
    const V1Services& services;
    std::shared_ptr<PoppedJobs> popped;
};

/// Answers with what `reply` makes of a success, or with the refusal.
template <class T, class Reply>
Done<T> telling(Answer answer, Reply reply)
{
    return [answer = std::move(answer), reply = std::move(reply)](const Result<T>& result) {
        if (!result) {
            return answer(itemOf(refused(result.error())));
        }
        if constexpr (std::is_void_v<T>) {
            answer(itemOf(200, reply()));
        } else {
            answer(itemOf(200, reply(*result)));
        }
    };
}

void readTtr(json::ObjectReader& fields, const V1Services& /*services*/, AttemptFields& input)
{
    input.ttr = fields.duration("ttr", kShortestTtr, kLongestTtr).value_or(Millis{0});
}

void readFailure(json::ObjectReader& fields, const V1Services& services, AttemptFields& input)
{
    input.error = fields.text("error", kLongestError).value_or("");
    input.delay = fields.duration("delay", Millis{0}, services.queue.settings().limits.horizon);
}

void finish(const Parts& parts, AttemptFields input, Answer answer)
{
    auto done = telling<void>(std::move(answer),
                              [id = input.lease.id] { return briefOf(id, name(JobState::Done)); });
    parts.services.queue.finish(std::move(input.lease), std::move(done));
}

void touch(const Parts& parts, AttemptFields input, Answer answer)
{
    auto done = telling<TimePoint>(std::move(answer), [id = input.lease.id](TimePoint ends) {
        auto document = briefOf(id, name(JobState::Leased));
        addTime(document, "lease_ends", ends);
        return document;
    });
    parts.services.queue.touch(std::move(input.lease), input.ttr, std::move(done));
}

/// The schedule of the job decides whether there is another attempt; `delay` only when.
void failAttempt(const V1Services& services,
                 const AttemptFields& input,
                 const ClaimedJob& claimed,
                 Answer answer)
{
    auto& queue = services.queue;
    const auto& job = claimed.job;
    if (job.channel == Channel::Sip) {
        return queue.fail(claimed, input.error, thenStanding(services, job.id, std::move(answer)),
                          input.delay.value_or(Millis{0}));
    }
    const auto next = queue.nextAttempt(job, claimed.counted());
    if (!next) {
        return queue.bury(input.lease, input.error, telling<void>(std::move(answer), [id = job.id] {
                              return briefOf(id, name(JobState::Dead));
                          }));
    }
    const auto now = queue.clock().now();
    const auto due = input.delay ? momentAfter(queue.clock(), *input.delay) : *next;
    queue.store().retry({.lease = input.lease, .due = due, .error = input.error},
                        telling<void>(std::move(answer), [id = job.id, due, now] {
                            auto document = briefOf(
                                id, name(due <= now ? JobState::Ready : JobState::Scheduled));
                            addTime(document, "due", due);
                            return document;
                        }));
}

/// Of what this daemon gave out lately the schedule is known; the store is asked about the others,
/// about all of an array at once.
void retry(const Parts& parts, AttemptFields input, Answer answer)
{
    const auto& services = parts.services;
    if (const auto known = parts.popped->find(input.lease.id, input.lease.attempt)) {
        return failAttempt(services, input, *known, std::move(answer));
    }
    auto id = input.lease.id;
    services.inspector.show(
        std::move(id), [&services, input = std::move(input),
                        answer = std::move(answer)](const Result<JobView>& view) {
            if (!view) {
                return answer(itemOf(refused(view.error())));
            }
            failAttempt(services, input, {view->job, input.lease.attempt, {}, {}, view->forgotten},
                        answer);
        });
}

struct Verb {
    const char* word;
    void (*read)(json::ObjectReader&, const V1Services&, AttemptFields&);  ///< besides the attempt
    void (*run)(const Parts&, AttemptFields, Answer);
};

constexpr Verb kVerbs[]{
    {"finish", nullptr, finish},
    {"retry", readFailure, retry},
    {"touch", readTtr, touch},
};

/// The fields of a verb; `input.lease.id` stays as it is.
std::optional<json::FieldError>
read(json::ObjectReader& fields, const Verb& verb, const V1Services& services, AttemptFields& input)
{
    fields.require("attempt");
    input.lease.attempt =
        static_cast<std::uint32_t>(fields.integer("attempt", 1, kMostAttempts).value_or(0));
    if (verb.read != nullptr) {
        verb.read(fields, services, input);
    }
    return fields.finish();
}

void serveOne(const Parts& parts, const Verb& verb, const HttpCallPtr& call)
{
    const auto document = objectIn(call->request(), EmptyBody::Allowed);
    if (!document) {
        return call->respond(refused(document.error()));
    }
    json::ObjectReader fields(*document);
    AttemptFields input;
    input.lease.id = call->pathValue("id");
    if (const auto problem = read(fields, verb, parts.services, input)) {
        return call->respond(refused(*problem));
    }
    verb.run(parts, std::move(input), answeringWith(call));
}

/// What one item of an array says, or what is wrong with it.
json::Parsed<AttemptFields>
inputIn(const nlohmann::json& item, std::size_t index, const Verb& verb, const V1Services& services)
{
    auto place = fmt::format("[{}]", index);
    if (!item.is_object()) {
        return wrong(std::move(place), R"(is an object such as {"id": "order-17", "attempt": 1})");
    }
    json::ObjectReader fields(item, std::move(place));
    AttemptFields input;
    fields.require("id");
    if (const auto id = fields.bytes("id")) {
        auto checked = checkedJobId(*id);
        if (checked) {
            input.lease.id = std::move(*checked);
        } else {
            fields.refuse("id", json::fieldErrorOf(checked.error()).detail);
        }
    }
    if (auto problem = read(fields, verb, services, input)) {
        return tl::unexpected(std::move(*problem));
    }
    return input;
}

/// All in one turn: the store sends them as one call a shard, which fences each by itself.
void serveArray(const Parts& parts, const Verb& verb, const HttpCallPtr& call)
{
    const auto& request = call->request();
    if (const auto problem = wrongParameter(request, {})) {
        return call->respond(refused(*problem));
    }
    const auto document = json::parseDocument(request.body);
    if (!document) {
        return call->respond(refused(document.error()));
    }
    if (!document->is_array()) {
        return call->respond(refused(json::FieldError{
            {},
            fmt::format(
                R"(the body is an array of 1 to {} objects such as {{"id": "order-17", "attempt": 1}})",
                kMostItems)}));
    }
    if (document->empty() || document->size() > kMostItems) {
        return call->respond(refused(json::FieldError{
            {}, fmt::format("has {} items; an array has 1 to {}", document->size(), kMostItems)}));
    }
    const auto answers = std::make_shared<ArrayAnswer>(call, document->size());
    for (std::size_t i = 0; i < document->size(); ++i) {
        auto answer = ArrayAnswer::placing(answers, i);
        auto input = inputIn((*document)[i], i, verb, parts.services);
        if (!input) {
            answer(itemOf(refused(input.error())));
            continue;
        }
        const auto id = input->lease.id;
        checkJob(parts.services.inspector, request, id,
                 [parts, &verb, input = std::move(*input),
                  answer = std::move(answer)](const Result<void>& covered) {
                     covered ? verb.run(parts, input, answer)
                             : answer(itemOf(refused(covered.error())));
                 });
    }
}

bool hasArray(const Request& request)
{
    const auto first = request.body.find_first_not_of(" \t\r\n");
    return first != std::string::npos && request.body[first] == '[';
}

}  // namespace

void addAttemptRoutes(Router& router,
                      const V1Services& services,
                      const std::shared_ptr<PoppedJobs>& popped,
                      const Handler& finishAll)
{
    const Parts parts{services, popped};
    for (const auto& verb : kVerbs) {
        router.add({"POST", std::string("/v1/jobs/{id}/") + verb.word, Scope::Pop, Dialect::V1,
                    aboutCoveredJob(services.inspector, [parts, &verb](const HttpCallPtr& call) {
                        serveOne(parts, verb, call);
                    })});
        const bool isFinish = verb.run == finish;
        router.add(
            {.method = "POST",
             .pattern = std::string("/v1/jobs/") + verb.word,
             .scope = Scope::Pop,
             .dialect = Dialect::V1,
             .handler =
                 [parts, &verb, all = isFinish ? finishAll : Handler{}](const HttpCallPtr& call) {
                     if (!all || hasArray(call->request())) {
                         return serveArray(parts, verb, call);
                     }
                     all(call);
                 },
             .body = Router::kAnyBody});
    }
}

}  // namespace restante::http
