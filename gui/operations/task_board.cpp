#include "gui/operations/task_board.h"

#include "gui/operations/inverse.h"
#include "gui/operations/verb_texts.h"
#include "gui/session/store_session.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <utility>

namespace restante::gui {

struct TaskBoard::RunningTask {
    bool isBulkRequest = false;
    RequestId requestId = 0;
    std::function<void()> stop = {};
    EndedHandler onEnded = {};
    std::vector<JobBefore> changed = {};
    bool changedIsComplete = true;
    BulkReport report = {};  ///< the last one received

    BulkResult result() const { return {report, changed, changedIsComplete}; }
};

namespace {

/// What a task has done; empty when that is nothing, and for an undo or redo, whose title says it.
QString doneTitleOf(const Task& task, const std::vector<JobBefore>& changed)
{
    const auto verb = task.request->verb;
    if (task.done == 0 || task.title != stepTitle(verb, task.request->selection.count)) {
        return {};
    }
    const auto onlyJob = changed.size() != 1 ? QString()
                         : changed.front().recipient.empty()
                             ? QString::fromStdString(changed.front().id)
                             : QString::fromStdString(changed.front().recipient);
    return doneTitle(verb, task.done, onlyJob);
}

SharedBulkRequest shared(std::optional<BulkRequest> request)
{
    return request ? std::make_shared<const BulkRequest>(std::move(*request)) : nullptr;
}

/// Why a bulk request ended early, as a sentence.
QString earlyEndText(const BulkReport& report, const Error& error)
{
    if (error.code == ErrorCode::Unavailable) {
        return TaskBoard::tr("connection lost after %1").arg(jobsText(report.done));
    }
    return QString::fromStdString(error.message);
}

}  // namespace

TaskBoard::TaskBoard(QObject* parent) : QObject(parent) {}

TaskBoard::~TaskBoard() = default;

void TaskBoard::open(StoreSession* session)
{
    // Exports and imports report their own end; a bulk request gets no answer any more.
    std::vector<int> bulkTaskIds;
    for (const auto& [id, running] : running_) {
        if (running.isBulkRequest) {
            bulkTaskIds.push_back(id);
        }
    }
    for (const auto id : bulkTaskIds) {
        running_.erase(id);
        end(id, [](Task& task) {
            task.stopped = true;
            task.problem = tr("the connection was closed; at least this much was done");
        });
    }
    session_ = session;
    ++connectionNumber_;
}

int TaskBoard::run(BulkRequest request,
                   const QString& title,
                   const QString& scope,
                   EndedHandler onEnded)
{
    return run(std::make_shared<const BulkRequest>(std::move(request)), title, scope,
               std::move(onEnded));
}

int TaskBoard::run(SharedBulkRequest request,
                   const QString& title,
                   const QString& scope,
                   EndedHandler onEnded)
{
    if (session_ == nullptr) {
        return 0;
    }
    Task task;
    task.title = title;
    task.scope = scope;
    task.expected = request->selection.count;
    task.request = request;
    task.repeatedByOthers = onEnded != nullptr;
    const auto id = add(std::move(task));
    auto& running = running_[id];
    running.isBulkRequest = true;
    running.onEnded = onEnded ? std::move(onEnded) : endedHandler_;
    running.requestId = session_->commands().runBulk(
        *request, [this, id](const Progress& progress) { handleProgress(id, progress); },
        {this, [this, id](const Result<BulkReport>& report) { finish(id, report); }});
    return id;
}

int TaskBoard::begin(Task task, std::function<void()> stop)
{
    const auto id = add(std::move(task));
    running_[id].stop = std::move(stop);
    return id;
}

int TaskBoard::add(Task task)
{
    task.id = ++lastId_;
    task.connectionNumber = connectionNumber_;
    task.started = QDateTime::currentDateTimeUtc();
    task.clock.start();
    if (session_ != nullptr && task.actor.isEmpty()) {
        task.actor = QString::fromStdString(session_->commands().actor());
    }
    tasks_.push_front(std::move(task));
    trim();
    emit listChanged();
    return lastId_;
}

void TaskBoard::trim()
{
    auto endedCount = tasks_.size() - static_cast<std::size_t>(runningCount());
    for (auto at = tasks_.size(); at > 0 && endedCount > kMaxEnded; --at) {
        if (!tasks_[at - 1].running()) {
            tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(at - 1));
            --endedCount;
        }
    }
}

