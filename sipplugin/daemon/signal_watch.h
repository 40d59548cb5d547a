#pragma once

#include "core/base/event_loop.h"

#include <initializer_list>
#include <vector>

namespace restante::daemon {

/// Brings signals to a loop as ordinary calls. One at a time in a process. Handlers, not a blocked
/// mask: a mask would be inherited by the redis-server that we start. *One loop.*
class SignalWatch {
public:
    SignalWatch(EventLoop& loop,
                std::initializer_list<int> signals,
                std::function<void(int)> handler);
    /// Gives the signals their default action back.
    ~SignalWatch();

private:
    std::vector<int> signals_;
    Watch watch_;
};

}  // namespace restante::daemon
