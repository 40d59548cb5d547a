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

/// Limits the messages per second of each sender (`sip.limits.per_sender`). *One loop.*
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
    bool tryAcquire(const std::string& sender);

private:
    const Clock& clock_;
    double perSecond_;
    std::shared_ptr<Shared> shared_;
};

/// Stores a MESSAGE in its recipient's mailbox (RFC 3428): 202 only when the store has it. Messages
/// that must not be stored go to the TransientForwarder. Borrows all its parts. *One loop.*
class MessageReceiver {
public:
    struct Parts {
        DelayQueue& queue;
        TransientForwarder& forwarder;
        /// Called with the recipient of a message that has been stored, before the 202 is sent.
        std::function<void(const std::string& aor)> onStored;
        ScheduledMessages* scheduled = nullptr;  ///< null: messages cannot be scheduled
        const LoopDetector* loopDetector =
            nullptr;  ///< null: a request with kJobHeader counts as our delivery
        SenderReports* reports = nullptr;  ///< null: senders get no reports
        DeferredResponses* deferredResponses =
            nullptr;  ///< holds senders while `isTriedSoon(recipient)`; null: none
        std::function<bool(const std::string& aor)> isTriedSoon = {};
        std::shared_ptr<SenderRateLimiter::Shared> sharedSenderRates =
            nullptr;  ///< null: it is alone
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
    /// Answers 202; if `jobToReport` is set, only after its receipt is stored as well.
    void accept(std::optional<Job> jobToReport, const std::string& id, Respond done);
    void logFailure(const std::string& recipient, const Error& error);

    Parts parts_;
    SipSettings settings_;
    CodecSettings codecSettings_;
    SenderRateLimiter rateLimiter_;
    LogRateLimiter logLimiter_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
