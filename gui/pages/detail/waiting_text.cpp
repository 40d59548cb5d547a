#include "gui/pages/detail/waiting_text.h"

#include "gui/base/preferences.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

namespace restante::gui {

namespace {

using Why = WaitingReason::Why;

/// The translation context of these texts.
struct WaitingText {
    Q_DECLARE_TR_FUNCTIONS(WaitingText)
};

/// Whether it is a real time: neither unknown nor "never by itself".
bool isKnownTime(TimePoint at)
{
    return at != TimePoint{} && at != TimePoint::max();
}

/// The sentences for one reason, to which it keeps a reference.
class Sentences {
public:
    Sentences(const WaitingReason& reason, TimePoint now, const Preferences& preferences)
        : reason_(reason),
          now_(now),
          times_(preferences),
          since_(times_.brief(reason.since, now)),
          next_(times_.brief(reason.next, now)),
          error_(textOf(reason.error).simplified()),
          recipient_(withoutScheme(reason.recipient)),
          topic_(Theme::topicName(reason.topic))
    {
    }

    QString why() const
    {
        switch (reason_.why) {
        case Why::Delivered: return WaitingText::tr("Delivered at %1.").arg(since_);
        case Why::Trashed:
            return WaitingText::tr("In the trash since %1; nothing happens until it is restored.")
                .arg(since_);
        case Why::Dead: return dead();
        case Why::Expired:
            return WaitingText::tr("Expired at %1 before it was delivered.").arg(since_);
        case Why::BeingDelivered:
            return WaitingText::tr(
                       "Being delivered now, attempt %1; the answer is awaited until %2.")
                .arg(number(reason_.attempts), next_);
        case Why::BeingWorkedOn:
            return WaitingText::tr(
                       "A consumer works on it; without an answer it is given out again at %1.")
                .arg(next_);
        case Why::HeldOutsideMailbox:
            return isKnownTime(reason_.next)
                       ? WaitingText::tr("Held until somebody releases it; it is due at %1 then.")
                             .arg(next_)
                       : WaitingText::tr("Held until somebody releases it.");
        case Why::NotDue:
            return WaitingText::tr("Its time has not come: it is due at %1.").arg(next_);
        case Why::Retrying: return retrying();
        case Why::TopicPaused: return paused();
        case Why::TopicFull:
            return WaitingText::tr("Topic “%1” delivers at most %2 at a time, and as many are on "
                                   "their way. Its turn comes when one of them ends.")
                .arg(topic_, number(reason_.count));
        case Why::TopicPaced:
            return WaitingText::tr("Due since %1; topic “%2” gives out no more than %3.")
                .arg(since_, topic_, textOf(formatRate(reason_.rate)));
        case Why::NobodyDelivers:
            return WaitingText::tr("No running daemon delivers on channel %1. Start restanted, or "
                                   "switch the channel on in its configuration.")
                .arg(Theme::channelName(reason_.channel));
        case Why::AwaitsConsumer:
            return WaitingText::tr("Due since %1; no consumer of topic “%2” has taken it yet.")
                .arg(since_, topic_);
        case Why::InTurn:
            return WaitingText::tr("Due since %1; it is delivered in its turn.").arg(since_);
        case Why::NoDevice:
            return isKnownTime(reason_.since)
                       ? WaitingText::tr("%1 has had no device registered since %2.")
                             .arg(recipient_, since_)
                       : WaitingText::tr("%1 has no device registered.").arg(recipient_);
        case Why::InTurnOfMailbox:
            return WaitingText::tr("It waits in the mailbox of %1 for its turn.").arg(recipient_);
        case Why::DeviceFailed:
            return WaitingText::tr("%1 is registered, but could not be reached: %2.")
                .arg(recipient_, error_);
        case Why::AwaitsRecipient:
            return error_.isEmpty()
                       ? WaitingText::tr("It waits in the mailbox of %1.").arg(recipient_)
                       : WaitingText::tr("It waits in the mailbox of %1, who could not be "
                                         "reached: %2.")
                             .arg(recipient_, error_);
        }
        return {};
    }

