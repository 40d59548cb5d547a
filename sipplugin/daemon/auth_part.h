#pragma once

#include "core/base/clock.h"
#include "core/config/config.h"
#include "core/redis/client/connection.h"
#include "sipplugin/auth/digest_backend.h"
#include "sipplugin/sofia/su_loop.h"

#include <memory>

namespace restante::daemon {

/// The users of `sip.auth`, from a file or a database; null when there are none. Borrows what it is
/// given. The error says what is wrong with them.
Result<std::unique_ptr<sip::DigestBackend>> openDigestBackend(sip::SuLoop& loop,
                                                              const Clock& clock,
                                                              redis::Connection& connection,
                                                              const Config& config);

}  // namespace restante::daemon
