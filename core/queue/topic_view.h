#pragma once

#include "core/queue/job_inspector.h"
#include "core/queue/topic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante {

/// A topic with its jobs, pause and limits.
struct TopicView {
    std::string topic;
    std::vector<TopicCounts> channels;  ///< on which it has jobs that are scheduled or ready
    /// Counted only while it has a concurrency limit.
    std::optional<std::uint64_t> leased;
    std::optional<TopicPause> pause;
    TopicLimits limits;
};

}  // namespace restante
