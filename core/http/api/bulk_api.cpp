#include "core/base/try.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/job_selection.h"
#include "core/http/api/v1_api.h"
#include "core/json/object_reader.h"
#include "core/queue/bulk_action.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

using Verb = BulkAction::Verb;

nlohmann::json jsonOf(const BulkReport& report, bool dryRun)
{
    nlohmann::json document{{"matched", report.total()}, {"done", report.done},
                            {"skipped", report.skipped}, {"failed", report.failed},
                            {"dry_run", dryRun},         {"stopped", report.stopped},
                            {"ids", report.firstIds},    {"errors", nlohmann::json::array()}};
    for (const auto& [id, error] : report.failures) {
        document["errors"].push_back({{"id", id}, {"detail", error.message}});
    }
    if (report.searchError) {
        document["errors"].push_back(nlohmann::json{{"detail", report.searchError->message}});
    }
    return document;
}

/// Runs one bulk call, which ends early when its client disconnects; what is done stays done. The
/// pending callbacks keep it alive.
void startBulk(const V1Services& services, const HttpCallPtr& call, BulkAction action)
{
    const bool dryRun = action.mode == BulkAction::Mode::DryRun;
    const auto run = std::make_shared<BulkRun>(services.inspector, services.queue.store(),
                                               services.queue.clock(), std::move(action));
    // The run owns this callback, so it must be released in a later turn.
    run->start([run, call, dryRun, &loop = services.loop](const Result<BulkReport>& report) {
        call->respond(report ? jsonReply(200, jsonOf(*report, dryRun))
                             : errorResponse(report.error()));
        loop.post([run] {});
    });
    call->onClosed([weak = std::weak_ptr<BulkRun>(run)] {
        if (const auto running = weak.lock()) {
            running->stop();
        }
    });
}

/// The fields of a bulk call, from the query, or from a body of the same names.
class RequestFields {
public:
    RequestFields(const Request& request, json::ObjectReader& body) : request_(request), body_(body)
    {
    }

    std::optional<std::string> text(std::string_view name)
    {
        const auto inQuery = request_.parameter(name);
        auto inBody = body_.text(name, JobFilter::kLongest);
        if (inQuery && inBody) {
            body_.refuse(name, "is given once: in the query or in the body");
        }
        return inQuery ? std::optional<std::string>(*inQuery) : std::move(inBody);
    }
    bool flag(std::string_view name)
    {
        const auto inQuery = flagIn(request_, name);
        if (!inQuery) {
            body_.refuse(name, inQuery.error().detail);
        }
        return body_.boolean(name).value_or(false) || inQuery.value_or(false);
    }

private:
    const Request& request_;
    json::ObjectReader& body_;
};

json::Parsed<BulkAction> actionOf(const Request& request, json::ObjectReader& body, Verb verb)
{
    RequestFields fields(request, body);
    BulkAction action;
    action.verb = verb;
    action.actor = request.actor;
    action.reason = fields.text("reason").value_or("");
    if (action.reason.size() > kLongestReason) {
        body.refuse("reason", fmt::format("is at most {} bytes", kLongestReason));
    }
    if (verb == Verb::Bury && action.reason.empty()) {
        action.reason = "buried by hand";
    }
    action.mode = fields.flag("dry_run") ? BulkAction::Mode::DryRun : BulkAction::Mode::Apply;
    const bool all = fields.flag("all");
    auto parsedSelection =
        selectionOf([&fields](std::string_view name) { return fields.text(name); });
    if (auto problem = body.finish()) {
        return tl::unexpected(std::move(*problem));
    }
    auto selection = TRY(std::move(parsedSelection));
    if (!selection.narrows && !all) {
        return fieldError("filter",
                          "is required: say which jobs are meant, or all=true if all of them are");
    }
    action.filter = std::move(selection.filter);
    const auto startStates = statesFor(verb);
    for (const auto state : selection.states) {
        if (std::find(startStates.begin(), startStates.end(), state) != startStates.end()) {
            action.states.push_back(state);
        }
    }
    if (action.states.empty() && !selection.states.empty()) {
        return fieldError("state", fmt::format("names none from which {} may start", name(verb)));
    }
    return action;
}

void runBulk(const V1Services& services, const HttpCallPtr& call, Verb verb)
{
    const auto& request = call->request();
    std::vector<std::string_view> knownParameters(std::begin(kSelectors), std::end(kSelectors));
    knownParameters.insert(knownParameters.end(), {"all", "dry_run", "reason"});
    if (request.method == "DELETE") {
        knownParameters.emplace_back("purge");
    }
    if (const auto problem = invalidParameter(request, knownParameters)) {
        return call->respond(errorResponse(*problem));
    }
    const auto document = objectIn(request, EmptyBody::Allowed);
    if (!document) {
        return call->respond(errorResponse(document.error()));
    }
    json::ObjectReader body(*document);
    auto action = actionOf(request, body, verb);
    if (!action) {
        return call->respond(errorResponse(action.error()));
    }
    startBulk(services, call, std::move(*action));
}

void removeMatching(const V1Services& services, const HttpCallPtr& call)
{
    const auto purge = flagIn(call->request(), "purge");
    if (!purge) {
        return call->respond(errorResponse(purge.error()));
    }
    runBulk(services, call, *purge ? Verb::Purge : Verb::Trash);
}

}  // namespace

void finishMatching(const V1Services& services, const HttpCallPtr& call)
{
    if (!call->request().admin) {
        return call->respond(
            refusal(Dialect::V1, 403, "Forbidden",
                    "finishing all that match needs the scope admin; a consumer sends an array of "
                    "{\"id\", \"attempt\"}"));
    }
    runBulk(services, call, Verb::Finish);
}

void addBulkRoutes(Router& router, const V1Services& services)
{
    for (const auto& [word, verb] :
         {std::pair{"run", Verb::RunNow}, std::pair{"restore", Verb::Restore},
          std::pair{"release", Verb::Release}, std::pair{"hold", Verb::Hold},
          std::pair{"bury", Verb::Bury}}) {
        router.add(
            {"POST", std::string("/v1/jobs/") + word, Scope::Admin, Dialect::V1,
             [&services, verb = verb](const HttpCallPtr& call) { runBulk(services, call, verb); }});
    }
    router.add(
        {"DELETE", "/v1/jobs", Scope::Admin, Dialect::V1, servedBy(services, removeMatching)});
}

}  // namespace restante::http
