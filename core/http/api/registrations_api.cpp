#include "core/base/text.h"
#include "core/http/api/access_check.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"
#include "core/queue/mailbox.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

/// The topic of the messages that wait in mailboxes.
constexpr std::string_view kMailboxTopic = "sip";

constexpr std::int64_t kMaxMailboxPageSize = 500;
constexpr std::int64_t kDefaultMailboxPageSize = 100;

/// POST: a recipient can be reached. Makes their mailbox due at once; the daemon that serves SIP
/// delivers it.
void handleRegistration(const V1Services& services,
                        const HttpCallPtr& call,
                        json::ObjectReader& fields)
{
    fields.require("aor");
    const auto aorText = fields.text("aor", services.queue.settings().limits.recipient);
    std::string aor;
    if (aorText) {
        if (auto address = services.addressOfRecord(*aorText)) {
            aor = std::move(*address);
        } else {
            fields.refuse("aor", std::string(address.error().detail()));
        }
    }
    if (const auto problem = fields.finish()) {
        return call->respond(errorResponse(*problem));
    }
    services.queue.store().releaseMailbox(
        aor, respondWith<std::uint64_t>(call, [aor](std::uint64_t messages) {
            return jsonReply(200, {{"aor", aor}, {"messages", messages}});
        }));
}

void listMailboxes(const V1Services& services, const HttpCallPtr& call)
{
    const auto& request = call->request();
    if (auto problem = invalidParameter(request, {"name", "cursor", "limit"})) {
        return call->respond(errorResponse(*problem));
    }
    const auto limit = numberIn(request, "limit", 1, kMaxMailboxPageSize, kDefaultMailboxPageSize);
    if (!limit) {
        return call->respond(errorResponse(limit.error()));
    }
    MailboxQuery query;
    query.name = request.parameter("name").value_or("");
    const auto maxNameBytes = services.queue.settings().limits.recipient;
    if (query.name.size() > maxNameBytes || std::ranges::any_of(query.name, isAsciiControl)) {
        return call->respond(errorResponse(json::FieldError{
            "name", fmt::format("is part of a recipient: up to {} bytes without control characters",
                                maxNameBytes)}));
    }
    query.cursor = request.parameter("cursor").value_or("");
    query.limit = static_cast<std::uint32_t>(*limit);
    services.inspector.mailboxes(std::move(query),
                                 respondWith<MailboxPage>(call, [](const MailboxPage& page) {
                                     return jsonReply(200, json::jsonOf(page));
                                 }));
}

}  // namespace

void addRegistrationRoutes(Router& router, const V1Services& services)
{
    router.add({"POST", "/v1/registrations", Scope::Push, Dialect::V1,
                requireTopicAccess(kMailboxTopic, servedByFields(services, EmptyBody::Refused,
                                                                 handleRegistration))});
    router.add({"GET", "/v1/mailboxes", Scope::Admin, Dialect::V1,
                requireTopicAccess(kMailboxTopic, servedBy(services, listMailboxes))});
}

}  // namespace restante::http
