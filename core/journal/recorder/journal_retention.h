#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"

#include <memory>

namespace restante::journal {

/// Deletes from the journal what ended longer ago than `retention`, or, if Redis keeps it as done
/// for `doneRetention`, left Redis longer ago: walks through the messages in the order of their
/// ids, a few at a time, so that no index is needed and no other query waits long for it. *One
/// loop*; borrows everything; runs until the returned object is destroyed.
[[nodiscard]] std::shared_ptr<void> startJournalRetention(
    EventLoop& loop, const Clock& clock, SqlThread& sql, Millis retention, Millis doneRetention);

}  // namespace restante::journal
