#pragma once

#include "core/queue/job_search.h"
#include "gui/base/file_writer.h"
#include "gui/operations/export_text.h"
#include "gui/session/jobs_view.h"
#include "gui/session/reply.h"

#include <QObject>
#include <QString>

#include <string>
#include <vector>

namespace restante::gui {

class StoreSession;
class TaskBoard;

/// Writes jobs to a file as one task of the board, batch by batch, so that memory stays bounded.
/// The file is written on another thread. The file appears under its name
/// when it is complete; a stop or an error leaves nothing. Deletes itself at its end; the session
/// must live as long. *Thread of the window.*
class Exporter : public QObject {
    Q_OBJECT

public:
    /// Jobs in memory at a time.
    static constexpr std::uint32_t kBatchSize = 200;

    Exporter(StoreSession& session,
             TaskBoard& board,
             Selection selection,
             QString file,
             ExportOptions options,
             QObject* parent);
    ~Exporter() override;

    /// Call it once. Returns the task's id.
    int start();
    const QString& fileName() const noexcept { return fileName_; }

private:
    /// Jobs to be written; `histories` has theirs at the same indexes.
    struct Batch {
        std::vector<JobView> jobs;
        std::vector<std::vector<HistoryRow>> histories;
    };

    void fetchNextBatch();
    void fetchSelectedJobs();
    void handleBatch(Result<SearchPage> batch);
    void handleJob(const Result<JobView>& view);
    void fetchHistories();
    void write();
    void handleWritten(const QString& problem);
    void end(const QString& problem);

    StoreSession& session_;
    TaskBoard& board_;
    Selection selection_;
    QString fileName_;
    ExportOptions options_;
    int task_ = 0;
    bool stopping_ = false;
    bool ended_ = false;
    std::string cursor_;
    bool isLastBatch_ = false;
    std::size_t nextIdIndex_ = 0;
    std::size_t pendingAnswers_ = 0;
    Batch batch_;
    bool isHeaderWritten_ = false;
    FileWriter file_;
};

}  // namespace restante::gui
