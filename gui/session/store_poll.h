#pragma once

#include "gui/session/job_source.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

namespace restante::gui {

class Backend;
class StoreSession;

/// Polls a store every few seconds while the connection is ready, one request at a time, for
/// the parts of the window outside the pages. *Thread of the window.*
class StorePoll : public QObject {
    Q_OBJECT

public:
    /// Null: there is no store. It is borrowed until the next call.
    void open(StoreSession* session);

signals:
    /// New data, no data any more, or the same data at a later time.
    void changed();

protected:
    StorePoll(int intervalMs, QObject* parent);

    /// Whether there is current data.
    virtual bool isKnown() const = 0;
    virtual void clear() = 0;
    /// Sends the first request and stores its id in pendingRequest_.
    virtual void sendRequest() = 0;
    /// Called by the poll timer.
    virtual void tick() { refresh(); }

    /// Calls sendRequest(), unless a request is pending or the connection is not ready.
    void refresh();
    bool isReady() const;
    /// Call it with each answer: true if it succeeded, else drops all data.
    template <class T>
    bool acceptAnswer(const Result<T>& answer)
    {
        pendingRequest_ = 0;
        if (!answer || !isReady()) {
            discardData();
            return false;
        }
        return true;
    }

    QPointer<Backend> backend_;
    RequestId pendingRequest_ = 0;  ///< 0 = no request is pending

private:
    void cancelPending();
    void discardData();

    QTimer timer_;
};

}  // namespace restante::gui
