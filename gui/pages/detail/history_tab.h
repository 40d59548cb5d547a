#pragma once

#include "core/queue/job_history.h"
#include "gui/pages/detail/detail_tab.h"
#include "gui/pages/detail/detail_table.h"

class QLabel;
class QToolButton;

namespace restante::gui {

/// The transitions of a job, oldest first. *Thread of the window.*
class HistoryModel : public TimedRowModel<HistoryRow> {
    Q_OBJECT

public:
    using TimedRowModel::TimedRowModel;

protected:
    enum Column { Time, Transition, From, To, By, Reason, Worker, Note };

    const std::vector<TableColumn>& columns() const override;
    QString text(const HistoryRow& row, int column) const override;
    QVariant attribute(const HistoryRow& row, int column, int role) const override;
};

/// The history of a job from the journal; it can be copied and exported. *Thread of the window.*
class HistoryTab : public DetailTab {
    Q_OBJECT

public:
    HistoryTab(Context context, JobWatch& watch, QWidget* parent = nullptr);

    QString title() const override { return tr("Hi&story"); }
    void reset() override { model_->setContent({}, {}); }
    void refresh() override;
    bool needsHistory() const override { return true; }

    /// JSON Lines when `path` ends in ".jsonl", otherwise CSV.
    void exportTo(const QString& path);

private:
    void retranslate() override;
    void askWhereToExport();

    QLabel* statusLabel_ = nullptr;
    QToolButton* exportButton_ = nullptr;
    DetailTable* table_ = nullptr;
    HistoryModel* model_ = nullptr;
};

}  // namespace restante::gui
