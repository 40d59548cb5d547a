#pragma once

#include "core/base/clock.h"

#include <string>

namespace restante::sip {

/// The wait before the attempt that needs no registration: the first interval of `sip.retry` that
/// is not "at once", which the arrival of the message itself has been. *Pure function.*
Millis firstFallBack(const std::string& schedule);

/// Whether a message is tried when it arrives: `sip.retry` begins with "0s". *Pure function.*
bool beginsAtOnce(const std::string& schedule);

}  // namespace restante::sip
