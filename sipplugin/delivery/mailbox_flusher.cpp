#include "sipplugin/delivery/mailbox_flusher.h"

#include "sipplugin/delivery/device_fan.h"

#include <array>
#include <utility>

namespace restante::sip {

namespace {

/// A mailbox that is due while we are busy with it is looked at again after this.
constexpr Millis kBusy{1'000};

/// About 10 MB. To forget them all costs no more than an attempt each.
constexpr std::size_t kMostPutOff = 100'000;

/// Only a mailbox that is due must move on when there is no device; a message that has just come
/// has its next attempt already.
MailboxPass::Absence absenceOf(MailboxFlusher::Cause cause)
{
    return cause == MailboxFlusher::Cause::Due ? MailboxPass::Absence::PutsOff
                                               : MailboxPass::Absence::LeavesAlone;
}

bool isOfAMessage(MailboxFlusher::Cause cause)
{
    return cause == MailboxFlusher::Cause::Stored || cause == MailboxFlusher::Cause::Told;
}

}  // namespace

MailboxFlusher::MailboxFlusher(MailboxFlush::Parts parts, Settings settings)
    : parts_(parts),
      settings_(std::move(settings)),
      pace_(settings_.pace, settings_.perSecond),
      memory_(settings_.memory)
{
    // Of the proxy they say that it is not set up for us, or that it lets nothing through to
    // contacts: an operator repairs that, and no backlog should die of it.
    constexpr auto kOfTheProxy = std::to_array({400, 403, 405});
    if (!settings_.flush.proxy.empty()) {
        for (const int status : kOfTheProxy) {
            settings_.flush.policy =
                settings_.flush.policy.orElse({status, status, Verdict::Retry});
        }
        toContacts_.policy = settings_.flush.policy;
    }
    toldContacts_ = toContacts_;
    toldContacts_.tellsOwners = false;
}

MailboxFlusher::~MailboxFlusher() = default;

void MailboxFlusher::open()
{
    open_ = true;
    beginNext();
}

void MailboxFlusher::flush(const std::string& recipient,
                           Cause cause,
                           std::function<void()> claimed,
                           const std::vector<Binding>& bindings)
{
    if (!claimed) {
        claimed = [] {};
    }
    if (draining_ || isPutOff(recipient, cause)) {
        return claimed();
    }
    if (auto pass = active_.find(recipient); pass != active_.end()) {
        return join(pass->second, cause, std::move(claimed));
    }
    if (mayBegin()) {
        return begin(recipient, cause, std::move(claimed), bindings);
    }
    if (queued_.insert(recipient).second || cause == Cause::Due) {
        queue_.push_back({recipient, cause, std::move(claimed)});
    } else {
        claimed();
    }
}

bool MailboxFlusher::mayBegin() const
{
    return open_ && active_.size() < settings_.parallel && (memory_.hasRoom() || active_.empty());
}

std::shared_ptr<MailboxPass> MailboxFlusher::newPass(const std::string& recipient,
                                                     Cause cause,
                                                     const std::vector<Binding>& bindings)
{
    const MailboxFlush::Shared shared{pace_, memory_};
    if (settings_.everyDevice) {
        return std::make_shared<DeviceFan>(
            parts_, shared,
            DeviceFan::Settings{settings_.flush, cause == Cause::Told ? toldContacts_ : toContacts_,
                                settings_.keep},
            recipient);
    }
    return std::make_shared<MailboxFlush>(parts_, shared, settings_.flush, recipient, bindings);
}

bool MailboxFlusher::isPutOff(const std::string& recipient, Cause cause)
{
    auto found = putOff_.find(recipient);
    if (found == putOff_.end()) {
        return false;
    }
    if (isOfAMessage(cause) && parts_.queue.clock().now() < found->second) {
        return true;
    }
    putOff_.erase(found);
    return false;
}

bool MailboxFlusher::tries(const std::string& recipient) const
{
    const auto found = putOff_.find(recipient);
    return !draining_ && (found == putOff_.end() || parts_.queue.clock().now() >= found->second);
}

void MailboxFlusher::begin(const std::string& recipient,
                           Cause cause,
                           std::function<void()> claimed,
                           const std::vector<Binding>& bindings)
{
    auto flush = newPass(recipient, cause, bindings);
    auto& pass = active_[recipient];
    pass.flush = flush;
    pass.awaitClaim.push_back(std::move(claimed));
    const auto absence = absenceOf(cause);
    flush->start(
        absence, [this, recipient] { takeClaimed(recipient); },
        [this, recipient](const MailboxPass::Outcome& outcome) { finish(recipient, outcome); });
}

void MailboxFlusher::takeClaimed(const std::string& recipient)
{
    auto& pass = active_.at(recipient);
    pass.claimed = true;
    for (auto& claimed : std::exchange(pass.awaitClaim, {})) {
        claimed();
    }
}

void MailboxFlusher::join(Pass& pass, Cause cause, std::function<void()> claimed)
{
    const bool taken = pass.flush->takes(absenceOf(cause));
    pass.deviceCame = pass.deviceCame || (!taken && cause == Cause::Registered);
    pass.messageCame = pass.messageCame || (!taken && isOfAMessage(cause));
    if (!pass.claimed) {
        pass.awaitClaim.push_back(std::move(claimed));
        return;
    }
    // Due although we have it in hand: somebody has released it.
    pass.deviceCame = pass.deviceCame || (!taken && cause == Cause::Due);
    parts_.loop.armTimer(kBusy, [alive = std::weak_ptr<int>{alive_}, claimed = std::move(claimed)] {
        if (!alive.expired()) {
            claimed();
        }
    });
}

void MailboxFlusher::finish(const std::string& recipient, const MailboxPass::Outcome& outcome)
{
    const auto pass = std::move(active_.extract(recipient).mapped());
    if (outcome.putOffUntil) {
        if (putOff_.size() >= kMostPutOff) {
            putOff_.clear();
        }
        putOff_[recipient] = *outcome.putOffUntil;
    }
    if (settings_.ended) {
        settings_.ended(recipient, outcome.putOffUntil.has_value());
    }
    if (pass.deviceCame || (pass.messageCame && !outcome.putOffUntil)) {
        flush(recipient, Cause::Registered);
    }
    beginNext();
    reportDrained();
}

void MailboxFlusher::beginNext()
{
    while (!draining_ && !queue_.empty() && mayBegin()) {
        auto turn = std::move(queue_.front());
        queue_.pop_front();
        queued_.erase(turn.recipient);
        flush(turn.recipient, turn.cause, std::move(turn.claimed));
    }
}

void MailboxFlusher::drain(std::function<void()> drained)
{
    draining_ = true;
    drained_ = std::move(drained);
    for (auto& turn : std::exchange(queue_, {})) {
        turn.claimed();
    }
    std::vector<std::shared_ptr<MailboxPass>> passes;  // because stop() may end a pass at once
    for (const auto& [recipient, pass] : active_) {
        passes.push_back(pass.flush);
    }
    for (const auto& pass : passes) {
        pass->stop();
    }
    reportDrained();
}

void MailboxFlusher::reportDrained()
{
    if (draining_ && active_.empty() && drained_) {
        std::exchange(drained_, {})();
    }
}

}  // namespace restante::sip
