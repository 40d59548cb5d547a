#pragma once

#include "core/base/result.h"
#include "core/journal/sql/journal_url.h"
#include "core/queue/job_history.h"

#include <string>
#include <vector>

namespace restante::cli {

struct Options;
class ConnectedStore;

/// The journal of the store's store, by the configuration that was read. Invalid when that does
/// not say which one, NotFound when there is none.
Result<journal::JournalUrl> journalOf(const ConnectedStore& store, const Options& options);

/// What the journal tells of a job, oldest first; empty when it knows none. Waits for the database.
Result<std::vector<HistoryRow>>
historyOf(const ConnectedStore& store, const Options& options, const std::string& id);
void printHistory(const std::vector<HistoryRow>& history);

}  // namespace restante::cli
