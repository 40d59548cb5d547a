#pragma once

#include "core/base/event_loop.h"
#include "gui/session/link_problem.h"
#include "gui/session/tunnel_plan.h"

#include <QByteArray>
#include <QProcess>
#include <QTemporaryDir>

#include <functional>
#include <string>

namespace restante::gui {

/// OpenSSH's client as a child that forwards a socket of ours, in a directory that only we may
/// enter, through a jump host. It ends with this, and by the kernel should we die. *One loop*, of a
/// Qt thread.
class Tunnel {
public:
    struct Callbacks {
        /// Once: whoever connects to this socket is forwarded from now on.
        std::function<void(const std::string& socket)> opened;
        /// Once, and nothing after it: it could not be opened, or is open no more.
        std::function<void(const LinkProblem&)> ended;
    };

    /// Begins at once; `callbacks` is called later, and may destroy this.
    Tunnel(EventLoop& loop, TunnelPlan plan, Callbacks callbacks);
    ~Tunnel();

    const TunnelPlan& plan() const noexcept { return plan_; }
    /// Why what was forwarded last did not get to the target; none when ssh has not said so since
    /// the last call.
    LinkProblem takeTargetProblem();

private:
    void start();
    std::string socket() const;
    void readErrorOutput();
    void checkOpen();
    void handleExit();
    void reportEnd(LinkProblem problem);

    TunnelPlan plan_;
    Callbacks callbacks_;
    Timer logInTimeout_;
    Timer callbackTimer_;
    QTemporaryDir directory_;
    QByteArray errorOutput_;  ///< the last kMaxOutputBytes of it
    QByteArray standardOutput_;
    bool isOpen_ = false;
    QProcess process_;  ///< last, so that it is destroyed first
};

}  // namespace restante::gui
