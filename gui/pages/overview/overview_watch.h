#pragma once

#include "gui/pages/overview/day_moves.h"
#include "gui/session/job_source.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace restante::gui {

class StoreSession;

/// Requests the data of the overview, each kind once at a time, and the expensive ones less often.
/// *Thread of the window.*
class OverviewWatch : public QObject {
    Q_OBJECT

public:
    explicit OverviewWatch(QObject* parent);

    void open(StoreSession* session);
    /// `midnight` is the begin of the day in the zone of the user.
    void refresh(TimePoint midnight);
    /// The next refresh() requests everything, but for the past where that is known: the counters
    /// of the store cover the time since.
    void endPauses();
    /// Of the store's own data: the requests for the past and of requestOldest() do not count.
    bool hasPendingRequest() const;
    /// Whether every request was answered; the one for the past may also have failed.
    bool isComplete() const;

    const std::optional<Sample>& sample() const noexcept { return sample_; }
    const std::optional<std::vector<TopicView>>& topics() const noexcept { return topics_; }
    const std::optional<TopicActivity>& activity() const noexcept { return activity_; }
    const std::optional<DeadReasons>& reasons() const noexcept { return reasons_; }
    /// The fullest ones.
    const std::optional<MailboxPage>& mailboxes() const noexcept { return mailboxes_; }
    const DayMoves& moves() const noexcept { return moves_; }
    /// The backlog of the last 24 hours, as the daemon recorded it.
    const std::vector<PastBacklog>& backlog() const noexcept { return backlog_; }
    /// Why the journal has no counts; empty = it has, or has not answered yet.
    const QString& pastProblem() const noexcept { return pastProblem_; }
    /// The lateness of the oldest ready job of each topic of requestOldest().
    const std::map<std::string, Millis>& oldest() const noexcept { return oldest_; }
    void requestOldest(const std::vector<std::string>& topics);
    TimePoint now() const;

signals:
    void changed();
    void failed(const restante::Error& error);

private:
    /// A reply that clears `requestId` and stores the answer in `target`.
    template <class T>
    Reply<T> storeIn(RequestId& requestId, std::optional<T>& target);
    void requestMailboxes();
    void requestPast(TimePoint midnight);
    void handlePast(Result<Past> past);
    void cancelRequest(RequestId& requestId);
    void cancelRequests();

    StoreSession* session_ = nullptr;
    std::optional<Sample> sample_;
    std::optional<std::vector<TopicView>> topics_;
    std::optional<TopicActivity> activity_;
    std::optional<DeadReasons> reasons_;
    std::optional<MailboxPage> mailboxes_;
    DayMoves moves_;
    std::vector<PastBacklog> backlog_;
    QString pastProblem_;
    bool pastKnown_ = false;
    std::map<std::string, Millis> oldest_;
    QElapsedTimer sincePastRequest_;
    qint64 pastDurationMs_ = 0;  ///< of the last request
    QElapsedTimer sinceReasonsRequest_;
    QElapsedTimer sinceMailboxesRequest_;
    qint64 mailboxesDurationMs_ = 0;  ///< of the last request
    RequestId sampleRequest_ = 0;     ///< 0 = none is pending, as of the others
    RequestId topicsRequest_ = 0;
    RequestId activityRequest_ = 0;
    RequestId reasonsRequest_ = 0;
    RequestId mailboxesRequest_ = 0;
    RequestId pastRequest_ = 0;
    std::vector<RequestId> oldestRequests_;
};

}  // namespace restante::gui
