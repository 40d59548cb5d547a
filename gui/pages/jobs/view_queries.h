#pragma once

#include "gui/session/job_source.h"

#include <QObject>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::gui {

/// Base of the queries on a view other than for its rows, one at a time. *Thread of the window.*
class ViewQuery : public QObject {
public:
    using QObject::QObject;

    /// Null: no more requests. Borrowed until the next call.
    void setSource(JobSource* source);
    bool isPending() const noexcept { return requestId_ != 0; }

protected:
    /// Cancels the pending request; its answer is ignored.
    void cancel();
    /// `handleAnswer` gets the answer unless the query was cancelled.
    template <class T, class Handler>
    Reply<T> reply(Handler handleAnswer)
    {
        return {this, [this, epoch = epoch_, handleAnswer](Result<T> answer) {
                    if (epoch == epoch_) {
                        requestId_ = 0;
                        handleAnswer(std::move(answer));
                    }
                }};
    }

    JobSource* source_ = nullptr;
    Epoch epoch_ = 0;
    RequestId requestId_ = 0;
};

/// Counts the jobs of a view by state after its rows have been loaded: with one request where the
/// store has the counts, else in parts. *Thread of the window.*
class JobsCounter : public ViewQuery {
    Q_OBJECT

public:
    using ViewQuery::ViewQuery;

    void setSource(JobSource* source);
    /// Drops the counts if the view is another one.
    void setView(const JobsView& view);
    /// Restarts the count; the counts of the same view stay until it has ended.
    void start(const JobsView& view);
    /// Stops a running count and keeps what it has found so far.
    void stop();

    /// Jobs in a state, whether the view shows it or not; none before the first answer.
    std::optional<std::uint64_t> count(JobState state) const;
    /// The sum of these states (empty: of all).
    std::optional<std::uint64_t> count(const std::vector<JobState>& states) const;
    /// False while the counts are lower bounds.
    bool exact() const noexcept { return hasFullCount_ && !isPending() && !endedEarly_; }

signals:
    void changed();

private:
    void requestNextPart();
    void handleAnswer(Result<CountBatch> answer);

    JobsView view_;  ///< without its states: the tabs show them all
    bool hasFullCount_ = false;
    bool endedEarly_ = false;  ///< stopped, or failed
    std::string cursor_;
    std::map<JobState, std::uint64_t> counts_;
    std::map<JobState, std::uint64_t> newCounts_;
};

/// The number of jobs of a view that are being retried: an attempt has failed, and another one
/// follows automatically. The store keeps them among the scheduled and ready jobs, so they are
/// counted by a scan; it ends after some thousand jobs, and the count is then a lower bound.
/// *Thread of the window.*
class RetryingCounter : public ViewQuery {
    Q_OBJECT

public:
    using ViewQuery::ViewQuery;

    void setSource(JobSource* source);
    void setView(const JobsView& view);
    /// Starts a count, unless one is running or has ended only recently.
    void start();
    /// The next start() counts in any case.
    void setOutdated() noexcept { countedAt_ = {}; }

    /// None before the first count has ended.
    std::optional<std::uint64_t> count() const noexcept { return count_; }
    bool exact() const noexcept { return count_ && complete_; }
    /// A tool tip: what is counted, the number and its age.
    QString tip() const;

signals:
    void changed();

private:
    void requestNextPart();
    void handleAnswer(Result<CountBatch> answer);

    JobsView view_;
    CountRequest request_;
    std::uint64_t newCount_ = 0;
    std::uint64_t examined_ = 0;
    std::optional<std::uint64_t> count_;
    bool complete_ = false;
    TimePoint countedAt_{};  ///< the store's time of that count
};

/// Counts the jobs of a view by the reason of their last failure. It scans in the background, up to
/// a limit after which the counts are lower bounds; of a view of all states only held, dead and
/// trashed jobs, which makes them lower bounds, too. *Thread of the window.*
class ReasonCounter : public ViewQuery {
    Q_OBJECT

public:
    using ViewQuery::ViewQuery;

    void setSource(JobSource* source);
    void setView(const JobsView& view);
    /// start() and setOutdated() are as in RetryingCounter.
    void start();
    void setOutdated() noexcept { countedAt_ = {}; }

    struct Reason {
        std::string text;
        std::uint64_t count = 0;
    };
    /// The reasons, most frequent first.
    const std::vector<Reason>& reasons() const noexcept { return reasons_; }
    bool exact() const noexcept { return complete_; }

signals:
    void changed();

private:
    void requestNextPart();
    void handleAnswer(Result<ScanBatch> answer);

    JobsView view_;  ///< without the chosen reason
    ScanRequest request_;
    std::map<std::string, std::uint64_t> newCounts_;
    std::uint64_t examined_ = 0;
    std::vector<Reason> reasons_;
    bool complete_ = false;
    TimePoint countedAt_{};  ///< the store's time of that count
};

/// Requests the topics and, if needed, the store's counts and the activity of the topics. Requests
/// made while one is pending are merged into one more. *Thread of the window.*
class FacetQueries : public ViewQuery {
    Q_OBJECT

public:
    using ViewQuery::ViewQuery;

    void setSource(JobSource* source);
    enum class Parts { Topics, TopicsAndCounts };
    void request(Parts parts);
    /// Whether later requests include the activity of the topics.
    void setWithActivity(bool with) noexcept { withActivity_ = with; }

signals:
    void topics(const std::vector<restante::TopicView>& topics);
    void counts(const restante::StoreCounts& counts);
    void activity(const restante::gui::TopicActivity& activity);
    /// All requests have been answered.
    void idle();

private:
    void requestNext();

    bool topicsDue_ = false;
    bool countsDue_ = false;
    bool activityDue_ = false;
    bool withActivity_ = false;
};

/// Asks the store whether selected jobs still match the view, those that the id provider names, in
/// batches of ids, one query at a time. *Thread of the window.*
class SelectionCheck : public ViewQuery {
    Q_OBJECT

public:
    using ViewQuery::ViewQuery;

    void setSource(JobSource* source);
    /// `ids` is called at the start of each round and returns the jobs to check.
    void setIdProvider(std::function<std::vector<std::string>()> ids)
    {
        idsToCheck_ = std::move(ids);
    }
    /// Aborts a round that is running.
    void setView(const JobsView& view);
    /// Starts a round; while one is running, another follows it.
    void start();

signals:
    /// `matching`: those of `queriedIds` that match the view, with their states.
    void checked(const std::vector<std::string>& queriedIds,
                 const std::map<std::string, restante::JobState>& matching);

private:
    void abort();
    void checkNextIds();
    /// The next part of the answer about queriedIds_.
    void requestNextPart();
    void handleAnswer(Result<ScanBatch> answer);

    std::function<std::vector<std::string>()> idsToCheck_;
    JobsView view_;
    bool restartRequested_ = false;
    std::vector<std::string> remainingIds_;  ///< still to be checked in this round
    std::vector<std::string> queriedIds_;    ///< ids of the running query
    ScanRequest request_;
    std::map<std::string, JobState> matching_;
};

}  // namespace restante::gui
