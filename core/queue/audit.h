#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante {

/// What somebody has done to a job or a topic, as the journal has it. *Value.*
struct AuditEntry {
    TimePoint at{};
    std::string actor;
    std::string verb;  ///< the transition's word, "run_now"; of a topic "pause", "resume", "limit";
                       ///< of a person "trace", "untrace"
    std::string id;    ///< of the job, empty = it was about a topic or a person
    /// Of the job, as far as the journal still knows it, the topic itself, or the person's address.
    std::string topic;
    std::string from;  ///< state before
    std::string to;    ///< state after; of "limit" the limits, "<concurrency> <jobs> <per ms>"
    std::string reason;
    std::string worker;  ///< "host/pid" of the process that did it
};

/// Which entries, newest first. Empty members do not restrict. *Value.*
struct AuditQuery {
    std::string actor = {};  ///< contained
    std::vector<std::string> verbs = {};
    std::string id = {};
    std::string text = {};  ///< contained in the id, the topic or the reason, case ignored in ASCII
    std::optional<TimePoint> since = {};  ///< inclusive
    std::optional<TimePoint> until = {};  ///< exclusive
    std::string cursor = {};              ///< of the page before, or empty
    std::uint32_t limit = 200;            ///< 1 - 1000
};

struct AuditEntries {
    std::vector<AuditEntry> entries;
    std::string cursor;  ///< of the next page, empty at the end
};

}  // namespace restante
