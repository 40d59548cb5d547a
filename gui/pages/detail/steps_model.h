#pragma once

#include "gui/pages/detail/delivery_step.h"

#include <QAbstractTableModel>
#include <QColor>
#include <QString>

#include <functional>
#include <vector>

namespace restante::gui {

/// Icon, colour and word of what came of a request. *Value.*
struct OutcomeStyle {
    QString icon;
    QColor ink;
    QString word;
};
OutcomeStyle styleOf(DeliveryStep::Outcome outcome);

/// The requests of a job's attempts. *Thread of the window.*
class StepsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Attempt, Sent, Answer, Took, Target, Count };

    using QAbstractTableModel::QAbstractTableModel;

    void setContent(std::vector<DeliveryStep> steps, std::function<QString(TimePoint)> moment);
    const std::vector<DeliveryStep>& steps() const noexcept { return steps_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<DeliveryStep> steps_;
    std::function<QString(TimePoint)> moment_;
};

/// Two requests beside each other: a line for each thing known about them. What differs is bold
/// and says so. *Thread of the window.*
class StepComparisonModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setContent(const DeliveryStep& left,
                    const DeliveryStep& right,
                    const std::function<QString(TimePoint)>& moment);
    void clear();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Line {
        QString name;
        QString left;
        QString right;
    };
    std::vector<Line> lines_;
};

}  // namespace restante::gui
