#pragma once

#include "core/base/result.h"
#include "core/http/server/router.h"
#include "core/queue/job_inspector.h"

#include <string>
#include <string_view>

namespace restante::http {

/// Whether the request's token allows jobs of the topic; the error names token and topic.
Result<void> checkTopicAccess(const Request& request, std::string_view topic);
/// Whether the request's token allows a push to name that sender; a push may always name none.
Result<void> checkSenderAccess(const Request& request, std::string_view sender);

/// How a job that does not exist is treated. Passes: the request continues, and most handlers
/// answer NotFound themselves. Refused: NotFound at once for a token that is confined to topics,
/// because the answer could tell of a job whose topic is not known any more.
enum class UnknownJob { Passes, Refused };

/// Whether the request's token is confined to topics, so that the store has to be asked of a job's.
bool isConfined(const Request& request) noexcept;

/// Whether the request's token allows job `id`: answered at once and without asking the store,
/// unless the token is confined to topics. A job of another topic is NotFound, like one that is not
/// there.
void checkJobAccess(JobInspector& inspector,
                    const Request& request,
                    const std::string& id,
                    Done<void> done,
                    UnknownJob unknown = UnknownJob::Passes);

/// For a route with an {id}: `handler` is called for the jobs that the request's token allows.
Handler
requireJobAccess(JobInspector& inspector, Handler handler, UnknownJob unknown = UnknownJob::Passes);

/// For a route that is not about one job: `handler` is called unless the token is confined to
/// topics without `topic` among them.
Handler requireTopicAccess(std::string_view topic, Handler handler);

}  // namespace restante::http
