#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"
#include "core/queue/topic.h"
#include "core/queue/topic_view.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

/// More than validate() allows, which says what a limit may be.
constexpr std::int64_t kMaxConcurrency = 1'000'000;
constexpr std::size_t kLongestRate = 32;

/// HTTP leaves out the sums of the channels. `by` is the former name of `actor`, kept for older
/// clients.
nlohmann::json jsonOf(const TopicView& view)
{
    auto document = json::jsonOf(view);
    document.erase("scheduled");
    document.erase("ready");
    if (view.pause) {
        auto& pause = document["pause"];
        pause["by"] = pause["actor"];
    }
    return document;
}

void listTopics(const V1Services& services, const HttpCallPtr& call)
{
    services.inspector.topics(
        respondWith<std::vector<TopicView>>(call, [](const std::vector<TopicView>& topics) {
            nlohmann::json document{{"topics", nlohmann::json::array()}};
            for (const auto& topic : topics) {
                document["topics"].push_back(jsonOf(topic));
            }
            return jsonReply(200, document);
        }));
}

/// {reason} of a request that acts on the topic of the path; none = the request was invalid and has
/// been answered.
std::optional<TopicAction> actionOf(const HttpCallPtr& call, json::ObjectReader& fields)
{
    TopicAction action{std::string(call->pathValue("t")), call->request().actor,
                       fields.text("reason", kLongestReason).value_or("")};
    if (const auto problem = fields.finish()) {
        call->respond(errorResponse(*problem));
        return std::nullopt;
    }
    if (const auto valid = validate(action); !valid) {
        call->respond(errorResponse(valid.error()));
        return std::nullopt;
    }
    return action;
}

template <void (JobStore::*Change)(TopicAction, Done<void>), bool Paused>
void setPaused(const V1Services& services, const HttpCallPtr& call, json::ObjectReader& fields)
{
    const auto action = actionOf(call, fields);
    if (!action) {
        return;
    }
    (services.queue.store().*Change)(*action, respondWith<void>(call, [action = *action] {
        nlohmann::json answer{{"topic", action.topic}, {"paused", Paused}};
        if (!action.reason.empty()) {
            answer["reason"] = action.reason;
        }
        return jsonReply(200, answer);
    }));
}

std::optional<Rate> rateIn(json::ObjectReader& fields)
{
    const auto text = fields.text("rate", kLongestRate);
    auto rate = text ? parseRate(*text).map([](Rate one) { return std::optional(one); })
                     : Result<std::optional<Rate>>{};
    if (!rate) {
        fields.refuse("rate", std::string(rate.error().detail()));
    }
    return rate.value_or(std::nullopt);
}

/// PUT sets both limits, and one that is left out becomes none; PATCH changes only the given ones.
/// Both answer with the resulting topic.
template <bool KeepOtherLimit>
void setLimits(const V1Services& services, const HttpCallPtr& call, json::ObjectReader& fields)
{
    const auto concurrency = fields.integer("concurrency", 0, kMaxConcurrency);
    const auto rate = rateIn(fields);
    if (!fields.has("concurrency") && !fields.has("rate")) {
        fields.refuse("concurrency", "or rate is required");
    }
    auto action = actionOf(call, fields);
    if (!action) {
        return;
    }
    services.inspector.topics([&services, call, concurrency, rate, action = std::move(*action)](
                                  const Result<std::vector<TopicView>>& topics) {
        if (!topics) {
            return call->respond(errorResponse(topics.error()));
        }
        const auto found = std::ranges::find(*topics, action.topic, &TopicView::topic);
        auto view = found == topics->end() ? TopicView{} : *found;
        view.topic = action.topic;
        const auto fallback = KeepOtherLimit ? view.limits : TopicLimits{};
        view.limits.concurrency =
            static_cast<std::uint32_t>(concurrency.value_or(fallback.concurrency));
        view.limits.rate = rate.value_or(fallback.rate);
        services.queue.store().limitTopic(action, view.limits, respondWith<void>(call, [view] {
                                              return jsonReply(200, jsonOf(view));
                                          }));
    });
}

}  // namespace

void addTopicRoutes(Router& router, const V1Services& services)
{
    router.add({"GET", "/v1/topics", Scope::Admin, Dialect::V1, servedBy(services, listTopics)});
    router.add({"PUT", "/v1/topics/{t}", Scope::Admin, Dialect::V1,
                servedByFields(services, EmptyBody::Refused, setLimits<false>)});
    router.add({"PATCH", "/v1/topics/{t}", Scope::Admin, Dialect::V1,
                servedByFields(services, EmptyBody::Refused, setLimits<true>)});
    router.add(
        {"POST", "/v1/topics/{t}/pause", Scope::Admin, Dialect::V1,
         servedByFields(services, EmptyBody::Allowed, setPaused<&JobStore::pauseTopic, true>)});
    router.add(
        {"POST", "/v1/topics/{t}/resume", Scope::Admin, Dialect::V1,
         servedByFields(services, EmptyBody::Allowed, setPaused<&JobStore::resumeTopic, false>)});
}

}  // namespace restante::http
