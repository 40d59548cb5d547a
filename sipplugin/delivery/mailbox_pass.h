#pragma once

#include "core/base/clock.h"

#include <functional>
#include <optional>

namespace restante::sip {

/// One effort to empty a mailbox. *One loop.*
class MailboxPass {
public:
    /// What becomes of the mailbox of a recipient without any device.
    enum class Absence {
        PutsOff,      ///< its next attempt moves on
        LeavesAlone,  ///< it has a next attempt already
    };
    /// How a pass ended. *Value.*
    struct Outcome {
        std::optional<TimePoint> putOffUntil;  ///< the recipient cannot be reached until then
    };

    MailboxPass() = default;
    MailboxPass(const MailboxPass&) = delete;
    MailboxPass& operator=(const MailboxPass&) = delete;
    virtual ~MailboxPass() = default;

    /// `claimed` is called once the mailbox has been asked for the first time, `ended` when the
    /// pass is over, each once.
    virtual void
    start(Absence absence, std::function<void()> claimed, std::function<void(Outcome)> ended) = 0;
    /// Sends nothing more; ends when what is under way is answered and the rest given back.
    virtual void stop() = 0;
    /// A message or a device has come. True when this pass takes care of it; false when another
    /// pass must follow.
    virtual bool takes(Absence absence) = 0;
};

}  // namespace restante::sip
