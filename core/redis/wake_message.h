#pragma once

#include "core/queue/job_store.h"

#include <optional>
#include <string_view>

namespace restante::redis {

/// What a script publishes on the wake channel: "lanes <due> <channel> <topic>", "mailboxes <due>",
/// "leases <due>" or "expiry <due>". None when it is not one of these. *Pure function.*
std::optional<Wake> parseWake(std::string_view message);

/// "lanes", "mailboxes", "leases", "expiry".
std::string_view name(DueSource::Kind kind) noexcept;

}  // namespace restante::redis
