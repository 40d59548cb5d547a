#pragma once

#include "gui/pages/detail/detail_tab.h"

class QLabel;
class QSplitter;

namespace restante::gui {

class DetailTable;
class LadderView;
class StepComparisonModel;
class StepsModel;

/// The attempts to deliver a job, in words and as a ladder; two of them beside each other. *Thread
/// of the window.*
class AttemptsTab : public DetailTab {
    Q_OBJECT

public:
    AttemptsTab(Context context, JobWatch& watch, QWidget* parent = nullptr);

    QString title() const override { return tr("&Attempts"); }
    void forget() override;
    void showAgain() override;
    bool needsHistory() const override { return true; }

private:
    void retranslate() override;
    void select(int step, Qt::KeyboardModifiers modifiers);
    void compare();
    QString noteText() const;

    QLabel* note_ = nullptr;
    DetailTable* table_ = nullptr;
    StepsModel* steps_ = nullptr;
    LadderView* ladder_ = nullptr;
    DetailTable* comparisonTable_ = nullptr;
    StepComparisonModel* comparison_ = nullptr;
};

}  // namespace restante::gui
