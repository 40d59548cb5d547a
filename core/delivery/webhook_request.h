#pragma once

#include "core/base/result.h"
#include "core/delivery/http_client.h"
#include "core/queue/job_store.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace restante::delivery {

/// A secret that signs webhooks, perhaps only those to some hosts or of some topics. *Value.*
struct WebhookSecret {
    std::string text;   ///< as written; "whsec_" and base64, or any other words
    std::string key;    ///< the bytes that sign by the Standard Webhooks scheme
    std::string host;   ///< pattern; empty = every host
    std::string topic;  ///< pattern; empty = every topic

    /// From a text that readWebhookSecrets() would accept.
    WebhookSecret(std::string written, std::string hostPattern = {}, std::string topicPattern = {});
    WebhookSecret(const char* written) : WebhookSecret(std::string(written)) {}

    friend bool operator==(const WebhookSecret&, const WebhookSecret&) = default;
};

/// Newest first. While a secret is being changed there are two.
using WebhookSecrets = std::vector<WebhookSecret>;

/// The secrets of `webhook.secret_file`, one a line: "[host=PATTERN] [topic=PATTERN] SECRET". Blank
/// lines and those that begin with # are skipped. Refuses a file that readSecretFile() refuses, one
/// without a secret, and a "whsec_" that is not followed by 24 to 64 bytes in base64, naming file
/// and line, and no secret.
Result<WebhookSecrets> readWebhookSecrets(const std::filesystem::path& file);

/// The secrets that sign webhooks to `host` for `topic`: those for this host or topic, or, if there
/// are none, those for all.
WebhookSecrets
secretsFor(const WebhookSecrets& secrets, std::string_view host, std::string_view topic);

/// "t=1700000000,v1=<hex>": HMAC-SHA256 of "<t>.<body>", one v1 for each secret. The time is part
/// of what is signed, so that a receiver can refuse what somebody has recorded and sends again.
std::string restanteSignature(const WebhookSecrets& secrets, TimePoint at, std::string_view body);

/// "v1,<base64> v1,<base64>": HMAC-SHA256 of "<id>.<seconds>.<body>", one for each secret; the
/// Standard Webhooks scheme, www.standardwebhooks.com.
std::string standardSignature(const WebhookSecrets& secrets,
                              std::string_view id,
                              TimePoint at,
                              std::string_view body);

/// The POST for these jobs, which share recipient and headers. One job: its body as it is. Several
/// (grouped): a JSON array with an object for each, in the words of the HTTP interface.
/// Signed by those of `secrets` that are for its host and topic. docs/webhooks.md is the contract
/// for receivers. Pure.
HttpRequest
webhookRequest(const std::vector<ClaimedJob>& jobs, const WebhookSecrets& secrets, TimePoint now);

}  // namespace restante::delivery
