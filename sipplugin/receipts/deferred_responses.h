#pragma once

#include "core/base/event_loop.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/received_request.h"

#include <unordered_map>

namespace restante::sip {

/// Senders who wait for the device's answer to their stored MESSAGE (`sip.live_timeout`). Each gets
/// one answer: the device's; or nothing, which stands for 202, after the time-out or when no device
/// can be reached. Never from inside addWaiting(). *One loop.*
class DeferredResponses {
public:
    struct Settings {
        Millis timeout{0};  ///< 0 = nobody waits
        /// Half of the UDP requests that SipRequestGuard allows unanswered, so that others pass.
        std::size_t maxWaiting = 1'000;
        /// Half of the unanswered requests beyond which Stream reads no more of a connection.
        std::size_t maxWaitingPerFlow = 50;
    };
    using AnswerHandler = std::function<void(const std::optional<SipAnswer>&)>;
    struct Sender {
        std::string flow;  ///< of the connection that the request came by; empty over UDP
        AnswerHandler onAnswer;
    };

    /// Its destructor answers no waiting sender.
    DeferredResponses(EventLoop& loop, Settings settings) : loop_(loop), settings_(settings) {}

    /// Makes the sender of message `id` wait, beside those who have sent the same one and wait
    /// already, and no longer than they. False when too many wait, or nobody is to (no timeout, or
    /// after answerAll()); `onAnswer` is then not called.
    bool addWaiting(const std::string& id, const std::string& recipient, Sender sender);
    /// Whether a sender waits for the result of that message.
    bool isAwaited(const std::string& id) const { return waiting_.contains(id); }

    /// A device has taken the message.
    void handleTaken(const std::string& id, const DeviceAnswer& answer);
    /// A device has refused the message for good. True when its sender has got that answer and
    /// needs no report.
    bool relayRefusal(const std::string& id, const DeviceAnswer& answer);
    /// An attempt to reach the recipient has failed, and the next one is not soon.
    void handleUnreachable(const std::string& recipient);
    /// Answers all senders that their message is stored; no sender waits any more.
    void answerAll();

private:
    /// The senders of one message.
    struct WaitingMessage {
        explicit WaitingMessage(EventLoop& loop) : timer(loop) {}

        std::string recipient;
        std::vector<Sender> senders;
        Timer timer;
    };

    void respond(const std::string& id, const std::optional<SipAnswer>& answer);

    EventLoop& loop_;
    Settings settings_;
    std::size_t senderCount_ = 0;
    std::unordered_map<std::string, WaitingMessage> waiting_;  ///< by the message's id
    std::unordered_map<std::string, std::size_t> waitingByFlow_;
};

/// The reason recorded for a dead message whose sender got the device's refusal as the answer.
std::string relayedRefusalReason(const DeviceAnswer& answer);
/// Whether `reason` was made by relayedRefusalReason().
bool wasRefusalRelayed(std::string_view reason) noexcept;

}  // namespace restante::sip
