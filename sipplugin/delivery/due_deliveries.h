#pragma once

#include "core/base/callback_guard.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "core/schedule/due_watcher.h"
#include "sipplugin/delivery/delivery_scheduler.h"

#include <functional>
#include <string>
#include <vector>

namespace restante::sip {

/// Schedules a mailbox at the scheduler that serves it, as DeliveryScheduler::schedule() does;
/// `onClaimed` is called on the caller's loop.
using ScheduleMailbox = std::function<void(
    const std::string& recipient, DeliveryScheduler::Cause cause, std::function<void()> onClaimed)>;

/// Moves due sip jobs to their mailboxes and schedules due mailboxes. Borrows all. *One loop.*
class DueDeliveries {
public:
    /// `onDue` is told of jobs before they are in their mailboxes: no delivery of them has begun,
    /// or they were restored after one, which counts no longer.
    DueDeliveries(DelayQueue& queue,
                  DueWatcher& due,
                  ScheduleMailbox schedule,
                  std::function<void(const std::vector<std::string>& ids)> onDue = {});

private:
    void handleJobs(std::function<void()> settled);
    void handleJob(const ClaimedJob& job, std::function<void()> onHandled);
    void readdress(const ClaimedJob& job, const std::string& aor, Done<void> done);
    /// `previous`: the mailboxes that were tried just before.
    void handleMailboxes(std::function<void()> settled,
                         const std::vector<std::string>& previous = {});

    DelayQueue& queue_;
    ScheduleMailbox schedule_;
    std::function<void(const std::vector<std::string>& ids)> onDue_;
    CallbackGuard callbackGuard_;
};

/// Schedules every mailbox once: an earlier daemon may have ended between its 202 and the delivery,
/// and nothing else would try that before the first fall-back attempt. A recipient without a device
/// costs one look-up. Page by page; a page that the store cannot give now is asked for again. *One
/// loop.*
class StartupMailboxPass {
public:
    StartupMailboxPass(EventLoop& loop, JobInspector& inspector, ScheduleMailbox schedule)
        : loop_(loop),
          inspector_(inspector),
          schedule_(std::move(schedule))
    {
    }

    void start() { scan({}); }

private:
    void scan(const std::string& cursor);
    void schedulePage(const JobPage& page);

    EventLoop& loop_;
    JobInspector& inspector_;
    ScheduleMailbox schedule_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
