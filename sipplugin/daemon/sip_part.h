#pragma once

#include "core/config/config.h"
#include "sipplugin/sip_settings.h"

namespace restante::daemon {

/// The `sip.*` keys as the plugin wants them.
sip::SipSettings sipSettingsOf(const Config& config);

}  // namespace restante::daemon
