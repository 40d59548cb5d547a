#include "core/delivery/webhook_request.h"

#include "core/base/crypto.h"
#include "core/base/encoding.h"
#include "core/base/secret_file.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/base/try.h"
#include "core/job/web_url.h"
#include "core/json/document.h"
#include "core/json/job_json.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace restante::delivery {

namespace {

constexpr std::string_view kStandardPrefix = "whsec_";
constexpr std::string_view kConfigKey = "webhook.secret_file";
/// The length of a key in the Standard Webhooks scheme.
constexpr std::size_t kShortestKey = 24;
constexpr std::size_t kLongestKey = 64;

std::int64_t secondsOf(TimePoint at)
{
    return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
}

/// The decoded key behind "whsec_"; none when it is no key of the scheme.
std::optional<std::string> standardKey(std::string_view text)
{
    auto key = fromBase64(text.substr(kStandardPrefix.size()));
    if (!key || key->size() < kShortestKey || key->size() > kLongestKey) {
        return {};
    }
    return key;
}

/// The value of a leading "host=..." or "topic=...", taken away with the blanks behind it.
std::string cutPattern(std::string_view& line, std::string_view name)
{
    if (!line.starts_with(name)) {
        return {};
    }
    const auto end = std::min(line.find_first_of(kBlanks), line.size());
    std::string pattern(line.substr(name.size(), end - name.size()));
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks, end), line.size()));
    return pattern;
}

/// None when the line is blank or a comment.
Result<std::optional<WebhookSecret>> secretIn(std::string_view line)
{
    line = trimmedAtEnd(line, " \t\r");
    if (line.empty() || line.front() == '#') {
        return std::optional<WebhookSecret>{};
    }
    auto host = cutPattern(line, "host=");
    auto topic = cutPattern(line, "topic=");
    host = host.empty() ? cutPattern(line, "host=") : host;
    if (line.empty()) {
        return invalid("has no secret behind its host= or topic=");
    }
    if (line.starts_with(kStandardPrefix) && !standardKey(line)) {
        return invalid("is no key: behind whsec_ stand {} to {} bytes in base64", kShortestKey,
                       kLongestKey);
    }
    return std::optional{WebhookSecret(std::string(line), std::move(host), std::move(topic))};
}

/// The headers that describe the single job, or the common fields of a group.
HttpHeaders envelopeOf(const std::vector<ClaimedJob>& jobs)
{
    const auto& first = jobs.front();
    HttpHeaders headers{{"Restante-Topic", first.job.topic},
                        {"Restante-Due", formatRfc3339(first.due)}};
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
    const auto& contentType = jobs.front().job.contentType;
    return contentType.empty() ? "application/octet-stream" : contentType;
}

std::string bodyOf(const std::vector<ClaimedJob>& jobs)
{
    if (jobs.size() == 1) {
        return jobs.front().job.body;
    }
    auto array = nlohmann::json::array();
    for (const auto& claimed : jobs) {
        array.push_back(json::jsonOf(claimed));
    }
    return json::toString(array);
}

/// The same at every attempt: the id of a single job, or a digest of the ids of a group.
std::string idOf(const std::vector<ClaimedJob>& jobs)
{
    if (jobs.size() == 1) {
        return jobs.front().job.id;
    }
    std::string ids;
    for (const auto& claimed : jobs) {
        ids.append(claimed.job.id).append(1, '\n');
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
    const auto matchingSecrets = secretsFor(secrets, url ? url->host : "", job.topic);
    if (matchingSecrets.empty()) {
        return;
    }
    const auto id = idOf(jobs);
    request.headers.emplace_back("webhook-id", id);
    request.headers.emplace_back("webhook-timestamp", std::to_string(secondsOf(now)));
    request.headers.emplace_back("webhook-signature",
                                 standardSignature(matchingSecrets, id, now, request.body));
    request.headers.emplace_back("Restante-Signature",
                                 restanteSignature(matchingSecrets, now, request.body));
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

WebhookSecret::WebhookSecret(std::string written, std::string hostPattern, std::string topicPattern)
    : text(std::move(written)),
      key(text.starts_with(kStandardPrefix) ? standardKey(text).value_or(text) : text),
      host(lowered(hostPattern)),
      topic(std::move(topicPattern))
{
}

Result<WebhookSecrets> readWebhookSecrets(const std::filesystem::path& file)
{
    const auto text = TRY(readSecretFile(kConfigKey, file));
    WebhookSecrets secrets;
    std::string_view rest = text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        auto secret = secretIn(line);
        if (!secret) {
            return invalid("{} {}: line {} {}", kConfigKey, file.string(), number,
                           secret.error().message);
        }
        if (*secret) {
            secrets.push_back(std::move(**secret));
        }
    }
    if (secrets.empty()) {
        return invalid("{}: {} has no secret; write one a line, newest first", kConfigKey,
                       file.string());
    }
    return secrets;
}

WebhookSecrets
secretsFor(const WebhookSecrets& secrets, std::string_view host, std::string_view topic)
{
    WebhookSecrets matchingSecrets;
    WebhookSecrets common;
    for (const auto& secret : secrets) {
        if (secret.host.empty() && secret.topic.empty()) {
            common.push_back(secret);
        } else if ((secret.host.empty() || matchesPattern(secret.host, host)) &&
                   (secret.topic.empty() || matchesPattern(secret.topic, topic))) {
            matchingSecrets.push_back(secret);
        }
    }
    return matchingSecrets.empty() ? common : matchingSecrets;
}

std::string restanteSignature(const WebhookSecrets& secrets, TimePoint at, std::string_view body)
{
    auto signature = fmt::format("t={}", secondsOf(at));
    const auto text = fmt::format("{}.{}", secondsOf(at), body);
    for (const auto& secret : secrets) {
        signature += ",v1=" + toHex(bytesOf(hmac(secret.text, text)));
    }
    return signature;
}

std::string standardSignature(const WebhookSecrets& secrets,
                              std::string_view id,
                              TimePoint at,
                              std::string_view body)
{
    const auto text = fmt::format("{}.{}.{}", id, secondsOf(at), body);
    std::string signature;
    for (const auto& secret : secrets) {
        signature += signature.empty() ? "v1," : " v1,";
        signature += toBase64(bytesOf(hmac(secret.key, text)));
    }
    return signature;
}

}  // namespace restante::delivery
