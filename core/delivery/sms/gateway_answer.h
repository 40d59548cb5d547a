#pragma once

#include "core/delivery/courier.h"
#include "core/delivery/http_client.h"

#include <string>
#include <string_view>

namespace restante::sms {

/// What a status other than 2xx of a gateway means. A message that it can never take (400, 410,
/// 413, 414, 422) is dead; anything else may be mended (a wrong password, an empty account, a
/// gateway that is down) and is tried again, not before its Retry-After. The reason has the
/// beginning of what the gateway said.
delivery::Outcome refusalOf(std::string_view gateway, const delivery::HttpAnswer& answer);

/// The beginning of the body on one line: without control characters, everything but ASCII as ?.
std::string wordsOf(const delivery::HttpAnswer& answer);

/// "127.0.0.1:13013" of a URL.
std::string hostOf(std::string_view url);

}  // namespace restante::sms
