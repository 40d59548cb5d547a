#pragma once

#include "core/queue/delay_queue.h"
#include "core/schedule/due_watcher.h"
#include "sipplugin/delivery/mailbox_flusher.h"

#include <functional>
#include <memory>
#include <string>

namespace restante::sip {

/// Brings what is due on its way: a due sip job (a reminder) goes to the end of its recipient's
/// mailbox, a due mailbox is flushed. Borrows all three. *One loop.*
class SipScheduler {
public:
    SipScheduler(DelayQueue& queue, DueWatcher& due, MailboxFlusher& flusher);
    SipScheduler(const SipScheduler&) = delete;
    SipScheduler& operator=(const SipScheduler&) = delete;

private:
    using Settled = std::function<void()>;

    void takeJobs(Settled settled);
    void takeJob(const ClaimedJob& job, Settled settled);
    void readdress(const ClaimedJob& job, const std::string& aor, Done<void> done);
    void takeMailboxes(Settled settled);

    DelayQueue& queue_;
    MailboxFlusher& flusher_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< for answers that outlive this
};

}  // namespace restante::sip
