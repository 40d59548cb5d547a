#include "sipplugin/mailbox_flusher.h"

#include <utility>

namespace restante::sip {

namespace {

/// A mailbox that is due while we are busy with it is looked at again after this.
constexpr Millis kBusy{1'000};

/// About 10 MB. To forget them all costs no more than an attempt each.
constexpr std::size_t kMostPutOff = 100'000;

}  // namespace

MailboxFlusher::MailboxFlusher(MailboxFlush::Parts parts, Settings settings)
    : parts_(parts),
      settings_(std::move(settings))
{
}

MailboxFlusher::~MailboxFlusher() = default;

void MailboxFlusher::open()
{
    open_ = true;
    beginNext();
}

void MailboxFlusher::flush(const std::string& recipient, Cause cause, std::function<void()> claimed)
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
    if (open_ && active_.size() < settings_.parallel) {
        return begin(recipient, cause, std::move(claimed));
    }
    if (queued_.insert(recipient).second || cause == Cause::Due) {
        queue_.push_back({recipient, cause, std::move(claimed)});
    } else {
        claimed();
    }
}

bool MailboxFlusher::isPutOff(const std::string& recipient, Cause cause)
{
    auto found = putOff_.find(recipient);
    if (found == putOff_.end()) {
        return false;
    }
    if (cause == Cause::Stored && parts_.queue.clock().now() < found->second) {
        return true;
    }
    putOff_.erase(found);
    return false;
}

void MailboxFlusher::begin(const std::string& recipient, Cause cause, std::function<void()> claimed)
{
    auto flush = std::make_shared<MailboxFlush>(parts_, settings_.flush, recipient);
    auto& pass = active_[recipient];
    pass.flush = flush;
    pass.awaitClaim.push_back(std::move(claimed));
    // Only a mailbox that is due must move on when there is no device; a message that has just come
    // has its next attempt already.
    const auto absence =
        cause == Cause::Due ? MailboxFlush::Absence::PutsOff : MailboxFlush::Absence::LeavesAlone;
    flush->start(
        absence, [this, recipient] { takeClaimed(recipient); },
        [this, recipient](const MailboxFlush::Outcome& outcome) { finish(recipient, outcome); });
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
    pass.deviceCame = pass.deviceCame || cause == Cause::Registered;
    pass.messageCame = pass.messageCame || cause == Cause::Stored;
    if (!pass.claimed) {
        pass.awaitClaim.push_back(std::move(claimed));
        return;
    }
    // Due although we have it in hand: somebody has released it.
    pass.deviceCame = pass.deviceCame || cause == Cause::Due;
    parts_.loop.armTimer(kBusy, [alive = std::weak_ptr<int>{alive_}, claimed = std::move(claimed)] {
        if (!alive.expired()) {
            claimed();
        }
    });
}

void MailboxFlusher::finish(const std::string& recipient, const MailboxFlush::Outcome& outcome)
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
    while (open_ && !draining_ && !queue_.empty() && active_.size() < settings_.parallel) {
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
    std::vector<std::shared_ptr<MailboxFlush>> passes;  // because stop() may end a pass at once
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
