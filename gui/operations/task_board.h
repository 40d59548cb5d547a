#pragma once

#include "gui/operations/task.h"

#include <QObject>

#include <deque>
#include <functional>
#include <map>

namespace restante::gui {

class StoreSession;

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
        const std::vector<Changed>& changed;
        bool complete = true;
    };
    using Ended = std::function<void(const Outcome&)>;
    /// Told of every bulk request that brings no `ended` of its own.
    void whenEnded(Ended told) { whenEnded_ = std::move(told); }
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
    /// A new order of the same verb on those that failed; 0 when there is nothing to repeat.
    int retryFailed(int id);
    /// Goes on with what a bulk request that ended early has left; 0 when there is nothing.
    int doRest(int id);
    /// The one or the other: what is left, if it ended early, or those that failed.
    int repeat(int id);
    /// Forgets those that have ended.
    void clearEnded();

    /// The newest first.
    const std::deque<Task>& tasks() const noexcept { return tasks_; }
    const Task* task(int id) const;
    int runningCount() const;

signals:
    /// Before and after a task comes to the top of the list or leaves it.
    void aboutToReset();
    void reset();
    void changed(int id);
    void ended(int id);

private:
    struct Running;

    Task* find(int id);
    int add(Task task);
    void take(int id, const Progress& progress);
    void finish(int id, const Result<BulkReport>& report);
    int runAgain(SharedBulkRequest request, const QString& scope);
    void trim();

    StoreSession* session_ = nullptr;
    Ended whenEnded_;
    std::deque<Task> tasks_;
    std::map<int, Running> running_;
    int lastId_ = 0;
};

}  // namespace restante::gui