void TaskBoard::handleProgress(int id, const Progress& progress)
{
    const auto found = running_.find(id);
    if (found == running_.end()) {
        return;
    }
    auto& running = found->second;
    if (running.changedIsComplete) {
        running.changed.insert(running.changed.end(), progress.changed.begin(),
                               progress.changed.end());
    }
    if (running.changed.size() > kMaxUndoableJobs) {
        running.changedIsComplete = false;
        running.changed = {};
    }
    running.report = progress.report;
    update(id, [&](Task& task) {
        task.done = progress.report.done;
        task.skipped = progress.report.skipped;
        task.failed = progress.report.failed;
        task.expected = std::max(progress.expected, task.processed());
        task.failures = progress.report.failures;
    });
}

void TaskBoard::finish(int id, const Result<BulkReport>& report)
{
    auto found = running_.extract(id);
    if (found.empty()) {
        return;
    }
    auto& running = found.mapped();
    if (report) {
        running.report = *report;
    }
    const auto* listedTask = markEnded(id, [&](Task& task) {
        if (!report) {
            task.stopped = true;
            task.problem = earlyEndText(running.report, report.error());
            task.remainder = shared(remainderOf(*task.request, running.result()));
            return;
        }
        if (report->stopped) {
            // The user did not stop it: the store refused further jobs.
            if (report->searchError) {
                task.problem = earlyEndText(*report, *report->searchError);
            } else if (task.phase == Task::Phase::Running && !report->failures.empty()) {
                task.problem = earlyEndText(*report, report->failures.back().second);
            }
            task.remainder = shared(remainderOf(*task.request, running.result()));
        }
        task.done = report->done;
        task.skipped = report->skipped;
        task.failed = report->failed;
        task.stopped = report->stopped;
        if (report->failures.size() >= task.failures.size()) {
            task.failures = report->failures;
        }
        task.doneTitle = doneTitleOf(task, running.changed);
    });
    if (listedTask == nullptr) {
        return;
    }
    const Task task = *listedTask;  // what is told of its end may change the list
    emit changed(id);
    emit ended(id);
    if (running.onEnded) {
        running.onEnded({task, running.changed, running.changedIsComplete});
    }
}

void TaskBoard::update(int id, const std::function<void(Task&)>& change)
{
    if (auto* task = find(id)) {
        change(*task);
        emit changed(id);
    }
}

void TaskBoard::end(int id, const std::function<void(Task&)>& change)
{
    if (markEnded(id, change) != nullptr) {
        emit changed(id);
        emit ended(id);
    }
}

const Task* TaskBoard::markEnded(int id, const std::function<void(Task&)>& change)
{
    running_.erase(id);
    auto* task = find(id);
    if (task == nullptr || !task->running()) {
        return nullptr;
    }
    if (change) {
        change(*task);
    }
    task->durationMs = task->clock.elapsed();
    task->ended = QDateTime::currentDateTimeUtc();
    task->phase = Task::Phase::Ended;
    return task;
}

void TaskBoard::setResult(int id, const QString& result)
{
    update(id, [&](Task& task) { task.result = result; });
}

void TaskBoard::stop(int id)
{
    const auto found = running_.find(id);
    if (found == running_.end()) {
        return;
    }
    update(id, [](Task& task) { task.phase = Task::Phase::Stopping; });
    if (found->second.stop) {
        found->second.stop();
    } else if (session_ != nullptr) {
        session_->commands().stop(found->second.requestId);
    }
}

