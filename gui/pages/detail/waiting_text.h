#pragma once

#include "core/queue/waiting_reason.h"

#include <QString>

namespace restante::gui {

class Preferences;

/// Answers "Why is it waiting?" in translated sentences: the reason, what comes next, and the
/// expiry.
QString waitingText(const WaitingReason& reason, TimePoint now, const Preferences& preferences);

/// Whether somebody has to act before the job can go on: it is dead, its topic is paused, or no
/// daemon delivers.
bool wantsAttention(const WaitingReason& reason) noexcept;

}  // namespace restante::gui
