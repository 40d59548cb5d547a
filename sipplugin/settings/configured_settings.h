#pragma once

#include "core/config/config.h"
#include "sipplugin/settings/sip_settings.h"

namespace restante::sip {

/// The `sip.*` keys, and what else of the configuration concerns SIP, as the plugin wants them.
SipSettings settingsOf(const Config& config);

}  // namespace restante::sip
