#pragma once

#include <QByteArray>
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace restante::gui {

/// Notices when somebody sets this machine's clock or its time zone, so that what was written with
/// the old ones is written anew. *Thread of the window.*
class ClockWatch : public QObject {
    Q_OBJECT

public:
    explicit ClockWatch(QObject* parent = nullptr);

    /// Looks at once; it does so by itself every few seconds.
    void check();
    /// As if the clock had shown that when it was last looked at, ms since epoch: for tests.
    void setLast(qint64 clockMs) { lastClock_ = clockMs; }

signals:
    void changed();

private:
    QByteArray zone_;
    qint64 lastClock_ = 0;
    QElapsedTimer sinceLast_;
    QTimer pace_;
};

}  // namespace restante::gui
