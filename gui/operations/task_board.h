#pragma once

#include "core/base/error.h"
#include "gui/session/job_writer.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace restante::gui {

class StoreSession;

/// A long-running operation: a bulk request, an export or an import. *Value.*
struct Task {
    enum class Phase { Running, Stopping, Ended };
    enum class Kind { BulkRequest, Export, Import };

    int id = 0;
    Kind kind = Kind::BulkRequest;
    Phase phase = Phase::Running;
    QString title;           ///< "Move 3,004 jobs to the trash"
    QString doneTitle = {};  ///< title once it has ended: "3,004 jobs moved to the trash"
    QString scope;           ///< which jobs it concerns
    QString actor;           ///< "user@host"
    QDateTime started;
    QDateTime ended;
    std::uint64_t done = 0;
    std::uint64_t skipped = 0;
    std::uint64_t failed = 0;
    std::uint64_t expected = 0;                           ///< 0 = not known
    bool stopped = false;                                 ///< before everything had been done
    std::vector<std::pair<std::string, Error>> failures;  ///< by the job's id, or by the line
    QString problem;            ///< why it ended early, as a sentence; empty = no problem
    QString result;             ///< a remark after its end: "now due tomorrow at 9:00"
    SharedBulkRequest request;  ///< of Kind::BulkRequest; else none
    QElapsedTimer clock;
    qint64 durationMs = 0;  ///< once it has ended
    /// A bulk request for the jobs that one that ended early has not changed, including failures.
    SharedBulkRequest remainder = {};
    /// Whoever ran it does what is left of it: an undo or redo is on the stack of steps again.
    bool repeatedByOthers = false;
    /// TaskBoard counts the connections that it had.
    std::uint64_t connectionNumber = 0;

    bool running() const { return phase != Phase::Ended; }
    std::uint64_t processed() const { return done + skipped + failed; }
    qint64 elapsedMs() const { return running() && clock.isValid() ? clock.elapsed() : durationMs; }
    /// Whether a job failed, or the task ended early without having been stopped by the user.
    bool hasProblems() const { return failed > 0 || !problem.isEmpty(); }
};

/// The title of the task; once it has ended, what it has done.
QString titleOf(const Task& task);
/// The name of its icon.
QString iconName(const Task& task);
/// 0 - 100, or -1 when unknown.
int percentOf(const Task& task);
/// Jobs per second so far; 0 while it cannot be told yet.
double rateOf(const Task& task);
/// "about 2 min"; empty when unknown.
QString timeLeftText(const Task& task);
/// "1,830 ok · 2 skipped · 1 failed", followed by "stopped", the problem and the result.
QString outcomeText(const Task& task);
/// "340 jobs/s"; empty while it cannot be told yet.
QString rateText(const Task& task);

/// The list of tasks with their progress: runs bulk requests itself, and lists the exports and
/// imports that others run. *Thread of the window.*
class TaskBoard : public QObject {
    Q_OBJECT

public:
    /// Ended tasks that stay listed when one is added.
    static constexpr std::size_t kMaxEnded = 100;
    /// A bulk request that changes more jobs cannot be undone in one step; the jobs can be restored
    /// from the trash by a filter.
    static constexpr std::size_t kMaxUndoableJobs = 200'000;

    explicit TaskBoard(QObject* parent = nullptr);
    ~TaskBoard() override;

    /// Ends the running bulk requests: their connection is closed.
    void open(StoreSession* session);

    /// What a bulk request has changed, reported once at its end. `changedIsComplete` is false, and
    /// `changed` empty, when it was more than kMaxUndoableJobs.
    struct Outcome {
        const Task& task;
        const std::vector<JobBefore>& changed;
        bool changedIsComplete = true;
    };
    using EndedHandler = std::function<void(const Outcome&)>;
    /// Called for every bulk request that was run without an `onEnded` of its own.
    void setEndedHandler(EndedHandler handler) { endedHandler_ = std::move(handler); }
    /// Starts a bulk request. Returns the task's id, 0 without a connection. One with an `onEnded`
    /// cannot be repeated here.
    int run(SharedBulkRequest request,
            const QString& title,
            const QString& scope,
            EndedHandler onEnded = {});
    int
    run(BulkRequest request, const QString& title, const QString& scope, EndedHandler onEnded = {});

    /// Lists a task that somebody else runs; `stop` is called when the user wants it to end.
    int begin(Task task, std::function<void()> stop);
    void update(int id, const std::function<void(Task&)>& change);
    void end(int id, const std::function<void(Task&)>& change = {});
    /// Adds a remark to a task that has ended.
    void setResult(int id, const QString& result);

    /// Stops a task after the writes that are in flight. Unknown and ended ones are ignored.
    void stop(int id);
    /// Runs what a bulk request that ended early has not done, or else the same verb on the jobs
    /// that failed. Returns the id of the new task, 0 unless canRepeat().
    int repeat(int id);
    /// Whether there is something to repeat, in the store that is open now.
    bool canRepeat(const Task& task) const;
    /// Removes the ended tasks from the list.
    void clearEnded();

    /// The newest first.
    const std::deque<Task>& tasks() const noexcept { return tasks_; }
    const Task* task(int id) const;
    int runningCount() const;

signals:
    /// A task was added to the list or removed from it.
    void listChanged();
    void changed(int id);
    void ended(int id);

private:
    struct RunningTask;

    Task* find(int id);
    int add(Task task);
    void handleProgress(int id, const Progress& progress);
    void finish(int id, const Result<BulkReport>& report);
    /// Tells nobody. Null when there is no such task, or it has ended already.
    const Task* markEnded(int id, const std::function<void(Task&)>& change);
    void trim();

    StoreSession* session_ = nullptr;
    EndedHandler endedHandler_;
    std::deque<Task> tasks_;
    std::map<int, RunningTask> running_;
    int lastId_ = 0;
    std::uint64_t connectionNumber_ = 0;  ///< of the connection that is open
};

}  // namespace restante::gui
