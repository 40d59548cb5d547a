#include "core/job/identity_headers.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace restante {

namespace {

/// "f" and "y" are the compact forms of From and Identity.
constexpr auto kTelling = std::to_array<std::string_view>(
    {"From", "f", "Identity", "y", "Identity-Info", "P-Asserted-Identity", "P-Asserted-Service",
     "P-Preferred-Identity", "P-Preferred-Service", "Remote-Party-ID"});

}  // namespace

bool tellsWhoSent(std::string_view header) noexcept
{
    return std::any_of(kTelling.begin(), kTelling.end(),
                       [header](std::string_view one) { return equalIgnoringCase(one, header); });
}

}  // namespace restante
