#pragma once

#include "core/base/result.h"
#include "core/delivery/http_client.h"
#include "core/queue/job_store.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace restante::delivery {

/// What signs a webhook, newest first. While a secret is being changed there are two.
using WebhookSecrets = std::vector<std::string>;

/// The secrets of `webhook.secret_file`, one a line; blank lines and those that begin with # are
/// skipped. Refuses a file that cannot be read or has none, naming it.
Result<WebhookSecrets> readWebhookSecrets(const std::filesystem::path& file);

/// "t=1700000000,v1=<hex>": HMAC-SHA256 of "<t>.<body>", one v1 for each secret. The time is part
/// of what is signed, so that a receiver can refuse what somebody has recorded and sends again.
std::string webhookSignature(const WebhookSecrets& secrets, TimePoint at, std::string_view body);

/// The POST for these jobs, which share recipient and headers. One job: its body as it is. Several
/// (grouped): a JSON array with an object for each, in the words of the HTTP interface.
/// docs/webhooks.md is the contract for receivers. Pure.
HttpRequest
webhookRequest(const std::vector<ClaimedJob>& jobs, const WebhookSecrets& secrets, TimePoint now);

}  // namespace restante::delivery
