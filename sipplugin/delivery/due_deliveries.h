#pragma once

#include "core/queue/delay_queue.h"
#include "core/schedule/due_watcher.h"
#include "sipplugin/delivery/delivery_scheduler.h"
#include "sipplugin/message/callbacks.h"

namespace restante::sip {

/// Brings what is due on its way: a due sip job (a reminder) goes to the end of its recipient's
/// mailbox, a due mailbox is scheduled. Borrows all three. *One loop.*
class DueDeliveries {
public:
    DueDeliveries(DelayQueue& queue, DueWatcher& due, DeliveryScheduler& scheduler);

private:
    using Settled = std::function<void()>;

    void handleJobs(Settled settled);
    void handleJob(const ClaimedJob& job, Settled settled);
    void readdress(const ClaimedJob& job, const std::string& aor, Done<void> done);
    void handleMailboxes(Settled settled);

    DelayQueue& queue_;
    DeliveryScheduler& scheduler_;
    Lifetime lifetime_;
};

}  // namespace restante::sip
