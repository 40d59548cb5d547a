#pragma once

#include "core/delivery/sms/delivery_reports.h"
#include "core/http/server/router.h"

namespace restante::http {

/// GET and POST /v1/sms/reports?id=&attempt=&token=&status=[&answer=]: where an SMS gateway brings
/// its delivery reports; the parameters may also be a form's fields. Open, because gateways know no
/// bearer tokens: `token` is what proves a report. 204 when it is recorded or too late to matter,
/// 400, 403 (token), 503. Borrows `reports`, which must outlive the router's last call.
void addSmsReports(Router& router, sms::DeliveryReports& reports);

}  // namespace restante::http
