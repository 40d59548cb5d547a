#include "sipplugin/receipts/deferred_responses.h"

#include <utility>

namespace restante::sip {

namespace {

/// A prefix before the peer's text, so that no peer can forge it.
constexpr std::string_view kRelayedRefusal = "refused by the recipient, as the sender was told: ";

/// Challenges and redirections concern our route to the device, not the sender.
bool isForSender(int status) noexcept
{
    return status >= 400 && status != 401 && status != 407;
}

}  // namespace

bool DeferredResponses::addWaiting(const std::string& id,
                                   const std::string& recipient,
                                   Sender sender)
{
    if (settings_.timeout <= Millis{0} || senderCount_ >= settings_.maxWaiting) {
        return false;
    }
    if (!sender.flow.empty()) {
        auto& waiting = waitingByFlow_[sender.flow];
        if (waiting >= settings_.maxWaitingPerFlow) {
            return false;
        }
        ++waiting;
    }
    ++senderCount_;
    const auto [found, isFirst] = waiting_.try_emplace(id, loop_);
    auto& message = found->second;
    if (isFirst) {
        message.recipient = recipient;
        message.timer.arm(settings_.timeout, [this, id] { respond(id, std::nullopt); });
    }
    message.senders.push_back(std::move(sender));
    return true;
}

void DeferredResponses::handleTaken(const std::string& id, const DeviceAnswer& answer)
{
    // `sip.outcomes` may count a status other than 2xx as a delivery.
    const bool success = answer.status >= 200 && answer.status < 300;
    respond(id, success ? SipAnswer{answer.status, answer.phrase, {}} : SipAnswer{200, "OK", {}});
}

bool DeferredResponses::relayRefusal(const std::string& id, const DeviceAnswer& answer)
{
    if (!isForSender(answer.status) || !isAwaited(id)) {
        return false;
    }
    respond(id, relayedAnswer(answer));
    return true;
}

void DeferredResponses::handleUnreachable(const std::string& recipient)
{
    std::vector<std::string> ids;
    for (const auto& [id, message] : waiting_) {
        if (message.recipient == recipient) {
            ids.push_back(id);
        }
    }
    for (const auto& id : ids) {
        respond(id, std::nullopt);
    }
}

void DeferredResponses::answerAll()
{
    settings_.timeout = Millis{0};
    while (!waiting_.empty()) {
        respond(std::string{waiting_.begin()->first}, std::nullopt);
    }
}

void DeferredResponses::respond(const std::string& id, const std::optional<SipAnswer>& answer)
{
    const auto found = waiting_.extract(id);
    if (found.empty()) {
        return;
    }
    for (const auto& sender : found.mapped().senders) {
        --senderCount_;
        const auto flow = waitingByFlow_.find(sender.flow);
        if (flow != waitingByFlow_.end() && --flow->second == 0) {
            waitingByFlow_.erase(flow);
        }
        sender.onAnswer(answer);
    }
}

std::string relayedRefusalReason(const DeviceAnswer& answer)
{
    return std::string{kRelayedRefusal} + answer.toString();
}

bool wasRefusalRelayed(std::string_view reason) noexcept
{
    return reason.starts_with(kRelayedRefusal);
}

}  // namespace restante::sip
