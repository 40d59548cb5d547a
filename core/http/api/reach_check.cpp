#include "core/http/api/reach_check.h"

#include "core/http/api/api_reply.h"

#include <fmt/format.h>
#include <utility>

namespace restante::http {

Result<void> checkTopic(const Request& request, std::string_view topic)
{
    if (request.reach == nullptr || request.reach->coversTopic(topic)) {
        return {};
    }
    return failure(ErrorCode::Denied, fmt::format("the token \"{}\" does not cover the topic {}",
                                                  request.actor, topic));
}

Result<void> checkSender(const Request& request, std::string_view sender)
{
    if (sender.empty() || request.reach == nullptr || request.reach->coversSender(sender)) {
        return {};
    }
    return failure(ErrorCode::Denied,
                   fmt::format("the token \"{}\" may not push as {}", request.actor, sender));
}

void checkJob(JobInspector& inspector,
              const Request& request,
              const std::string& id,
              Done<void> done)
{
    if (request.reach == nullptr || request.reach->topics.empty()) {
        return done({});
    }
    inspector.show(
        id, [id, reach = request.reach, done = std::move(done)](const Result<JobView>& view) {
            if (!view && view.error().code != ErrorCode::NotFound) {
                return done(tl::unexpected(view.error()));
            }
            if (view && !reach->coversTopic(view->job.topic)) {
                return done(
                    failure(ErrorCode::NotFound, fmt::format("job {}: there is no such job", id)));
            }
            done({});
        });
}

Handler aboutCoveredJob(JobInspector& inspector, Handler handler)
{
    return [&inspector, handler = std::move(handler)](const ExchangePtr& exchange) {
        checkJob(inspector, exchange->request(), std::string(exchange->pathValue("id")),
                 [exchange, handler](const Result<void>& covered) {
                     covered ? handler(exchange) : exchange->respond(refused(covered.error()));
                 });
    };
}

Handler aboutCoveredJobThatIs(JobInspector& inspector, Handler handler)
{
    return [&inspector, handler = std::move(handler)](const ExchangePtr& exchange) {
        const auto& request = exchange->request();
        if (request.reach == nullptr || request.reach->topics.empty()) {
            return handler(exchange);
        }
        const std::string id{exchange->pathValue("id")};
        inspector.show(id, [exchange, handler, id](const Result<JobView>& view) {
            if (view && exchange->request().reach->coversTopic(view->job.topic)) {
                return handler(exchange);
            }
            const bool told = !view && view.error().code != ErrorCode::NotFound;
            exchange->respond(refused(
                told
                    ? view.error()
                    : Error{ErrorCode::NotFound, fmt::format("job {}: there is no such job", id)}));
        });
    };
}

Handler aboutTopic(std::string_view topic, Handler handler)
{
    return [topic = std::string(topic), handler = std::move(handler)](const ExchangePtr& exchange) {
        const auto covered = checkTopic(exchange->request(), topic);
        covered ? handler(exchange)
                : exchange->respond(problem(403, "Forbidden", covered.error().message));
    };
}

}  // namespace restante::http
