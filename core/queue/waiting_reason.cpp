#include "core/queue/waiting_reason.h"

namespace restante {

namespace {

using Why = WaitingReason::Why;

/// Whether the topic is paused, which is then the reason.
bool explainPause(WaitingReason& reason, const WaitingFacts& facts)
{
    if (!facts.topic || !facts.topic->pause) {
        return false;
    }
    const auto& pause = *facts.topic->pause;
    reason.why = Why::TopicPaused;
    reason.since = pause.since;
    reason.actor = pause.actor;
    reason.reason = pause.reason;
    return true;
}

bool explainFullTopic(WaitingReason& reason, const WaitingFacts& facts)
{
    const auto limit = facts.topic ? facts.topic->limits.concurrency : 0;
    if (limit == 0 || facts.topic->leased.value_or(0) < limit) {
        return false;
    }
    reason.why = Why::TopicFull;
    reason.count = limit;
    return true;
}

/// Explains a job in its lane.
void explainLane(WaitingReason& reason, const JobView& view, const WaitingFacts& facts)
{
    const bool isDue = view.state == JobState::Ready;
    reason.since = isDue ? view.due : TimePoint{};
    reason.next = isDue ? TimePoint{} : view.due;
    if (explainPause(reason, facts)) {
        return;
    }
    // The reason if it is due; otherwise an early warning.
    if (facts.isChannelServed == false && view.job.channel != Channel::Pull) {
        reason.why = Why::NobodyDelivers;
        return;
    }
    if (!isDue) {
        reason.why = view.countedAttempts() > 0 ? Why::Retrying : Why::NotDue;
        return;
    }
    const auto limits = facts.topic ? facts.topic->limits : TopicLimits{};
    if (explainFullTopic(reason, facts)) {
        return;
    }
    if (view.job.channel == Channel::Pull) {
        reason.why = Why::AwaitsConsumer;
    } else if (limits.rate.count > 0) {
        reason.why = Why::TopicPaced;
        reason.rate = limits.rate;
    } else {
        reason.why = Why::InTurn;
    }
}

void explainMailbox(WaitingReason& reason,
                    const JobView& view,
                    const WaitingFacts& facts,
                    TimePoint now)
{
    const bool hasNextAttempt = view.due != TimePoint::max();
    reason.next = hasNextAttempt ? view.due : TimePoint{};
    if (explainPause(reason, facts)) {
        return;
    }
    if (facts.isChannelServed == false) {
        reason.why = Why::NobodyDelivers;
    } else if (facts.recipient == Reachability::NoDevice) {
        reason.why = Why::NoDevice;
        reason.since = facts.recipientSince.value_or(TimePoint{});
    } else if (view.countedAttempts() > 0 || !view.lastError.empty()) {
        reason.why =
            facts.recipient == Reachability::Registered ? Why::DeviceFailed : Why::AwaitsRecipient;
    } else if (explainFullTopic(reason, facts)) {
        return;
    } else if (hasNextAttempt && view.due <= now) {
        reason.why = Why::InTurn;
        reason.since = view.due;
        reason.next = {};
    } else {
        // With a device an earlier message is on its way, or the rate of a topic is used up.
        reason.why = facts.recipient == Reachability::Registered ? Why::InTurnOfMailbox
                                                                 : Why::AwaitsRecipient;
    }
}

}  // namespace

WaitingReason whyItWaits(const JobView& view, const WaitingFacts& facts, TimePoint now)
{
    const auto& job = view.job;
    WaitingReason reason;
    reason.channel = job.channel;
    reason.topic = job.topic;
    reason.recipient = job.recipient;
    reason.error = view.lastError;
    reason.expires = job.expires;
    reason.attempts = view.countedAttempts();
    reason.attemptsAllowed = attemptCountOf(job.retry);
    switch (view.state) {
    case JobState::Done:
    case JobState::Trashed:
    case JobState::Dead:
        reason.why = view.state == JobState::Done      ? Why::Delivered
                     : view.state == JobState::Trashed ? Why::Trashed
                     : view.lastError == "expired"     ? Why::Expired
                                                       : Why::Dead;
        reason.since = view.due;
        reason.expires.reset();
        break;
    case JobState::Leased:
        reason.why = job.channel == Channel::Pull ? Why::BeingWorkedOn : Why::BeingDelivered;
        reason.next = view.due;
        break;
    case JobState::Held:
        if (view.heldOutsideMailbox) {
            reason.why = Why::HeldOutsideMailbox;
            reason.next = view.due == TimePoint::max() ? TimePoint{} : view.due;
        } else {
            explainMailbox(reason, view, facts, now);
        }
        break;
    case JobState::Scheduled:
    case JobState::Ready: explainLane(reason, view, facts); break;
    }
    return reason;
}

std::string_view dutyOf(Channel channel) noexcept
{
    // Consumers ask for what they pull.
    return channel == Channel::Pull ? "http" : name(channel);
}

}  // namespace restante
