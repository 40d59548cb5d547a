#pragma once

#include "core/queue/job_history.h"
#include "core/queue/job_inspector.h"
#include "core/queue/job_search.h"
#include "core/queue/mailbox.h"
#include "core/queue/topic_view.h"
#include "core/queue/waiting_reason.h"
#include "core/redis/store/daemon_registry.h"
#include "core/redis/store/store_activity.h"
#include "core/reminder/series_list.h"
#include "gui/session/jobs_view.h"
#include "gui/session/reply.h"

#include <QObject>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::gui {

/// Rows `offset`, `offset + 1` ... of a ranked view.
struct PageRequest {
    Epoch epoch = 0;
    JobsView view = {};
    std::uint64_t offset = 0;
    std::uint32_t limit = 200;  ///< 1 - 1000
};

struct JobRows {
    Epoch epoch = 0;  ///< of the request
    std::uint64_t offset = 0;
    std::uint64_t total = 0;  ///< rows that the view has now
    std::vector<JobRow> rows = {};
};

/// The next jobs of a view that is looked through.
struct ScanRequest {
    Epoch epoch = 0;
    JobsView view = {};
    std::string cursor = {};  ///< of the batch before, or empty
    std::uint32_t limit = 200;
    std::uint32_t budget = 10'000;  ///< jobs looked at before it answers with what it has
    /// Of each body, for JobRow::text; none is read where no text is wanted.
    std::uint32_t bodyBytes = kPreviewBytes;
};

struct ScanBatch {
    Epoch epoch = 0;
    std::vector<JobRow> rows = {};
    std::string cursor = {};  ///< empty at the end
    std::uint64_t examined = 0;
};

/// A batch of jobs with their bodies, for an export.
using BatchWithBodies = SearchPage;

/// Why a job waits, and when it will be tried.
struct JobOutlook {
    WaitingReason waiting = {};
    AttemptForecast forecast = {};
};

/// Part of a count: what several answers say is added up until the cursor is empty.
struct CountRequest {
    Epoch epoch = 0;
    JobsView view = {};
    std::string cursor = {};
};

struct CountBatch {
    Epoch epoch = 0;
    std::map<JobState, std::uint64_t> states = {};
    std::string cursor = {};
    std::uint64_t examined = 0;
};

/// Jobs of the same recipient, business key or sender.
struct RelatedRequest {
    enum class By { Recipient, BizKey, Sender };
    By by = By::Recipient;
    std::string value = {};
    std::uint32_t limit = 200;
    /// An error instead of the first of them when there may be more. By the key these are the jobs
    /// that were pushed with it: looking for forwarded messages reads the whole store.
    bool mustBeComplete = false;
};

struct RelatedJobs {
    std::vector<JobRow> rows = {};
    bool isComplete = true;  ///< false: the limit was reached, or not all jobs were looked at
};

/// Writes of people, newest first.
struct AuditRequest {
    std::string cursor = {};
    std::uint32_t limit = 200;
    QString actor = {};                   ///< contained; empty = everybody
    QString verb = {};                    ///< the transition's word; empty = all
    QString text = {};                    ///< contained in the object or the reason
    std::optional<TimePoint> since = {};  ///< inclusive
    std::optional<TimePoint> until = {};  ///< exclusive
};

struct AuditRow {
    TimePoint at{};
    QString actor;
    QString verb;    ///< "run_now", "trash", "pause"
    QString object;  ///< the job's id, the topic, or the address that is traced
    QString from;    ///< state before; of "limit" the limits, as AuditEntry has them
    QString to;
    QString reason;
    /// Of "reschedule", as far as they were noted.
    std::optional<TimePoint> dueBefore = {};
    std::optional<TimePoint> dueAfter = {};
    QString bulkActionId = {};  ///< the same in all of its rows; empty = of one job, or unknown
};

struct AuditBatch {
    std::vector<AuditRow> rows = {};
    std::string cursor = {};  ///< empty at the end
};

/// Which jobs the charts are about. Empty members do not restrict. *Value.*
struct JobScope {
    std::string topic = {};
    std::optional<Channel> channel = {};

    bool isAll() const noexcept { return topic.empty() && !channel; }
    friend bool operator==(const JobScope&, const JobScope&) = default;
};

using Lateness = redis::Lateness;
/// The store at one moment, for the charts; the lateness is that of the scope.
using Sample = redis::StoreStats;

