#pragma once

#include "gui/base/file_writer.h"
#include "gui/session/job_source.h"

#include <QObject>
#include <QString>

#include <cstdint>

namespace restante::gui {

/// Exports all audit entries that match a request to a CSV file, page by page, so that memory stays
/// bounded; another thread writes. On failure no file is left. *Thread of the window.*
class AuditExport : public QObject {
    Q_OBJECT

public:
    /// `source` outlives it.
    AuditExport(JobSource& source, AuditRequest request, const QString& file, QObject* parent);
    ~AuditExport() override;

    void start() { requestPage(); }
    /// Cancels the export; no file is left.
    void stop();
    std::uint64_t rows() const noexcept { return writtenRows_; }

signals:
    void progressed(quint64 rows);
    /// Empty = success.
    void finished(const QString& problem);

private:
    void requestPage();
    void writePage(const AuditBatch& page);
    void handlePageWritten(std::size_t count, const std::string& cursor, const QString& problem);
    void finish(const QString& problem);

    JobSource& source_;
    AuditRequest request_;
    FileWriter file_;
    bool headerWritten_ = false;
    RequestId requestId_ = 0;
    std::uint64_t writtenRows_ = 0;
    bool isFinished_ = false;
};

}  // namespace restante::gui
