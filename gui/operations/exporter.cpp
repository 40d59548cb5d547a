#include "gui/operations/exporter.h"

#include "gui/operations/task_board.h"
#include "gui/operations/verb_texts.h"
#include "gui/session/store_session.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// How many jobs of a batch were written.
struct WrittenBatch {
    std::uint64_t lines = 0;
    std::uint64_t skipped = 0;  ///< jobs that this format has no line for
};

/// Whether the job came in after the user had looked, as BulkAction::asOf counts it: only of jobs
/// that have ended does the store tell when that was.
bool cameInAfter(TimePoint asOf, const JobView& view)
{
    const bool ended = view.state == JobState::Dead || view.state == JobState::Done ||
                       view.state == JobState::Trashed;
    const auto since = ended ? std::max(view.job.created, view.due) : view.job.created;
    return asOf != TimePoint{} && since > asOf;
}

}  // namespace

Exporter::Exporter(StoreSession& session,
                   TaskBoard& board,
                   Selection selection,
                   QString file,
                   ExportOptions options,
                   QObject* parent)
    : QObject(parent),
      session_(session),
      board_(board),
      selection_(std::move(selection)),
      fileName_(std::move(file)),
      options_(std::move(options)),
      file_(fileName_)
{
}

Exporter::~Exporter()
{
    if (!ended_ && task_ != 0) {
        board_.end(task_, [](Task& task) {
            task.stopped = true;
            task.problem = tr("the connection was closed; no file was written");
        });
    }
}

int Exporter::start()
{
    Task task;
    task.kind = Task::Kind::Export;
    task.title = tr("Export to %1").arg(QFileInfo(fileName_).fileName());
    task.scope = scopeText(selection_);
    task.expected = selection_.count;
    task_ = board_.begin(std::move(task), [this] { stopping_ = true; });
    fetchNextBatch();
    return task_;
}

void Exporter::fetchNextBatch()
{
    if (stopping_) {
        return end({});
    }
    if (!selection_.all) {
        return fetchSelectedJobs();
    }
    ScanRequest request;
    request.view = selection_.view;
    request.cursor = cursor_;
    request.limit = kBatchSize;
    session_.source().scanWithBodies(std::move(request), {this, [this](Result<SearchPage> batch) {
                                                              handleBatch(std::move(batch));
                                                          }});
}

void Exporter::fetchSelectedJobs()
{
    const auto until = std::min(selection_.ids.size(), nextIdIndex_ + kBatchSize);
    pendingAnswers_ = until - nextIdIndex_;
    isLastBatch_ = until == selection_.ids.size();
    if (pendingAnswers_ == 0) {
        return write();
    }
    for (; nextIdIndex_ < until; ++nextIdIndex_) {
        session_.source().show(selection_.ids[nextIdIndex_],
                               {this, [this](const Result<JobView>& view) { handleJob(view); }});
    }
}

void Exporter::handleJob(const Result<JobView>& view)
{
    if (ended_) {
        return;
    }
    if (view) {
        batch_.jobs.push_back(*view);
    } else if (view.error().code != ErrorCode::NotFound) {
        return end(QString::fromStdString(view.error().message));
    } else {
        board_.update(task_, [](Task& task) { ++task.skipped; });
    }
    if (--pendingAnswers_ == 0) {
        fetchHistories();
    }
}

void Exporter::handleBatch(Result<SearchPage> batch)
{
    if (!batch) {
        return end(QString::fromStdString(batch.error().message));
    }
    cursor_ = std::move(batch->cursor);
    isLastBatch_ = cursor_.empty();
    batch_.jobs = std::move(batch->jobs);
    std::erase_if(batch_.jobs, [this](const JobView& view) {
        return selection_.except.count(view.job.id) != 0;
    });
    const auto newer = std::erase_if(
        batch_.jobs, [this](const JobView& view) { return cameInAfter(selection_.asOf, view); });
    if (newer > 0) {
        board_.update(task_, [newer](Task& task) { task.skipped += newer; });
    }
    fetchHistories();
}

void Exporter::fetchHistories()
{
    batch_.histories.clear();
    const bool wantsHistories = options_.history == ExportOptions::History::With &&
                                options_.format == ExportFormat::JsonLines;
    if (!wantsHistories || batch_.jobs.empty()) {
        return write();
    }
    pendingAnswers_ = batch_.jobs.size();
    batch_.histories.resize(pendingAnswers_);
    for (std::size_t at = 0; at < batch_.jobs.size(); ++at) {
        session_.source().history(batch_.jobs[at].job.id,
                                  {this, [this, at](Result<std::vector<HistoryRow>> rows) {
                                       if (ended_) {
                                           return;
                                       }
                                       if (!rows && rows.error().code != ErrorCode::NotFound) {
                                           return end(QString::fromStdString(rows.error().message));
                                       }
                                       batch_.histories[at] =
                                           rows.value_or(std::vector<HistoryRow>{});
                                       if (--pendingAnswers_ == 0) {
                                           write();
                                       }
                                   }});
    }
}

void Exporter::write()
{
    auto batch = std::make_shared<Batch>(std::exchange(batch_, {}));
    auto counts = std::make_shared<WrittenBatch>();
    const bool needsHeader = !std::exchange(isHeaderWritten_, true);
    file_.append(
        [batch, counts, needsHeader, options = options_] {
            std::string text = needsHeader ? exportHeader(options) : std::string{};
            static const std::vector<HistoryRow> kNone;
            for (std::size_t at = 0; at < batch->jobs.size(); ++at) {
                const auto& history = at < batch->histories.size() ? batch->histories[at] : kNone;
                if (const auto line = exportLine(batch->jobs[at], history, options)) {
                    text += *line;
                    ++counts->lines;
                }
            }
            counts->skipped = batch->jobs.size() - counts->lines;
            return text;
        },
        this,
        [this, counts](const QString& problem) {
            board_.update(task_, [&](Task& task) {
                task.skipped += counts->skipped;
                task.done += counts->lines;
                task.expected = std::max(task.expected, task.processed());
            });
            handleWritten(problem);
        });
}

void Exporter::handleWritten(const QString& problem)
{
    if (!problem.isEmpty()) {
        return end(problem);
    }
    if (!isLastBatch_) {
        return fetchNextBatch();
    }
    file_.commit(this, [this](const QString& commitProblem) {
        stopping_ = false;
        end(commitProblem);
    });
}

void Exporter::end(const QString& problem)
{
    if (std::exchange(ended_, true)) {
        return;
    }
    board_.end(task_, [&](Task& task) {
        task.stopped = stopping_;
        task.problem = problem;
        if (stopping_ || !problem.isEmpty()) {
            task.result = tr("no file was written");
        } else {
            task.result = QDir::toNativeSeparators(fileName_);
        }
    });
    deleteLater();
}

}  // namespace restante::gui
