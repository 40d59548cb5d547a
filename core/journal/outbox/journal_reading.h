#pragma once

#include "core/journal/outbox/journal_event.h"

#include <vector>

namespace restante::journal {

/// One entry as Redis answers it.
struct StreamEntry {
    StreamId id;
    redis::Reply::Array fields;
};

/// What Redis answers to the recorder. *Pure functions*; what is malformed is left out.
std::vector<StreamEntry> entriesOf(const redis::Reply& reply);  ///< XRANGE, XREVRANGE
/// XREAD of one stream; nil has none.
std::vector<StreamEntry> entriesOfStream(const redis::Reply& reply);
/// journal_rows: id and eight texts of each job. What is gone is left out.
std::vector<JobInEvent> jobsOfRows(const redis::Reply& reply);

}  // namespace restante::journal
