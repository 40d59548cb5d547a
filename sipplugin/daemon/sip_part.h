#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/config/config.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/redis_url.h"
#include "sipplugin/plugin.h"

#include <memory>
#include <string>

namespace restante::daemon {

/// The users of `sip.auth`, from a file or a database; null when there are none.
Result<std::unique_ptr<sip::DigestBackend>> openDigestBackend(EventLoop& loop,
                                                              const Clock& clock,
                                                              redis::Connection& connection,
                                                              const Config& config);

/// One of the further plugins of `sip.threads`, on a thread, a loop and Redis connections of its
/// own. *One loop* (the caller's), blocked only at start and end.
class SipPart {
public:
    /// Which of the plugins of this process it is.
    struct Membership {
        sip::PluginGroup& group;
        std::size_t number = 1;
        bool soleOwner = false;    ///< Plugin::Settings::soleOwner
        std::string storeId = {};  ///< Plugin::Settings::storeId
    };
    /// Serves when it returns, where the plugin 0 does; or says what is wrong.
    static Result<std::unique_ptr<SipPart>>
    start(const redis::RedisUrl& url, const Config& config, Membership membership);
    /// Ends it now; what is in flight is delivered again after its ttr.
    virtual ~SipPart() = default;

    /// Reads again what a SIGHUP can change, once the first plugin and its logins have done so. It
    /// happens soon, on the part's own thread; if it fails, that is logged and nothing changes.
    virtual void reload(const Config& config) = 0;
    /// As Plugin::drain(). `done` is called once, on the part's own thread.
    virtual void drain(Millis timeout, std::function<void()> done) = 0;
};

}  // namespace restante::daemon
