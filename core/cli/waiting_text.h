#pragma once

#include "core/queue/waiting_reason.h"

#include <string>

namespace restante::cli {

/// Why a job is where it is and what comes next, in English sentences.
std::string waitingText(const WaitingReason& reason, TimePoint now);

}  // namespace restante::cli
