#pragma once

#include "core/base/result.h"
#include "core/job/job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace restante::redis {

/// The packed form of a job's unchanging part; docs/redis-schema.md, "The record", specifies every
/// byte. The id is not in it: it is the record's address. *Pure functions.*

/// Appends the record of a validated job to `out`.
void encodeRecord(const Job& job, std::string& out);

/// What of a record says which job it is, without a copy: it refers to the record. *Value.*
struct RecordSummary {
    Channel channel = Channel::Pull;
    int priority = 5;
    std::string_view topic;
    std::string_view recipient;
    std::string_view sender;
    std::string_view bizKey;
    std::int64_t expiresMs = 0;  ///< 0 = never
    std::int64_t createdMs = 0;
};

/// None of what has another format or is cut off; fields that it does not know do not matter.
std::optional<RecordSummary> summaryOf(std::string_view record);

/// Reads a record back. Refuses, naming the job, what was written by a later version and what is
/// damaged; never guesses.
Result<Job> decodeRecord(std::string_view id, std::string_view record);

}  // namespace restante::redis
