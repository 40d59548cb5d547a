#include "core/http/v1_api.h"

#include "core/http/sms_reports_api.h"

namespace restante::http {

void addV1Routes(Router& router, const V1Services& services)
{
    addJobRoutes(router, services);
    addListRoutes(router, services);
    addVerbRoutes(router, services);
    addBulkRoutes(router, services);
    addPopRoutes(router, services);
    addTopicRoutes(router, services);
    addReminderRoutes(router, services);
    addRegistrationRoutes(router, services);
    addEventRoutes(router, services);
    addOpsRoutes(router, services);
    addSmsReports(router, services.smsReports);
}

}  // namespace restante::http
