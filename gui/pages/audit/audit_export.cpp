#include "gui/pages/audit/audit_export.h"

#include "gui/base/csv_text.h"
#include "gui/base/utc.h"

#include <QDateTime>
#include <QStringList>

#include <string>
#include <utility>

namespace restante::gui {

namespace {

QByteArray csvLine(const QStringList& fields)
{
    std::string line;
    for (const auto& field : fields) {
        line += (line.empty() ? "" : ",") + csvCell(field.toStdString());
    }
    return QByteArray::fromStdString(line + "\r\n");
}

}  // namespace

AuditExport::AuditExport(JobSource& source,
                         AuditRequest request,
                         const QString& file,
                         QObject* parent)
    : QObject(parent),
      source_(source),
      request_(std::move(request)),
      file_(file)
{
    request_.cursor.clear();
    request_.limit = 500;
}

AuditExport::~AuditExport()
{
    if (requestId_ != 0) {
        source_.cancel(requestId_);
    }
}

void AuditExport::requestPage()
{
    requestId_ =
        source_.audit(request_, {this, [this](Result<AuditBatch> page) {
                                     requestId_ = 0;
                                     if (page) {
                                         writePage(*page);
                                     } else {
                                         finish(QString::fromStdString(page.error().message));
                                     }
                                 }});
}

void AuditExport::writePage(const AuditBatch& page)
{
    const bool first = !std::exchange(headerWritten_, true);
    file_.append(
        [rows = page.rows, first] {
            QByteArray text = first ? "time,actor,verb,object,from,to,reason\r\n" : "";
            for (const auto& row : rows) {
                const auto time = QDateTime::fromMSecsSinceEpoch(toEpochMs(row.at), kUtc);
                text += csvLine({time.toString(Qt::ISODateWithMs), row.actor, row.verb, row.object,
                                 row.from, row.to, row.reason});
            }
            return text.toStdString();
        },
        this,
        [this, count = page.rows.size(), cursor = page.cursor](const QString& problem) {
            handlePageWritten(count, cursor, problem);
        });
}

void AuditExport::handlePageWritten(std::size_t count,
                                    const std::string& cursor,
                                    const QString& problem)
{
    if (isFinished_) {
        return;
    }
    if (!problem.isEmpty()) {
        return finish(problem);
    }
    writtenRows_ += count;
    emit progressed(writtenRows_);
    if (!cursor.empty()) {
        request_.cursor = cursor;
        return requestPage();
    }
    file_.commit(this, [this](const QString& commitProblem) { finish(commitProblem); });
}

void AuditExport::stop()
{
    if (requestId_ != 0) {
        source_.cancel(std::exchange(requestId_, 0));
    }
    finish(tr("stopped"));
}

void AuditExport::finish(const QString& problem)
{
    if (std::exchange(isFinished_, true)) {
        return;
    }
    if (!problem.isEmpty()) {
        file_.cancel();
    }
    emit finished(problem);
}

}  // namespace restante::gui
