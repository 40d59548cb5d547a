#include "core/http/api/item_answer.h"

#include "core/http/api/api_reply.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace restante::http {

namespace {

/// What only a whole item shows to be wrong is told without its place in the array.
void placeField(std::size_t index, nlohmann::json& document)
{
    const auto field = document.value("field", "");
    if (field.empty() || field.starts_with('[')) {
        return;
    }
    const auto place = fmt::format("[{}].", index);
    document["field"] = place + field;
    document["detail"] = place + document.value("detail", "");
}

}  // namespace

ItemAnswer itemOf(int status, nlohmann::json document)
{
    return {status, std::make_shared<nlohmann::json>(std::move(document))};
}

ItemAnswer itemOf(const Response& refusal)
{
    auto item = itemOf(refusal.status, nlohmann::json::parse(refusal.body));
    item.headers = refusal.headers;
    return item;
}

Response responseOf(const ItemAnswer& answer)
{
    auto response = jsonReply(answer.status, *answer.document);
    if (answer.status >= 400) {
        response.contentType = "application/problem+json";
    }
    response.headers = answer.headers;
    return response;
}

Answer answeringWith(HttpCallPtr call)
{
    return
        [call = std::move(call)](const ItemAnswer& answer) { call->respond(responseOf(answer)); };
}

ArrayAnswer::ArrayAnswer(HttpCallPtr call, std::size_t items)
    : call_(std::move(call)),
      items_(items),
      missing_(items)
{
}

Answer ArrayAnswer::placing(std::shared_ptr<ArrayAnswer> answers, std::size_t index)
{
    return [answers = std::move(answers), index](ItemAnswer answer) {
        answers->take(index, std::move(answer));
    };
}

void ArrayAnswer::take(std::size_t index, ItemAnswer answer)
{
    items_[index] = std::move(answer);
    if (--missing_ > 0) {
        return;
    }
    int lowest = 600;
    int highest = 0;
    auto document = nlohmann::json::array();
    for (std::size_t i = 0; i < items_.size(); ++i) {
        auto& item = items_[i];
        (*item.document)["status"] = item.status;
        placeField(i, *item.document);
        document.push_back(std::move(*item.document));
        lowest = std::min(lowest, item.status);
        highest = std::max(highest, item.status);
    }
    call_->respond(jsonReply(highest >= 400 ? 207 : lowest, document));
}

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
