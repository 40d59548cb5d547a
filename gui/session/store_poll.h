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
    StorePoll(int paceMs, QObject* parent);

    /// Whether there is current data.
    virtual bool isKnown() const = 0;
    virtual void clear() = 0;
    /// Puts the first question; what is asked goes into asked_.
    virtual void ask() = 0;
    /// Called by the poll timer.
    virtual void tick() { refresh(); }

    /// Calls ask(), unless a request is pending or the connection is not ready.
    void refresh();
    bool isReady() const;
    /// Call it with each answer: true if it succeeded, else drops all data.
    template <class T>
    bool isAnswered(const Result<T>& answer)
    {
        asked_ = 0;
        if (!answer || !isReady()) {
            forget();
            return false;
        }
        return true;
    }

    QPointer<Backend> backend_;
    RequestId asked_ = 0;  ///< 0 = nothing is on its way

private:
    void drop();
    void forget();

    QTimer pace_;
};

}  // namespace restante::gui
