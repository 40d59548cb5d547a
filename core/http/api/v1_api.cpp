#include "core/http/api/v1_api.h"

#include "core/http/api/popped_jobs.h"
#include "core/http/api/sms_reports_api.h"

namespace restante::http {

void addV1Routes(Router& router, const V1Services& services)
{
    addJobRoutes(router, services);
    addListRoutes(router, services);
    const auto popped = std::make_shared<PoppedJobs>();
    addAttemptRoutes(router, services, popped, servedBy(services, finishMatching));
    addVerbRoutes(router, services);
    addBulkRoutes(router, services);
    addPopRoutes(router, services, popped);
    addTopicRoutes(router, services);
    addReminderRoutes(router, services);
    addRegistrationRoutes(router, services);
    addEventRoutes(router, services);
    addOpsRoutes(router, services);
    if (services.smsReports != nullptr) {
        addSmsReports(router, *services.smsReports);
    }
}

}  // namespace restante::http
