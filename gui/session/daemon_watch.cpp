#include "gui/session/daemon_watch.h"

#include "gui/session/store_session.h"

#include <utility>

namespace restante::gui {

namespace {

/// Less than the time between two heartbeats.
constexpr int kPaceMs = 3'000;

}  // namespace

DaemonWatch::DaemonWatch(QObject* parent) : QObject(parent)
{
    pace_.setInterval(kPaceMs);
    connect(&pace_, &QTimer::timeout, this, &DaemonWatch::ask);
}

void DaemonWatch::open(StoreSession* session)
{
    if (backend_ != nullptr) {
        if (asked_ != 0) {
            backend_->source().cancel(asked_);
        }
        backend_->disconnect(this);
    }
    asked_ = 0;
    pace_.stop();
    backend_ = session == nullptr ? nullptr : &session->backend();
    if (backend_ != nullptr) {
        connect(backend_, &Backend::linkChanged, this, [this] {
            if (isReady()) {
                if (!known_) {
                    ask();
                }
            } else if (known_) {
                forget();
            }
        });
        pace_.start();
    }
    forget();
    ask();
}

bool DaemonWatch::isReady() const
{
    return backend_ != nullptr && backend_->link().phase == LinkState::Phase::Ready;
}

void DaemonWatch::ask()
{
    if (isReady() && asked_ == 0) {
        asked_ = backend_->source().daemons(
            {this, [this](Result<std::vector<DaemonView>> answer) { take(std::move(answer)); }});
    }
}

void DaemonWatch::take(Result<std::vector<DaemonView>> answer)
{
    asked_ = 0;
    if (!answer || !isReady()) {
        return forget();
    }
    known_ = true;
    daemons_ = std::move(*answer);
    emit changed();
}

void DaemonWatch::forget()
{
    known_ = false;
    daemons_.clear();
    emit changed();
}

}  // namespace restante::gui
