#pragma once

#include "core/base/result.h"
#include "core/job/job_state.h"

#include <string>
#include <string_view>

namespace restante::redis {

/// The last entry of a page, behind which the next one goes on. *Value.*
struct PageCursor {
    JobState state = JobState::Scheduled;
    std::string score;  ///< as Redis printed it; empty, and `id`, too: from the beginning
    std::string id;

    /// "ready 1700000000000.25 order-17": opaque to callers.
    std::string print() const;
    /// Refuses as Invalid what print() does not make.
    static Result<PageCursor> parse(std::string_view text);
};

}  // namespace restante::redis
