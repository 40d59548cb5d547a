#pragma once

#include "core/queue/job_store.h"

#include <optional>
#include <string_view>

namespace restante::redis {

/// What a script publishes on the wake channel: "lanes <due> <channel> <topic>", "mailboxes <due>",
/// "leases <due>" or "expiry <due>". None when it is not one of these. *Pure function.*
std::optional<Wake> parseWake(std::string_view message);

/// The topic of "slots <topic>", published when a shard has given a slot of the topic's limit to
/// another one, which does not know of it yet. None when it is something else. *Pure function.*
std::optional<std::string_view> parseSlots(std::string_view message);

/// "lanes", "mailboxes", "leases", "expiry".
std::string_view name(DueSource::Kind kind) noexcept;

}  // namespace restante::redis
