#pragma once

#include "core/base/event_loop.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/received_request.h"

#include <unordered_map>

namespace restante::sip {

/// Senders who wait for the device's answer to their stored MESSAGE (`sip.live_timeout`). Each is
/// told once: that answer; or nothing, which stands for 202, when the time is over, nobody can be
/// reached, or too many wait. Nobody is told from inside addWaiting(). *One loop.*
class DeferredResponses {
public:
    struct Settings {
        Millis timeout{0};  ///< 0 = nobody waits
        /// Half of what SipRequestGuard lets be under way, so that nobody is turned away.
        std::size_t most = 1'000;
        /// Half of the unanswered requests beyond which Stream reads no more of a connection.
        std::size_t mostOfFlow = 50;
    };
    using Answered = std::function<void(const std::optional<SipAnswer>&)>;
    struct Sender {
        std::string flow;  ///< of the connection that the request came by; empty over UDP
        Answered answered;
    };

    /// Whoever waits at its end is not told.
    DeferredResponses(EventLoop& loop, Settings settings) : loop_(loop), settings_(settings) {}

    /// The sender of the message `id` waits from now on, beside those who have sent the same one
    /// and wait already, and no longer than they. False: it does not, and is not told.
    bool addWaiting(const std::string& id, const std::string& recipient, Sender sender);
    /// Whether somebody waits for what becomes of that message.
    bool awaits(const std::string& id) const { return waiting_.contains(id); }

    /// A device has taken the message.
    void taken(const std::string& id, const DeviceAnswer& answer);
    /// Refused for good. True when its sender has been told so, and needs no report.
    bool refused(const std::string& id, const DeviceAnswer& answer);
    /// The attempt to reach them has failed, and the next one is not soon.
    void unreachable(const std::string& recipient);
    /// Tells everybody that theirs is stored; nobody waits any more.
    void end();

private:
    /// Of one message.
    struct Waiting {
        explicit Waiting(EventLoop& loop) : timer(loop) {}

        std::string recipient;
        std::vector<Sender> senders;
        Timer timer;
    };

    void tell(const std::string& id, const std::optional<SipAnswer>& answer);

    EventLoop& loop_;
    Settings settings_;
    std::size_t senders_ = 0;
    std::unordered_map<std::string, Waiting> waiting_;  ///< by the message's id
    std::unordered_map<std::string, std::size_t> ofFlow_;
};

/// Why a message is dead whose sender has had the device's refusal as the answer to its MESSAGE.
std::string relayedRefusalReason(const DeviceAnswer& answer);
/// Whether the reason of a death is such a one.
bool wasRefusalRelayed(std::string_view reason) noexcept;

}  // namespace restante::sip
