#pragma once

#include "gui/pages/detail/next_attempts.h"

#include <QAbstractTableModel>
#include <QString>

#include <functional>

namespace restante::gui {

/// The next attempts as a table. *Thread of the window.*
class NextAttemptsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setContent(AttemptPreview preview, std::function<QString(TimePoint)> moment);
    /// What follows the last row, and whose schedule it is, in sentences.
    QString note() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    AttemptPreview preview_;
    std::function<QString(TimePoint)> moment_;
};

}  // namespace restante::gui
