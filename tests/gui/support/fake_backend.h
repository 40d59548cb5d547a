#pragma once

#include "gui/session/backend.h"

#include <QTimer>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace restante::gui::test {

/// A store that answers by formula or from a list, as late and as badly as a test wants it.
/// Everything that is asked of it is written down.
class FakeBackend : public Backend, private JobWriter {
public:
    FakeBackend();
    ~FakeBackend() override;

    JobSource& source() override;
    JobWriter& writer() override { return *this; }
    const LinkState& link() const override { return link_; }
    void reconnect() override { ++reconnects; }

    /// Rows 0 ... count-1 of every ranked view, each made by `row`.
    void haveRows(std::uint64_t count);
    static JobRow row(std::uint64_t index);
    /// One that lives and does everything but text messages.
    static DaemonView aDaemon(std::string name, TimePoint seen);
    /// Sets what link() answers, and tells it.
    void setLink(const LinkState& link);

    /// How long every answer takes, ms.
    int latencyMs = 0;
    /// How much longer a job's history takes, and why it waits, ms.
    int journalLatencyMs = 0;
    /// When set, the next read answers this error.
    std::optional<Error> nextError;
    /// What scan(), count(), show() ... find: matched by the view's filter.
    std::vector<JobView> jobs;
    std::vector<TopicView> topicList;
    std::vector<AuditRow> auditRows;
    /// Rows that audit() looks at for one page, which may be empty then; 0 = as many as it takes.
    std::size_t auditRowsLookedAt = 0;
    std::vector<AuditRequest> auditRequests;
    std::map<std::string, std::vector<HistoryRow>> histories;
    std::optional<Error> historyError;
    bool relatedIsComplete = true;
    StoreCounts storeCounts;
    /// What is known around every job.
    WaitingFacts waitingFacts;
    int standingQuestions = 0;
    Sample nextSample;
    /// What past() answers; none = there is no journal.
    std::optional<Past> journalPast;
    std::vector<PastRequest> pasts;
    TopicActivity topicActivity;
    DeadReasons reasons;
    /// What daemons() answers: at first aDaemon().
    std::vector<DaemonView> daemonList;
    /// What mailboxes() and mailbox() know of each recipient besides the jobs: they list those of
    /// `jobs` that are held or leased on channel sip.
    std::map<std::string, MailboxView> mailboxViews;
    std::vector<MailboxQuery> mailboxQueries;
    std::vector<MailboxRequest> mailboxRequests;
    bool mailboxesComplete = true;
    /// series() finds those of `jobs` that stand for one.
    std::vector<reminder::SeriesQuery> seriesQueries;
    bool seriesComplete = true;
    std::vector<reminder::SeriesChange> seriesChanges;
    /// When set, the next change of a series answers this error.
    std::optional<Error> seriesError;
    std::vector<JobScope> sampled;
    /// Ids whose acts fail, and those that are skipped.
    std::set<std::string> failing;
    std::set<std::string> skipped;
    /// The store has gone away: what is asked of it fails, orders end with what they had done.
    bool gone = false;
    /// Acts are reported in steps of so many, a turn of the loop each.
    std::size_t actStep = 500;

    std::vector<PageRequest> pages;
    std::vector<ScanRequest> scans;
    std::vector<CountRequest> countRequests;
    /// Questions for topics and counts: in all, on their way now, and at most at a time.
    int auditQuestions = 0;
    int daemonQuestions = 0;
    int facetQuestions = 0;
    int facetsNow = 0;
    int mostFacetsAtOnce = 0;
    std::vector<RequestId> cancelled;
    std::vector<BulkRequest> bulkRequests;
    std::vector<std::string> actors;
    std::vector<PushOptions> pushes;
    std::vector<reminder::ReminderRequest> reminders;
    std::vector<std::pair<TopicVerb, TopicAction>> topicActions;
    /// Orders for limits; those that are stored are the limits of `topicList` from then on.
    std::vector<std::pair<TopicAction, TopicLimits>> limitActions;
    /// When set, the next order for limits answers this error.
    std::optional<Error> limitError;
    std::vector<JobView> imports;
    int reconnects = 0;
    TimePoint time{Millis{1'793'000'000'000}};

private:
    class Source;
    struct Running {
        BulkRequest request;
        std::vector<std::string> ids;
        std::size_t at = 0;
        Progress progress;
        std::function<void(const Progress&)> tell;
        Reply<BulkReport> reply;
        bool stopping = false;
    };

    RequestId runBulk(BulkRequest request,
                      std::string actor,
                      std::function<void(const Progress&)> progress,
                      Reply<BulkReport> reply) override;
    RequestId push(PushOptions push, Reply<Pushed> reply) override;
    RequestId createReminder(reminder::ReminderRequest request, Reply<Pushed> reply) override;
    RequestId changeSeries(reminder::SeriesChange change, Reply<Pushed> reply) override;
    RequestId preview(reminder::ReminderRequest request,
                      std::uint32_t count,
                      Reply<std::vector<TimePoint>> reply) override;
    RequestId changeTopic(TopicVerb verb, TopicAction action, Reply<void> reply) override;
    RequestId setTopicLimits(TopicAction action, TopicLimits limits, Reply<void> reply) override;
    RequestId
    import(Exported value, bool replace, std::string actor, Reply<PushOutcome> reply) override;
    void stop(RequestId requestId) override;

    std::vector<std::string> idsOf(const BulkRequest& request) const;
    std::vector<const JobView*> matching(const JobsView& view) const;
    std::optional<JobRow> rowNamed(const std::string& id) const;
    MailboxContent contentOf(const std::string& recipient) const;
    reminder::SeriesList seriesOf(const reminder::SeriesQuery& query) const;
    MailboxPage pageOf(const MailboxQuery& query) const;
    /// As an order finds it: still what was selected, and touched by nobody since.
    bool isMeant(const BulkRequest& request, std::size_t at, const JobView& job) const;
    BatchWithBodies wholeBatch(const ScanRequest& request) const;
    void step(RequestId requestId);
    /// What the verb does to a job of `jobs`, and its rows in history and audit.
    void apply(const BulkRequest& request, std::size_t at, JobView& view);
    void note(const BulkRequest& request, const std::string& id);
    static TimePoint dueOf(const BulkRequest& request, std::size_t at);
    static std::uint32_t
    attemptOffsetOf(const BulkRequest& request, std::size_t at, const JobView& job);
    void noteFacet();
    template <class T>
    RequestId answer(Reply<T> reply, std::function<Result<T>()> make);

    std::unique_ptr<Source> source_;
    LinkState link_;
    std::uint64_t rows_ = 0;
    std::map<std::string, JobState> wasBefore_;  ///< of what is in the trash
    RequestId lastRequestId_ = 0;
    std::map<RequestId, std::unique_ptr<Running>> running_;
};

}  // namespace restante::gui::test
