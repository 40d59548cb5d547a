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

/// What the overview knows of a store: asks all of it when it is told to, each question once at a
/// time, and the expensive ones more rarely. *Thread of the window.*
class OverviewWatch : public QObject {
    Q_OBJECT

public:
    explicit OverviewWatch(QObject* parent);

    void open(StoreSession* session);
    /// `midnight`: when the day began for whoever looks.
    void refresh(TimePoint midnight);
    bool isAsking() const;
    /// Everything has been answered, or is known not to be.
    bool isComplete() const;

    const std::optional<Sample>& sample() const noexcept { return sample_; }
    const std::optional<std::vector<TopicView>>& topics() const noexcept { return topics_; }
    const std::optional<TopicActivity>& activity() const noexcept { return activity_; }
    const std::optional<DeadReasons>& reasons() const noexcept { return reasons_; }
    /// The fullest ones.
    const std::optional<MailboxPage>& mailboxes() const noexcept { return mailboxes_; }
    const DayMoves& moves() const noexcept { return moves_; }
    /// What waited in the last 24 hours, as the daemon noted it.
    const std::vector<PastBacklog>& backlog() const noexcept { return backlog_; }
    /// Why the journal does not tell what moved; empty = it does, or has not been asked.
    const QString& pastProblem() const noexcept { return pastProblem_; }
    /// How late the oldest ready job of a topic is, of those that were asked for.
    const std::map<std::string, Millis>& oldest() const noexcept { return oldest_; }
    void askOldest(const std::vector<std::string>& topics);
    TimePoint now() const;

signals:
    void changed();
    void failed(const restante::Error& error);

private:
    /// An answer that is kept: of which question, and where.
    template <class T>
    Reply<T> keep(RequestId& asked, std::optional<T>& where);
    void askMailboxes();
    void askPast(TimePoint midnight);
    void takePast(Result<Past> past);
    void drop(RequestId& asked);
    void forget();

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
    QElapsedTimer pastAsked_;
    qint64 pastTook_ = 0;  ///< ms, the last time
    QElapsedTimer reasonsAsked_;
    QElapsedTimer mailboxesAsked_;
    qint64 mailboxesTook_ = 0;   ///< ms, the last time
    RequestId sampleAsked_ = 0;  ///< 0 = nothing is on its way, as of the others
    RequestId topicsAsked_ = 0;
    RequestId activityAsked_ = 0;
    RequestId reasonsRequestId_ = 0;
    RequestId mailboxesRequestId_ = 0;
    RequestId pastRequestId_ = 0;
    std::vector<RequestId> oldestAsked_;
};

}  // namespace restante::gui
