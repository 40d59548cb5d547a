#include "core/config/never_stored_headers.h"

#include "core/base/text.h"

#include <algorithm>

namespace restante {

namespace {

/// Written anew for each delivery (RFC 3261, 7989), the way a request took (RFC 3261, 3327, 3608,
/// 7044, 5806), credentials (RFC 3261, 7616), and what operators' networks tell each other about
/// their subscribers and their cells (RFC 7315, 4457, 5002, 5502).
constexpr std::string_view kNeverStoredHeaders =
    "Accept Allow Authentication-Info Authorization Call-ID Contact Content-Length "
    "Content-Type CSeq Diversion From History-Info Max-Forwards P-Access-Network-Info "
    "P-Associated-URI P-Called-Party-ID P-Profile-Key P-Served-User P-User-Database "
    "P-Visited-Network-ID Path Record-Route Require Retry-After Route Service-Route Session-ID "
    "Supported Timestamp To Unsupported Via Warning WWW-Authenticate X-Restante-Job "
    "X-Restante-Store";

/// All headers with these prefixes: Proxy-Authorization (RFC 3261), P-Charging-Vector (RFC 7315),
/// P-DCS-Billing-Info (RFC 5503), Security-Client (RFC 3329) ...
constexpr std::string_view kNeverStoredPrefixes[]{"Proxy-", "P-Charging-", "P-DCS-", "Security-"};

constexpr std::string_view kCompactForms = "cfilmktv";  // of those above

}  // namespace

bool isNeverStored(std::string_view header) noexcept
{
    if (header.size() == 1) {
        return kCompactForms.find(toLower(header.front())) != std::string_view::npos;
    }
    return isOneOf(header, kNeverStoredHeaders) ||
           std::ranges::any_of(kNeverStoredPrefixes, [&](std::string_view one) {
               return startsWithIgnoringCase(header, one);
           });
}

}  // namespace restante
