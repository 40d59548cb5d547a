#pragma once

#include "core/base/event_loop.h"
#include "core/journal/sql/journal_url.h"
#include "core/redis/store/store_sweep.h"

namespace restante::journal {

struct StoredMessage;

/// Where the journal at `url` saw jobs last, for a sweep on `loop`: asked on a thread of its own,
/// which begins with the first question, because most sweeps have none. What it holds must be
/// destroyed before the loop. Any thread makes it, `loop` asks.
redis::StoreSweep::JournalLookup makeJournalLookup(EventLoop& loop, JournalUrl url);

/// The same of one job, in the words of core/lua/repair.lua. Of a job that was leased nothing is
/// said: its lease is over, and its mailbox or lane says the rest. One that the journal saw end
/// stays ended. *Pure function.*
redis::JournalledState journalledStateOf(const StoredMessage& message);

}  // namespace restante::journal
