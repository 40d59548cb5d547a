#pragma once

#include "core/queue/delay_queue.h"

namespace restante {

/// Whether and how an exported job can be stored again. Invalid names the field: its values are
/// checked against the limits, and a message's id must belong to the shard of its mailbox.
Result<void> checkImport(const JobView& view, const DelayQueue::Settings& settings);

/// Stores a job as it was exported: scheduled and ready ones (leased ones, too, whose worker is
/// elsewhere) at their due time, held ones held, dead and trashed ones dead and trashed. Its
/// attempts begin anew. A job that is there with the same content is left as it is; with other
/// content: Conflict, unless it shall be replaced. Done jobs are not for the store: asserts.
enum class Import { KeepOthers, ReplaceOthers };
void importJob(JobStore& store,
               JobView view,
               Import mode,
               OperatorAction who,
               TimePoint now,
               Done<PushOutcome> done);

}  // namespace restante
