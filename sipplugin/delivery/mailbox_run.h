#pragma once

#include "core/base/clock.h"

#include <functional>
#include <optional>

namespace restante::sip {

/// One effort to empty a mailbox. *One loop.*
class MailboxRun {
public:
    /// What becomes of the mailbox of a recipient without any device.
    enum class NoDevice {
        Postpone,    ///< its next attempt moves on
        LeaveAlone,  ///< it has a next attempt already
    };
    /// How a run ended. *Value.*
    struct Outcome {
        std::optional<TimePoint> postponedUntil;  ///< the recipient cannot be reached until then
    };

    virtual ~MailboxRun() = default;

    /// `claimed` is called once the mailbox has been asked for the first time, `ended` when the
    /// run is over, each once.
    virtual void
    start(NoDevice noDevice, std::function<void()> claimed, std::function<void(Outcome)> ended) = 0;
    /// Sends nothing more; ends when what is under way is answered and the rest given back.
    virtual void stop() = 0;
    /// A message or a device has come. True when this run takes care of it; false when another
    /// run must follow.
    virtual bool covers(NoDevice noDevice) = 0;
};

}  // namespace restante::sip
