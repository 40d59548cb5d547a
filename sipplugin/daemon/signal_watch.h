#pragma once

#include "core/base/event_loop.h"

#include <initializer_list>
#include <vector>

namespace restante::daemon {

/// Delivers signals on a loop as ordinary calls. At most one object per process. Uses signal
/// handlers, because the redis-server that we start would inherit a blocked mask. *One loop.*
class SignalWatch {
public:
    SignalWatch(EventLoop& loop,
                std::initializer_list<int> signals,
                std::function<void(int)> handler);
    /// Restores the default action of the signals.
    ~SignalWatch();

private:
    std::vector<int> signals_;
    Watch watch_;
};

}  // namespace restante::daemon
