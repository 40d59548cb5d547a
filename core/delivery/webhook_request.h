#pragma once

#include "core/base/result.h"
#include "core/delivery/http_client.h"
#include "core/delivery/webhook_secrets.h"
#include "core/queue/job_store.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace restante::delivery {

/// The POST for these jobs, which share recipient and headers. One job: its body as it is. Several
/// (grouped): a JSON array with an object for each, in the words of the HTTP interface.
/// Signed by those of `secrets` that are for its host and topic. docs/webhooks.md is the contract
/// for receivers. Pure.
HttpRequest
webhookRequest(const std::vector<ClaimedJob>& jobs, const WebhookSecrets& secrets, TimePoint now);

}  // namespace restante::delivery
