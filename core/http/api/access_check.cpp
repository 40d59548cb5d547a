#include "core/http/api/access_check.h"

#include "core/http/api/api_reply.h"

#include <utility>

namespace restante::http {

Result<void> checkTopicAccess(const Request& request, std::string_view topic)
{
    if (request.grant == nullptr || request.grant->coversTopic(topic)) {
        return {};
    }
    return failure(ErrorCode::Denied, "the token \"{}\" does not cover the topic {}", request.actor,
                   topic);
}

Result<void> checkSenderAccess(const Request& request, std::string_view sender)
{
    if (sender.empty() || request.grant == nullptr || request.grant->coversSender(sender)) {
        return {};
    }
    return failure(ErrorCode::Denied, "the token \"{}\" may not push as {}", request.actor, sender);
}

bool isConfined(const Request& request) noexcept
{
    return request.grant != nullptr && !request.grant->topics.empty();
}

void checkJobAccess(JobInspector& inspector,
                    const Request& request,
                    const std::string& id,
                    Done<void> done,
                    UnknownJob unknown)
{
    if (!isConfined(request)) {
        return done({});
    }
    inspector.show(id, [id, unknown, grant = request.grant,
                        done = std::move(done)](const Result<JobView>& view) {
        if (!view && view.error().code != ErrorCode::NotFound) {
            return done(tl::unexpected(view.error()));
        }
        if (view ? !grant->coversTopic(view->job.topic) : unknown == UnknownJob::Refused) {
            return done(failure(ErrorCode::NotFound, "job {}: there is no such job", id));
        }
        done({});
    });
}

Handler requireJobAccess(JobInspector& inspector, Handler handler, UnknownJob unknown)
{
    return [&inspector, handler = std::move(handler), unknown](const HttpCallPtr& call) {
        checkJobAccess(
            inspector, call->request(), std::string(call->pathValue("id")),
            [call, handler](const Result<void>& covered) {
                covered ? handler(call) : call->respond(errorResponse(covered.error()));
            },
            unknown);
    };
}

Handler requireTopicAccess(std::string_view topic, Handler handler)
{
    return [topic = std::string(topic), handler = std::move(handler)](const HttpCallPtr& call) {
        const auto covered = checkTopicAccess(call->request(), topic);
        covered ? handler(call) : call->respond(problem(403, "Forbidden", covered.error().message));
    };
}

}  // namespace restante::http
