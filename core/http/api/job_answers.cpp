#include "core/http/api/job_answers.h"

#include "core/http/api/api_reply.h"

#include <nlohmann/json.hpp>

namespace restante::http {

nlohmann::json standingOf(const JobView& view)
{
    nlohmann::json document{{"id", view.job.id},
                            {"topic", view.job.topic},
                            {"channel", name(view.job.channel)},
                            {"state", name(view.state)},
                            {"attempt", view.attempt}};
    addTime(document, "due", view.due);
    if (!view.lastError.empty()) {
        document["last_error"] = view.lastError;
    }
    return document;
}

Done<void> thenStanding(const V1Services& services, std::string id, Answer answer)
{
    return [&services, id = std::move(id), answer = std::move(answer)](const Result<void>& moved) {
        if (!moved) {
            return answer(itemOf(refused(moved.error())));
        }
        services.inspector.show(id, [id, answer](const Result<JobView>& view) {
            if (view) {
                return answer(itemOf(200, standingOf(*view)));
            }
            // The move is stored. What became of the job since is not known, or it is finished.
            answer(itemOf(200, view.error().code == ErrorCode::NotFound
                                   ? briefOf(id, name(JobState::Done))
                                   : nlohmann::json{{"id", id}}));
        });
    };
}

}  // namespace restante::http
