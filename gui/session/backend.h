#pragma once

#include "gui/session/job_source.h"
#include "gui/session/job_writer.h"

#include <QObject>
#include <QString>

namespace restante::gui {

/// The state of a connection. *Value.*
struct LinkState {
    enum class Phase {
        Connecting,
        Ready,
        Lost,    ///< was ready, or Redis is still loading; reconnects by itself
        Failed,  ///< does not reconnect by itself: the user changes something, or tries again
        Closed,
    };
    Phase phase = Phase::Connecting;
    QString step;       ///< of Connecting: "Logging in ..."
    QString problem;    ///< of Lost and Failed: a sentence that says what to do
    int retryInMs = 0;  ///< of Lost
    QString server;     ///< "redis 7.0.15 master"
    int latencyMs = -1;
    bool writable = true;  ///< false: see whyNotWritable
    QString whyNotWritable;
    QString journalProblem;  ///< why there is no history; empty = there is
    Millis skew{0};  ///< how far the store's clock is ahead of this machine's, whole seconds
    /// Why the store, a shard of it, or the cold jobs cannot be shown; empty = all is served.
    QString whyNotServed;

    friend bool operator==(const LinkState&, const LinkState&) = default;
};

/// One open connection: reads, writes and link state. *Thread of the window.* Destruction ends its
/// thread within a bounded time and drops pending replies.
class Backend : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    virtual JobSource& source() = 0;
    virtual JobWriter& writer() = 0;
    virtual const LinkState& link() const = 0;
    /// Tries again at once instead of waiting.
    virtual void reconnect() = 0;

signals:
    void linkChanged();
};

}  // namespace restante::gui
