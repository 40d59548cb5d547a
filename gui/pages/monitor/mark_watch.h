#pragma once

#include "gui/pages/monitor/chart.h"
#include "gui/pages/monitor/monitor_series.h"
#include "gui/session/job_source.h"

#include <QElapsedTimer>
#include <QObject>

#include <vector>

namespace restante::gui {

class StoreSession;

/// What people did to the store in the time that the charts show, as the audit has it: pauses
/// and their ends, limits, what was deleted for good, and actions on many jobs. *Thread of the
/// window.*
class MarkWatch : public QObject {
    Q_OBJECT

public:
    explicit MarkWatch(QObject* parent);

    void open(StoreSession* session);
    /// Requests the marks of that span, unless they are known and recent.
    void requestMarks(const TimeSpan& span);
    /// Drops the marks; requestMarks() requests them again.
    void clear();
    /// The rows of each action, newest first; that which began first comes first.
    const std::vector<std::vector<AuditRow>>& actions() const noexcept { return actions_; }
    /// Whether the first of actions() may have had more rows; others before it are missing then.
    bool isOldestPartial() const noexcept { return isOldestPartial_; }

signals:
    void changed();

private:
    void requestPage(AuditRequest request);
    /// Groups the rows that have come; `hasMore`: there are older ones.
    void groupRows(bool hasMore);

    StoreSession* session_ = nullptr;
    RequestId auditRequest_ = 0;
    TimeSpan knownSpan_;
    bool isKnownToNow_ = false;  ///< until the time of the request; else knownSpan_ ends earlier
    std::size_t pagesLeft_ = 0;  ///< that a request may still ask for
    QElapsedTimer sinceRequest_;
    std::vector<AuditRow> rows_;  ///< of the pages that have come of a request; newest first
    std::vector<std::vector<AuditRow>> actions_;
    bool isOldestPartial_ = false;
};

}  // namespace restante::gui
