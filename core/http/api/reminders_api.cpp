#include "core/http/api/access_check.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"
#include "core/reminder/reminder_plan.h"
#include "core/reminder/reminders.h"

#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

using reminder::CreatedReminder;
using reminder::ReminderRequest;

/// Longer than any time, rule or schedule that is written; the plan checks their content.
constexpr std::size_t kLongestField = 1'024;
constexpr std::size_t kLongestId = 128;
constexpr std::int64_t kLatestMs = 253'402'300'799'999;  ///< the end of the year 9999

json::Parsed<ReminderRequest> requestIn(json::ObjectReader& fields)
{
    ReminderRequest request;
    const auto textField = [&fields](std::string_view name) {
        return fields.text(name, kLongestField).value_or("");
    };
    fields.require("to");
    fields.require("text");
    request.id = fields.text("id", kLongestId).value_or("");
    request.to = textField("to");
    if (const auto channel = fields.oneOf("channel", {"sip", "sms", "webhook"})) {
        request.channel = channelNamed(*channel);
    }
    request.text = fields.bytes("text").value_or("");
    request.contentType = textField("content_type");
    request.sender = textField("sender");
    request.bizKey = textField("biz_key");
    request.at = textField("at");
    if (const auto ms = fields.integer("at_ms", 0, kLatestMs)) {
        request.atTime = fromEpochMs(*ms);
    }
    fields.refuseBoth("at", "at_ms");
    request.in = textField("in");
    request.event = textField("event");
    request.offsets = textField("offsets");
    request.every = textField("every");
    request.timeZone = textField("time_zone");
    request.retry = textField("retry");
    request.expires = textField("expires");
    return fields.finish(std::move(request));
}

Response replyTo(const CreatedReminder& created)
{
    nlohmann::json document{{"biz_key", created.bizKey},
                            {"recurring", created.recurring},
                            {"reminders", nlohmann::json::array()},
                            {"notes", created.notes}};
    for (const auto& job : created.jobs) {
        nlohmann::json one{{"id", job.id}};
        json::addTime(one, "due", job.due);
        document["reminders"].push_back(std::move(one));
    }
    return jsonReply(created.status == PushStatus::Stored ? 201 : 200, document);
}

void create(const V1Services& services, const HttpCallPtr& call, json::ObjectReader& fields)
{
    auto request = requestIn(fields);
    if (!request) {
        return call->respond(errorResponse(request.error()));
    }
    const auto& httpRequest = call->request();
    const auto address = services.addressOfRecord(request->sender);
    if (const auto covered = checkSenderAccess(httpRequest, address.value_or(request->sender));
        !covered) {
        return call->respond(problem(403, "Forbidden", covered.error().message, "sender"));
    }
    services.reminders.create(std::move(*request), respondWith<CreatedReminder>(call, replyTo));
}

void cancel(const V1Services& services, const HttpCallPtr& call)
{
    const auto& request = call->request();
    if (const auto problem = invalidParameter(request, {"biz_key"})) {
        return call->respond(errorResponse(*problem));
    }
    const std::string bizKey{request.parameter("biz_key").value_or("")};
    if (bizKey.empty() || bizKey.size() > kLongestField) {
        return call->respond(errorResponse(
            json::FieldError{"biz_key", "is required: the key of the set to cancel"}));
    }
    services.reminders.cancel(
        bizKey, request.actor, respondWith<std::uint64_t>(call, [bizKey](std::uint64_t count) {
            return jsonReply(200, {{"biz_key", bizKey}, {"cancelled", count}});
        }));
}

}  // namespace

void addReminderRoutes(Router& router, const V1Services& services)
{
    router.add({.method = "POST",
                .pattern = "/v1/reminders",
                .scope = Scope::Push,
                .dialect = Dialect::V1,
                .handler = requireTopicAccess(reminder::kTopic,
                                              servedByFields(services, EmptyBody::Refused, create)),
                .bodyLimit = Router::kAnyBody});
    router.add({"DELETE", "/v1/reminders", Scope::Push, Dialect::V1,
                requireTopicAccess(reminder::kTopic, servedBy(services, cancel))});
}

}  // namespace restante::http
