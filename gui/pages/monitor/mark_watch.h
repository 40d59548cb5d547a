#pragma once

#include "gui/pages/monitor/chart.h"
#include "gui/pages/monitor/monitor_series.h"
#include "gui/session/job_source.h"

#include <QElapsedTimer>
#include <QObject>

#include <vector>

namespace restante::gui {

class StoreSession;

/// What people did to the store in the time that the charts show, as the audit has it: pauses,
/// limits, what was deleted for good, and orders for many jobs. *Thread of the window.*
class MarkWatch : public QObject {
    Q_OBJECT

public:
    explicit MarkWatch(QObject* parent);

    void open(StoreSession* session);
    /// Asks for the marks of that time, unless it is known well enough.
    void show(const TimeSpan& span);
    /// Nothing is asked for until the next show().
    void clear();
    /// One for each order, in the order of time.
    const std::vector<std::vector<AuditRow>>& orders() const noexcept { return orders_; }

signals:
    void changed();

private:
    void take(const AuditBatch& batch);

    StoreSession* session_ = nullptr;
    RequestId asked_ = 0;
    TimeSpan known_;
    QElapsedTimer since_;
    std::vector<std::vector<AuditRow>> orders_;
};

}  // namespace restante::gui
