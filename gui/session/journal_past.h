#pragma once

#include "core/base/event_loop.h"
#include "core/journal/sql_thread.h"
#include "gui/session/job_source.h"

#include <memory>
#include <optional>

namespace restante::gui {

/// What the journal can be asked about.
struct JournalReach {
    TimePoint oldest{};                      ///< it may have forgotten what was before
    std::optional<TimePoint> recorded = {};  ///< all before is written; none = nobody records now
};

/// What moved in the past, as the journal has it: part by part, so that a history that is asked for
/// meanwhile does not wait long. Unavailable when it has so much that this would take minutes.
/// `loop` outlives the journal.
void readPast(std::weak_ptr<journal::SqlThread> journal,
              EventLoop& loop,
              PastRequest request,
              JournalReach reach,
              Done<Past> done);

}  // namespace restante::gui