/// Asks for transitions and backlog of the past, in steps of one length.
struct PastRequest {
    JobScope scope = {};
    TimePoint begin{};
    TimePoint end{};
    Millis step{1'000};
};

/// The backlog as the daemon recorded it, valid in [at, until).
struct PastBacklog {
    TimePoint at{};
    TimePoint until{};
    /// Means of the records; with a scope only ready and scheduled jobs are known.
    std::map<JobState, double> states = {};
    std::optional<Lateness> lateness = {};  ///< the worst of them; none = not measured
};

/// The answer to a PastRequest.
struct Past {
    /// Jobs moved in the step that begins then, by transition; none = 0 where it is known.
    std::map<std::pair<TimePoint, std::string>, std::uint64_t> moves = {};
    TimePoint knownFrom{};   ///< inclusive; before that nothing was recorded, or it is forgotten
    TimePoint knownUntil{};  ///< exclusive
    /// In the order of time; missing times are unknown.
    std::vector<PastBacklog> backlog = {};
    /// Why the moves are unknown although there is a journal; empty = they are known.
    std::string movesProblem = {};
};

/// How many jobs of a topic come and go a second.
struct TopicRate {
    double in = 0;   ///< pushed
    double out = 0;  ///< finished, dead or expired
    /// Of the attempts that ended, the part that failed, 0 - 1; none = no attempt ended, or nobody
    /// knows.
    std::optional<double> failed = {};
};

/// How many jobs of each topic are in a state for which the store keeps no counters.
struct TopicJobs {
    std::map<std::string, std::uint64_t> jobs = {};  ///< by topic; one that is missing has none
    bool isComplete = true;  ///< false: not all were counted: there are at least so many
    redis::JobsByTopic byChannelAndTopic = {};  ///< the same jobs
    std::optional<TimePoint> asOf = {};  ///< counted in the background by then; none = just now
};

/// Jobs pushed and finished in each topic in the last day, in steps of one length.
struct TopicPast {
    struct Steps {
        std::vector<std::uint64_t> in = {};
        std::vector<std::uint64_t> finished = {};
    };
    TimePoint from{};  ///< of the first step
    Millis step{0};
    std::vector<bool> known = {};              ///< for each step: whether it is known
    std::map<std::string, Steps> topics = {};  ///< one that is missing had nothing
};

struct TopicActivity {
    std::map<std::string, TopicRate> rates = {};  ///< by topic; one that is missing has nothing
    TimePoint from{};                             ///< what the rates are counted over
    TimePoint until{};
    std::string ratesProblem = {};  ///< why the rates are not known; empty = they are
    /// Jobs that are being delivered, by topic; none = there are too many to look at each.
    std::optional<std::map<std::string, std::uint64_t>> leased = {};
    TopicJobs held = {};
    TopicJobs dead = {};
    TopicJobs retrying = {};             ///< scheduled or ready, after an attempt that failed
    std::optional<TopicPast> past = {};  ///< none = nobody keeps it
};

/// Why jobs are dead.
struct DeadReasons {
    std::map<std::string, std::uint64_t> jobs = {};  ///< by the last error; "" = nobody kept one
    std::uint64_t examined = 0;  ///< so many of the newest were looked at, perhaps not all
};

/// A daemon that has given a heartbeat in the last hour; while none lives, in the last day.
using DaemonView = redis::DaemonView;

/// Transitions in the store; sent at most four times a second.
struct ChangeBatch {
    TimePoint at{};
    std::uint64_t moved = 0;            ///< transitions
    std::vector<std::string> ids = {};  ///< the first 1,000 of the jobs concerned
    bool complete = true;               ///< false: there were more, or some were missed
};

/// The reads of the console, implemented by Redis, by the demo store and by a fake in tests.
/// Requests run on another thread; the window never waits. *Thread of the window.*
class JobSource : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    virtual RequestId page(PageRequest request, Reply<JobRows> reply) = 0;
    virtual RequestId scan(ScanRequest request, Reply<ScanBatch> reply) = 0;
    /// The jobs of a scan with their bodies. Any view can be asked for, a ranked one, too.
    virtual RequestId scanWithBodies(ScanRequest request, Reply<BatchWithBodies> reply) = 0;
    virtual RequestId count(CountRequest request, Reply<CountBatch> reply) = 0;
    virtual RequestId counts(Reply<StoreCounts> reply) = 0;
    /// The whole job with its body. NotFound when it is gone.
    virtual RequestId show(std::string id, Reply<JobView> reply) = 0;
    /// `view` is the answer of show(); its body is not needed.
    virtual RequestId outlook(JobView view, Reply<JobOutlook> reply) = 0;
    /// Oldest first. Unavailable says why there is no journal to ask.
    virtual RequestId history(std::string id, Reply<std::vector<HistoryRow>> reply) = 0;
    virtual RequestId related(RelatedRequest request, Reply<RelatedJobs> reply) = 0;
    virtual RequestId topics(Reply<std::vector<TopicView>> reply) = 0;
    virtual RequestId audit(AuditRequest request, Reply<AuditBatch> reply) = 0;
    /// Counts and moves are the whole store's, the lateness that of the scope.
    virtual RequestId sample(JobScope scope, Reply<Sample> reply) = 0;
    /// Unavailable says why there is no journal to ask.
    virtual RequestId past(PastRequest request, Reply<Past> reply) = 0;
    virtual RequestId activity(Reply<TopicActivity> reply) = 0;
    virtual RequestId deadReasons(Reply<DeadReasons> reply) = 0;
    /// The living ones first, then by name.
    virtual RequestId daemons(Reply<std::vector<DaemonView>> reply) = 0;
    /// Drops the answer; a request that has not started is not run. Unknown and answered ones are
    /// ignored.
    virtual void cancel(RequestId requestId) = 0;
    /// The store's time: what "in 2 h" and "3 h ago" are measured from.
    virtual TimePoint now() const = 0;

    /// For whom SIP messages wait, the fullest mailboxes first.
    virtual RequestId mailboxes(MailboxQuery query, Reply<MailboxPage> reply) = 0;
    /// One of them with the bodies of its newest messages; also of somebody for whom nothing waits.
    virtual RequestId mailbox(MailboxRequest request, Reply<MailboxContent> reply) = 0;

    /// The recurring reminders that have not ended.
    virtual RequestId series(reminder::SeriesQuery query, Reply<reminder::SeriesList> reply) = 0;

signals:
    void changed(const restante::gui::ChangeBatch& batch);
};

}  // namespace restante::gui
