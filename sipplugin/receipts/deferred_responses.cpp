#include "sipplugin/receipts/deferred_responses.h"

#include <utility>

namespace restante::sip {

namespace {

/// Before what a peer wrote, so that no peer can write it.
constexpr std::string_view kRelayedRefusal = "refused by the recipient, as the sender was told: ";

/// A challenge and a redirection are about our way to the device.
bool isForTheSender(int status) noexcept
{
    return status >= 400 && status != 401 && status != 407;
}

}  // namespace

bool DeferredResponses::addWaiting(const std::string& id,
                                   const std::string& recipient,
                                   Sender sender)
{
    if (settings_.timeout <= Millis{0} || senders_ >= settings_.most) {
        return false;
    }
    if (!sender.flow.empty()) {
        auto& waiting = ofFlow_[sender.flow];
        if (waiting >= settings_.mostOfFlow) {
            return false;
        }
        ++waiting;
    }
    ++senders_;
    const auto [found, isFirst] = waiting_.try_emplace(id, loop_);
    auto& message = found->second;
    if (isFirst) {
        message.recipient = recipient;
        message.timer.arm(settings_.timeout, [this, id] { tell(id, std::nullopt); });
    }
    message.senders.push_back(std::move(sender));
    return true;
}

void DeferredResponses::taken(const std::string& id, const DeviceAnswer& answer)
{
    // What `sip.outcomes` calls a delivery may be no 2xx.
    const bool success = answer.status >= 200 && answer.status < 300;
    tell(id, success ? SipAnswer{answer.status, answer.phrase, {}} : SipAnswer{200, "OK", {}});
}

bool DeferredResponses::refused(const std::string& id, const DeviceAnswer& answer)
{
    if (!isForTheSender(answer.status) || !awaits(id)) {
        return false;
    }
    tell(id, passedOn(answer));
    return true;
}

void DeferredResponses::unreachable(const std::string& recipient)
{
    std::vector<std::string> ids;
    for (const auto& [id, message] : waiting_) {
        if (message.recipient == recipient) {
            ids.push_back(id);
        }
    }
    for (const auto& id : ids) {
        tell(id, std::nullopt);
    }
}

void DeferredResponses::end()
{
    settings_.timeout = Millis{0};
    while (!waiting_.empty()) {
        tell(std::string{waiting_.begin()->first}, std::nullopt);
    }
}

void DeferredResponses::tell(const std::string& id, const std::optional<SipAnswer>& answer)
{
    const auto found = waiting_.extract(id);
    if (found.empty()) {
        return;
    }
    for (const auto& sender : found.mapped().senders) {
        --senders_;
        const auto flow = ofFlow_.find(sender.flow);
        if (flow != ofFlow_.end() && --flow->second == 0) {
            ofFlow_.erase(flow);
        }
        sender.answered(answer);
    }
}

std::string relayedRefusalReason(const DeviceAnswer& answer)
{
    return std::string{kRelayedRefusal} + answer.print();
}

bool wasRefusalRelayed(std::string_view reason) noexcept
{
    return reason.starts_with(kRelayedRefusal);
}

}  // namespace restante::sip