    /// What comes next for a message that waits for its recipient.
    QString next() const
    {
        const bool known = isKnownTime(reason_.next);
        switch (reason_.why) {
        case Why::NoDevice:
        case Why::AwaitsRecipient:
            if (!known) {
                return WaitingText::tr("It is delivered as soon as a device registers.");
            }
            return reason_.next <= now_
                       ? WaitingText::tr("It is tried now.")
                       : WaitingText::tr("It is delivered as soon as a device registers, and "
                                         "tried again at %1.")
                             .arg(next_);
        case Why::InTurnOfMailbox:
            return known ? WaitingText::tr("It is tried at %1 at the latest.").arg(next_)
                         : QString();
        case Why::DeviceFailed:
            return known ? WaitingText::tr("It is tried again at %1.").arg(next_) : QString();
        default: return {};
        }
    }

    QString expiry() const
    {
        if (!reason_.expires) {
            return {};
        }
        const auto remaining = *reason_.expires - now_;
        return remaining > Millis{0} ? WaitingText::tr("It expires in %1.")
                                           .arg(TimeText::duration(inWholeMinutes(remaining)))
                                     : WaitingText::tr("Its time is over: it expires now.");
    }

private:
    static QString number(std::uint32_t count) { return QLocale().toString(count); }

    /// The recipient without "sip:".
    static QString withoutScheme(const std::string& recipient)
    {
        auto name = textOf(recipient);
        return name.startsWith(QLatin1String("sip:")) ? name.mid(4) : name;
    }

    /// Rounds down to minutes; less than a minute stays in seconds.
    static Millis inWholeMinutes(Millis remaining)
    {
        constexpr Millis kMinute{60'000};
        return remaining < kMinute ? std::max(remaining, Millis{1'000})
                                   : remaining - remaining % kMinute;
    }

    QString dead() const
    {
        if (reason_.attempts == 0) {
            return error_.isEmpty() ? WaitingText::tr("Given up at %1.").arg(since_)
                                    : WaitingText::tr("Given up at %1: %2.").arg(since_, error_);
        }
        const int count = static_cast<int>(reason_.attempts);
        return error_.isEmpty()
                   ? WaitingText::tr("Given up at %1 after %Ln attempt(s).", "", count).arg(since_)
                   : WaitingText::tr("Given up at %1 after %Ln attempt(s): %2.", "", count)
                         .arg(since_, error_);
    }

    QString retrying() const
    {
        const auto attempt = number(reason_.attempts);
        if (reason_.attemptsAllowed == 0) {
            return error_.isEmpty()
                       ? WaitingText::tr("Attempt %1 failed. It is tried again at %2.")
                             .arg(attempt, next_)
                       : WaitingText::tr("Attempt %1 failed: %2. It is tried again at %3.")
                             .arg(attempt, error_, next_);
        }
        const auto allowed = number(reason_.attemptsAllowed);
        return error_.isEmpty()
                   ? WaitingText::tr("Attempt %1 of %2 failed. It is tried again at %3.")
                         .arg(attempt, allowed, next_)
                   : WaitingText::tr("Attempt %1 of %2 failed: %3. It is tried again at %4.")
                         .arg(attempt, allowed, error_, next_);
    }

    QString paused() const
    {
        const auto actor = textOf(reason_.actor);
        const auto reason = textOf(reason_.reason);
        if (actor.isEmpty()) {
            return WaitingText::tr("Topic “%1” has been paused since %2; nothing of it is given "
                                   "out until somebody resumes it.")
                .arg(topic_, since_);
        }
        return reason.isEmpty()
                   ? WaitingText::tr("%1 paused topic “%2” at %3; nothing of it is given out until "
                                     "somebody resumes it.")
                         .arg(actor, topic_, since_)
                   : WaitingText::tr("%1 paused topic “%2” at %3 (%4); nothing of it is given out "
                                     "until somebody resumes it.")
                         .arg(actor, topic_, since_, reason);
    }

    const WaitingReason& reason_;
    TimePoint now_;
    TimeText times_;
    QString since_;
    QString next_;
    QString error_;
    QString recipient_;
    QString topic_;
};

}  // namespace

QString waitingText(const WaitingReason& reason, TimePoint now, const Preferences& preferences)
{
    const Sentences sentences(reason, now, preferences);
    QStringList texts{sentences.why(), sentences.next(), sentences.expiry()};
    texts.removeAll(QString());
    return texts.join(u' ');
}

bool wantsAttention(const WaitingReason& reason) noexcept
{
    return reason.why == Why::TopicPaused || reason.why == Why::NobodyDelivers ||
           reason.why == Why::Dead;
}

}  // namespace restante::gui
