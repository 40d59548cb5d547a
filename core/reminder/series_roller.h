#pragma once

#include "core/queue/delay_queue.h"
#include "core/reminder/reminder_plan.h"
#include "core/schedule/due_watcher.h"

#include <memory>

namespace restante::reminder {

/// Rolls the series on: whenever one is due it pushes the occurrence and moves the series to the
/// next, or finishes it after the last. Any number of daemons may run one on the same store: the
/// lease lets one at a time, and occurrenceOf() makes a repetition after a crash store nothing.
///
/// Occurrences that nobody pushed in time (every daemon was down) are pushed up to
/// `Settings::late` after their time; of those missed for longer, none, or the last one when
/// nothing later is due (`Settings::missed`). Borrows everything, which must outlive it.
/// *One loop.*
class SeriesRoller {
public:
    SeriesRoller(DelayQueue& queue, DueWatcher& due, Settings settings);
    SeriesRoller(const SeriesRoller&) = delete;
    SeriesRoller& operator=(const SeriesRoller&) = delete;
    /// What is in hand is left to the lease's end.
    ~SeriesRoller();

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::reminder
