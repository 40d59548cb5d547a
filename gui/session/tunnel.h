#pragma once

#include "core/base/event_loop.h"
#include "gui/session/link_problem.h"
#include "gui/session/tunnel_plan.h"

#include <functional>
#include <memory>
#include <string>

namespace restante::gui {

/// OpenSSH's client as a child that forwards a socket of ours, in a directory that only we may
/// enter, through a jump host. It ends with this, and by the kernel should we die. *One loop*, of a
/// Qt thread.
class Tunnel {
public:
    struct Callbacks {
        /// Once: whoever connects to this socket is forwarded from now on.
        std::function<void(const std::string& socket)> open;
        /// Once, and nothing after it: it could not be opened, or is open no more.
        std::function<void(const LinkProblem&)> ended;
    };

    /// Begins at once; `callbacks` is called later, and may destroy this.
    Tunnel(EventLoop& loop, TunnelPlan plan, Callbacks callbacks);
    Tunnel(const Tunnel&) = delete;
    Tunnel& operator=(const Tunnel&) = delete;
    ~Tunnel();

    const TunnelPlan& plan() const noexcept;
    /// Why what was forwarded last did not get behind the jump host; none when ssh has not said so.
    LinkProblem behind();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::gui
