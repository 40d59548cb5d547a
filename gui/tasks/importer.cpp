#include "gui/tasks/importer.h"

#include "gui/commands/verb_texts.h"
#include "gui/session/session.h"
#include "gui/tasks/task_board.h"

#include <QFileInfo>

#include <utility>

namespace restante::gui {

namespace {

/// Lines that are checked between two signs of life.
constexpr std::size_t kChecked = 1'000;
/// Jobs that are on their way to the store at a time.
constexpr std::size_t kStored = 100;

}  // namespace

Importer::Importer(Session& session, TaskBoard& board, QString file, QObject* parent)
    : QObject(parent),
      session_(session),
      board_(board),
      name_(std::move(file)),
      file_(std::make_unique<ImportFile>(name_))
{
    reader_.moveToThread(&thread_);
    thread_.start();
}

Importer::~Importer()
{
    if (!ended_ && task_ != 0) {
        board_.end(task_, [](Task& task) {
            task.stopped = true;
            task.problem = tr("the connection was closed; what was stored by then is counted");
        });
    }
    thread_.quit();
    thread_.wait();
}

void Importer::read(std::size_t most, std::function<void(ImportFile::Piece)> take)
{
    QMetaObject::invokeMethod(&reader_, [this, most, take = std::move(take)] {
        auto piece = std::make_shared<ImportFile::Piece>(file_->next(most));
        QMetaObject::invokeMethod(this, [take, piece] { take(std::move(*piece)); });
    });
}

void Importer::check()
{
    check_ = {};
    checkNext();
}

void Importer::checkNext()
{
    read(kChecked, [this](ImportFile::Piece piece) {
        check_.jobs += piece.lines.size();
        check_.done += piece.done;
        check_.wrong += piece.wrong;
        check_.unreadable = piece.unreadable;
        for (auto& problem : piece.problems) {
            if (check_.problems.size() < ImportFile::kNamed) {
                check_.problems.push_back(std::move(problem));
            }
        }
        emit progress(check_.jobs);
        if (piece.atEnd || !piece.unreadable.isEmpty()) {
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
    task.title = tr("Import of %1").arg(QFileInfo(name_).fileName());
    task.scope = jobsText(check_.jobs);
    task.expected = check_.jobs + check_.done;
    task.skipped = check_.done;
    task_ = board_.begin(std::move(task), [this] { stopping_ = true; });
    QMetaObject::invokeMethod(&reader_, [this] { file_->rewind(); });
    storeNext();
    return task_;
}

void Importer::storeNext()
{
    if (stopping_ || atEnd_) {
        return end({});
    }
    read(kStored, [this](ImportFile::Piece piece) { store(std::move(piece)); });
}

void Importer::store(ImportFile::Piece piece)
{
    atEnd_ = piece.atEnd;
    if (!piece.unreadable.isEmpty()) {
        return end(piece.unreadable);
    }
    missing_ = piece.lines.size();
    if (missing_ == 0) {
        return storeNext();
    }
    for (auto& line : piece.lines) {
        session_.commands().import(
            std::move(line.view), existing_ == Existing::Replace,
            {this, [this, number = line.number](const Result<PushOutcome>& outcome) {
                 note(number, outcome);
             }});
    }
}

void Importer::note(std::uint64_t line, const Result<PushOutcome>& outcome)
{
    board_.update(task_, [&](Task& task) {
        if (!outcome) {
            ++task.failed;
            if (task.failures.size() < Progress::kFailures) {
                task.failures.emplace_back(tr("line %1").arg(line).toStdString(), outcome.error());
            }
        } else if (outcome->status == PushStatus::Stored) {
            ++task.done;
        } else {
            ++task.skipped;
        }
    });
    if (--missing_ == 0 && !ended_) {
        storeNext();
    }
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
