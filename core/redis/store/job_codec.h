#pragma once

#include "core/base/result.h"
#include "core/job/job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace restante::redis {

/// Encodes and decodes the record, the unchanging part of a job; docs/redis-schema.md, "The
/// record", specifies every byte. The id is part of the record's key instead. *Pure functions.*

/// Appends the record of a validated job to `out`.
void encodeRecord(const Job& job, std::string& out);

/// The short fields of a record, read without those that may be long. *Value*, refers to the
/// record.
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

/// None if the record has another format or is cut off; unknown fields are skipped.
std::optional<RecordSummary> summaryOf(std::string_view record);

/// Decodes a record. Internal, naming the job, when a later version wrote it or it is damaged.
Result<Job> decodeRecord(std::string_view id, std::string_view record);

}  // namespace restante::redis
