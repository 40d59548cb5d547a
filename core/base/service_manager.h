#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"

#include <string>
#include <string_view>

namespace restante {

/// Reports the state of a service of `Type=notify` to systemd (sd_notify(3)), and that its loop
/// still turns (`WatchdogSec=`). Does nothing where nobody listens, as when it is started by hand.
/// Borrows the loop. *One loop.*
class ServiceManager {
public:
    /// Takes $NOTIFY_SOCKET, $WATCHDOG_USEC and $WATCHDOG_PID out of the environment, so that no
    /// child process can use them.
    explicit ServiceManager(EventLoop& loop);

    /// Reports that the service is ready; from now on the loop feeds the watchdog twice in its
    /// interval.
    void notifyReady(std::string_view status);
    void notifyStopping() { send("STOPPING=1"); }

private:
    void feedWatchdog();
    void send(const std::string& message) const noexcept;

    std::string socket_;      ///< empty = nobody listens
    Millis feedInterval_{0};  ///< half of the watchdog's; 0 = there is no watchdog
    Timer feedTimer_;
};

}  // namespace restante
