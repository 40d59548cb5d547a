#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/receipts/imdn.h"
#include "sipplugin/settings/sip_settings.h"

namespace restante::sip {

/// The rules that decide which reports a message leads to. *Value.*
struct ReportRules {
    Config::Sip settings;  ///< `noticeFrom` canonical
    /// Whether a report can be delivered to that address: it is local, or there is a proxy.
    std::function<bool(const std::string& aor)> isReachable = [](const auto&) { return true; };
    /// Whether the domain of that address of record is ours.
    std::function<bool(const std::string& aor)> isLocalDomain = [](const auto&) { return true; };
};

/// The rules by the configuration. Invalid names the setting.
Result<ReportRules> reportRulesOf(const Config::Sip& settings, const LocalDomains& domains);

/// Whether senders get a receipt or a notice of that disposition. *Pure function.*
bool isReported(Disposition disposition, const Config::Sip& settings);

/// Whether the message could lead to such a report. Cheap, because it is called for every message.
bool mayBeReported(const Job& message, Disposition disposition, const Config::Sip& settings);

/// The IMDN of that disposition that `message` asks for, for the mailbox of its sender, or of the
/// last server of its IMDN-Record-Route if that is in our domains; nothing when
/// it asks for none, when that is off, when it is an IMDN or never was a MESSAGE, or when its
/// sender cannot be reached. Its once key makes a repetition harmless. *Pure function.*
std::optional<PushOptions>
receiptFor(const Job& message, Disposition disposition, const ReportRules& rules, TimePoint now);

/// A notice in plain words, when those are on and no receipt says the same. Nothing as above, and
/// nothing for a message that a program wrote. Its once key limits a sender to one notice of each
/// disposition and recipient in `noticeInterval`. `reason` is for Failed. *Pure function.*
std::optional<PushOptions> noticeFor(const Job& message,
                                     Disposition disposition,
                                     const std::string& reason,
                                     const ReportRules& rules,
                                     TimePoint now);

/// Reports to senders what becomes of their messages: reports are jobs of channel sip in the
/// sender's mailbox. A report is stored before its message ends, so that a crash in between only
/// repeats it, which the once key prevents (docs/decisions/0013-reports-are-jobs.md). Borrows loop,
/// queue and inspector. *One loop.*
class SenderReports {
public:
    /// Called with the AoR of the mailbox that has got a report.
    using StoredHandler = std::function<void(const std::string& aor)>;
    struct Parts {
        EventLoop& loop;
        DelayQueue& queue;
        JobInspector& inspector;
    };
    SenderReports(Parts parts, ReportRules rules, StoredHandler onStored)
        : parts_(parts),
          rules_(std::move(rules)),
          onStored_(std::move(onStored)),
          logLimiter_(parts.queue.clock())
    {
    }

    /// mayBeReported() by these rules.
    bool concerns(const Job& message, Disposition disposition) const
    {
        return mayBeReported(message, disposition, rules_.settings);
    }

    /// The message with this id is stored. Success: the receipt is stored, or none was needed. A
    /// notice follows later, if the recipient turns out to be away.
    void reportStored(Job message, Done<void> done);
    /// Success as above; a temporary failure means that the call is to be repeated.
    void reportDelivered(const Job& message, Done<void> done);
    /// The same of a message that is looked up by its id and when it was created; one that is gone
    /// has been reported, and one that was replaced has not been delivered.
    void reportDelivered(const std::string& id, TimePoint created, Done<void> done);
    void reportFailed(const Job& message, const std::string& reason, Done<void> done);

private:
    void push(std::optional<PushOptions> push, Done<void> done);
    void scheduleNotice(Job message, int checksLeft);
    void noticeIfHeld(const Job& message, int checksLeft);

    TimePoint now() const { return parts_.queue.clock().now(); }

    Parts parts_;
    ReportRules rules_;
    StoredHandler onStored_;
    LogRateLimiter logLimiter_;
    std::size_t pendingNotices_ = 0;  ///< messages whose notice may follow
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
