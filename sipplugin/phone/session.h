#pragma once

#include "sipplugin/phone/phone_options.h"

namespace restante::phone {

/// Plays what the options ask for, until it is done, the time is up or a signal ends it; the exit
/// code.
int play(const PhoneOptions& options);

}  // namespace restante::phone
