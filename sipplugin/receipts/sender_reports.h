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

/// What decides which reports a message leads to. *Value.*
struct ReportRules {
    Config::Sip settings;  ///< `noticeFrom` canonical
    /// Whether a report could be delivered there: by the proxy, or because it is ours.
    std::function<bool(const std::string& aor)> reaches = [](const auto&) { return true; };
    /// Whether the domain of that address of record is ours.
    std::function<bool(const std::string& aor)> isLocalDomain = [](const auto&) { return true; };
};

/// What the configuration makes of it: who can be told, and of what. Invalid names the setting.
Result<ReportRules> reportRulesOf(const Config::Sip& settings, const LocalDomains& domains);

/// Whether senders are told of that, by a receipt or in plain words. *Pure function.*
bool isReported(Disposition what, const Config::Sip& settings);

/// Whether such a report could come of the message at all. Cheap: it is asked of every message.
bool mayBeReported(const Job& message, Disposition what, const Config::Sip& settings);

/// The IMDN that `message` asks for when `what` has become of it, for its sender's mailbox; nothing
/// when it asks for none, when that is off, when it is an IMDN or never was a MESSAGE, or when its
/// sender cannot be reached. Its once key makes a repetition harmless. *Pure function.*
std::optional<PushOptions>
receiptOn(const Job& message, Disposition what, const ReportRules& rules, TimePoint now);

/// A notice in plain words, when those are on and no receipt says the same. Nothing as above, and
/// nothing for what a program wrote. Its once key holds a sender to one of a kind and recipient in
/// `noticeInterval`. `reason` is of Failed. *Pure function.*
std::optional<PushOptions> noticeOn(const Job& message,
                                    Disposition what,
                                    const std::string& reason,
                                    const ReportRules& rules,
                                    TimePoint now);

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
    SenderReports(Parts parts, ReportRules rules, Stored onStored)
        : parts_(parts),
          rules_(std::move(rules)),
          onStored_(std::move(onStored)),
          logLimiter_(parts.queue.clock())
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
    void push(std::optional<PushOptions> push, Done<void> done);
    void noticeLater(Job message, int looks);
    void noticeIfHeld(const Job& message, int looks);

    TimePoint now() const { return parts_.queue.clock().now(); }

    Parts parts_;
    ReportRules rules_;
    Stored onStored_;
    LogRateLimiter logLimiter_;
    std::size_t waiting_ = 0;  ///< messages whose notice may follow
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
