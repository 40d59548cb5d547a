#pragma once

#include "core/queue/job_store.h"
#include "gui/base/file_work.h"
#include "gui/operations/import_file.h"
#include "gui/operations/task_board.h"
#include "gui/session/reply.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace restante::gui {

class StoreSession;
class TaskBoard;

/// Stores the jobs of a file as one task of the board, after all lines were found valid: nothing
/// of a file with a wrong line is stored. Ends early when the store is away or takes nothing more,
/// and when a topic cannot be paused or limited: the jobs after it would be delivered. Reads on
/// another thread.
/// The session must live as long. *Thread of the window.*
class Importer : public QObject {
    Q_OBJECT

public:
    enum class Existing { Keep, Replace };

    Importer(StoreSession& session, TaskBoard& board, QString file, QObject* parent);
    ~Importer() override;

    /// Checks all lines; emits `progress` meanwhile and `checked` at the end.
    void check();
    /// After a check that found no wrong line. Deletes itself at its end; answers the task's id.
    int start(Existing existing);

    struct Check {
        std::uint64_t jobs = 0;
        std::uint64_t nonJobLines = 0;  ///< topics and once keys
        std::uint64_t doneJobs = 0;     ///< ImportFile::Piece::doneJobs
        std::uint64_t wrongLines = 0;
        std::vector<std::pair<std::uint64_t, std::string>> problems;  ///< by the line's number
        QString readProblem;  ///< why the file cannot be read; empty = it can

        bool isValid() const { return wrongLines == 0 && readProblem.isEmpty(); }
    };

signals:
    void progress(quint64 jobs);
    void checked(const restante::gui::Importer::Check& check);

private:
    void read(std::size_t maxLines, std::function<void(ImportFile::Piece)> handlePiece);
    void checkNext();
    void storeNext();
    void store(ImportFile::Piece piece);
    void storeLines(std::vector<ImportFile::Line> lines);
    void recordOutcome(std::uint64_t line, bool isTopic, const Result<PushOutcome>& outcome);
    void endAfterPiece(std::uint64_t line, const QString& problem);
    void reportPieceCounts();
    void end(const QString& problem);

    StoreSession& session_;
    TaskBoard& board_;
    QString fileName_;
    Check check_;
    Existing existing_ = Existing::Keep;
    int task_ = 0;
    bool stopping_ = false;
    bool ended_ = false;
    bool atEnd_ = false;
    std::size_t unansweredLines_ = 0;         ///< sent to the store
    std::vector<ImportFile::Line> jobLines_;  ///< jobs of the piece, stored after its pauses
    std::uint64_t lastLine_ = 0;  ///< the first after which nothing more is to be stored; 0 = none
    QString lastLineProblem_;
    Task pieceCounts_;                  ///< counts and failures of the piece that is being stored
    std::shared_ptr<ImportFile> file_;  ///< shared with the work on it
    FileWork work_;
};

}  // namespace restante::gui
