#pragma once

#include "gui/pages/detail/delivery_step.h"
#include "gui/pages/detail/detail_tab.h"
#include "gui/pages/detail/detail_table.h"

#include <functional>

class QLabel;

namespace restante::gui {

class SequenceDiagram;

/// The requests of a job's attempts. *Thread of the window.*
class StepsModel : public TimedRowModel<DeliveryStep> {
    Q_OBJECT

public:
    enum Column { Attempt, Sent, Answer, Took, Target };

    using TimedRowModel::TimedRowModel;

protected:
    const std::vector<TableColumn>& columns() const override;
    QString text(const DeliveryStep& step, int column) const override;
    QVariant attribute(const DeliveryStep& step, int column, int role) const override;
};

/// One property of two requests. *Value.*
struct ComparedField {
    QString name;
    QString left;
    QString right;
};

/// Compares two requests, a row for each property. Rows that differ are bold and marked. *Thread of
/// the window.*
class StepComparisonModel : public RowModel<ComparedField> {
    Q_OBJECT

public:
    using RowModel::RowModel;

    void setContent(const DeliveryStep& left,
                    const DeliveryStep& right,
                    const std::function<QString(TimePoint)>& formatTime);

protected:
    const std::vector<TableColumn>& columns() const override;
    QString text(const ComparedField& field, int column) const override;
    QVariant attribute(const ComparedField& field, int column, int role) const override;
};

/// The attempts to deliver a job as a table and as a sequence diagram; two selected ones are
/// compared. *Thread of the window.*
class AttemptsTab : public DetailTab {
    Q_OBJECT

public:
    AttemptsTab(Context context, JobWatch& watch, QWidget* parent = nullptr);

    QString title() const override { return tr("&Attempts"); }
    void reset() override;
    void refresh() override;
    bool needsHistory() const override { return true; }

private:
    void retranslate() override;
    void selectStep(int step, Qt::KeyboardModifiers modifiers);
    void updateComparison();
    QString statusText() const;
    QString unsentText() const;

    std::vector<UnsentTry> unsent_;
    std::size_t unknownAttempts_ = 0;

    QLabel* statusLabel_ = nullptr;
    DetailTable* table_ = nullptr;
    StepsModel* steps_ = nullptr;
    SequenceDiagram* diagram_ = nullptr;
    DetailTable* comparisonTable_ = nullptr;
    StepComparisonModel* comparison_ = nullptr;
};

}  // namespace restante::gui
