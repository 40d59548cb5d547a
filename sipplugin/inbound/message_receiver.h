#pragma once

#include "core/base/callback_guard.h"
#include "core/queue/delay_queue.h"
#include "sipplugin/inbound/scheduled_messages.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/message/loop_detector.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/outbound/device_forwarder.h"
#include "sipplugin/receipts/deferred_responses.h"
#include "sipplugin/receipts/sender_reports.h"
#include "sipplugin/settings/sip_settings.h"

#include <memory>

namespace restante::sip {

/// So many messages a second of each sender (`sip.limits.per_sender`). *One loop.*
class SenderRateLimiter {
public:
    /// What each sender has left, at all threads of the process together. *Any thread.*
    class Shared;

    /// 0 a second = no limit. `shared`: null = it is alone.
    SenderRateLimiter(const Clock& clock,
                      std::uint32_t perSecond,
                      std::shared_ptr<Shared> shared = nullptr);

    static std::shared_ptr<Shared> makeShared();

    /// Takes one token of the sender's; false when there is none.
    bool admits(const std::string& sender);

private:
    const Clock& clock_;
    double perSecond_;
    std::shared_ptr<Shared> shared_;
};

/// Takes a MESSAGE into its recipient's mailbox, RFC 3428: 202 only when the store has it; what
/// must not be stored goes to the TransientForwarder. Borrows all its parts. *One loop.*
class MessageReceiver {
public:
    struct Parts {
        DelayQueue& queue;
        TransientForwarder& forwarder;
        /// Told of the recipient of a message that is stored now, before the 202 leaves.
        std::function<void(const std::string& aor)> onStored;
        ScheduledMessages* scheduled = nullptr;      ///< null: no message names its time
        const LoopDetector* loopDetector = nullptr;  ///< null: each delivery counts as our own
        SenderReports* reports = nullptr;            ///< null: nobody is told that theirs is stored
        DeferredResponses* deferredResponses =
            nullptr;  ///< where senders wait for whom `isTriedSoon` is true; null: nobody
        std::function<bool(const std::string& aor)> isTriedSoon = {};
        std::shared_ptr<SenderRateLimiter::Shared> senders = nullptr;  ///< null: it is alone
    };
    MessageReceiver(Parts parts, SipSettings settings);

    /// `done` may be called at once or later.
    void handle(const ReceivedRequest& request, Respond done);

private:
    PushOptions pushOf(const ReceivedRequest& request, Job job) const;
    void store(PushOptions push, const std::string& flow, Respond done);
    bool deferResponse(const PushOutcome& outcome,
                       const std::string& recipient,
                       const DeferredResponses::Sender& sender);
    void schedule(const ReceivedRequest& request, Job job, TimePoint due, Respond done);
    /// Answers 202, when `reported` wants a receipt only after that is stored as well.
    void accept(std::optional<Job> reported, const std::string& id, Respond done);
    void logFailure(const std::string& recipient, const Error& error);

    Parts parts_;
    SipSettings settings_;
    CodecSettings codec_;
    SenderRateLimiter rateLimiter_;
    LogRateLimiter logLimiter_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
