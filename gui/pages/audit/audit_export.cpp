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
    if (asked_ != 0) {
        source_.cancel(asked_);
    }
}

void AuditExport::ask()
{
    asked_ = source_.audit(request_, {this, [this](Result<AuditBatch> page) {
                                          asked_ = 0;
                                          if (page) {
                                              take(*page);
                                          } else {
                                              end(QString::fromStdString(page.error().message));
                                          }
                                      }});
}

void AuditExport::take(const AuditBatch& page)
{
    const bool first = !std::exchange(begun_, true);
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
            written(count, cursor, problem);
        });
}

void AuditExport::written(std::size_t count, const std::string& cursor, const QString& problem)
{
    if (ended_) {
        return;
    }
    if (!problem.isEmpty()) {
        return end(problem);
    }
    rows_ += count;
    emit moved(rows_);
    if (!cursor.empty()) {
        request_.cursor = cursor;
        return ask();
    }
    file_.commit(this, [this](const QString& wrong) { end(wrong); });
}

void AuditExport::stop()
{
    if (asked_ != 0) {
        source_.cancel(std::exchange(asked_, 0));
    }
    end(tr("stopped"));
}

void AuditExport::end(const QString& problem)
{
    if (std::exchange(ended_, true)) {
        return;
    }
    if (!problem.isEmpty()) {
        file_.cancel();
    }
    emit finished(problem);
}

}  // namespace restante::gui
