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

/// What is asked about a view beside its rows, one query at a time. *Thread of the window.*
class ViewQuery : public QObject {
public:
    using QObject::QObject;

    /// Null: asks nothing any more. Borrowed until the next call.
    void setSource(JobSource* source);
    bool asking() const noexcept { return requestId_ != 0; }

protected:
    /// What is on its way is not wanted any more.
    void cancel();
    /// `take` is given the answer unless the query was cancelled.
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

/// Counts what a view matches, by state, after its rows have come: at once where the store keeps
/// count, else part by part. *Thread of the window.*
class JobsCounter : public ViewQuery {
    Q_OBJECT

public:
    using ViewQuery::ViewQuery;

    void setSource(JobSource* source);
    /// Another view is shown: what is known of the old one goes.
    void setView(const JobsView& view);
    /// Begins anew; what is known stays until the first answer unless the view is another one.
    void start(const JobsView& view);
    /// Ends a count on its way; what it has found so far stays.
    void stop();

    /// Jobs in a state, whatever tab is in front; none while nobody knows anything.
    std::optional<std::uint64_t> count(JobState state) const;
    /// Of these states together (none named: of all).
    std::optional<std::uint64_t> count(const std::vector<JobState>& states) const;
    /// False while the numbers are not what they will be: at least so many.
    bool exact() const noexcept { return hasFullCount_ && !asking() && !stopped_; }

signals:
    void changed();

private:
    void requestNextPart();
    void handleAnswer(Result<Counted> answer);

    JobsView view_;  ///< without its states: the tabs show them all
    bool hasFullCount_ = false;
    bool stopped_ = false;
    std::string cursor_;
    std::map<JobState, std::uint64_t> states_;
    std::map<JobState, std::uint64_t> newCounts_;
};

/// How many jobs of a view are being retried: an attempt has failed, the next one comes by itself.
/// The store keeps them among the scheduled and ready ones, so they are found by looking; after
/// some thousands it is left at that, and the number is "at least". *Thread of the window.*
class RetryingCounter : public ViewQuery {
    Q_OBJECT

public:
    using ViewQuery::ViewQuery;

    void setSource(JobSource* source);
    void setView(const JobsView& view);
    /// Begins anew, unless a count is under way or another one is only just over.
    void start();
    /// The next start() counts in any case.
    void setOutdated() noexcept { countedAt_ = {}; }

    /// None: nobody knows yet.
    std::optional<std::uint64_t> count() const noexcept { return count_; }
    bool exact() const noexcept { return count_ && complete_; }
    /// The number with what it is of, and how old it is if it is not of now.
    QString tip() const;

signals:
    void changed();

private:
    void requestNextPart();
    void handleAnswer(Result<Counted> answer);

    JobsView view_;
    CountRequest request_;
    std::uint64_t newCounts_ = 0;
    std::uint64_t examined_ = 0;
    std::optional<std::uint64_t> count_;
    bool complete_ = false;
    TimePoint countedAt_{};  ///< the store's time of that count
};

/// Of which reasons the last failures of a view's jobs are, and how many of each: counted in the
/// background by looking at the jobs, and left at "at least" after many. *Thread of the window.*
class ReasonCounter : public ViewQuery {
    Q_OBJECT

public:
    using ViewQuery::ViewQuery;

    void setSource(JobSource* source);
    void setView(const JobsView& view);
    /// These two as RetryingCounter.
    void start();
    void setOutdated() noexcept { countedAt_ = {}; }

    struct Reason {
        std::string text;
        std::uint64_t count = 0;
    };
    /// Most first; of those that have failed at all.
    const std::vector<Reason>& reasons() const noexcept { return reasons_; }
    bool exact() const noexcept { return complete_; }
    /// The store's time of the count; epoch 0 = there was none.
    TimePoint countedAt() const noexcept { return countedAt_; }

signals:
    void changed();

private:
    void requestNextPart();
    void handleAnswer(Result<ScanBatch> answer);

    JobsView view_;  ///< whatever reason is chosen
    ScanRequest request_;
    std::map<std::string, std::uint64_t> newCounts_;
    std::uint64_t examined_ = 0;
    std::vector<Reason> reasons_;
    bool complete_ = false;
    TimePoint countedAt_{};
};

/// Asks for the topics, and for the store's counts and what goes on in the topics where somebody
/// needs them; however often they are wanted meanwhile, once more. *Thread of the window.*
class FacetQueries : public ViewQuery {
    Q_OBJECT

public:
    using ViewQuery::ViewQuery;

    void setSource(JobSource* source);
    enum class Parts { Topics, TopicsAndCounts };
    void request(Parts want);
    /// What goes on in the topics is asked for from now on, or no longer.
    void setWithActivity(bool with) noexcept { withActivity_ = with; }

signals:
    void topics(const std::vector<restante::TopicView>& topics);
    void counts(const restante::StoreCounts& counts);
    void activity(const restante::gui::TopicActivity& activity);
    /// Everything that was wanted has been answered.
    void idle();

private:
    void requestNext();

    bool topicsDue_ = false;
    bool countsDue_ = false;
    bool activityDue_ = false;
    bool withActivity_ = false;
};

/// Asks the store whether jobs still match a view, when they are too far from the screen to be
/// seen there: some at a time, one query after the other. *Thread of the window.*
class SelectionCheck : public ViewQuery {
    Q_OBJECT

public:
    using ViewQuery::ViewQuery;

    void setSource(JobSource* source);
    /// Which jobs it is about, whenever a round begins.
    void setIdProvider(std::function<std::vector<std::string>()> ids)
    {
        idsToCheck_ = std::move(ids);
    }
    /// Another view: a round that is under way ends.
    void setView(const JobsView& view);
    /// Begins a round; after the one that is under way, if there is one.
    void start();

signals:
    /// Of the jobs `asked`, those that match and the states they are in.
    void checked(const std::vector<std::string>& asked,
                 const std::map<std::string, restante::JobState>& matching);

private:
    void abort();
    void requestNextIds();
    void requestNextBatch();
    void handleAnswer(Result<ScanBatch> answer);

    std::function<std::vector<std::string>()> idsToCheck_;
    JobsView view_;
    bool restartRequested_ = false;
    std::vector<std::string> remainingIds_;  ///< to be asked about in this round
    std::vector<std::string> queriedIds_;    ///< now
    ScanRequest request_;
    std::map<std::string, JobState> matching_;
};

}  // namespace restante::gui
