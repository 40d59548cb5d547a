#pragma once

#include "core/queue/waiting_reason.h"

#include <QString>

namespace restante::gui {

class Preferences;

/// "Why is it waiting?": why a job is where it is and what comes next, in whole sentences of the
/// window's language.
QString waitingText(const WaitingReason& reason, TimePoint now, const Preferences& preferences);

/// Whether somebody has to do something before it can go on: a pause, a daemon that is missing.
bool wantsAttention(const WaitingReason& reason) noexcept;

}  // namespace restante::gui
