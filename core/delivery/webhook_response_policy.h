#pragma once

#include "core/base/clock.h"
#include "core/delivery/courier.h"
#include "core/delivery/http_client.h"
#include "core/job/web_url.h"

#include <optional>
#include <string_view>

namespace restante::delivery {

/// The outcome for a job from a receiver's answer, or from the lack of one. Pure; docs/webhooks.md
/// has the table and the reasons:
///
/// - 2xx: delivered;
/// - 410 and 422: dead, the receiver says that this will never do;
/// - everything else, redirections too, which are not followed: again after the next interval, and
///   not before the Retry-After of the answer;
/// - no answer: again; but dead when the URL is wrong, or names an address that is not allowed.
Outcome outcomeOf(const HttpResult& result, const WebUrl& url, TimePoint now);

/// Retry-After (RFC 9110 section 10.2.3) as a wait: seconds, or a date in any of HTTP's three
/// formats. At most a day, so that a receiver cannot put its jobs off for years; none when it is
/// neither.
std::optional<Millis> parseRetryAfter(std::string_view text, TimePoint now);

}  // namespace restante::delivery
