#include "gui/session/store_poll.h"

#include "gui/session/store_session.h"

namespace restante::gui {

StorePoll::StorePoll(int paceMs, QObject* parent) : QObject(parent)
{
    pace_.setInterval(paceMs);
    connect(&pace_, &QTimer::timeout, this, &StorePoll::tick);
}

void StorePoll::open(StoreSession* session)
{
    if (backend_ != nullptr) {
        drop();
        backend_->disconnect(this);
    }
    asked_ = 0;
    pace_.stop();
    backend_ = session == nullptr ? nullptr : &session->backend();
    if (backend_ != nullptr) {
        connect(backend_, &Backend::linkChanged, this, [this] {
            if (!isReady()) {
                forget();
            } else if (!isKnown()) {
                refresh();
            }
        });
        pace_.start();
    }
    forget();
    refresh();
}

bool StorePoll::isReady() const
{
    return backend_ != nullptr && backend_->link().phase == LinkState::Phase::Ready;
}

void StorePoll::drop()
{
    if (asked_ != 0 && backend_ != nullptr) {
        backend_->source().cancel(asked_);
    }
    asked_ = 0;
}

void StorePoll::forget()
{
    drop();
    if (isKnown()) {
        clear();
        emit changed();
    }
}

void StorePoll::refresh()
{
    if (isReady() && asked_ == 0) {
        ask();
    }
}

}  // namespace restante::gui
