#include "core/http/api/api_reply.h"
#include "core/http/api/popped_jobs.h"
#include "core/http/api/reach_check.h"
#include "core/http/api/v1_api.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"
#include "core/queue/topic.h"
#include "core/schedule/pop_desk.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

constexpr std::int64_t kMostJobs = 1'000;
constexpr std::size_t kMostTopics = 100;
/// As the classic pop: shorter than the patience of usual proxies for a request in all.
constexpr Millis kLongestWait{180'000};

json::Parsed<std::vector<std::string>> topicsOf(std::string_view text)
{
    const auto wrong = [](std::string detail) {
        return tl::unexpected(json::Problem{"topic", std::move(detail)});
    };
    std::vector<std::string> topics;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        std::string topic{text.substr(begin, end - begin)};
        if (const auto sound = validate(TopicAction{topic, {}, {}}); !sound) {
            return tl::unexpected(json::problemOf(sound.error()));
        }
        if (const auto free = checkNotReserved(topic); !free) {
            return tl::unexpected(json::problemOf(free.error()));
        }
        if (std::find(topics.begin(), topics.end(), topic) == topics.end()) {
            topics.push_back(std::move(topic));
        }
        begin = end + 1;
    }
    if (topics.size() > kMostTopics) {
        return wrong(fmt::format("is one topic or up to {}, separated by commas", kMostTopics));
    }
    return topics;
}

json::Parsed<PopDesk::Order> orderOf(const Exchange& exchange)
{
    const auto document = objectIn(exchange.request(), EmptyBody::Allowed);
    if (!document) {
        return tl::unexpected(document.error());
    }
    json::ObjectReader fields(*document);
    PopDesk::Order order;
    order.max = static_cast<std::uint32_t>(fields.integer("max", 1, kMostJobs).value_or(1));
    order.wait = fields.duration("wait", Millis{0}, kLongestWait).value_or(Millis{0});
    if (auto problem = fields.finish()) {
        return tl::unexpected(std::move(*problem));
    }
    auto topics = topicsOf(exchange.pathValue("t"));
    if (!topics) {
        return tl::unexpected(topics.error());
    }
    order.topics = std::move(*topics);
    return order;
}

Response replyWith(const PopDesk::Jobs& jobs)
{
    nlohmann::json document{{"jobs", nlohmann::json::array()}};
    for (const auto& job : jobs) {
        document["jobs"].push_back(json::jsonOf(job));
    }
    return jsonReply(200, document);
}

void pop(const V1Services& services,
         const std::shared_ptr<PoppedJobs>& popped,
         const ExchangePtr& exchange)
{
    auto order = orderOf(*exchange);
    if (!order) {
        return exchange->respond(refused(order.error()));
    }
    for (const auto& topic : order->topics) {
        if (const auto covered = checkTopic(exchange->request(), topic); !covered) {
            return exchange->respond(problem(403, "Forbidden", covered.error().message, "topic"));
        }
    }
    auto& desk = services.popDesk;
    const auto ticket =
        desk.pop(std::move(*order), [&desk, popped, exchange](const Result<PopDesk::Jobs>& jobs) {
            if (!jobs) {
                return exchange->respond(refused(jobs.error()));
            }
            for (const auto& job : *jobs) {
                popped->add(job);
            }
            // A client that has gone does not keep its jobs until their leases end.
            exchange->respond(replyWith(*jobs), [&desk, jobs = *jobs] { desk.giveBack(jobs); });
        });
    exchange->onClosed([&desk, ticket] { desk.cancel(ticket); });
}

}  // namespace

void addPopRoutes(Router& router,
                  const V1Services& services,
                  const std::shared_ptr<PoppedJobs>& popped)
{
    router.add(
        {"POST", "/v1/topics/{t}/pop", Scope::Pop, Dialect::V1,
         [&services, popped](const ExchangePtr& exchange) { pop(services, popped, exchange); }});
}

}  // namespace restante::http
