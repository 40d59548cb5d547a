#pragma once

#include "core/job/job.h"
#include "core/queue/job_history.h"
#include "gui/session/job_source.h"
#include "gui/session/reply.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace restante::gui {

class Backend;
class JobCommands;
class StoreSession;

/// Keeps the data about one job up to date: loads it again when the job has changed, when somebody
/// wrote, and when a lost connection is back; drops answers about a job that is no longer followed.
/// *Thread of the window.*
class JobWatch : public QObject {
    Q_OBJECT

public:
    enum class Phase {
        NoJob,  ///< no job is followed
        Loading,
        Loaded,
        Gone,    ///< the store does not have it; view() is how it was last seen, if it was
        Failed,  ///< the store could not be read; view() is how it was last seen, if it was
    };

    using QObject::QObject;

    /// Null = there is no store.
    void open(StoreSession* session);
    /// Empty = no job.
    void follow(const std::string& id);
    void refresh();
    /// Whether to load the history, which costs a query of the journal. It is loaded regardless
    /// when the job is gone.
    void setHistoryWanted(bool wanted);

    const std::string& id() const noexcept { return id_; }
    Phase phase() const noexcept { return phase_; }
    const std::optional<JobView>& view() const noexcept { return view_; }
    /// Why the job of view() waits and when it is tried; nullopt = not known (yet).
    const std::optional<JobOutlook>& outlook() const noexcept { return outlook_; }
    /// The error message in phase Failed.
    const QString& problem() const noexcept { return problem_; }
    /// nullopt = not known (yet).
    const std::optional<std::vector<HistoryRow>>& history() const noexcept { return history_; }
    /// Why the history could not be read, or read again; empty = it could.
    const QString& historyProblem() const noexcept { return historyProblem_; }
    /// Null without a store, or after it was closed.
    JobSource* source() const noexcept { return source_; }
    /// Why nothing can be written, as a sentence; empty = it can.
    QString refusal() const;
    /// The store's time, or the machine's without a store.
    TimePoint now() const { return source_ != nullptr ? source_->now() : SystemClock().now(); }

signals:
    /// phase(), view(), outlook(), problem() or refusal() has changed.
    void changed();
    void historyChanged();

private:
    void requestHistory();
    void requestOutlook();
    void handleJob(Result<JobView> answer);
    void handleHistory(Result<std::vector<HistoryRow>> answer);
    void handleOutlook(Result<JobOutlook> answer);
    void dropOutlook();
    void handleLinkChange();
    bool isReady() const;
    void cancel();
    bool needsHistory() const { return historyWanted_ || phase_ == Phase::Gone; }

    QPointer<JobSource> source_;
    QPointer<JobCommands> commands_;
    QPointer<Backend> backend_;
    QString refusal_;
    bool wasReady_ = false;  ///< the connection, when it was last heard of
    std::string id_;
    Phase phase_ = Phase::NoJob;
    std::optional<JobView> view_;
    std::optional<JobOutlook> outlook_;
    QString problem_;
    std::optional<std::vector<HistoryRow>> history_;
    QString historyProblem_;
    bool historyWanted_ = false;
    bool refreshPending_ = false;  ///< the job changed during the pending request
    bool historyDue_ = false;      ///< likewise, of the history
    bool outlookDue_ = false;
    RequestId jobRequest_ = 0;  ///< 0 = none is pending
    RequestId historyRequest_ = 0;
    RequestId outlookRequest_ = 0;
};

}  // namespace restante::gui
