#pragma once

#include "core/base/result.h"
#include "sipplugin/settings/sip_settings.h"

namespace restante::sip {

/// The login with the password that the first line of its file holds; the same when it names no
/// file. Refuses a file that everybody can read; no error shows the password.
Result<ProxyCredentials> withPassword(ProxyCredentials login);

}  // namespace restante::sip
