#pragma once

#include "core/queue/job_history.h"

#include <QAbstractTableModel>
#include <QByteArray>
#include <QString>

#include <functional>
#include <vector>

namespace restante::gui {

/// The transitions of a job, oldest first. *Thread of the window.*
class HistoryModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { At, What, From, To, By, Reason, Worker, Told, Count };

    using QAbstractTableModel::QAbstractTableModel;

    void setContent(std::vector<HistoryRow> rows, std::function<QString(TimePoint)> moment);
    const std::vector<HistoryRow>& rows() const noexcept { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const HistoryRow& row, int column) const;

    std::vector<HistoryRow> rows_;
    std::function<QString(TimePoint)> moment_;
};

/// As a file: times in RFC 3339, words as the store has them. *Pure functions.*
QByteArray historyAsCsv(const std::string& id, const std::vector<HistoryRow>& rows);
QByteArray historyAsJsonLines(const std::string& id, const std::vector<HistoryRow>& rows);

}  // namespace restante::gui
