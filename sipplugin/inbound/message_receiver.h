#pragma once

#include "core/queue/delay_queue.h"
#include "sipplugin/inbound/scheduled_messages.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/callbacks.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/message/loop_detector.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/outbound/device_forwarder.h"
#include "sipplugin/receipts/live_senders.h"
#include "sipplugin/receipts/sender_reports.h"
#include "sipplugin/settings/sip_settings.h"

#include <unordered_map>

namespace restante::sip {

/// So many messages a second of each sender (`sip.limits.per_sender`). *One loop.*
class SenderRateLimiter {
public:
    /// 0 a second = no limit.
    SenderRateLimiter(const Clock& clock, std::uint32_t perSecond)
        : clock_(clock),
          perSecond_(perSecond)
    {
    }

    /// Takes one token of the sender's; false when there is none.
    bool admits(const std::string& sender);

private:
    struct Bucket {
        double tokens = 0;
        TimePoint filled{};
    };
    void forgetFull();

    const Clock& clock_;
    double perSecond_;
    TimePoint swept_{};
    std::unordered_map<std::string, Bucket> buckets_;
};

/// Takes a MESSAGE into its recipient's mailbox, RFC 3428: 202 only when the store has it; what
/// must not be stored goes to the TransientForwarder. Borrows queue and forwarder. *One loop.*
class MessageReceiver {
public:
    /// Told of the recipient of a message that is stored now, before the 202 leaves.
    using Stored = std::function<void(const std::string& aor)>;
    MessageReceiver(DelayQueue& queue,
                    TransientForwarder& forwarder,
                    SipSettings settings,
                    Stored stored);

    /// From now on messages may name their time; `scheduled` must outlive this.
    void scheduleWith(ScheduledMessages& scheduled) { scheduled_ = &scheduled; }

    /// Deliveries of other stores are messages like any now; `loopDetector` outlives this.
    void detectLoopsWith(const LoopDetector& loopDetector) { loopDetector_ = &loopDetector; }

    /// Senders who ask for it are told that theirs is stored; `reports` outlives this.
    void reportTo(SenderReports& reports) { reports_ = &reports; }

    /// Senders of messages for whom `tries` is true wait for `live`, which outlives this.
    using Tries = std::function<bool(const std::string& aor)>;
    void answerLive(LiveSenders& live, Tries tries);

    /// `done` may be called at once or later.
    void handle(const ReceivedRequest& request, Respond done);

private:
    PushOrder orderOf(const ReceivedRequest& request, Job job) const;
    void store(PushOrder order, const std::string& flow, Respond done);
    bool waits(const PushOutcome& outcome,
               const std::string& recipient,
               const LiveSenders::Sender& sender);
    void schedule(const ReceivedRequest& request, Job job, TimePoint due, Respond done);
    /// Answers 202, when `reported` wants a receipt only after that is stored as well.
    void accept(std::optional<Job> reported, const std::string& id, Respond done);
    void complain(const std::string& recipient, const Error& error);

    DelayQueue& queue_;
    TransientForwarder& forwarder_;
    SipSettings settings_;
    CodecSettings codec_;
    Millis firstFallBack_;
    SenderRateLimiter pace_;
    LogRateLimiter complaints_;
    Stored stored_;
    ScheduledMessages* scheduled_ = nullptr;
    SenderReports* reports_ = nullptr;
    const LoopDetector* loopDetector_ = nullptr;
    LiveSenders* live_ = nullptr;
    Tries tries_;
    Lifetime lifetime_;
};

}  // namespace restante::sip
