#include "gui/audit/audit_export.h"

#include "gui/commands/csv_text.h"

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

void AuditExport::start()
{
    if (!file_.open(QIODevice::WriteOnly)) {
        end(file_.errorString());
        return;
    }
    file_.write("time,actor,verb,object,from,to,reason\r\n");
    ask();
}

void AuditExport::ask()
{
    asked_ = source_.audit(request_, {this, [this](Result<AuditPage> page) {
                                          asked_ = 0;
                                          if (page) {
                                              take(*page);
                                          } else {
                                              end(QString::fromStdString(page.error().message));
                                          }
                                      }});
}

void AuditExport::take(const AuditPage& page)
{
    for (const auto& row : page.rows) {
        const auto time = QDateTime::fromMSecsSinceEpoch(toEpochMs(row.at), Qt::UTC);
        file_.write(csvLine({time.toString(Qt::ISODateWithMs), row.actor, row.verb, row.object,
                             row.from, row.to, row.reason}));
    }
    rows_ += page.rows.size();
    if (file_.error() != QFileDevice::NoError) {
        end(file_.errorString());
        return;
    }
    emit moved(rows_);
    if (!page.cursor.empty()) {
        request_.cursor = page.cursor;
        ask();
        return;
    }
    end(file_.commit() ? QString() : file_.errorString());
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
        file_.cancelWriting();
    }
    emit finished(problem);
}

}  // namespace restante::gui
