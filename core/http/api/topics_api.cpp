#include "core/base/duration.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"
#include "core/json/object_reader.h"
#include "core/queue/topic.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

constexpr std::size_t kLongestReason = 1'024;
constexpr std::int64_t kMostAtOnce = 1'000'000;  ///< more than any daemon leases
constexpr std::size_t kLongestRate = 32;

nlohmann::json jsonOf(const TopicView& view)
{
    nlohmann::json document{
        {"topic", view.topic},
        {"paused", view.pause.has_value()},
        {"limits",
         {{"concurrency", view.limits.concurrency}, {"rate", printRate(view.limits.rate)}}},
        {"channels", nlohmann::json::array()}};
    for (const auto& counts : view.channels) {
        document["channels"].push_back({{"channel", name(counts.channel)},
                                        {"scheduled", counts.scheduled},
                                        {"ready", counts.ready}});
    }
    if (view.leased) {
        document["leased"] = *view.leased;
    }
    if (view.pause) {
        nlohmann::json pause{{"by", view.pause->actor}, {"reason", view.pause->reason}};
        addTime(pause, "since", view.pause->since);
        document["pause"] = std::move(pause);
    }
    return document;
}

void list(const V1Services& services, const HttpCallPtr& call)
{
    services.inspector.topics(
        answering<std::vector<TopicView>>(call, [](const std::vector<TopicView>& topics) {
            nlohmann::json document{{"topics", nlohmann::json::array()}};
            for (const auto& topic : topics) {
                document["topics"].push_back(jsonOf(topic));
            }
            return jsonReply(200, document);
        }));
}

/// {reason} of a request that acts on the topic of the path; none = it has been answered.
std::optional<TopicAction> actionOf(const HttpCallPtr& call, json::ObjectReader& fields)
{
    TopicAction action{std::string(call->pathValue("t")), call->request().actor,
                       fields.text("reason", kLongestReason).value_or("")};
    if (const auto problem = fields.finish()) {
        call->respond(refused(*problem));
        return std::nullopt;
    }
    if (const auto sound = validate(action); !sound) {
        call->respond(refused(sound.error()));
        return std::nullopt;
    }
    return action;
}

template <void (JobStore::*Move)(TopicAction, Done<void>), bool Paused>
void setPaused(const V1Services& services, const HttpCallPtr& call)
{
    const auto document = objectIn(call->request(), EmptyBody::Allowed);
    if (!document) {
        return call->respond(refused(document.error()));
    }
    json::ObjectReader fields(*document);
    const auto action = actionOf(call, fields);
    if (!action) {
        return;
    }
    (services.queue.store().*Move)(*action, answering<void>(call, [action = *action] {
        nlohmann::json answer{{"topic", action.topic}, {"paused", Paused}};
        if (!action.reason.empty()) {
            answer["reason"] = action.reason;
        }
        return jsonReply(200, answer);
    }));
}

/// Limits as a request gives them; what it leaves out is none.
struct LimitRequest {
    TopicAction action;
    std::optional<std::uint32_t> concurrency;
    std::optional<Rate> rate;
};

std::optional<LimitRequest> limitRequestOf(const HttpCallPtr& call)
{
    const auto document = objectIn(call->request(), EmptyBody::Refused);
    if (!document) {
        call->respond(refused(document.error()));
        return std::nullopt;
    }
    json::ObjectReader fields(*document);
    LimitRequest request;
    if (const auto concurrency = fields.integer("concurrency", 0, kMostAtOnce)) {
        request.concurrency = static_cast<std::uint32_t>(*concurrency);
    }
    if (const auto text = fields.text("rate", kLongestRate)) {
        if (const auto rate = parseRate(*text)) {
            request.rate = *rate;
        } else {
            fields.refuse("rate", json::fieldErrorOf(rate.error()).detail);
        }
    }
    if (!fields.has("concurrency") && !fields.has("rate")) {
        fields.refuse("concurrency", "or rate is required");
    }
    auto action = actionOf(call, fields);
    if (!action) {
        return std::nullopt;
    }
    request.action = std::move(*action);
    return request;
}

void setLimits(const V1Services& services,
               const HttpCallPtr& call,
               const LimitRequest& request,
               TopicView view)
{
    view.topic = request.action.topic;
    view.limits.concurrency = request.concurrency.value_or(view.limits.concurrency);
    view.limits.rate = request.rate.value_or(view.limits.rate);
    const auto limits = view.limits;
    services.queue.store().limitTopic(
        request.action, limits,
        answering<void>(call, [view = std::move(view)] { return jsonReply(200, jsonOf(view)); }));
}

/// PUT says both limits, PATCH what changes: both answer the topic as it then is.
template <bool Keep>
void limit(const V1Services& services, const HttpCallPtr& call)
{
    const auto request = limitRequestOf(call);
    if (!request) {
        return;
    }
    services.inspector.topics([&services, call,
                               request = *request](const Result<std::vector<TopicView>>& topics) {
        if (!topics) {
            return call->respond(refused(topics.error()));
        }
        const auto found = std::find_if(topics->begin(), topics->end(), [&](const TopicView& view) {
            return view.topic == request.action.topic;
        });
        auto view = found == topics->end() ? TopicView{} : *found;
        if (!Keep) {
            view.limits = {};
        }
        setLimits(services, call, request, std::move(view));
    });
}

}  // namespace

void addTopicRoutes(Router& router, const V1Services& services)
{
    router.add({"GET", "/v1/topics", Scope::Admin, Dialect::V1, servedBy(services, list)});
    router.add(
        {"PUT", "/v1/topics/{t}", Scope::Admin, Dialect::V1, servedBy(services, limit<false>)});
    router.add(
        {"PATCH", "/v1/topics/{t}", Scope::Admin, Dialect::V1, servedBy(services, limit<true>)});
    router.add({"POST", "/v1/topics/{t}/pause", Scope::Admin, Dialect::V1,
                servedBy(services, setPaused<&JobStore::pauseTopic, true>)});
    router.add({"POST", "/v1/topics/{t}/resume", Scope::Admin, Dialect::V1,
                servedBy(services, setPaused<&JobStore::resumeTopic, false>)});
}

}  // namespace restante::http
