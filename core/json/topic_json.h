#pragma once

#include "core/queue/job_inspector.h"

#include <nlohmann/json_fwd.hpp>

namespace restante::json {

/// A topic: `topic`, `scheduled`, `ready`, `channels`, `leased` where it is known, `paused`,
/// `pause`
/// ({since, since_ms, actor, reason}) and `limits` ({concurrency, rate: "10/s"}, 0 = none).
/// *Pure function.*
nlohmann::json jsonOf(const TopicView& view);

}  // namespace restante::json