int TaskBoard::repeat(int id)
{
    const auto* task = this->task(id);
    if (task == nullptr || !canRepeat(*task)) {
        return 0;
    }
    const auto runAgain = [this](SharedBulkRequest request, const QString& scope) {
        const auto title = stepTitle(request->verb, request->selection.count);
        return run(std::move(request), title, scope);
    };
    if (task->remainder) {
        const auto newId = runAgain(task->remainder, tr("What was left of: %1").arg(task->title));
        if (newId != 0) {
            // The new one has it now.
            update(id, [](Task& endedTask) { endedTask.remainder.reset(); });
        }
        return newId;
    }
    return runAgain(shared(failedPartOf(*task->request, task->failures)),
                    tr("Those that failed in: %1").arg(task->title));
}

bool TaskBoard::canRepeat(const Task& task) const
{
    const bool isOfThisConnection = task.connectionNumber == connectionNumber_;
    return !task.running() && isOfThisConnection && task.request && !task.repeatedByOthers &&
           (task.remainder || !task.failures.empty());
}

void TaskBoard::clearEnded()
{
    std::erase_if(tasks_, [](const Task& task) { return !task.running(); });
    emit listChanged();
}

const Task* TaskBoard::task(int id) const
{
    const auto found = std::find_if(tasks_.begin(), tasks_.end(),
                                    [id](const Task& task) { return task.id == id; });
    return found == tasks_.end() ? nullptr : &*found;
}

Task* TaskBoard::find(int id)
{
    return const_cast<Task*>(std::as_const(*this).task(id));
}

int TaskBoard::runningCount() const
{
    return static_cast<int>(std::count_if(tasks_.begin(), tasks_.end(),
                                          [](const Task& task) { return task.running(); }));
}

QString titleOf(const Task& task)
{
    return task.running() || task.doneTitle.isEmpty() ? task.title : task.doneTitle;
}

QString iconName(const Task& task)
{
    return task.running()       ? QStringLiteral("view-task")
           : task.hasProblems() ? QStringLiteral("dialog-warning")
                                : QStringLiteral("dialog-ok");
}

int percentOf(const Task& task)
{
    if (task.phase == Task::Phase::Ended && !task.stopped && task.problem.isEmpty()) {
        return 100;
    }
    if (task.expected == 0) {
        return -1;
    }
    const auto percent = task.processed() * 100 / task.expected;
    return static_cast<int>(std::min<std::uint64_t>(percent, 100));
}

double rateOf(const Task& task)
{
    // A rate over less time is meaningless.
    constexpr qint64 kMinElapsedMs = 500;
    const auto elapsed = task.elapsedMs();
    return elapsed < kMinElapsedMs
               ? 0.0
               : static_cast<double>(task.processed()) * 1'000.0 / static_cast<double>(elapsed);
}

QString timeLeftText(const Task& task)
{
    const auto rate = rateOf(task);
    if (!task.running() || rate <= 0.0 || task.expected <= task.processed()) {
        return {};
    }
    const auto seconds =
        static_cast<qint64>(static_cast<double>(task.expected - task.processed()) / rate) + 1;
    const auto translated = [](const char* text, qint64 number) {
        return QCoreApplication::translate("Task", text).arg(QLocale().toString(number));
    };
    if (seconds < 60) {
        return translated(QT_TRANSLATE_NOOP("Task", "about %1 s"), seconds);
    }
    if (seconds < 3'600) {
        return translated(QT_TRANSLATE_NOOP("Task", "about %1 min"), (seconds + 59) / 60);
    }
    return translated(QT_TRANSLATE_NOOP("Task", "about %1 h"), (seconds + 3'599) / 3'600);
}

QString outcomeText(const Task& task)
{
    auto text = countsText(task.done, task.skipped, task.failed);
    const auto append = [&text](const QString& more) {
        if (!more.isEmpty()) {
            text += QStringLiteral(" · ") + more;
        }
    };
    if (!task.running() && task.stopped) {
        append(QCoreApplication::translate("Task", "stopped"));
    }
    append(task.problem);
    append(task.result);
    return text;
}

QString rateText(const Task& task)
{
    const auto rate = rateOf(task);
    return rate <= 0.0 ? QString()
                       : QCoreApplication::translate("Task", "%1 jobs/s")
                             .arg(QLocale().toString(rate, 'f', rate < 10 ? 1 : 0));
}

}  // namespace restante::gui
