#pragma once

#include "core/queue/delay_queue.h"
#include "core/reminder/reminder_plan.h"
#include "core/schedule/due_watcher.h"

#include <memory>

namespace restante::reminder {

/// Whenever a series is due, pushes its occurrence and reschedules the series for the next one, or
/// finishes it after the last. Any number of daemons may run one on the same store: the
/// lease lets one at a time, and occurrenceOf() makes a repetition after a crash store nothing.
///
/// Occurrences that nobody pushed in time (every daemon was down) are pushed up to
/// `Settings::late` after their time; of those missed for longer, none, or the last one when
/// nothing later is due (`Settings::missed`). Borrows everything, which must outlive it.
/// *One loop.*
class RecurrenceScheduler {
public:
    RecurrenceScheduler(DelayQueue& queue, DueWatcher& due, Settings settings);
    RecurrenceScheduler(const RecurrenceScheduler&) = delete;
    RecurrenceScheduler& operator=(const RecurrenceScheduler&) = delete;
    /// Series that are being advanced stay leased until their lease ends.
    ~RecurrenceScheduler();

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::reminder
