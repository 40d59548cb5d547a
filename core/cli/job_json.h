#pragma once

#include "core/queue/job_inspector.h"

#include <nlohmann/json_fwd.hpp>

namespace restante::cli {

/// A job as --json shows it: the words of DESIGN.md section 7, times both as RFC 3339 and as ms. A
/// body that is not UTF-8 is in `body_base64` instead of `body`.
nlohmann::json jsonOf(const JobView& view);
nlohmann::json jsonOf(const StoreCounts& counts);

}  // namespace restante::cli
