#pragma once

#include "core/base/result.h"
#include "core/job/job.h"

#include <string>
#include <string_view>

namespace restante::redis {

/// The packed form of a job's unchanging part; docs/redis-schema.md, "The record", specifies every
/// byte. The id is not in it: it is the record's address. *Pure functions.*

/// Appends the record of a validated job to `out`.
void encodeRecord(const Job& job, std::string& out);

/// Reads a record back. Refuses, naming the job, what was written by a later version and what is
/// damaged; never guesses.
Result<Job> decodeRecord(std::string_view id, std::string_view record);

}  // namespace restante::redis
