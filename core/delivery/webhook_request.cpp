#include "core/delivery/webhook_request.h"

#include "core/base/crypto.h"
#include "core/base/encoding.h"
#include "core/base/timestamp.h"
#include "core/job/web_url.h"
#include "core/json/document.h"
#include "core/json/job_json.h"

#include <cassert>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::delivery {

namespace {

/// What describes the single job, or what all of a group have in common.
HttpHeaders envelopeOf(const std::vector<ClaimedJob>& jobs)
{
    const auto& first = jobs.front();
    HttpHeaders headers{{"Restante-Topic", first.job.topic},
                        {"Restante-Due", printRfc3339(first.due)}};
    if (jobs.size() > 1) {
        headers.emplace_back("Restante-Group", std::to_string(jobs.size()));
        return headers;
    }
    headers.emplace_back("Restante-Id", first.job.id);
    headers.emplace_back("Restante-Attempt", std::to_string(first.attempt));
    if (!first.job.bizKey.empty()) {
        headers.emplace_back("Restante-Biz-Key", first.job.bizKey);
    }
    return headers;
}

std::string contentTypeOf(const std::vector<ClaimedJob>& jobs)
{
    if (jobs.size() > 1) {
        return "application/json";
    }
    const auto& given = jobs.front().job.contentType;
    return given.empty() ? "application/octet-stream" : given;
}

std::string bodyOf(const std::vector<ClaimedJob>& jobs)
{
    if (jobs.size() == 1) {
        return jobs.front().job.body;
    }
    auto array = nlohmann::json::array();
    for (const auto& one : jobs) {
        array.push_back(json::jsonOf(one));
    }
    return json::print(array);
}

/// The same at every attempt: of one job its id, of a group a fingerprint of the ids.
std::string idOf(const std::vector<ClaimedJob>& jobs)
{
    if (jobs.size() == 1) {
        return jobs.front().job.id;
    }
    std::string ids;
    for (const auto& one : jobs) {
        ids.append(one.job.id).append(1, '\n');
    }
    constexpr std::size_t kBytes = 16;  // as many as a random UUID has
    return "group-" + toHex(bytesOf(sha256(ids)).substr(0, kBytes));
}

void sign(HttpRequest& request,
          const std::vector<ClaimedJob>& jobs,
          const WebhookSecrets& secrets,
          TimePoint now)
{
    const auto& job = jobs.front().job;
    const auto url = parseWebUrl(job.recipient);
    const auto own = secretsFor(secrets, url ? url->host : "", job.topic);
    if (own.empty()) {
        return;
    }
    const auto id = idOf(jobs);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    request.headers.emplace_back("webhook-id", id);
    request.headers.emplace_back("webhook-timestamp", std::to_string(seconds));
    request.headers.emplace_back("webhook-signature",
                                 standardSignature(own, id, now, request.body));
    request.headers.emplace_back("Restante-Signature", webhookSignature(own, now, request.body));
}

}  // namespace

HttpRequest
webhookRequest(const std::vector<ClaimedJob>& jobs, const WebhookSecrets& secrets, TimePoint now)
{
    assert(!jobs.empty());
    const auto& first = jobs.front().job;
    HttpRequest request;
    request.url = first.recipient;
    request.body = bodyOf(jobs);
    request.headers = envelopeOf(jobs);
    request.headers.emplace_back("Content-Type", contentTypeOf(jobs));
    sign(request, jobs, secrets, now);
    request.headers.insert(request.headers.end(), first.headers.begin(), first.headers.end());
    return request;
}

}  // namespace restante::delivery
