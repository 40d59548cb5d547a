#pragma once

#include "core/base/result.h"

#include <string>

namespace restante::phone {

/// The address literal of ours that packets to `host` leave from. Unavailable when there is no way.
/// May ask the name service, and blocks while it does.
Result<std::string> localAddressTowards(const std::string& host);

}  // namespace restante::phone
