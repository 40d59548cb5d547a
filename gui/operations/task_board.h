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

/// Something that takes its time: a bulk request, an export, an import. *Value.*
struct Task {
    enum class Phase { Running, Stopping, Ended };
    enum class Kind { BulkRequest, Export, Import };

    int id = 0;
    Kind kind = Kind::BulkRequest;
    Phase phase = Phase::Running;
    QString title;      ///< "Move 3,004 jobs to the trash"
    QString told = {};  ///< what it has done, once it is over: "3,004 jobs moved to the trash"
    QString scope;      ///< which jobs those are
    QString actor;      ///< "user@host"
    QDateTime started;
    QDateTime ended;
    std::uint64_t done = 0;
    std::uint64_t skipped = 0;
    std::uint64_t failed = 0;
    std::uint64_t expected = 0;                           ///< 0 = not known
    bool stopped = false;                                 ///< before everything had been done
    std::vector<std::pair<std::string, Error>> failures;  ///< by the job's id, or by the line
    QString problem;            ///< why it ended early, as a sentence; empty = it did not
    QString result;             ///< what to know of it now that it is over: "Due tomorrow at 9:00"
    SharedBulkRequest request;  ///< of Kind::BulkRequest; else none
    QElapsedTimer clock;
    qint64 tookMs = 0;  ///< once it has ended
    /// Of a bulk request that ended early: what it has not done, with those that failed.
    SharedBulkRequest rest = {};

    bool running() const { return phase != Phase::Ended; }
    std::uint64_t touched() const { return done + skipped + failed; }
    qint64 elapsedMs() const { return running() && clock.isValid() ? clock.elapsed() : tookMs; }
    /// Whether something of it went wrong.
    bool hasProblems() const { return failed > 0 || !problem.isEmpty(); }
};

/// What it does, or, once it is over, what it has done.
QString titleOf(const Task& task);
/// The name of its icon.
QString iconName(const Task& task);
/// 0 - 100, or -1 when nobody knows.
int percentOf(const Task& task);
/// Jobs in a second so far; 0 before there is anything to say.
double rateOf(const Task& task);
/// "about 2 min"; empty when nobody knows.
QString timeLeftText(const Task& task);
/// "1,830 ok · 2 skipped · 1 failed", and what became of it: "stopped", the problem, the result.
QString outcomeText(const Task& task);
/// "340 jobs/s"; empty before there is anything to say.
QString rateText(const Task& task);

/// Everything that takes its time, with its progress: runs bulk requests, and lists what others run
/// (exports, imports). *Thread of the window.*
class TaskBoard : public QObject {
    Q_OBJECT

public:
    /// Tasks that have ended and are still listed.
    static constexpr std::size_t kKept = 100;
    /// Jobs of one bulk request that are remembered so that it can be taken back. Of a larger one
    /// nothing is: it can be brought back from the trash by filter.
    static constexpr std::size_t kRemembered = 200'000;

    explicit TaskBoard(QObject* parent = nullptr);
    ~TaskBoard() override;

    /// What runs ends here: its connection is gone.
    void open(StoreSession* session);

    /// What a bulk request has changed, told once at its end. `complete` is false when it was too
    /// much to be remembered: then there is nothing in `changed`.
    struct Outcome {
        const Task& task;
        const std::vector<JobBefore>& changed;
        bool complete = true;
    };
    using Ended = std::function<void(const Outcome&)>;
    /// Told of every bulk request that brings no `ended` of its own.
    void setEndedHandler(Ended handler) { endedHandler_ = std::move(handler); }
    /// Begins a bulk request; answers the task's id, 0 without a connection.
    int
    run(SharedBulkRequest request, const QString& title, const QString& scope, Ended ended = {});
    int run(BulkRequest request, const QString& title, const QString& scope, Ended ended = {});

    /// Lists a task that somebody else runs; `stop` is called when the user wants it to end.
    int begin(Task task, std::function<void()> stop);
    void update(int id, const std::function<void(Task&)>& change);
    void end(int id, const std::function<void(Task&)>& change = {});
    /// One more thing to know about a task that is over.
    void setResult(int id, const QString& result);

    /// Ends after what is on its way. Unknown and ended ones are ignored.
    void stop(int id);
    /// Goes on with what a bulk request that ended early has left, or else begins one of the same
    /// verb on those that failed; 0 when there is nothing of either.
    int repeat(int id);
    /// Forgets those that have ended.
    void clearEnded();

    /// The newest first.
    const std::deque<Task>& tasks() const noexcept { return tasks_; }
    const Task* task(int id) const;
    int runningCount() const;

signals:
    /// A task has come to the top of the list, or has left it.
    void reset();
    void changed(int id);
    void ended(int id);

private:
    struct Running;

    Task* find(int id);
    int add(Task task);
    void handleProgress(int id, const Progress& progress);
    void finish(int id, const Result<BulkReport>& report);
    void trim();

    StoreSession* session_ = nullptr;
    Ended endedHandler_;
    std::deque<Task> tasks_;
    std::map<int, Running> running_;
    int lastId_ = 0;
};

}  // namespace restante::gui
