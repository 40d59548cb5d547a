#pragma once

#include "gui/pages/detail/detail_tab.h"

class QLabel;

namespace restante::gui {

class NextAttemptsModel;
class DetailTable;
class JobFieldsModel;

/// All fields of a job, and when it will be tried. *Thread of the window.*
class OverviewTab : public DetailTab {
    Q_OBJECT

public:
    OverviewTab(Context context, JobWatch& watch, QWidget* parent = nullptr);

    QString title() const override { return tr("&Overview"); }
    void forget() override;
    void showAgain() override;

private:
    QWidget* buildAttempts();
    void retranslate() override;
    void showMenu(const QPoint& at);

    DetailTable* fieldTable_ = nullptr;
    JobFieldsModel* fields_ = nullptr;
    QLabel* attemptsTitle_ = nullptr;
    DetailTable* attemptTable_ = nullptr;
    NextAttemptsModel* attempts_ = nullptr;
    QLabel* attemptsNote_ = nullptr;
};

}  // namespace restante::gui
