#pragma once

#include "gui/session/job_source.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <vector>

namespace restante::gui {

class Backend;
class StoreSession;

/// Which daemons work on the store: asked every few seconds while the connection is ready. *Thread
/// of the window.*
class DaemonWatch : public QObject {
    Q_OBJECT

public:
    explicit DaemonWatch(QObject* parent = nullptr);

    /// Null: there is no store. It is borrowed until the next call.
    void open(StoreSession* session);

    /// Whether daemons() is of now: false before the first answer, and while the store is away.
    bool isKnown() const noexcept { return known_; }
    /// The living ones first.
    const std::vector<DaemonView>& daemons() const noexcept { return daemons_; }

signals:
    /// The daemons, or whether they are known; also when only the time has gone on.
    void changed();

private:
    bool isReady() const;
    void ask();
    void take(Result<std::vector<DaemonView>> answer);
    void forget();

    QPointer<Backend> backend_;
    QTimer pace_;
    Ticket asked_ = 0;  ///< 0 = nothing is on its way
    bool known_ = false;
    std::vector<DaemonView> daemons_;
};

}  // namespace restante::gui
