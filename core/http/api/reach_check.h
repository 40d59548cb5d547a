#pragma once

#include "core/base/result.h"
#include "core/http/server/router.h"
#include "core/queue/job_inspector.h"

#include <functional>
#include <string>
#include <string_view>

namespace restante::http {

/// Whether the request may have to do with jobs of the topic; the error says what its token lacks.
Result<void> checkTopic(const Request& request, std::string_view topic);
/// Whether a push of the request may name that sender. One that names none is nobody else.
Result<void> checkSender(const Request& request, std::string_view sender);

/// Answers whether the request may have to do with job `id`: at once and without asking the store,
/// unless its token is confined to topics. A job of another topic is NotFound, like one that is not
/// there; of one that is really not there nothing is said, as the request itself will.
void checkJob(JobInspector& inspector,
              const Request& request,
              const std::string& id,
              Done<void> done);

/// Of a route with an {id}: `handler` is called for the jobs that the request's token covers.
Handler aboutCoveredJob(JobInspector& inspector, Handler handler);

/// The same where a job that the store has no more could still be told of: what its topic was
/// nobody knows, so a confined token is told that there is no such job.
Handler aboutCoveredJobThatIs(JobInspector& inspector, Handler handler);

/// Of a route that has to do with more than some topics: `handler` is called where the token is not
/// confined to any, or to `topic` among them.
Handler aboutTopic(std::string_view topic, Handler handler);

}  // namespace restante::http
