#pragma once

#include "gui/pages/detail/detail_tab.h"
#include "gui/theme/row_model.h"

#include <QColor>
#include <QString>

#include <vector>

class QLabel;

namespace restante::gui {

class NextAttemptsModel;
class DetailTable;
class MessageView;

/// One field of a job. *Value.*
struct JobField {
    QString name;
    QString value;
    QString term = {};  ///< a filter term for jobs with this value; empty = none
    QString icon = {};
    QColor foreground = {};

    friend bool operator==(const JobField&, const JobField&) = default;
};

/// The fields of a job as a table of names and values. *Thread of the window.*
class JobFieldsModel : public RowModel<JobField> {
    Q_OBJECT

public:
    using RowModel::RowModel;

protected:
    const std::vector<TableColumn>& columns() const override;
    QString text(const JobField& field, int column) const override;
    QVariant attribute(const JobField& field, int column, int role) const override;
};

/// The message of a job, all its fields, and its next attempts. *Thread of the window.*
class OverviewTab : public DetailTab {
    Q_OBJECT

public:
    OverviewTab(Context context, JobWatch& watch, QWidget* parent = nullptr);

    QString title() const override { return tr("&Overview"); }
    void reset() override;
    void refresh() override;
    bool refreshesEachSecond() const override { return true; }

private:
    QWidget* buildAttempts();
    void retranslate() override;
    void showMenu(const QPoint& at);

    MessageView* message_ = nullptr;
    DetailTable* fieldTable_ = nullptr;
    JobFieldsModel* fields_ = nullptr;
    std::vector<JobField> shownFields_;
    QLabel* attemptsTitle_ = nullptr;
    DetailTable* attemptTable_ = nullptr;
    NextAttemptsModel* attempts_ = nullptr;
    QLabel* attemptsNote_ = nullptr;
};

}  // namespace restante::gui
