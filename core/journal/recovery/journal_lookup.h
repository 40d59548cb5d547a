#pragma once

#include "core/base/event_loop.h"
#include "core/journal/sql/journal_url.h"
#include "core/redis/store/store_sweep.h"

namespace restante::journal {

struct MessageRow;

/// Looks up the last state of jobs in the journal at `url`, for a sweep on `loop`. Queries run on a
/// thread of its own, which starts with the first query, because most sweeps have none. The
/// function must be destroyed before the loop. May be made on any thread, is called on `loop`.
redis::StoreSweep::JournalLookup makeJournalLookup(EventLoop& loop, JournalUrl url);

/// The state of one job as core/lua/repair.lua reads it. Empty for a leased job: its lease is over,
/// and its mailbox or lane tells where it belongs. A job that the journal saw end stays ended.
/// *Pure function.*
redis::JournalledState journalledStateOf(const MessageRow& message);

}  // namespace restante::journal
