// What consumers say about their attempts: one by one, or an array in one request.

#include "core/base/bounded_clock.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/item_answer.h"
#include "core/http/api/job_answers.h"
#include "core/http/api/popped_jobs.h"
#include "core/http/api/reach_check.h"
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
struct Said {
    Lease lease;
    Millis ttr{0};                ///< of touch; 0 = the job's own
    std::string error;            ///< of retry
    std::optional<Millis> delay;  ///< of retry
};

struct Desk {
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

void readTtr(json::ObjectReader& fields, const V1Services& /*services*/, Said& said)
{
    said.ttr = fields.duration("ttr", kShortestTtr, kLongestTtr).value_or(Millis{0});
}

void readFailure(json::ObjectReader& fields, const V1Services& services, Said& said)
{
    said.error = fields.text("error", kLongestError).value_or("");
    said.delay = fields.duration("delay", Millis{0}, services.queue.settings().limits.horizon);
}

void finish(const Desk& desk, Said said, Answer answer)
{
    auto done = telling<void>(std::move(answer),
                              [id = said.lease.id] { return briefOf(id, name(JobState::Done)); });
    desk.services.queue.finish(std::move(said.lease), std::move(done));
}

void touch(const Desk& desk, Said said, Answer answer)
{
    auto done = telling<TimePoint>(std::move(answer), [id = said.lease.id](TimePoint ends) {
        auto document = briefOf(id, name(JobState::Leased));
        addTime(document, "lease_ends", ends);
        return document;
    });
    desk.services.queue.touch(std::move(said.lease), said.ttr, std::move(done));
}

/// The schedule of the job decides whether there is another attempt; `delay` only when.
void failAttempt(const V1Services& services,
                 const Said& said,
                 const ClaimedJob& claimed,
                 Answer answer)
{
    auto& queue = services.queue;
    const auto& job = claimed.job;
    if (job.channel == Channel::Sip) {
        return queue.fail(claimed, said.error, thenStanding(services, job.id, std::move(answer)),
                          said.delay.value_or(Millis{0}));
    }
    const auto next = queue.nextAttempt(job, claimed.counted());
    if (!next) {
        return queue.bury(said.lease, said.error, telling<void>(std::move(answer), [id = job.id] {
                              return briefOf(id, name(JobState::Dead));
                          }));
    }
    const auto now = queue.clock().now();
    const auto due = said.delay ? momentAfter(queue.clock(), *said.delay) : *next;
    queue.store().retry({.lease = said.lease, .due = due, .error = said.error},
                        telling<void>(std::move(answer), [id = job.id, due, now] {
                            auto document = briefOf(
                                id, name(due <= now ? JobState::Ready : JobState::Scheduled));
                            addTime(document, "due", due);
                            return document;
                        }));
}

/// Of what this daemon gave out lately the schedule is known; the store is asked about the others,
/// about all of an array at once.
void retry(const Desk& desk, Said said, Answer answer)
{
    const auto& services = desk.services;
    if (const auto known = desk.popped->find(said.lease.id, said.lease.attempt)) {
        return failAttempt(services, said, *known, std::move(answer));
    }
    auto id = said.lease.id;
    services.inspector.show(
        std::move(id), [&services, said = std::move(said),
                        answer = std::move(answer)](const Result<JobView>& view) {
            if (!view) {
                return answer(itemOf(refused(view.error())));
            }
            failAttempt(services, said, {view->job, said.lease.attempt, {}, {}, view->forgotten},
                        answer);
        });
}

struct Verb {
    const char* word;
    void (*read)(json::ObjectReader&, const V1Services&, Said&);  ///< besides the attempt
    void (*run)(const Desk&, Said, Answer);
};

constexpr Verb kVerbs[]{
    {"finish", nullptr, finish},
    {"retry", readFailure, retry},
    {"touch", readTtr, touch},
};

/// The fields of a verb; `said.lease.id` stays as it is.
std::optional<json::Problem>
read(json::ObjectReader& fields, const Verb& verb, const V1Services& services, Said& said)
{
    fields.require("attempt");
    said.lease.attempt =
        static_cast<std::uint32_t>(fields.integer("attempt", 1, kMostAttempts).value_or(0));
    if (verb.read != nullptr) {
        verb.read(fields, services, said);
    }
    return fields.finish();
}

void serveOne(const Desk& desk, const Verb& verb, const ExchangePtr& exchange)
{
    const auto document = objectIn(exchange->request(), EmptyBody::Allowed);
    if (!document) {
        return exchange->respond(refused(document.error()));
    }
    json::ObjectReader fields(*document);
    Said said;
    said.lease.id = exchange->pathValue("id");
    if (const auto problem = read(fields, verb, desk.services, said)) {
        return exchange->respond(refused(*problem));
    }
    verb.run(desk, std::move(said), answeringWith(exchange));
}

/// What one item of an array says, or what is wrong with it.
json::Parsed<Said>
saidIn(const nlohmann::json& item, std::size_t index, const Verb& verb, const V1Services& services)
{
    auto place = fmt::format("[{}]", index);
    if (!item.is_object()) {
        return tl::unexpected(json::Problem{
            std::move(place), R"(is an object such as {"id": "order-17", "attempt": 1})"});
    }
    json::ObjectReader fields(item, std::move(place));
    Said said;
    fields.require("id");
    if (const auto id = fields.bytes("id")) {
        auto checked = checkedJobId(*id);
        if (checked) {
            said.lease.id = std::move(*checked);
        } else {
            fields.refuse("id", json::problemOf(checked.error()).detail);
        }
    }
    if (auto problem = read(fields, verb, services, said)) {
        return tl::unexpected(std::move(*problem));
    }
    return said;
}

/// All in one turn: the store sends them as one call a shard, which fences each by itself.
void serveArray(const Desk& desk, const Verb& verb, const ExchangePtr& exchange)
{
    const auto& request = exchange->request();
    if (const auto problem = wrongParameter(request, {})) {
        return exchange->respond(refused(*problem));
    }
    const auto document = json::parseDocument(request.body);
    if (!document) {
        return exchange->respond(refused(document.error()));
    }
    if (!document->is_array()) {
        return exchange->respond(refused(json::Problem{
            {},
            fmt::format(
                R"(the body is an array of 1 to {} objects such as {{"id": "order-17", "attempt": 1}})",
                kMostItems)}));
    }
    if (document->empty() || document->size() > kMostItems) {
        return exchange->respond(refused(json::Problem{
            {}, fmt::format("has {} items; an array has 1 to {}", document->size(), kMostItems)}));
    }
    const auto answers = std::make_shared<ArrayAnswer>(exchange, document->size());
    for (std::size_t i = 0; i < document->size(); ++i) {
        auto answer = ArrayAnswer::placing(answers, i);
        auto said = saidIn((*document)[i], i, verb, desk.services);
        if (!said) {
            answer(itemOf(refused(said.error())));
            continue;
        }
        const auto id = said->lease.id;
        checkJob(desk.services.inspector, request, id,
                 [desk, &verb, said = std::move(*said),
                  answer = std::move(answer)](const Result<void>& covered) {
                     covered ? verb.run(desk, said, answer)
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
    const Desk desk{services, popped};
    for (const auto& verb : kVerbs) {
        router.add({"POST", std::string("/v1/jobs/{id}/") + verb.word, Scope::Pop, Dialect::V1,
                    aboutCoveredJob(services.inspector, [desk, &verb](const ExchangePtr& exchange) {
                        serveOne(desk, verb, exchange);
                    })});
        const bool isFinish = verb.run == finish;
        router.add({.method = "POST",
                    .pattern = std::string("/v1/jobs/") + verb.word,
                    .scope = Scope::Pop,
                    .dialect = Dialect::V1,
                    .handler =
                        [desk, &verb,
                         all = isFinish ? finishAll : Handler{}](const ExchangePtr& exchange) {
                            if (!all || hasArray(exchange->request())) {
                                return serveArray(desk, verb, exchange);
                            }
                            all(exchange);
                        },
                    .body = Router::kAnyBody});
    }
}

}  // namespace restante::http
