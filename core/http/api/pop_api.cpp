#include "core/base/text.h"
#include "core/http/api/access_check.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/popped_jobs.h"
#include "core/http/api/v1_api.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"
#include "core/queue/topic.h"
#include "core/schedule/long_poll_queue.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

constexpr std::int64_t kMostJobs = 1'000;
constexpr std::size_t kMostTopics = 100;
/// As the classic pop: shorter than the timeout of usual proxies for a request in all.
constexpr Millis kLongestWait{180'000};

json::Parsed<std::vector<std::string>> topicsOf(std::string_view text)
{
    std::vector<std::string> topics;
    for (const auto word : split(text, ',')) {
        std::string topic{word};
        if (const auto sound = validate(TopicAction{topic, {}, {}}); !sound) {
            return tl::unexpected(json::fieldErrorOf(sound.error()));
        }
        if (const auto free = checkNotReserved(topic); !free) {
            return tl::unexpected(json::fieldErrorOf(free.error()));
        }
        if (std::find(topics.begin(), topics.end(), topic) == topics.end()) {
            topics.push_back(std::move(topic));
        }
    }
    if (topics.size() > kMostTopics) {
        return wrong("topic",
                     fmt::format("is one topic or up to {}, separated by commas", kMostTopics));
    }
    return topics;
}

json::Parsed<LongPollQueue::Request> longPollOf(const HttpCall& call)
{
    const auto document = objectIn(call.request(), EmptyBody::Allowed);
    if (!document) {
        return tl::unexpected(document.error());
    }
    json::ObjectReader fields(*document);
    LongPollQueue::Request wanted;
    wanted.max = static_cast<std::uint32_t>(fields.integer("max", 1, kMostJobs).value_or(1));
    wanted.wait = fields.duration("wait", Millis{0}, kLongestWait).value_or(Millis{0});
    if (auto problem = fields.finish()) {
        return tl::unexpected(std::move(*problem));
    }
    auto topics = topicsOf(call.pathValue("t"));
    if (!topics) {
        return tl::unexpected(topics.error());
    }
    wanted.topics = std::move(*topics);
    return wanted;
}

Response replyWith(const LongPollQueue::Jobs& jobs)
{
    nlohmann::json document{{"jobs", nlohmann::json::array()}};
    for (const auto& job : jobs) {
        document["jobs"].push_back(json::jsonOf(job));
    }
    return jsonReply(200, document);
}

void pop(const V1Services& services,
         const std::shared_ptr<PoppedJobs>& popped,
         const HttpCallPtr& call)
{
    auto wanted = longPollOf(*call);
    if (!wanted) {
        return call->respond(refused(wanted.error()));
    }
    for (const auto& topic : wanted->topics) {
        if (const auto covered = checkTopic(call->request(), topic); !covered) {
            return call->respond(problem(403, "Forbidden", covered.error().message, "topic"));
        }
    }
    auto& longPolls = services.longPolls;
    const auto ticket = longPolls.pop(
        std::move(*wanted), [&longPolls, popped, call](const Result<LongPollQueue::Jobs>& jobs) {
            if (!jobs) {
                return call->respond(refused(jobs.error()));
            }
            for (const auto& job : *jobs) {
                popped->add(job);
            }
            // A client that has gone does not keep its jobs until their leases end.
            call->respond(replyWith(*jobs),
                          [&longPolls, jobs = *jobs] { longPolls.requeue(jobs); });
        });
    call->onClosed([&longPolls, ticket] { longPolls.cancel(ticket); });
}

}  // namespace

void addPopRoutes(Router& router,
                  const V1Services& services,
                  const std::shared_ptr<PoppedJobs>& popped)
{
    router.add({"POST", "/v1/topics/{t}/pop", Scope::Pop, Dialect::V1,
                [&services, popped](const HttpCallPtr& call) { pop(services, popped, call); }});
}

}  // namespace restante::http
