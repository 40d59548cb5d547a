#include "core/http/api/access_check.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"
#include "core/json/object_reader.h"

#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

/// Of the messages that wait in mailboxes.
constexpr std::string_view kMailboxTopic = "sip";

/// Somebody can be reached: their mailbox is due at once, and the daemon that serves SIP delivers.
void registered(const V1Services& services, const HttpCallPtr& call, json::ObjectReader& fields)
{
    fields.require("aor");
    const auto written = fields.text("aor", services.queue.settings().limits.recipient);
    std::string aor;
    if (written) {
        if (auto address = services.addressOfRecord(*written)) {
            aor = std::move(*address);
        } else {
            fields.refuse("aor", std::string(address.error().detail()));
        }
    }
    if (const auto problem = fields.finish()) {
        return call->respond(refused(*problem));
    }
    services.queue.store().releaseMailbox(
        aor, answering<std::uint64_t>(call, [aor](std::uint64_t messages) {
            return jsonReply(200, {{"aor", aor}, {"messages", messages}});
        }));
}

}  // namespace

void addRegistrationRoutes(Router& router, const V1Services& services)
{
    router.add({"POST", "/v1/registrations", Scope::Push, Dialect::V1,
                requireTopicAccess(kMailboxTopic,
                                   servedByFields(services, EmptyBody::Refused, registered))});
}

}  // namespace restante::http
