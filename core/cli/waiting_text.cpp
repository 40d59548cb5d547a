#include "core/cli/waiting_text.h"

#include "core/base/duration.h"
#include "core/base/timestamp.h"
#include "core/cli/table.h"

#include <fmt/format.h>

namespace restante::cli {

namespace {

using Why = WaitingReason::Why;

/// Whether it is a known time; max() means until somebody acts.
bool isKnownTime(TimePoint at)
{
    return at != TimePoint{} && at != TimePoint::max();
}

std::string attemptsText(const WaitingReason& reason)
{
    const auto attempt =
        reason.attemptsAllowed > 0
            ? fmt::format("Attempt {} of {}", reason.attempts, reason.attemptsAllowed)
            : fmt::format("Attempt {}", reason.attempts);
    return reason.error.empty() ? attempt + " failed." : attempt + " failed: " + reason.error + '.';
}

std::string pauseText(const WaitingReason& reason)
{
    auto text = fmt::format("Its topic {} has been paused since {}", reason.topic,
                            formatLocalTime(reason.since));
    text += reason.actor.empty() ? "" : " by " + reason.actor;
    text += reason.reason.empty() ? "" : " (" + reason.reason + ")";
    return text + "; nothing of it is given out until somebody resumes it.";
}

/// The sentence that says what it waits for.
std::string mainSentence(const WaitingReason& reason)
{
    const auto since = formatLocalTime(reason.since);
    const auto next = formatLocalTime(reason.next);
    switch (reason.why) {
    case Why::Delivered: return fmt::format("Delivered at {}.", since);
    case Why::Trashed:
        return fmt::format("In the trash since {}; nothing happens until it is restored.", since);
    case Why::Dead:
        return fmt::format("Given up at {} after {} attempt{}: {}.", since, reason.attempts,
                           reason.attempts == 1 ? "" : "s",
                           reason.error.empty() ? "nobody said why" : reason.error);
    case Why::Expired: return fmt::format("Expired at {} before it was delivered.", since);
    case Why::BeingDelivered:
        return fmt::format("Being delivered now (attempt {}); the answer is awaited until {}.",
                           reason.attempts, next);
    case Why::BeingWorkedOn:
        return fmt::format("A consumer works on it; without an answer it is given out again at {}.",
                           next);
    case Why::HeldOutsideMailbox:
        return isKnownTime(reason.next)
                   ? fmt::format("Held until somebody releases it; it is due at {} then.", next)
                   : "Held until somebody releases it.";
    case Why::NotDue: return fmt::format("Its time has not come: it is due at {}.", next);
    case Why::Retrying:
        return fmt::format("{} It is tried again at {}.", attemptsText(reason), next);
    case Why::TopicPaused: return pauseText(reason);
    case Why::TopicFull:
        return fmt::format("Of its topic {} no more than {} are delivered at a time, and as many "
                           "are.",
                           reason.topic, reason.count);
    case Why::TopicPaced:
        return fmt::format("Due since {}; of its topic {} no more than {} are given out.", since,
                           reason.topic, formatRate(reason.rate));
    case Why::NobodyDelivers:
        return fmt::format("No running daemon delivers {} jobs; start restanted.",
                           name(reason.channel));
    case Why::AwaitsConsumer:
        return fmt::format("Due since {}; no consumer of topic {} has taken it yet.", since,
                           reason.topic);
    case Why::InTurn: return fmt::format("Due since {}; it is delivered in its turn.", since);
    case Why::NoDevice:
        return isKnownTime(reason.since)
                   ? fmt::format("No device of {} has been registered since {}.", reason.recipient,
                                 since)
                   : fmt::format("No device of {} is registered.", reason.recipient);
    case Why::InTurnOfMailbox:
        return fmt::format("It waits in the mailbox of {} for its turn.", reason.recipient);
    case Why::DeviceFailed:
        return fmt::format("{} is registered, but could not be reached: {}.", reason.recipient,
                           reason.error);
    case Why::AwaitsRecipient:
        return reason.error.empty()
                   ? fmt::format("It waits in the mailbox of {}.", reason.recipient)
                   : fmt::format("It waits in the mailbox of {}, who could not be reached: {}.",
                                 reason.recipient, reason.error);
    }
    return {};
}

/// What happens next to a message in a mailbox.
std::string mailboxSentence(const WaitingReason& reason)
{
    const bool known = isKnownTime(reason.next);
    switch (reason.why) {
    case Why::NoDevice:
    case Why::AwaitsRecipient:
        return known ? fmt::format(" It is delivered as soon as a device registers, and tried "
                                   "again at {}.",
                                   formatLocalTime(reason.next))
                     : " It is delivered as soon as a device registers.";
    case Why::InTurnOfMailbox:
        return known
                   ? fmt::format(" It is tried at {} at the latest.", formatLocalTime(reason.next))
                   : "";
    case Why::DeviceFailed:
        return known ? fmt::format(" It is tried again at {}.", formatLocalTime(reason.next)) : "";
    default: return "";
    }
}

}  // namespace

std::string waitingText(const WaitingReason& reason, TimePoint now)
{
    auto text = mainSentence(reason) + mailboxSentence(reason);
    if (reason.expires) {
        text += *reason.expires > now
                    ? fmt::format(" It expires {}.", formatRelative(*reason.expires, now))
                    : std::string(" Its time is over: it expires now.");
    }
    return oneLine(text);
}

}  // namespace restante::cli
