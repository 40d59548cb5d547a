#pragma once

#include "core/base/clock.h"

#include <QByteArray>
#include <QElapsedTimer>
#include <QLabel>
#include <QObject>
#include <QTimer>

namespace restante::gui {

/// Emits changed() when this machine's clock or time zone is set, so that what was written with
/// the old ones is written anew. *Thread of the window.*
class ClockWatch : public QObject {
    Q_OBJECT

public:
    explicit ClockWatch(QObject* parent = nullptr);

    /// Checks at once; it does so by itself every few seconds.
    void check();
    /// Pretends that the last check has read this time, ms since epoch (tests).
    void setLastClock(qint64 clockMs) { lastClockMs_ = clockMs; }

signals:
    void changed();

private:
    QByteArray zone_;
    qint64 lastClockMs_ = 0;
    QElapsedTimer sinceLastCheck_;
    QTimer checkTimer_;
};

/// Says by how much the clocks of the store and of this machine differ, when that is enough to
/// mislead somebody; else it is hidden. *Thread of the window.*
class SkewLabel : public QLabel {
    Q_OBJECT

public:
    /// Less is what a network takes, and what clocks do that nobody has disciplined.
    static constexpr Millis kMinShownSkew{5'000};

    explicit SkewLabel(QWidget* parent = nullptr);

    /// `skew`: how far the store's clock is ahead of this machine's.
    void setSkew(Millis skew);
};

}  // namespace restante::gui
