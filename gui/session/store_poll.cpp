#include "gui/session/store_poll.h"

#include "gui/session/store_session.h"

namespace restante::gui {

StorePoll::StorePoll(int intervalMs, QObject* parent) : QObject(parent)
{
    timer_.setInterval(intervalMs);
    connect(&timer_, &QTimer::timeout, this, &StorePoll::tick);
}

void StorePoll::open(StoreSession* session)
{
    if (backend_ != nullptr) {
        cancelPending();
        backend_->disconnect(this);
    }
    pendingRequest_ = 0;
    timer_.stop();
    backend_ = session == nullptr ? nullptr : &session->backend();
    if (backend_ != nullptr) {
        connect(backend_, &Backend::linkChanged, this, [this] {
            if (!isReady()) {
                discardData();
            } else if (!isKnown()) {
                refresh();
            }
        });
        timer_.start();
    }
    discardData();
    refresh();
}

bool StorePoll::isReady() const
{
    return backend_ != nullptr && backend_->link().phase == LinkState::Phase::Ready;
}

void StorePoll::cancelPending()
{
    if (pendingRequest_ != 0 && backend_ != nullptr) {
        backend_->source().cancel(pendingRequest_);
    }
    pendingRequest_ = 0;
}

void StorePoll::discardData()
{
    cancelPending();
    if (isKnown()) {
        clear();
        emit changed();
    }
}

void StorePoll::refresh()
{
    if (isReady() && pendingRequest_ == 0) {
        sendRequest();
    }
}

}  // namespace restante::gui
