#pragma once

#include "gui/base/file_writer.h"
#include "gui/session/job_source.h"

#include <QObject>
#include <QString>

#include <cstdint>

namespace restante::gui {

/// Writes all that a question to the audit finds to a file, page by page, so that memory does not
/// grow with it, and not on the window's thread. The file is there in the end, or not at all.
/// *Thread of the window.*
class AuditExport : public QObject {
    Q_OBJECT

public:
    /// `source` outlives it.
    AuditExport(JobSource& source, AuditRequest request, const QString& file, QObject* parent);
    ~AuditExport() override;

    void start() { ask(); }
    /// Leaves no file behind.
    void stop();
    std::uint64_t rows() const noexcept { return rows_; }

signals:
    void moved(quint64 rows);
    /// Empty = all is written.
    void finished(const QString& problem);

private:
    void ask();
    void take(const AuditBatch& page);
    void written(std::size_t count, const std::string& cursor, const QString& problem);
    void end(const QString& problem);

    JobSource& source_;
    AuditRequest request_;
    FileWriter file_;
    bool begun_ = false;
    RequestId asked_ = 0;
    std::uint64_t rows_ = 0;
    bool ended_ = false;
};

}  // namespace restante::gui
