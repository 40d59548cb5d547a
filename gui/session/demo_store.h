#pragma once

#include "core/queue/job_history.h"
#include "core/queue/memory_job_store.h"
#include "gui/session/job_source.h"
#include "gui/session/open_store.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace restante::gui {

/// A transition of a job, or a change of a topic.
struct DemoEvent {
    std::string id = {};  ///< or the topic
    std::string transition = {};
    std::string from = {};
    std::string to = {};
    std::string actor = {};
    std::string reason = {};
    std::string note = {};
    /// Of a reschedule.
    std::optional<TimePoint> dueBefore = {};
    std::optional<TimePoint> dueAfter = {};
};

/// A callback that ignores the result.
template <class T>
Done<T> ignoreResult()
{
    return [](const Result<T>&) {};
}

/// The store of the demo: a store in memory that records its transitions, as a journal does. It
/// records pushes and the actions of people itself; what a daemon does is passed to record(). *One
/// loop.*
class DemoStore final : public MemoryJobStore {
public:
    DemoStore(EventLoop& loop, const Clock& clock);

    void push(PushRequest request, Done<PushOutcome> done) override;
    void importJob(ImportRequest request, Done<PushOutcome> done) override;
    void finish(Lease lease, Done<std::uint64_t> done) override;
    void bury(Lease lease, std::string reason, Done<void> done) override;
    void hold(HoldRequest request, Done<void> done) override;
    void release(OperatorAction action, Done<void> done) override;
    void runNow(OperatorAction action, Done<void> done) override;
    void reschedule(OperatorAction action, NewTime time, Done<void> done) override;
    void trash(OperatorAction action, Done<void> done) override;
    void restore(OperatorAction action, Done<void> done) override;
    void purge(OperatorAction action, Done<void> done) override;
    void pauseTopic(TopicAction action, Done<void> done) override;
    void resumeTopic(TopicAction action, Done<void> done) override;
    void limitTopic(TopicAction action, TopicLimits limits, Done<void> done) override;
    void mailboxes(MailboxQuery query, Done<MailboxPage> done) override;
    void mailbox(MailboxRequest request, Done<MailboxContent> done) override;

    void record(const DemoEvent& event);
    /// Sorts the recorded rows by time.
    void sortAudit();
    /// Remembers topic and channel of a job, for the charts.
    void remember(const Job& job) { scopes_[job.id] = {job.topic, job.channel}; }
    void forget(const std::string& id)
    {
        histories_.erase(id);
        scopes_.erase(id);
    }
    void onEvent(std::function<void(const StoreEvent&)> handler) { handler_ = std::move(handler); }
    Result<std::vector<HistoryRow>> history(const std::string& id) const;
    AuditBatch audit(const AuditRequest& request) const;
    Past past(const PastRequest& request) const;
    /// In the last five minutes, by topic.
    TopicActivity activity() const;
    TopicPast topicPast() const;
    const std::map<std::string, std::uint64_t>& moves() const noexcept { return moves_; }

private:
    using Operation = std::function<void(Done<void>)>;
    /// Wraps `done` so that a new job is recorded before it is reported.
    Done<PushOutcome> recordingNew(const Job& job, OperatorAction action, Done<PushOutcome> done);
    void recordAction(std::string transition,
                      OperatorAction action,
                      Done<void> done,
                      const Operation& operation);

    const Clock& clock_;
    std::map<std::string, std::vector<HistoryRow>> histories_;
    std::map<std::string, JobScope> scopes_;  ///< of each job: its topic and channel
    std::vector<AuditRow> audit_;             ///< oldest first
    std::map<std::string, std::uint64_t> moves_;
    std::map<std::string, TopicLimits> limits_;
    std::function<void(const StoreEvent&)> handler_;
};

}  // namespace restante::gui
