#pragma once

#include "gui/session/job_source.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

namespace restante::gui {

class Backend;
class StoreSession;

/// Asks a store for something every few seconds while the connection is ready, one question at a
/// time, for whoever is beside the pages. *Thread of the window.*
class StorePoll : public QObject {
    Q_OBJECT

public:
    /// Null: there is no store. It is borrowed until the next call.
    void open(StoreSession* session);

signals:
    /// What is known, or whether anything is; also when only the time has gone on.
    void changed();

protected:
    StorePoll(int paceMs, QObject* parent);

    /// Whether the last answer is of now.
    virtual bool isKnown() const = 0;
    virtual void clear() = 0;
    /// Puts the first question; what is asked goes into asked_.
    virtual void ask() = 0;
    /// The time has come to ask again.
    virtual void tick() { refresh(); }

    /// Asks, unless something is on its way or the connection is not ready.
    void refresh();
    bool isReady() const;
    /// Whether a question has been answered; all is forgotten when it has not.
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
