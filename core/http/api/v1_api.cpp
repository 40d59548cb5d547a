#include "core/http/api/v1_api.h"

namespace restante::http {

void addV1Routes(Router& router, const V1Services& services)
{
    addJobRoutes(router, services);
    addListRoutes(router, services);
    addConsumerRoutes(router, services);
    addVerbRoutes(router, services);
    addBulkRoutes(router, services);
    addTopicRoutes(router, services);
    addReminderRoutes(router, services);
    addRegistrationRoutes(router, services);
    addEventRoutes(router, services);
    addOpsRoutes(router, services);
    if (services.smsReports != nullptr) {
        addSmsReportRoutes(router, *services.smsReports);
    }
}

}  // namespace restante::http
