#pragma once

#include "gui/pages/jobs/job_columns.h"
#include "gui/pages/jobs/jobs_feed.h"
#include "gui/pages/jobs/selected_jobs.h"
#include "gui/theme/time_text.h"

#include <QAbstractTableModel>
#include <QFont>
#include <QIcon>

#include <functional>
#include <map>

namespace restante::gui {

/// The jobs of a feed as a Qt model: it has all rows of the view, of which only those around the
/// screen are loaded; the others have LoadingRole. No role sends a request to the store.
/// *Thread of the window*; borrows feed, selection and preferences.
class JobsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Role { LoadingRole = Qt::UserRole, IdRole };

    JobsModel(JobsFeed& feed,
              const SelectedJobs& selected,
              const Preferences& preferences,
              QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    const JobsFeed& feed() const noexcept { return feed_; }
    /// Rows are being added or removed at the end: a change of the selection is not the user's.
    bool resizing() const noexcept { return resizing_; }
    /// The store's clock, for relative times such as "in 2 h".
    void setClock(std::function<TimePoint()> now) { now_ = std::move(now); }
    /// Stale rows, which may be out of date, are shown dimmed.
    void setStale(bool stale);
    bool isStale() const noexcept { return stale_; }
    /// Whether the rows come in the order of their next moment.
    void setOrdered(bool ordered) noexcept { ordered_ = ordered; }
    bool isOrdered() const noexcept { return ordered_; }
    /// Repaints rows whose times, check boxes or texts have changed.
    void repaint(RowRange rows);
    void retranslate();
    const TimeText& times() const noexcept { return times_; }

private:
    QVariant cellData(const JobRow& row, JobColumn column, int role) const;
    QVariant toolTip(const JobRow& row, JobColumn column) const;
    void repaintAll();

    JobsFeed& feed_;
    const SelectedJobs& selected_;
    TimeText times_;
    std::function<TimePoint()> now_;
    mutable std::map<JobState, QIcon> icons_;
    bool stale_ = false;
    bool ordered_ = true;
    bool resizing_ = false;
};

}  // namespace restante::gui
