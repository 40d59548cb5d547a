#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"

#include <string>
#include <string_view>

namespace restante {

/// Tells systemd how a service of `Type=notify` stands (sd_notify(3)), and that its loop still
/// turns
/// (`WatchdogSec=`). Does nothing where nobody listens, as when it is started by hand. Borrows the
/// loop. *One loop.*
class ServiceManager {
public:
    /// Takes $NOTIFY_SOCKET and $WATCHDOG_USEC out of the environment, so that no child speaks for
    /// us.
    explicit ServiceManager(EventLoop& loop);

    /// It serves; from now on the watchdog is fed from the loop, twice in its interval.
    void ready(std::string_view status);
    void stopping() { tell("STOPPING=1"); }

private:
    void beat();
    void tell(const std::string& message) const noexcept;

    std::string socket_;  ///< empty = nobody listens
    Millis every_{0};     ///< of the watchdog's feeding, 0 = there is none
    Timer watchdog_;
};

}  // namespace restante
