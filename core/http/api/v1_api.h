#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/http/api/api_reply.h"
#include "core/http/server/router.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"

#include <functional>
#include <string>
#include <string_view>

namespace restante::reminder {
class Reminders;
}
namespace restante::sms {
class DeliveryReports;
}
namespace restante::redis {
class Connection;
class EventFeed;
}  // namespace restante::redis
namespace restante {
class JobHistory;
class LongPollQueue;
}  // namespace restante

namespace restante::http {

/// The objects that the handlers of v1 use: borrowed, all of one loop, and alive as long as the
/// router. Handlers touch them only while they serve a request or after a success, so that answers
/// that come while everything is taken down reach the call and nothing else. *Value.*
struct V1Services {
    EventLoop& loop;
    DelayQueue& queue;
    JobInspector& inspector;
    LongPollQueue& longPolls;
    reminder::Reminders& reminders;
    redis::Connection& redis;  ///< for /readyz
    redis::EventFeed& events;
    JobHistory* history = nullptr;               ///< none = there is no journal
    sms::DeliveryReports* smsReports = nullptr;  ///< none = there is no gateway, so no route for it
    /// Whether the store is served and takes pushes, for /readyz; Unavailable says why not.
    std::function<Result<void>()> storeHealth = {};
    /// Whether the journal's database answers, for /readyz; empty = there is none.
    std::function<bool()> journalAnswers = {};
    /// The canonical form of a SIP address, under which its mailbox is kept; Invalid says what is
    /// allowed. From outside, because core knows no SIP.
    std::function<Result<std::string>(std::string_view)> addressOfRecord;
    /// The heartbeat interval of event streams: proxies and browsers close a silent connection
    /// after 30 s to 60 s.
    Millis heartBeat{15'000};
};

/// Adds every route of docs/http-api.md but the classic ones and the answers of the server itself.
void addV1Routes(Router& router, const V1Services& services);

/// A handler that calls `serve` with these services.
template <class Serve>
Handler servedBy(const V1Services& services, Serve serve)
{
    return [&services, serve](const HttpCallPtr& call) { serve(services, call); };
}

/// The same with the fields of the request's body.
template <class Serve>
Handler servedByFields(const V1Services& services, EmptyBody emptyBody, Serve serve)
{
    return withFields(emptyBody,
                      [&services, serve](const HttpCallPtr& call, json::ObjectReader& fields) {
                          serve(services, call, fields);
                      });
}

// The groups of routes, one file each.
void addJobRoutes(Router& router, const V1Services& services);
void addListRoutes(Router& router, const V1Services& services);
void addConsumerRoutes(Router& router, const V1Services& services);
void addVerbRoutes(Router& router, const V1Services& services);
void addBulkRoutes(Router& router, const V1Services& services);
/// POST /v1/jobs/finish when its body is no array: finishes all that match; refused without the
/// scope admin.
void finishMatching(const V1Services& services, const HttpCallPtr& call);
void addTopicRoutes(Router& router, const V1Services& services);
void addReminderRoutes(Router& router, const V1Services& services);
void addRegistrationRoutes(Router& router, const V1Services& services);
void addEventRoutes(Router& router, const V1Services& services);
void addOpsRoutes(Router& router, const V1Services& services);
/// GET and POST /v1/sms/reports?id=&attempt=&token=&status=[&answer=]: where an SMS gateway brings
/// its delivery reports; the parameters may also be a form's fields. Open, because gateways know no
/// bearer tokens: `token` is what proves a report. 204 when it is recorded or too late to matter,
/// 400, 403 (token), 503. Borrows `reports`, which must outlive the router's last call.
void addSmsReportRoutes(Router& router, sms::DeliveryReports& reports);

}  // namespace restante::http
