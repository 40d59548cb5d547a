// The routes of consumers: popping jobs, and ending or extending attempts, one by one or as an
// array in one request.

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/http/api/access_check.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"
#include "core/job/job_id.h"
#include "core/json/document.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"
#include "core/queue/array_scope.h"
#include "core/queue/topic.h"
#include "core/schedule/long_poll_queue.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

namespace restante::http {

namespace {

constexpr std::int64_t kMostAttempts = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kLongestError = 1'024;
constexpr Millis kLongestTtr{std::chrono::hours{24 * 30}};
constexpr Millis kShortestTtr{1};
/// The most jobs of one pop, and of one array of attempts; the same bound as for a push.
constexpr std::size_t kMostJobsPerRequest = 1'000;
constexpr std::size_t kMostTopicsPerPop = 100;
/// As of the classic pop; shorter than the usual request timeout of proxies.
constexpr Millis kLongestWait{180'000};

/// Remembers, of the jobs that this daemon has popped lately, the fields that decide about the next
/// attempt, so that a failed attempt is retried without reading the job again. Bounded: attempts
/// begun long ago are forgotten. The fields of an attempt never change while it has the lease, so
/// the store's fencing is sufficient. *One loop.*
class PoppedJobs {
public:
    void add(const ClaimedJob& claimed)
    {
        if (current_.size() >= kGenerationSize) {
            previous_ = std::exchange(current_, {});
        }
        const auto& job = claimed.job;
        current_.insert_or_assign(job.id, RetryTerms{claimed.attempt, claimed.attemptOffset,
                                                     job.channel, job.recipient, job.retry});
    }

    /// The attempt with the fields that decide about the next one: id, channel, recipient and
    /// retry; none = another daemon popped it, or it has been forgotten.
    std::optional<ClaimedJob> find(const std::string& id, std::uint32_t attempt) const
    {
        for (const auto* generation : {&current_, &previous_}) {
            const auto found = generation->find(id);
            if (found == generation->end() || found->second.attempt != attempt) {
                continue;
            }
            const auto& terms = found->second;
            ClaimedJob claimed;
            claimed.job.id = id;
            claimed.job.channel = terms.channel;
            claimed.job.recipient = terms.recipient;
            claimed.job.retry = terms.retry;
            claimed.attempt = attempt;
            claimed.attemptOffset = terms.attemptOffset;
            return claimed;
        }
        return std::nullopt;
    }

private:
    /// There are two generations of this size, some 4 MB with long ids and schedules.
    static constexpr std::size_t kGenerationSize = 8'192;

    struct RetryTerms {
        std::uint32_t attempt = 0;
        std::uint32_t attemptOffset = 0;
        Channel channel = Channel::Pull;
        std::string recipient;
        RetrySchedule retry;
    };
    std::unordered_map<std::string, RetryTerms> current_;
    std::unordered_map<std::string, RetryTerms> previous_;
};

/// The fields of a request about one attempt.
struct AttemptFields {
    Lease lease;
    Millis ttr{0};                ///< touch only; 0 = the job's own
    std::string error;            ///< retry only
    std::optional<Millis> delay;  ///< retry only
};

struct ConsumerParts {
    const V1Services& services;
    std::shared_ptr<PoppedJobs> popped;
};

json::Parsed<std::vector<std::string>> topicsOf(std::string_view text)
{
    std::vector<std::string> topics;
    for (const auto word : split(text, ',')) {
        std::string topic{word};
        TRY(validate(TopicAction{topic, {}, {}}).map_error(json::fieldErrorOf));
        TRY(checkNotReserved(topic).map_error(json::fieldErrorOf));
        if (std::find(topics.begin(), topics.end(), topic) == topics.end()) {
            topics.push_back(std::move(topic));
        }
    }
    if (topics.size() > kMostTopicsPerPop) {
        return fieldError("topic", fmt::format("is one topic or up to {}, separated by commas",
                                               kMostTopicsPerPop));
    }
    return topics;
}

json::Parsed<LongPollQueue::Request> longPollRequestOf(const HttpCall& call,
                                                       json::ObjectReader& fields)
{
    LongPollQueue::Request pollRequest;
    pollRequest.max =
        static_cast<std::uint32_t>(fields.integer("max", 1, kMostJobsPerRequest).value_or(1));
    pollRequest.wait = fields.duration("wait", Millis{0}, kLongestWait).value_or(Millis{0});
    pollRequest = TRY(fields.finish(std::move(pollRequest)));
    pollRequest.topics = TRY(topicsOf(call.pathValue("t")));
    return pollRequest;
}

void pop(const ConsumerParts& parts, const HttpCallPtr& call, json::ObjectReader& fields)
{
    auto pollRequest = longPollRequestOf(*call, fields);
    if (!pollRequest) {
        return call->respond(errorResponse(pollRequest.error()));
    }
    for (const auto& topic : pollRequest->topics) {
        if (const auto covered = checkTopicAccess(call->request(), topic); !covered) {
            return call->respond(problem(403, "Forbidden", covered.error().message, "topic"));
        }
    }
    auto& longPolls = parts.services.longPolls;
    const auto id =
        longPolls.pop(std::move(*pollRequest), [&longPolls, popped = parts.popped,
                                                call](Result<LongPollQueue::Jobs> jobs) {
            if (!jobs) {
                return call->respond(errorResponse(jobs.error()));
            }
            for (const auto& job : *jobs) {
                popped->add(job);
            }
            std::string document = R"({"jobs":)";
            json::appendList(document, *jobs);
            document += '}';
            // If the client has gone, its jobs are given back before their leases end.
            call->respond({200, "application/json", std::move(document), {}},
                          [&longPolls, jobs = std::move(*jobs)] { longPolls.requeue(jobs); });
        });
    call->onClosed([&longPolls, id] { longPolls.cancel(id); });
}

/// A handler that answers with `reply(value)`, or with the error.
template <class T, class Reply>
Done<T> answerWith(AnswerHandler answer, Reply reply)
{
    return [answer = std::move(answer), reply = std::move(reply)](const Result<T>& result) {
        if (!result) {
            return answer(itemAnswer(errorResponse(result.error())));
        }
        if constexpr (std::is_void_v<T>) {
            answer(reply());
        } else {
            answer(reply(*result));
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

void finish(const ConsumerParts& parts, AttemptFields input, AnswerHandler answer)
{
    auto done = answerWith<void>(std::move(answer), [id = input.lease.id] {
        return stateAnswer(200, id, name(JobState::Done));
    });
    parts.services.queue.finish(std::move(input.lease), std::move(done));
}

void touch(const ConsumerParts& parts, AttemptFields input, AnswerHandler answer)
{
    auto done = answerWith<TimePoint>(std::move(answer), [id = input.lease.id](TimePoint ends) {
        return stateAnswer(200, id, name(JobState::Leased), {"lease_ends", "lease_ends_ms", ends});
    });
    parts.services.queue.touch(std::move(input.lease), input.ttr, std::move(done));
}

/// The job's schedule decides whether there is another attempt; `delay` only sets its time.
void failAttempt(const V1Services& services,
                 const AttemptFields& input,
                 const ClaimedJob& claimed,
                 AnswerHandler answer)
{
    auto& queue = services.queue;
    const auto& job = claimed.job;
    if (job.channel == Channel::Sip) {
        return queue.fail(claimed, input.error,
                          answerWithJobStatus(services.inspector, job.id, std::move(answer)),
                          input.delay.value_or(Millis{0}));
    }
    const auto next = queue.nextAttempt(job, claimed.countedAttempts());
    if (!next) {
        return queue.bury(input.lease, input.error,
                          answerWith<void>(std::move(answer), [id = job.id] {
                              return stateAnswer(200, id, name(JobState::Dead));
                          }));
    }
    const auto now = queue.clock().now();
    const auto due = input.delay ? momentAfter(queue.clock(), *input.delay) : *next;
    queue.store().retry({.lease = input.lease, .due = due, .error = input.error},
                        answerWith<void>(std::move(answer), [id = job.id, due, now] {
                            return stateAnswer(
                                200, id, name(due <= now ? JobState::Ready : JobState::Scheduled),
                                {"due", "due_ms", due});
                        }));
}

/// The schedule of recently popped jobs is known; for others the store is asked, for all items of
/// an array in one call.
void retry(const ConsumerParts& parts, AttemptFields input, AnswerHandler answer)
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
                return answer(itemAnswer(errorResponse(view.error())));
            }
            const ArrayScope stillTogether;  // the answers of an array come in one turn
            failAttempt(services, input,
                        {view->job, input.lease.attempt, {}, {}, view->attemptOffset}, answer);
        });
}

struct ConsumerVerb {
    const char* word;
    /// Reads the fields besides the attempt.
    void (*read)(json::ObjectReader&, const V1Services&, AttemptFields&);
    void (*run)(const ConsumerParts&, AttemptFields, AnswerHandler);
};

constexpr ConsumerVerb kConsumerVerbs[]{
    {"finish", nullptr, finish},
    {"retry", readFailure, retry},
    {"touch", readTtr, touch},
};

/// Reads the fields of a verb; does not change `input.lease.id`.
std::optional<json::FieldError> read(json::ObjectReader& fields,
                                     const ConsumerVerb& verb,
                                     const V1Services& services,
                                     AttemptFields& input)
{
    fields.require("attempt");
    input.lease.attempt =
        static_cast<std::uint32_t>(fields.integer("attempt", 1, kMostAttempts).value_or(0));
    if (verb.read != nullptr) {
        verb.read(fields, services, input);
    }
    return fields.finish();
}

void serveOne(const ConsumerParts& parts,
              const ConsumerVerb& verb,
              const HttpCallPtr& call,
              json::ObjectReader& fields)
{
    AttemptFields input;
    input.lease.id = call->pathValue("id");
    if (const auto problem = read(fields, verb, parts.services, input)) {
        return call->respond(errorResponse(*problem));
    }
    verb.run(parts, std::move(input), respondTo(call));
}

/// The fields of one item of an array, or the first error.
json::Parsed<AttemptFields> attemptFieldsOf(const nlohmann::json& item,
                                            std::size_t index,
                                            const ConsumerVerb& verb,
                                            const V1Services& services)
{
    auto place = fmt::format("[{}]", index);
    if (!item.is_object()) {
        return fieldError(std::move(place),
                          R"(is an object such as {"id": "order-17", "attempt": 1})");
    }
    json::ObjectReader fields(item, std::move(place));
    AttemptFields input;
    fields.require("id");
    if (const auto id = fields.bytes("id")) {
        auto checked = checkedJobId(*id);
        if (checked) {
            input.lease.id = std::move(*checked);
        } else {
            fields.refuse("id", std::string(checked.error().detail()));
        }
    }
    if (auto problem = read(fields, verb, services, input)) {
        return tl::unexpected(std::move(*problem));
    }
    return input;
}

/// The store sends one call per shard, which fences each job by itself.
void serveArray(const ConsumerParts& parts, const ConsumerVerb& verb, const HttpCallPtr& call)
{
    const auto& request = call->request();
    if (const auto problem = invalidParameter(request, {})) {
        return call->respond(errorResponse(*problem));
    }
    const auto document = json::parseDocument(request.body);
    if (!document) {
        return call->respond(errorResponse(document.error()));
    }
    if (!document->is_array()) {
        return call->respond(errorResponse(json::FieldError{
            {},
            fmt::format(
                R"(the body is an array of 1 to {} objects such as {{"id": "order-17", "attempt": 1}})",
                kMostJobsPerRequest)}));
    }
    if (document->empty() || document->size() > kMostJobsPerRequest) {
        return call->respond(
            errorResponse(json::FieldError{{},
                                           fmt::format("has {} items; an array has 1 to {}",
                                                       document->size(), kMostJobsPerRequest)}));
    }
    const auto answers = std::make_shared<ArrayAnswer>(call, document->size());
    const ArrayScope together;
    for (std::size_t i = 0; i < document->size(); ++i) {
        auto answer = ArrayAnswer::answerAt(answers, i);
        auto input = attemptFieldsOf((*document)[i], i, verb, parts.services);
        if (!input) {
            answer(itemAnswer(errorResponse(input.error())));
            continue;
        }
        if (!isConfined(request)) {
            verb.run(parts, std::move(*input), std::move(answer));
            continue;
        }
        const auto id = input->lease.id;
        checkJobAccess(parts.services.inspector, request, id,
                       [parts, &verb, input = std::move(*input),
                        answer = std::move(answer)](const Result<void>& covered) {
                           const ArrayScope stillTogether;  // the answers of all come in one turn
                           covered ? verb.run(parts, input, answer)
                                   : answer(itemAnswer(errorResponse(covered.error())));
                       });
    }
}

bool hasArray(const Request& request)
{
    const auto first = request.body.find_first_not_of(" \t\r\n");
    return first != std::string::npos && request.body[first] == '[';
}

}  // namespace

void addConsumerRoutes(Router& router, const V1Services& services)
{
    const ConsumerParts parts{services, std::make_shared<PoppedJobs>()};
    const auto handlerFor = [parts](auto serve) {
        return withFields(EmptyBody::Allowed,
                          [parts, serve](const HttpCallPtr& call, json::ObjectReader& fields) {
                              serve(parts, call, fields);
                          });
    };
    router.add({"POST", "/v1/topics/{t}/pop", Scope::Pop, Dialect::V1, handlerFor(pop)});
    for (const auto& verb : kConsumerVerbs) {
        const auto serveVerb = [&verb](const ConsumerParts& verbParts, const HttpCallPtr& call,
                                       json::ObjectReader& fields) {
            serveOne(verbParts, verb, call, fields);
        };
        router.add({"POST", std::string("/v1/jobs/{id}/") + verb.word, Scope::Pop, Dialect::V1,
                    requireJobAccess(services.inspector, handlerFor(serveVerb))});
        router.add({.method = "POST",
                    .pattern = std::string("/v1/jobs/") + verb.word,
                    .scope = Scope::Pop,
                    .dialect = Dialect::V1,
                    .handler =
                        [parts, &verb](const HttpCallPtr& call) {
                            // The jobs to finish may also be selected by a filter.
                            if (verb.run == finish && !hasArray(call->request())) {
                                return finishMatching(parts.services, call);
                            }
                            serveArray(parts, verb, call);
                        },
                    .bodyLimit = Router::kAnyBody});
    }
}

}  // namespace restante::http
