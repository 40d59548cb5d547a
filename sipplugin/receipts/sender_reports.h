#pragma once

#include "core/base/event_loop.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "sipplugin/message/callbacks.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/receipts/reports.h"

#include <cstddef>
#include <string>

namespace restante::sip {

/// Tells senders what becomes of their messages: reports are jobs of channel sip in the sender's
/// mailbox. Whoever ends a message reports first, so that a crash in between costs a repetition,
/// which the once key swallows (docs/decisions/0013-reports-are-jobs.md). Borrows loop, queue and
/// inspector. *One loop.*
class SenderReports {
public:
    /// Told of the mailbox that a report has come into.
    using Stored = std::function<void(const std::string& aor)>;
    struct Parts {
        EventLoop& loop;
        DelayQueue& queue;
        JobInspector& inspector;
    };
    SenderReports(Parts parts, ReportRules rules, Stored stored)
        : parts_(parts),
          rules_(std::move(rules)),
          stored_(std::move(stored)),
          complaints_(parts.queue.clock())
    {
    }

    /// Whether anything of that could concern the message: false costs nothing.
    bool concerns(const Job& message, Disposition what) const
    {
        return mayBeReported(message, what, rules_.settings);
    }

    /// The message with this id is stored. Success: the receipt is, too, or there is none to send.
    /// A notice follows later, if the recipient turns out to be away.
    void reportStored(Job message, Done<void> done);
    /// Success as above; a temporary failure means that the call is to be repeated.
    void reportDelivered(const Job& message, Done<void> done);
    /// The same of a message that is looked up by its id; one that is gone has been reported.
    void reportDelivered(const std::string& id, Done<void> done);
    void reportFailed(const Job& message, const std::string& reason, Done<void> done);

private:
    void push(std::optional<PushOrder> order, Done<void> done);
    void noticeLater(Job message, int looks);
    void noticeIfHeld(const Job& message, int looks);

    TimePoint now() const { return parts_.queue.clock().now(); }

    Parts parts_;
    ReportRules rules_;
    Stored stored_;
    LogRateLimiter complaints_;
    std::size_t waiting_ = 0;  ///< messages whose notice may follow
    Lifetime lifetime_;
};

}  // namespace restante::sip
