#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"

#include <memory>

namespace restante::journal {

/// Deletes from the journal what ended longer ago than it is kept: walks through the messages in
/// the order of their ids, a few at a time, so that no index is needed and nobody waits for it.
/// *One loop*; borrows everything, until what it returns is destroyed.
[[nodiscard]] std::shared_ptr<void>
keepJournalFor(EventLoop& loop, const Clock& clock, SqlThread& sql, Millis keep);

}  // namespace restante::journal
