#pragma once

#include "gui/pages/detail/delivery_step.h"
#include "gui/theme/row_model.h"

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
class StepsModel : public RowModel<DeliveryStep> {
    Q_OBJECT

public:
    enum Column { Attempt, Sent, Answer, Took, Target };

    using RowModel::RowModel;

    void setContent(std::vector<DeliveryStep> steps, std::function<QString(TimePoint)> moment);

protected:
    const std::vector<TableColumn>& columns() const override;
    QString text(const DeliveryStep& step, int column) const override;
    QVariant attribute(const DeliveryStep& step, int column, int role) const override;

private:
    std::function<QString(TimePoint)> moment_;
};

/// One thing known about two requests. *Value.*
struct ComparedField {
    QString name;
    QString left;
    QString right;
};

/// Two requests beside each other: a line for each thing known about them. What differs is bold
/// and says so. *Thread of the window.*
class StepComparisonModel : public RowModel<ComparedField> {
    Q_OBJECT

public:
    using RowModel::RowModel;

    void setContent(const DeliveryStep& left,
                    const DeliveryStep& right,
                    const std::function<QString(TimePoint)>& moment);

protected:
    const std::vector<TableColumn>& columns() const override;
    QString text(const ComparedField& field, int column) const override;
    QVariant attribute(const ComparedField& field, int column, int role) const override;
};

}  // namespace restante::gui
