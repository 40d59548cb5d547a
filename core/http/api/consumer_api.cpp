#include "core/base/try.h"
// What consumers do: they pop jobs, and say about their attempts how it went, one by one or an
// array in one request.

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/http/api/access_check.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"
#include "core/job/job_id.h"
#include "core/json/document.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"
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
/// Of one pop, and of one array about attempts; a push takes as many.
constexpr std::size_t kMostJobs = 1'000;
constexpr std::size_t kMostTopicsPerPop = 100;
/// As the classic pop: shorter than the timeout of usual proxies for a request in all.
constexpr Millis kLongestWait{180'000};

/// What the last pops of this daemon gave out, as far as the end of an attempt depends on it: a
/// failed one is retried without another look at the job. Bounded: of the attempts that were begun
/// long ago nothing is known. What it says of an attempt never changes while that attempt has the
/// lease, so the store's fencing is all that is needed. *One loop.*
class PoppedJobs {
public:
    void add(const ClaimedJob& claimed)
    {
        if (current_.size() >= kGeneration) {
            before_ = std::exchange(current_, {});
        }
        const auto& job = claimed.job;
        current_.insert_or_assign(job.id, Terms{claimed.attempt, claimed.attemptOffset, job.channel,
                                                job.recipient, job.retry});
    }

    /// The attempt with what decides about its next one: id, channel, recipient and retry; none =
    /// another daemon gave it out, or it was long ago.
    std::optional<ClaimedJob> find(const std::string& id, std::uint32_t attempt) const
    {
        for (const auto* generation : {&current_, &before_}) {
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
    /// Two generations of so many, some 4 MB with long ids and schedules.
    static constexpr std::size_t kGeneration = 8'192;

    struct Terms {
        std::uint32_t attempt = 0;
        std::uint32_t attemptOffset = 0;
        Channel channel = Channel::Pull;
        std::string recipient;
        RetrySchedule retry;
    };
    std::unordered_map<std::string, Terms> current_;
    std::unordered_map<std::string, Terms> before_;
};

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
        return wrong("topic", fmt::format("is one topic or up to {}, separated by commas",
                                          kMostTopicsPerPop));
    }
    return topics;
}

json::Parsed<LongPollQueue::Request> longPollOf(const HttpCall& call, json::ObjectReader& fields)
{
    LongPollQueue::Request wanted;
    wanted.max = static_cast<std::uint32_t>(fields.integer("max", 1, kMostJobs).value_or(1));
    wanted.wait = fields.duration("wait", Millis{0}, kLongestWait).value_or(Millis{0});
    wanted = TRY(fields.finish(std::move(wanted)));
    wanted.topics = TRY(topicsOf(call.pathValue("t")));
    return wanted;
}

void pop(const Parts& parts, const HttpCallPtr& call, json::ObjectReader& fields)
{
    auto wanted = longPollOf(*call, fields);
    if (!wanted) {
        return call->respond(refused(wanted.error()));
    }
    for (const auto& topic : wanted->topics) {
        if (const auto covered = checkTopicAccess(call->request(), topic); !covered) {
            return call->respond(problem(403, "Forbidden", covered.error().message, "topic"));
        }
    }
    auto& longPolls = parts.services.longPolls;
    const auto id = longPolls.pop(std::move(*wanted), [&longPolls, popped = parts.popped, call](
                                                          const Result<LongPollQueue::Jobs>& jobs) {
        if (!jobs) {
            return call->respond(refused(jobs.error()));
        }
        for (const auto& job : *jobs) {
            popped->add(job);
        }
        // A client that has gone does not keep its jobs until their leases end.
        call->respond(jsonReply(200, {{"jobs", json::listOf(*jobs)}}),
                      [&longPolls, jobs = *jobs] { longPolls.requeue(jobs); });
    });
    call->onClosed([&longPolls, id] { longPolls.cancel(id); });
}

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
        json::addTime(document, "lease_ends", ends);
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
        return queue.fail(claimed, input.error,
                          thenStanding(services.inspector, job.id, std::move(answer)),
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
                            json::addTime(document, "due", due);
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
            failAttempt(services, input,
                        {view->job, input.lease.attempt, {}, {}, view->attemptOffset}, answer);
        });
}

struct ConsumerVerb {
    const char* word;
    void (*read)(json::ObjectReader&, const V1Services&, AttemptFields&);  ///< besides the attempt
    void (*run)(const Parts&, AttemptFields, Answer);
};

constexpr ConsumerVerb kConsumerVerbs[]{
    {"finish", nullptr, finish},
    {"retry", readFailure, retry},
    {"touch", readTtr, touch},
};

/// The fields of a verb; `input.lease.id` stays as it is.
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

void serveOne(const Parts& parts,
              const ConsumerVerb& verb,
              const HttpCallPtr& call,
              json::ObjectReader& fields)
{
    AttemptFields input;
    input.lease.id = call->pathValue("id");
    if (const auto problem = read(fields, verb, parts.services, input)) {
        return call->respond(refused(*problem));
    }
    verb.run(parts, std::move(input), answeringWith(call));
}

/// What one item of an array says, or what is wrong with it.
json::Parsed<AttemptFields> inputIn(const nlohmann::json& item,
                                    std::size_t index,
                                    const ConsumerVerb& verb,
                                    const V1Services& services)
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
            fields.refuse("id", std::string(checked.error().detail()));
        }
    }
    if (auto problem = read(fields, verb, services, input)) {
        return tl::unexpected(std::move(*problem));
    }
    return input;
}

/// All in one turn: the store sends them as one call a shard, which fences each by itself.
void serveArray(const Parts& parts, const ConsumerVerb& verb, const HttpCallPtr& call)
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
                kMostJobs)}));
    }
    if (document->empty() || document->size() > kMostJobs) {
        return call->respond(refused(json::FieldError{
            {}, fmt::format("has {} items; an array has 1 to {}", document->size(), kMostJobs)}));
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
        checkJobAccess(parts.services.inspector, request, id,
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

void addConsumerRoutes(Router& router, const V1Services& services)
{
    const Parts parts{services, std::make_shared<PoppedJobs>()};
    const auto served = [parts](auto serve) {
        return withFields(EmptyBody::Allowed,
                          [parts, serve](const HttpCallPtr& call, json::ObjectReader& fields) {
                              serve(parts, call, fields);
                          });
    };
    router.add({"POST", "/v1/topics/{t}/pop", Scope::Pop, Dialect::V1, served(pop)});
    for (const auto& verb : kConsumerVerbs) {
        const auto one = [&verb](const Parts& all, const HttpCallPtr& call,
                                 json::ObjectReader& fields) { serveOne(all, verb, call, fields); };
        router.add({"POST", std::string("/v1/jobs/{id}/") + verb.word, Scope::Pop, Dialect::V1,
                    requireJobAccess(services.inspector, served(one))});
        router.add({.method = "POST",
                    .pattern = std::string("/v1/jobs/") + verb.word,
                    .scope = Scope::Pop,
                    .dialect = Dialect::V1,
                    .handler =
                        [parts, &verb](const HttpCallPtr& call) {
                            // The jobs that are finished may be named by what they are, too.
                            if (verb.run == finish && !hasArray(call->request())) {
                                return finishMatching(parts.services, call);
                            }
                            serveArray(parts, verb, call);
                        },
                    .body = Router::kAnyBody});
    }
}

}  // namespace restante::http
