#include "gui/session/daemon_watch.h"

#include "gui/session/store_session.h"

#include <utility>

namespace restante::gui {

namespace {

/// Less than the time between two heartbeats.
constexpr int kDaemonIntervalMs = 3'000;

}  // namespace

DaemonWatch::DaemonWatch(QObject* parent) : StorePoll(kDaemonIntervalMs, parent) {}

void DaemonWatch::sendRequest()
{
    pendingRequest_ =
        backend_->source().daemons({this, [this](Result<std::vector<DaemonView>> answer) {
                                        if (acceptAnswer(answer)) {
                                            known_ = true;
                                            daemons_ = std::move(*answer);
                                            emit changed();
                                        }
                                    }});
}

void DaemonWatch::clear()
{
    known_ = false;
    daemons_.clear();
}

}  // namespace restante::gui
