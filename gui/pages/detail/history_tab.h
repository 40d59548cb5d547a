#pragma once

#include "gui/pages/detail/detail_tab.h"

class QLabel;
class QToolButton;

namespace restante::gui {

class DetailTable;
class HistoryModel;

/// What has happened to a job, from the journal; copied and exported. *Thread of the window.*
class HistoryTab : public DetailTab {
    Q_OBJECT

public:
    HistoryTab(Context context, JobWatch& watch, QWidget* parent = nullptr);

    QString title() const override { return tr("Hi&story"); }
    void forget() override;
    void showAgain() override;
    bool needsHistory() const override { return true; }
    QWidget* firstFocus() override;

    /// JSON Lines when `path` ends in ".jsonl", otherwise CSV.
    void exportTo(const QString& path);

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void askWhereToExport();

    QLabel* note_ = nullptr;
    QToolButton* export_ = nullptr;
    DetailTable* table_ = nullptr;
    HistoryModel* model_ = nullptr;
};

}  // namespace restante::gui
