#include "core/delivery/webhook_request.h"

#include "core/base/log.h"
#include "core/base/timestamp.h"
#include "core/json/document.h"
#include "core/json/job_json.h"

#include <array>
#include <cassert>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace restante::delivery {

namespace {

std::string hexHmac(const std::string& secret, std::string_view text)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
    std::string hex;
    for (unsigned i = 0; i < size; ++i) {
        hex += fmt::format("{:02x}", digest[i]);
    }
    return hex;
}

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

}  // namespace

Result<WebhookSecrets> readWebhookSecrets(const std::filesystem::path& file)
{
    std::ifstream stream(file);
    if (!stream) {
        return failure(ErrorCode::Invalid,
                       fmt::format("webhook.secret_file: {} cannot be read", file.string()));
    }
    std::error_code unknown;
    const auto mode = std::filesystem::status(file, unknown).permissions();
    if ((mode & std::filesystem::perms::others_read) != std::filesystem::perms::none) {
        log::warning("delivery", "webhook.secret_file: everybody can read {}; chmod o= it",
                     file.string());
    }
    WebhookSecrets secrets;
    for (std::string line; std::getline(stream, line);) {
        const auto end = line.find_last_not_of(" \t\r");
        line.resize(end == std::string::npos ? 0 : end + 1);
        if (!line.empty() && line.front() != '#') {
            secrets.push_back(std::move(line));
        }
    }
    if (secrets.empty()) {
        return failure(
            ErrorCode::Invalid,
            fmt::format("webhook.secret_file: {} has no secret; write one a line, newest first",
                        file.string()));
    }
    return secrets;
}

std::string webhookSignature(const WebhookSecrets& secrets, TimePoint at, std::string_view body)
{
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
    auto signature = fmt::format("t={}", seconds);
    const auto text = fmt::format("{}.{}", seconds, body);
    for (const auto& secret : secrets) {
        signature += ",v1=" + hexHmac(secret, text);
    }
    return signature;
}

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
    if (!secrets.empty()) {
        request.headers.emplace_back("Restante-Signature",
                                     webhookSignature(secrets, now, request.body));
    }
    request.headers.insert(request.headers.end(), first.headers.begin(), first.headers.end());
    return request;
}

}  // namespace restante::delivery
