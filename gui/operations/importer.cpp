#include "gui/operations/importer.h"

#include "core/base/error.h"
#include "gui/operations/task_board.h"
#include "gui/operations/verb_texts.h"
#include "gui/session/store_session.h"

#include <QFileInfo>

#include <utility>

namespace restante::gui {

namespace {

/// Lines that are checked between two reports of progress.
constexpr std::size_t kCheckBatch = 1'000;
/// Jobs that are sent at a time; the next ones follow when the store has answered all of them.
constexpr std::size_t kStoreBatch = 100;

}  // namespace

Importer::Importer(StoreSession& session, TaskBoard& board, QString file, QObject* parent)
    : QObject(parent),
      session_(session),
      board_(board),
      fileName_(std::move(file)),
      file_(std::make_shared<ImportFile>(fileName_))
{
}

Importer::~Importer()
{
    if (!ended_ && task_ != 0) {
        reportPieceCounts();
        board_.end(task_, [](Task& task) {
            task.stopped = true;
            task.problem = tr("the connection was closed; what was stored by then is counted");
        });
    }
}

void Importer::read(std::size_t maxLines, std::function<void(ImportFile::Piece)> handlePiece)
{
    work_.run<ImportFile::Piece>(
        this, [file = file_, maxLines] { return file->next(maxLines); }, std::move(handlePiece));
}

void Importer::check()
{
    check_ = {};
    checkNext();
}

void Importer::checkNext()
{
    read(kCheckBatch, [this](ImportFile::Piece piece) {
        check_.jobs += piece.jobLines.size();
        check_.nonJobLines += piece.nonJobLines.size();
        check_.doneJobs += piece.doneJobs;
        check_.wrongLines += piece.wrongLines;
        check_.readProblem = piece.readProblem;
        for (auto& problem : piece.problems) {
            if (check_.problems.size() < ImportFile::kMaxListedProblems) {
                check_.problems.push_back(std::move(problem));
            }
        }
        emit progress(check_.jobs);
        if (piece.atEnd || !piece.readProblem.isEmpty()) {
            emit checked(check_);
            return;
        }
        checkNext();
    });
}

int Importer::start(Existing existing)
{
    existing_ = existing;
    Task task;
    task.kind = Task::Kind::Import;
    task.title = tr("Import of %1").arg(QFileInfo(fileName_).fileName());
    task.scope = jobsText(check_.jobs);
    task.expected = check_.jobs + check_.nonJobLines + check_.doneJobs;
    task.skipped = check_.doneJobs;
    task_ = board_.begin(std::move(task), [this] { stopping_ = true; });
    // Queued before the first read: file work runs in the order in which it was queued.
    work_.run<bool>(
        this,
        [file = file_] {
            file->rewind();
            return true;
        },
        [](bool) {});
    storeNext();
    return task_;
}

void Importer::storeNext()
{
    if (stopping_ || atEnd_) {
        return end({});
    }
    read(kStoreBatch, [this](ImportFile::Piece piece) { store(std::move(piece)); });
}

void Importer::store(ImportFile::Piece piece)
{
    atEnd_ = piece.atEnd;
    if (!piece.readProblem.isEmpty()) {
        return end(piece.readProblem);
    }
    if (piece.wrongLines > 0) {
        return end(tr("the file has changed since it was checked: line %1 is wrong")
                       .arg(piece.problems.front().first));
    }
    if (piece.nonJobLines.empty()) {
        return storeLines(std::move(piece.jobLines));
    }
    // A topic is paused, and a once key known, before any job of the piece is stored.
    jobLines_ = std::move(piece.jobLines);
    storeLines(std::move(piece.nonJobLines));
}

void Importer::storeLines(std::vector<ImportFile::Line> lines)
{
    unansweredLines_ = lines.size();
    if (unansweredLines_ == 0) {
        return storeNext();
    }
    for (auto& line : lines) {
        const bool isTopic = std::holds_alternative<TopicSetting>(line.value);
        session_.commands().import(
            std::move(line.value), existing_ == Existing::Replace,
            {this, [this, number = line.number, isTopic](const Result<PushOutcome>& outcome) {
                 recordOutcome(number, isTopic, outcome);
             }});
    }
}

void Importer::recordOutcome(std::uint64_t line, bool isTopic, const Result<PushOutcome>& outcome)
{
    if (!outcome) {
        const auto& error = outcome.error();
        ++pieceCounts_.failed;
        pieceCounts_.failures.emplace_back(tr("line %1").arg(line).toStdString(), error);
        if (isTemporary(error.code)) {
            endAfterPiece(line,
                          tr("the store takes nothing more since line %1: %2; import the "
                             "file again, what is stored is skipped")
                              .arg(QString::number(line), QString::fromStdString(error.message)));
        } else if (isTopic) {
            endAfterPiece(line, tr("the topic of line %1 cannot be set as it was, so no job after "
                                   "it is stored; import the file again")
                                    .arg(line));
        }
    } else {
        ++(outcome->status == PushStatus::Stored ? pieceCounts_.done : pieceCounts_.skipped);
    }
    if (--unansweredLines_ == 0 && !ended_) {
        reportPieceCounts();
        if (lastLine_ != 0) {
            return end(lastLineProblem_);
        }
        storeLines(std::exchange(jobLines_, {}));
    }
}

/// The answers of a piece come in any order.
void Importer::endAfterPiece(std::uint64_t line, const QString& problem)
{
    if (lastLine_ == 0 || line < lastLine_) {
        lastLine_ = line;
        lastLineProblem_ = problem;
    }
}

/// Once for each piece: every update redraws the task.
void Importer::reportPieceCounts()
{
    const auto counts = std::exchange(pieceCounts_, {});
    board_.update(task_, [&](Task& task) {
        task.done += counts.done;
        task.skipped += counts.skipped;
        task.failed += counts.failed;
        for (const auto& failure : counts.failures) {
            if (task.failures.size() < Progress::kMaxFailures) {
                task.failures.push_back(failure);
            }
        }
    });
}

void Importer::end(const QString& problem)
{
    if (std::exchange(ended_, true)) {
        return;
    }
    board_.end(task_, [&](Task& task) {
        task.stopped = stopping_ && !atEnd_;
        task.problem = problem;
    });
    deleteLater();
}

}  // namespace restante::gui
